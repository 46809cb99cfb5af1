package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestHidden(t *testing.T) {
	in := "a\u202eb\u200bc\x1b[31md\x7f\U000E0041 plain ASCII that is longer than a word\ttab\r\n👩\u200d🔧\x01"
	res := read(t, in, nil)
	if res.Meta["hidden"] != 5.0 || res.Meta["ansi"] != 1.0 || textOf(res) != strings.Replace(in, "\x1b[31m", "", 1) {
		t.Errorf("hidden: %v, ansi: %v, text %q", res.Meta["hidden"], res.Meta["ansi"], textOf(res))
	}
	if res := read(t, in, asSource); res.Meta["hidden"] != 6.0 || res.Meta["ansi"] != nil || textOf(res) != in {
		t.Errorf("source: hidden: %v, ansi: %v, text %q", res.Meta["hidden"], res.Meta["ansi"], textOf(res))
	}
}

// TestHiddenWarning: the first places are named, and what is ordinary in its script is not.
func TestHiddenWarning(t *testing.T) {
	res := read(t, "one\r\ntwo\u202e\rthree\n\U000E0041\u200b\n\u2060\n\ufeff\u2066 \x01\n", nil)
	want := readapi.Warning{
		Code: readapi.WarnHiddenText, At: 2,
		Detail: "6 characters that a reader does not see: U+202E in line 2, U+E0041, U+200B in line 4, U+2060 in line 5, U+FEFF in line 6, and more",
	}
	if len(res.Warnings) != 1 || res.Warnings[0] != want {
		t.Errorf("%+v, want %+v", res.Warnings, want)
	}
	for _, in := range []string{"می\u200cخواهم\n", "👩\u200d🔧 ❤\ufe0f\n", "שלום.\u200f\n", "ping\a\n", "page\n\fpage\n"} {
		if res := read(t, in, nil); len(res.Warnings) != 0 {
			t.Errorf("%q: %+v", in, res.Warnings)
		}
	}
}

// TestHiddenPieces: the count does not depend on how a text comes in pieces.
func TestHiddenPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runes := []rune("aא漢👩\n\r\f\u200b\u200c\u200d\u200f\u202e\ufe0f\U000E0067\U000E0062\U000E0100\u00ad🏴ไسx \u0085\x01\u3164\U0001D173")
		pieces := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom(runes))).Draw(t, "pieces")
		whole := strings.Join(pieces, "")
		var h hiddenCount
		finished := int64(0)
		for _, p := range pieces {
			h.add([]byte(p), finished)
			finished += int64(strings.Count(p, "\n"))
		}
		if _, want := readapi.Escape(whole); h.all != int64(want) {
			t.Fatalf("%d in %q, Escape says %d", h.all, pieces, want)
		}
	})
}
