package sniff_test

import (
	"os"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/sniff"
)

// TestPage: the page for authors of decoders names every type that a text may have, so that nobody waits for another.
func TestPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/abi.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "## When it is asked")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("the page does not say when a decoder is asked")
	}
	for _, m := range sniff.TextFamily() {
		if !strings.Contains(section, "`"+string(m)+"`") {
			t.Errorf("%s is not on the page", m)
		}
	}
}
