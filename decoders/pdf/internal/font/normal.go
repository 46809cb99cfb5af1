package font

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"slices"
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

var unpackedForms = sync.OnceValue(func() formTable { return unpackForms(forms) })

// formTable is the unpacked form of forms.
type formTable struct {
	data  []byte
	texts []formText
}

// formText says where in the data the text of a character lies.
type formText struct {
	r        rune
	off, end uint16
}

// maxForms is more than the unpacked forms have bytes.
const maxForms = 1 << 16

// unpackForms reads, for each character, how far it is from the one before it and its text behind the length of that.
func unpackForms(packed string) (t formTable) {
	var d inflate.Decoder
	data, err := d.Decode([]byte(packed), maxForms-1)
	if err != nil {
		return t
	}
	t.data = data
	r := rune(0)
	for at := 0; at < len(data); {
		gap, n := binary.Uvarint(data[at:])
		if n <= 0 || at+n >= len(data) {
			break
		}
		r += rune(gap)
		at += n + 1
		end := min(at+int(data[at-1]), len(data))
		t.texts = append(t.texts, formText{r, uint16(at), uint16(end)})
		at = end
	}
	return t
}

// text returns what a character is a form of; ok is false if it is none.
func (t formTable) text(r rune) (text []byte, ok bool) {
	i, ok := slices.BinarySearchFunc(t.texts, r, func(f formText, r rune) int { return cmp.Compare(f.r, r) })
	if !ok {
		return nil, false
	}
	return t.data[t.texts[i].off:t.texts[i].end], true
}

// latin are the forms from U+FB00 on, which are met too often to unpack a table for.
var latin = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

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
		case r >= 0xfb00 && int(r-0xfb00) < len(latin):
			out = append(out, latin[r-0xfb00]...)
		case hasForm(r):
			if form, ok := unpackedForms().text(r); ok {
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
