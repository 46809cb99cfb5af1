package font

import (
	"fmt"
	"strings"
	"testing"
)

func TestGlyphList(t *testing.T) {
	last, n := "", 0
	for line := range strings.SplitSeq(strings.TrimSpace(glyphList), "\n") {
		if line[0] == '#' {
			continue
		}
		var name string
		var r rune
		if _, err := fmt.Sscanf(line, "%s %x", &name, &r); err != nil || name <= last {
			t.Fatalf("line %q behind %q: %v", line, last, err)
		}
		if got := glyphRune(name); got != r {
			t.Errorf("glyphRune(%q) = %x, want %x", name, got, r)
		}
		last = name
		n++
	}
	if n < 4000 {
		t.Errorf("%d names", n)
	}
	for _, name := range []string{"", "#", "zzzz", "nonsense", "A ", "Copyright"} {
		if r := glyphRune(name); r != 0 {
			t.Errorf("glyphRune(%q) = %x", name, r)
		}
	}
}
