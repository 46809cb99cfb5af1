package rtf

import (
	"strings"
	"testing"
)

const lookHead = `{\rtf1\ansi{\colortbl;\red255\green255\blue255;\red10\green20\blue30;\red12\green22\blue28;}seen `

// TestLook: what one does not see is left out and counted, and is there when it is asked for.
func TestLook(t *testing.T) {
	for _, in := range []string{
		`{\v secret}`, `{\deleted secret}`, `{\v\deleted0 secret}`, `{\deleted\v0 secret}`, `{\fs0 secret}`, `{\fs1 secret}`, `{\cf1 secret}`,
		`{\cf1 {\b secret}}`, `{\chcbpat2\cf2 secret}`, `{\highlight2\cf3 secret}`, `{\cb3\cf2 secret}`, `\cf1 secret\cf0 `, `\pard\cf1 secret\plain `,
		`{\cbpat2\pard\cf1 secret}`,
	} {
		for _, hidden := range []bool{false, true} {
			var text strings.Builder
			doc, err := Read([]byte(lookHead+in+` too\par}`), Sink{Hidden: hidden, Text: func(b []byte) error { text.Write(b); return nil }})
			if err != nil || strings.Contains(text.String(), "secret") != hidden || doc.Hidden != 6 {
				t.Errorf("%s, asked for what is hidden: %v: %q, %d characters, %v", in, hidden, text.String(), doc.Hidden, err)
			}
			if s := text.String(); !strings.HasPrefix(s, "seen ") || !strings.HasSuffix(s, " too\n") {
				t.Errorf("%s gives %q", in, s)
			}
		}
	}
	for _, in := range []string{
		`{\cf0 plain}`, `{\cf2 plain}`, `{\cf9 plain}`, `{\chcbpat2\cf1 plain}`, `{\v\plain plain}`, `{\v\v0 plain}`, `{\fs2 plain}`, `{\cbpat2\cf1 plain}`,
		`{\trowd\clcbpat2\cellx1\pard\intbl\cf1 plain\cell\row}`, `{\trowd\clcbpat2\cellx1\pard\cf1 plain\cell\row}`, `{\shp{\*\shpinst{\shptxt\pard\cf1 plain}}}`,
		`{\*\background x}{\cf1 plain}`, `{\cf1\plain plain}`, `{\highlight1\cf0 plain}`,
	} {
		var text strings.Builder
		doc, err := Read([]byte(lookHead+in+`}`), Sink{Text: func(b []byte) error { text.Write(b); return nil }})
		if err != nil || !strings.Contains(text.String(), "plain") || doc.Hidden != 0 {
			t.Errorf("%s: %q, %d characters hidden, %v", in, text.String(), doc.Hidden, err)
		}
	}
}
