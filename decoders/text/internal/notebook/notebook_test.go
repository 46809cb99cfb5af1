package notebook

import (
	"io"
	"testing"
)

// TestTerminal: what a terminal shows of a text.
func TestTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                              "plain\n",
		"\x1b[1;31mred\x1b[0m":                 "red",
		"a\rb\n":                               "b\n",
		"a\r\nb\r\r\n":                         "a\nb\n",
		"one\n 10%\r 99%\rdone":                "one\ndone",
		"kept\r":                               "kept",
		"\x1b]8;;http://x\x07l\x1b]8;;\x1b\\k": "lk",
		"\x1b]0;open\nnext":                    "\nnext",
		"\x1b(Ba\x1b=b\x1b":                    "ab",
		"a\x1b[":                               "a",
		"\x1b[\nb":                             "\nb",
		"\x1bé":                                "é",
	} {
		if got := terminal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestSize: the size that is told of a file is that of its bytes, however its base64 is written.
func TestSize(t *testing.T) {
	for _, text := range []string{"", "YQ==", "YWI=", "YWJj", "YW\nJj\n", "YWJjZA", "Y"} {
		f := File{text: text, binary: true}
		f.Bytes = f.size()
		if got := f.Data(); int64(len(got)) != f.Bytes {
			t.Errorf("%q: %d bytes, said %d", text, len(got), f.Bytes)
		}
	}
}

// TestErrors: an error of who gives the text is not one of the notebook.
func TestErrors(t *testing.T) {
	_, err := Scan(func() ([]byte, error) { return nil, io.ErrUnexpectedEOF })
	if err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
}
