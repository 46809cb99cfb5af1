package image

import (
	_ "embed"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// The samples are drawn by the tests (-update writes them). Each is large enough to be shrunk by the kernel, in a request with a small
// longer side, and touches what most pictures touch: Huffman tables, inflate and deflate, the encoders.
var (
	//go:embed samples/sample.png
	samplePNG []byte
	//go:embed samples/sample.jpg
	sampleJPEG []byte
)

func samples() []pdk.Sample {
	return []pdk.Sample{{MediaType: "image/png", Data: samplePNG}, {MediaType: "image/jpeg", Data: sampleJPEG}}
}
