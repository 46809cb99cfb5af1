package content

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// inlineNames are the abbreviations of inline images (8.9.7, tables 93 and 94).
var inlineNames = map[string]string{
	"BPC": "BitsPerComponent", "CS": "ColorSpace", "D": "Decode", "DP": "DecodeParms", "F": "Filter", "H": "Height", "IM": "ImageMask",
	"W": "Width", "L": "Length", "G": "DeviceGray", "RGB": "DeviceRGB", "CMYK": "DeviceCMYK", "AHx": "ASCIIHexDecode", "A85": "ASCII85Decode",
	"LZW": "LZWDecode", "Fl": "FlateDecode", "RL": "RunLengthDecode", "CCF": "CCITTFaxDecode", "DCT": "DCTDecode",
}

// inlineImage reads an inline image (8.9.7) and places it.
func (f *frame) inlineImage() {
	dict, ok := f.inlineDict()
	if !ok {
		return
	}
	l := &f.lexer
	if l.Pos < len(l.B) && object.IsSpace(l.B[l.Pos]) { // one, behind ID
		l.Pos++
	}
	start := l.Pos
	end := f.inlineEnd(dict, start)
	im := Image{Inline: &Inline{Dict: dict, Data: l.B[start:end]}}
	f.image(im, sheer(dict))
}

// inlineDict reads the entries up to ID and spells their names out.
func (f *frame) inlineDict() (object.Node, bool) {
	l := &f.lexer
	out, value := []byte("<<"), false
	for {
		back := l.Pos
		t := l.Next()
		switch {
		case t.Kind == object.TokEOF || t.Is("EI"):
			return object.Node{}, false
		case t.Is("ID"):
			return f.in.file.Parse(append(out, ">>"...)), true
		case t.Kind == object.TokName:
			name := string(t.S)
			if full, ok := inlineNames[name]; ok {
				name = full
			} else if name == "I" { // Interpolate, or Indexed
				name = "Interpolate"
				if value {
					name = "Indexed"
				}
			}
			out = append(append(out, '/'), name...)
			value = true
		default:
			out = append(out, l.B[back:l.Pos]...)
			if t.Kind == object.TokArrayOpen {
				value = true
			}
		}
		out = append(out, ' ')
		if len(out) > maxInlineDict {
			return object.Node{}, false
		}
	}
}

// maxInlineDict bounds the dictionary of an inline image; a palette takes less than 2 kB.
const maxInlineDict = 16 << 10

// inlineEnd returns where the data of an inline image end, and moves behind its EI. Without a filter the size of the picture says it;
// else it is an EI between white space that is followed by what could be content again.
func (f *frame) inlineEnd(dict object.Node, start int) int {
	l := &f.lexer
	for _, n := range []int{inlineSize(dict), dict.Key("Length").Int()} {
		if n <= 0 || n > len(l.B)-start {
			continue
		}
		tail := object.Lexer{B: l.B, Pos: start + n}
		if t := tail.Next(); t.Is("EI") && tail.Pos-start-n <= 4 {
			l.Pos = tail.Pos
			return start + n
		}
	}
	for at := start; ; {
		i := bytes.Index(l.B[at:], []byte("EI"))
		if i < 0 {
			l.Pos = len(l.B)
			return len(l.B)
		}
		at += i + 2
		before := at - 3
		if (before < start || object.IsSpace(l.B[before])) && (at == len(l.B) || !object.IsRegular(l.B[at])) && likeContent(l.B[at:]) {
			l.Pos = at
			return max(before, start)
		}
	}
}

// inlineSize is how many bytes the samples of a picture without a filter take; 0 if that is not known.
func inlineSize(dict object.Node) int {
	w, h, bits := dict.Key("Width").Int(), dict.Key("Height").Int(), dict.Key("BitsPerComponent").Int()
	n := 1
	switch cs := dict.Key("ColorSpace"); cs.Name() {
	case "DeviceRGB", "CalRGB":
		n = 3
	case "DeviceCMYK":
		n = 4
	case "DeviceGray", "CalGray":
	default:
		if dict.Key("ImageMask").Bool() {
			bits = 1
		} else if !cs.Is(object.Array) { // a palette has one component
			return 0
		}
	}
	if !dict.Key("Filter").Null() || w <= 0 || h <= 0 || bits <= 0 || w > 1<<16 || h > 1<<16 || bits > 16 {
		return 0
	}
	return (w*n*bits + 7) / 8 * h
}

// likeContent reports whether the bytes behind an EI look like content, not like more of the picture.
func likeContent(b []byte) bool {
	for _, c := range b[:min(len(b), 16)] {
		if c > 0x7e || c < ' ' && !object.IsSpace(c) || c == 0 {
			return false
		}
	}
	return true
}
