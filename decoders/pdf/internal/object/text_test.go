package object

import "testing"

func TestTextOf(t *testing.T) {
	for in, want := range map[string]string{
		"a\rb": "a\nb", "a\r\nb\n": "a\nb", "\xfe\xff\x00a\x00\r\x00b": "a\nb", "\xff\xfea\x00": "a", "\xef\xbb\xbf\xc3\xa9": "é", "\x80\xa0": "•€", " \x00 ": "",
		"\xfe\xff\x00\x1b\x00d\x00e\x00\x1b\x00a": "a",
	} {
		if got := TextOf(in); got != want {
			t.Errorf("TextOf(%q) = %q, want %q", in, got, want)
		}
	}
}
