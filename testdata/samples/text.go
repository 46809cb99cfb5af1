package samples

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// GB18030 returns s in that encoding.
func GB18030(s string) ([]byte, error) {
	return simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(s))
}

// Lines returns a text of n numbered lines.
func Lines(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the sample\n", i+1)
	}
	return []byte(b.String())
}
