package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestANSI(t *testing.T) {
	long := strings.Repeat("x", mostString+10)
	for _, c := range []struct {
		in, want string
		count    int64
	}{
		{"plain", "plain", 0},
		{"\x1b[1;31mred\x1b[0m\n", "red\n", 2},
		{"\x1b[38:2::255:0:0mcolour\x1b[K", "colour", 2},
		{"\x1b]8;;https://example.org/a?b=1\x1b\\link\x1b]8;;\x1b\\ after", "link after", 2},
		{"\x1b]0;title\atext", "text", 1},
		{"\x1bPq#0;2;0;0;0\n#0~~@@\x1b\\picture", "picture", 1},
		{"\x1b_app\x1b\\a\x1b^pm\x1b\\b\x1bXsos\x1b\\c", "abc", 3},
		{"\x1b(Bascii\x1b)0\x1b#8\x1b%G", "ascii", 4},
		{"\x1b7\x1b8\x1bc\x1b=\x1b>\x1bM", "", 6},
		{"a\x1b\nb\x1b", "a\nb", 2},
		{"a\x1b ", "a", 1},
		{"\x1bé\x1b:wq", "é:wq", 2},
		{"\x1b[12\nnext", "\nnext", 1},
		{"\x1b[1é", "é", 1},
		{"\x1b[1\x1b[2mx", "x", 2},
		{"\x1b]never ends\nnext", "never ends\nnext", 1},
		{"\x1b]never ends", "never ends", 1},
		{"\x1b]never \x1b[1mends", "never ends", 2},
		{"\x1b]" + long, long, 1},
		{"10%\r20%\r100%\n", "10%\r20%\r100%\n", 0},
		{"\u009b1m", "\u009b1m", 0},
	} {
		var s stripper
		got := string(s.filter([]byte(c.in)))
		got += string(s.rest())
		if got != c.want || s.count != c.count {
			t.Errorf("%.60q: %.60q and %d, want %.60q and %d", c.in, got, s.count, c.want, c.count)
		}
	}
}

// TestANSIPieces: pieces change nothing, and no text is lost: what goes is no more than the sequences.
func TestANSIPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune("a\x1b\x1b[]P1;mB(\\\a\n\réX")))).Draw(t, "pieces")
		var whole, parts stripper
		want := string(whole.filter([]byte(strings.Join(pieces, ""))))
		want += string(whole.rest())
		got := ""
		for _, p := range pieces {
			got += string(parts.filter([]byte(p)))
		}
		got += string(parts.rest())
		if got != want || parts.count != whole.count || strings.ContainsRune(got, escape) {
			t.Fatalf("%q: %q and %d, whole %q and %d", pieces, got, parts.count, want, whole.count)
		}
		if n := strings.Count(strings.Join(pieces, ""), "\n"); whole.count == 0 && strings.Count(got, "\n") != n {
			t.Fatalf("%d line ends became %q", n, got)
		}
	})
}
