package text

import (
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/sniff"
)

// TestMediaTypes: the decoder takes exactly what the sniffer calls text.
func TestMediaTypes(t *testing.T) {
	want, got := sniff.TextFamily(), slices.Clone(Decoder.MediaTypes)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the decoder takes %v, the sniffer gives %v", got, want)
	}
}
