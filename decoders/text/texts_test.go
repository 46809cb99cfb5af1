package text

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
)

// TestDetectLanguages: each language in each of its charsets is read right, from one line and from pages of it.
func TestDetectLanguages(t *testing.T) {
	for _, l := range charsettest.Languages {
		for label := range strings.FieldsSeq(l.Charsets) {
			line, _, _ := strings.Cut(l.Text, "\n")
			for what, want := range map[string]string{"a line": line, "all": l.Text, "pages": strings.Repeat(l.Text, 60)} {
				res := read(t, charsettest.Encode(t, want, label), asSource)
				if got := textOf(res); got != want {
					t.Errorf("%s of %s in %s is read as %v (%v, %v): %.80q", what, l.Name, label, res.Meta["charset"], res.Meta["charset_source"], res.Meta["confidence"], got)
				}
			}
		}
	}
}

// TestDetectShort counts how often a sentence's first characters are enough. The rate may only rise.
func TestDetectShort(t *testing.T) {
	right, all := 0, 0
	for _, l := range charsettest.Languages {
		for label := range strings.FieldsSeq(l.Charsets) {
			for _, runes := range []int{8, 12, 20, 40} {
				want := string([]rune(l.Text)[:runes])
				if ascii := charset.ASCIIPrefix([]byte(want)) == len(want); ascii {
					continue
				}
				all++
				if res, err := try(charsettest.Encode(t, want, label), asSource); err == nil && textOf(res) == want {
					right++
				} else {
					t.Logf("%d characters of %s in %s: %v", runes, l.Name, label, res.Meta["charset"])
				}
			}
		}
	}
	t.Logf("%d of %d", right, all)
	if right*100 < all*shortRate {
		t.Errorf("%d of %d short samples are right, want %d %%", right, all, shortRate)
	}
}

const shortRate = 97
