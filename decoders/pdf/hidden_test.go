package pdf

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/layout"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// readTrick reads the one page of a file: its text, with hidden text too, and what is hidden.
func readTrick(t *testing.T, data []byte) (text, all string, hidden []content.HiddenCount) {
	t.Helper()
	d, err := openDocument(bytes.NewReader(data), "")
	if err != nil {
		t.Fatal(err)
	}
	d.read(1, d.page(1))
	hidden = d.content.HiddenCounts()
	text = layout.Lay(&d.content).Text
	d.content.ShowHidden = true
	return text, layout.Lay(&d.content).Text, hidden
}

// Nothing that a person does not see leaks into the text, and all of it can be asked for.
func TestHiddenText(t *testing.T) {
	tricks, leaks := pdftest.Tricks(), 0
	for _, c := range tricks {
		t.Run(c.Name, func(t *testing.T) {
			text, all, hidden := readTrick(t, c.Data)
			if strings.Contains(text, pdftest.Secret) {
				leaks++
				t.Errorf("leaks: %q", text)
			}
			if c.Name != "mode-3-on-a-slide" && !strings.Contains(text, pdftest.Plainly) {
				t.Errorf("the plain words are missing: %q", text)
			}
			if c.Reason == 0 {
				return
			}
			if !strings.Contains(strings.ReplaceAll(all, "\n", ""), pdftest.Secret) {
				t.Errorf("not there when hidden text is asked for: %q", all)
			}
			counted := func(n content.HiddenCount) bool {
				return n.Reason == content.Hidden(c.Reason) && n.Characters >= len(pdftest.Secret) && n.Words > 0
			}
			if !slices.ContainsFunc(hidden, counted) {
				t.Errorf("counted as %+v, want %v", hidden, content.Hidden(c.Reason))
			}
		})
	}
	if len(tricks) < 40 {
		t.Errorf("only %d tricks", len(tricks))
	}
	t.Logf("%d tricks, %d leaks", len(tricks), leaks)
}

// What a person sees stays, however it is made.
func TestHonestText(t *testing.T) {
	for _, c := range pdftest.Honest() {
		t.Run(c.Name, func(t *testing.T) {
			text, _, hidden := readTrick(t, c.Data)
			if !strings.Contains(text, pdftest.Secret) || !strings.Contains(text, pdftest.Plainly) || len(hidden) > 0 && c.Name != "white-again-black" {
				t.Errorf("%q, hidden %+v", text, hidden)
			}
		})
	}
}
