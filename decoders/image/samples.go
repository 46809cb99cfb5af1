package image

import (
	_ "embed"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// The samples are drawn by the tests (-update writes them). They touch what most pictures touch: inflate and Huffman tables on the way in,
// both encoders on the way out.
var (
	//go:embed samples/sample.png
	samplePNG []byte
	//go:embed samples/sample.jpg
	sampleJPEG []byte
)

func samples() []pdk.Sample {
	return []pdk.Sample{{MediaType: "image/png", Data: samplePNG}, {MediaType: "image/jpeg", Data: sampleJPEG}}
}
