package rtf

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

// symbolLabel stands for fonts whose bytes are pictures, greekLabel for the one of them that is a charset: Symbol.
const (
	symbolLabel = "symbol"
	greekLabel  = "greek"
)

// charset is the label of the text at hand: that of its font, or of the code page.
func (r *reader) charset() string {
	if r.dest != body && r.dest != inst {
		return r.label
	}
	n := r.font
	if n < 0 {
		n = r.font0
	}
	f, ok := r.fonts[n]
	switch {
	case !ok:
		return r.label
	case f.greek:
		return greekLabel
	case f.symbol:
		return symbolLabel
	case f.label == "":
		return r.label
	}
	return f.label
}

// pageLabel is the label of a Windows code page; "" for one that nobody decodes.
func pageLabel(page int) string {
	switch page {
	case 0, 1252:
		return "windows-1252"
	case 10000:
		return "macintosh"
	case 10007:
		return "x-mac-cyrillic"
	case 20866:
		return "koi8-r"
	case 21866:
		return "koi8-u"
	case 65001:
		return "utf-8"
	case 1361: // Johab
		return ""
	}
	if page >= 28591 && page <= 28606 {
		return decodable("iso-8859-" + strconv.Itoa(page-28590))
	}
	return decodable("cp" + strconv.Itoa(page))
}

func decodable(name string) string {
	if label := charset.Canonical(name); charset.Encoding(label) != nil {
		return label
	}
	return ""
}

// fontCharset is the code page of a font's \fcharset, 0 for that of the document.
func fontCharset(n int) (page int, symbol bool) {
	const pages = " 0:1252 77:10000 78:932 79:949 80:936 81:950 83:1255 84:1256 85:1253 86:1254 87:874 88:1250 89:10007 128:932 129:949 130:1361" +
		" 134:936 136:950 161:1253 162:1254 163:1258 177:1255 178:1256 186:1257 204:1251 222:874 238:1250 254:437 255:850 "
	if n == 2 {
		return 0, true
	}
	_, rest, found := strings.Cut(pages, " "+strconv.Itoa(n)+":")
	if !found {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, " ")
	page, _ = strconv.Atoi(rest)
	return page, false
}

// convertRun writes what text waits for its charset.
func (r *reader) convertRun() {
	b := r.run
	if len(b) == 0 {
		return
	}
	r.run = r.run[:0]
	switch {
	case r.runLabel == symbolLabel:
		r.put(pictures(b))
		return
	case r.runLabel == greekLabel:
		r.put(greek(b))
		return
	case charset.ASCIIPrefix(b) == len(b):
		r.put(b)
		return
	case r.runLabel == "utf-8":
		out, n := charset.Repair(nil, b)
		r.doc.Replaced += n
		r.put(out)
		return
	}
	if r.decoder == nil || r.decLabel != r.runLabel {
		enc := charset.Encoding(r.runLabel)
		if enc == nil {
			enc = charset.Encoding("windows-1252")
		}
		r.decoder, r.decLabel = enc.NewDecoder().Transformer, r.runLabel
	}
	r.decoder.Reset()
	if most := 64 + 4*len(b); cap(r.buf) < most { // no charset makes more than four bytes of one
		r.buf = make([]byte, most)
	}
	n, _, err := r.decoder.Transform(r.buf[:cap(r.buf)], b, true)
	out := r.buf[:n]
	if err != nil || !utf8.Valid(out) {
		out, _ = charset.Repair(nil, b)
	}
	r.doc.Replaced += int64(bytes.Count(out, []byte("\uFFFD")))
	r.put(out)
}

// font is what its entry in the table of fonts says.
type font struct {
	label  string
	symbol bool // its letters are pictures
	greek  bool // it is the font Symbol
}
