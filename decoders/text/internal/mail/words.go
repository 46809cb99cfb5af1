package mail

import (
	"bytes"
	"strings"
)

// decodeText returns an unstructured value as text: its encoded words (RFC 2047) decoded, wherever they stand, and bytes above ASCII that
// stand there raw read as what they most likely are.
func (h *header) decodeText(v []byte) string { return h.decodeWords(unfold(v)) }

// decodeWords decodes a value that is on one line. Adjacent words of one charset are decoded together: some programs cut a character in two.
func (h *header) decodeWords(v []byte) string {
	var out strings.Builder
	var word []byte // of the words that are not written yet
	label := ""
	flush := func() {
		if len(word) > 0 {
			out.WriteString(h.toUTF8(label, word))
			word = word[:0]
		}
	}
	plain, close := 0, 0 // where what is not written yet begins; where the next "?=" is, or before
	behind := false      // a word was just before
	for i := 0; i+1 < len(v); {
		if v[i] != '=' || v[i+1] != '?' {
			i++
			continue
		}
		w, ok := parseWord(v, i, &close)
		if !ok {
			i += 2
			continue
		}
		between := v[plain:i]
		if !behind || len(bytes.TrimSpace(between)) > 0 {
			flush()
			out.WriteString(h.toUTF8("", between))
		}
		if !strings.EqualFold(label, w.label) {
			flush()
			label = w.label
		}
		word = append(word, w.bytes...)
		i, plain, behind = w.end, w.end, true
	}
	flush()
	out.WriteString(h.toUTF8("", v[plain:]))
	return out.String()
}

type encodedWord struct {
	label string
	bytes []byte
	end   int // behind it
}

// parseWord reads "=?charset*language?encoding?text?=" at v[i:]. close is where "?=" was found last, so that a value full of beginnings is
// searched once.
func parseWord(v []byte, i int, close *int) (w encodedWord, ok bool) {
	const longestLabel = 64
	rest := v[i+2:]
	n := bytes.IndexByte(rest[:min(len(rest), longestLabel)], '?')
	if n < 1 || len(rest) < n+3 || rest[n+2] != '?' {
		return w, false
	}
	label, encoding := rest[:n], rest[n+1]|0x20
	start := i + 2 + n + 3
	if *close < 0 {
		return w, false
	}
	if *close < start {
		k := bytes.Index(v[start:], []byte("?="))
		if k < 0 {
			*close = -1
			return w, false
		}
		*close = start + k
	}
	text := v[start:*close]
	if bytes.ContainsAny(label, " \t()<>@,;:\"/[]") {
		return w, false
	}
	label, _, _ = bytes.Cut(label, []byte("*")) // RFC 2231, 5
	w.label, w.end = string(label), *close+2
	switch encoding {
	case 'q':
		w.bytes = decodeQ(text)
	case 'b':
		d := decoder{src: text, kind: base64}
		w.bytes = d.all()
	default:
		return w, false
	}
	return w, true
}

// decodeQ decodes the Q encoding (RFC 2047, 4.2); what is no escape stands for itself.
func decodeQ(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '_':
			c = ' '
		case c == '=' && i+2 < len(text) && unhex(text[i+1]) >= 0 && unhex(text[i+2]) >= 0:
			c = byte(unhex(text[i+1])<<4 | unhex(text[i+2]))
			i += 2
		}
		out = append(out, c)
	}
	return out
}

// unhex is the value of a hexadecimal digit, -1 of anything else.
func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return int(c - 'A' + 10)
	}
	return -1
}
