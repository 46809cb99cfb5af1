package font

import (
	_ "embed"
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/inflate"
)

// forms are the characters of Unicode's blocks of presentation forms, of radicals and of compatibility ideographs with the text that each
// is a form of, packed: gen in forms says how. Fonts have glyphs for such forms, and files name them by these characters; a reader looks
// for the text.
//
//go:generate sh -c "cd forms && go run ./gen"
//go:embed forms/forms.bin
var forms string

var formTexts = sync.OnceValue(func() map[rune]string { return unpackForms(forms) })

// unpackForms reads, for each character, how far it is from the one before it and its text behind the length of that.
func unpackForms(packed string) map[rune]string {
	const most = 1 << 20 // more than there is
	var d inflate.Decoder
	data, err := d.Decode([]byte(packed), most)
	if err != nil {
		return nil
	}
	all := map[rune]string{}
	for r := rune(0); len(data) > 0; {
		gap, n := binary.Uvarint(data)
		if n <= 0 || n >= len(data) {
			break
		}
		size := int(data[n])
		data = data[n+1:]
		r += rune(gap)
		all[r] = string(data[:min(size, len(data))])
		data = data[min(size, len(data)):]
	}
	return all
}

// hasForm reports whether a character lies in a block of forms.
func hasForm(r rune) bool {
	return r >= 0xf900 && r <= 0xfefc || r >= 0x2e80 && r <= 0x2fd5 || r >= 0x2f800 && r <= 0x2fa1d
}

// normal writes a code's text as text is written: forms become what they are forms of, the soft hyphen, which is drawn only where a line
// breaks at it, is a hyphen, and NUL is nothing.
func normal(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] < 0x7f
	}
	if plain {
		return text
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case r == 0:
		case r == 0xad:
			out = append(out, '-')
		case hasForm(r):
			if form, ok := formTexts()[r]; ok {
				out = append(out, form...)
				continue
			}
			out = utf8.AppendRune(out, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// printable leaves of a text that says nothing what can at least be shown: private characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if isNothing(r) && !isPrivate(r) {
			return -1
		}
		return r
	}, text)
}
