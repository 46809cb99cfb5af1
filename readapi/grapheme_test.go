package readapi_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestCutGrapheme(t *testing.T) {
	for _, c := range []struct {
		s       string
		n, want int
	}{
		{"", 0, 0}, {"abc", 0, 0}, {"abc", 2, 2}, {"abc", 3, 3}, {"abc", 9, 3}, {"é", 1, 0}, {"e\u0301x", 1, 0}, {"ae\u0301x", 2, 1}, {"ae\u0301x", 4, 4}, {"a\r\nb", 2, 1},
		{"a\r\rb", 2, 2}, {"x👩\u200d🔧y", 5, 1}, {"x👩\u200d🔧y", 8, 1}, {"x👩\u200d🔧y", 12, 12}, {"🇩🇪🇫🇷", 12, 8}, {"🇩🇪🇫🇷", 8, 8}, {"🇩🇪🇫🇷", 4, 0}, {"👍🏽!", 4, 0},
		{"\u1100\u1161\u11a8", 3, 0}, {"\u1100\u1161\u11a8", 6, 0}, {"가\u1100\u1161", 6, 3}, {"가\u11a8", 3, 0}, {"क्षि", 6, 0}, {"नमस्ते", 12, 6}, {"กำ", 3, 0}, {"x\u0600١", 3, 1}, {"1\ufe0f\u20e3x", 1, 0},
		{"🏴\U000E0067\U000E0062\U000E007F", 8, 0},
		{"a" + strings.Repeat("\u0301", 1<<19), 1 << 19, 1<<19 - 1}, // a megabyte of accents is cut
	} {
		if got := readapi.CutGrapheme(c.s, c.n); got != c.want {
			t.Errorf("CutGrapheme(%.40q, %d) = %d, want %d", c.s, c.n, got, c.want)
		}
	}
}

// TestCutGraphemeBorders: where it cuts is a border by the rules of UAX #29, as another implementation has them, and text of one script
// loses none of its borders.
func TestCutGraphemeBorders(t *testing.T) {
	alphabet := []rune("ab \r\n\té\u0301\u0308漢か\u3099각가\u1100\u1161\u11a8👩👍🏽\u200d\u200c🔧🇩🇪🇫\ufe0f1\u20e3क\u094dष\u093fก\u0e33\u0600\u0661ا\u064b\U000E0067🏴\u00ad")
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(alphabet), rapid.Rune())).Draw(t, "s")
		borders := []int{0}
		for rest, state := s, -1; rest != ""; {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			borders = append(borders, borders[len(borders)-1]+len(cluster))
		}
		n := rapid.IntRange(0, len(s)).Draw(t, "n")
		if got := readapi.CutGrapheme(s, n); got > n || !slices.Contains(borders, got) {
			t.Fatalf("CutGrapheme(%q, %d) = %d, borders are %v", s, n, got, borders)
		}
	})
	for _, s := range []string{"plain text, no marks", "流水线的每一步", "Größe und Straße", "한국어 문장", "👩\u200d🔧🇩🇪👍🏽", "שלום", "ภาษาไทย"} {
		for at := 0; at < len(s); {
			cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s[at:], -1)
			at += len(cluster)
			if got := readapi.CutGrapheme(s, at); got != at {
				t.Errorf("CutGrapheme(%q, %d) = %d", s, at, got)
			}
		}
	}
}

func TestHiddenAt(t *testing.T) {
	for _, ordinary := range []string{
		"می\u200cخواهم", "ক্\u200dষ", "👩\u200d🔧", "👁\ufe0f\u200d🗨\ufe0f", "1\ufe0f\u20e3", "❤\ufe0f", "漢\U000E0100字", "≨\ufe00", "שלום!\u200f (a)", "\u0645\u061c5", "ไทย\u200bไทย",
		"Donau\u00addampf", "\fchapter", "line\n\fpage", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "က\ufe00",
	} {
		if out, n := readapi.Escape(ordinary); n != 0 || out != ordinary {
			t.Errorf("%q has %d hidden characters: %q", ordinary, n, out)
		}
	}
	for in, want := range map[string]int{
		"pass\u200bword": 1, "a\u200cb": 1, "a\u200db": 1, "می\u200c\u200cخ": 1, "👩\u200d\u200d🔧": 1, "a\ufe0fb": 1, "❤\ufe0f\ufe01\ufe02": 2, "漢\U000E0100\U000E0101": 1, "😀\U000E0120": 1,
		"\u200fabc": 1, "abc\u200e": 1, "שלום\nabc\u200f": 1, "א\u202eב": 1, "א\u200f\u200f": 1, " \u00ad": 1, "x\fy": 1, "🏴\U000E0061\U000E0062": 2, "\U000E0067": 1, "x\u3164y": 1,
		"\ufffa": 1, "a\u2060b": 1, "\u200d": 1, "\ufe0f": 1, "\ufe0f\u200d": 2, "б\ufe00": 1,
	} {
		if out, n := readapi.Escape(in); n != want {
			t.Errorf("%q has %d hidden characters, want %d: %q", in, n, want, out)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("aא👩漢\n\f\u200b\u200c\u200d\u200e\u200f\u202e\ufe0f\U000E0067\U000E0100\u00ad🏴ไس"))).Draw(t, "s")
		out, n := readapi.Escape(s)
		if again, m := readapi.Escape(out); m != 0 || again != out {
			t.Fatalf("Escape(%q) = %q, and that again is %q", s, out, again)
		}
		count := 0
		for i := 0; i < len(s); {
			hidden, size := readapi.HiddenAt(s, i)
			if hidden {
				count++
			}
			i += size
		}
		if count != n || utf8.RuneCountInString(out) < utf8.RuneCountInString(s) {
			t.Fatalf("%d are hidden in %q, Escape says %d", count, s, n)
		}
	})
}
