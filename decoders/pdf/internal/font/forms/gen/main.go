// Command gen packs forms.bin: the characters of the blocks below that Unicode has only for the sake of other standards and of fonts, with
// the text that each is a form of (Unicode's NFKC).
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"log"
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// blocks are ranges of forms: radicals, compatibility ideographs, Latin ligatures, Hebrew and Arabic presentation forms, forms for vertical
// writing.
var blocks = [][2]rune{{0x2e80, 0x2fd5}, {0xf900, 0xfad9}, {0xfb00, 0xfdfb}, {0xfe10, 0xfe19}, {0xfe30, 0xfe44}, {0xfe70, 0xfefc}, {0x2f800, 0x2fa1d}}

func main() {
	packed, err := pack()
	if err == nil {
		err = os.WriteFile("forms.bin", packed, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func pack() ([]byte, error) {
	var data []byte
	last := rune(0)
	for _, b := range blocks {
		for r := b[0]; r <= b[1]; r++ {
			text := form(r)
			if text == string(r) {
				continue
			}
			data = binary.AppendUvarint(data, uint64(r-last))
			data = append(append(data, byte(len(text))), text...)
			last = r
		}
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// form is the text that r is a form of. Marks that stand alone are shown on a space or on a stroke, which is no part of them.
func form(r rune) string {
	text := norm.NFKC.String(string(r))
	if r >= 0xfe70 && r < 0xfe80 || r >= 0xfc5e && r <= 0xfc63 {
		return strings.TrimLeft(text, " \u0640")
	}
	return text
}
