package text

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

var asUTF8 = charset.Charset{Label: "utf-8", Source: charset.SourceUTF8, Percent: 100}

// INTERIM pageText
func pageText(page []byte, label string) (text []byte, hidden int64) {
	s := string(page)
	var b strings.Builder
	for {
		a, rest, found := strings.Cut(s, "<")
		b.WriteString(a)
		if !found {
			break
		}
		_, s, _ = strings.Cut(rest, ">")
	}
	return []byte(strings.ToValidUTF8(b.String(), "\uFFFD")), 0
}
