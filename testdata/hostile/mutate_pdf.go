package hostile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// patterns of what a PDF is made of.
type pdfPatterns struct{ number, reference, name, stream, object *regexp.Regexp }

func patterns() pdfPatterns {
	return pdfPatterns{
		number:    regexp.MustCompile(`-?\d+(\.\d+)?`),
		reference: regexp.MustCompile(`\d+ 0 R`),
		name:      regexp.MustCompile(`/[A-Za-z0-9]+`),
		stream:    regexp.MustCompile(`(?s)/Length (\d+)[^>]*>>\s*stream\r?\n`),
		object:    regexp.MustCompile(`(?m)^(\d+) 0 obj`),
	}
}

// pdf mutates tokens, also inside compressed streams.
func (m mutator) pdf(b []byte) []byte {
	p := patterns()
	names := []string{
		"/Kids", "/Count", "/Length", "/Prev", "/Size", "/Root", "/W", "/Index", "/Filter", "/DecodeParms", "/Predictor", "/Columns", "/N", "/First", "/Extends",
		"/Contents", "/Resources", "/Parent", "/Font", "/XObject", "/ToUnicode", "/Encoding", "/Differences", "/DescendantFonts", "/Encrypt", "/FlateDecode",
		"/LZWDecode", "/ASCII85Decode", "/RunLengthDecode", "/Type", "/ObjStm", "/XRef", "/Annots", "/AP", "/Widths", "/FirstChar",
	}
	switch m.IntN(7) {
	case 0:
		return m.token(b, p.number, []byte(strconv.FormatInt(int64(m.odd()), 10)))
	case 1:
		return m.token(b, p.reference, fmt.Appendf(nil, "%d 0 R", m.IntN(12)))
	case 2:
		return m.token(b, p.name, []byte(names[m.IntN(len(names))]))
	case 3:
		words := []string{"[", "]", "<<", ">>", "(", ")", "<", ">", "null", "true", "obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref", "%", "R", "\x00"}
		from, to := m.span(b, 4)
		return splice(b, from, to, bytes.Repeat([]byte(words[m.IntN(len(words))]), 1+m.IntN(2)*m.IntN(300)))
	case 4, 5:
		return m.stream(b, p)
	}
	// An object in another one's place.
	if at := p.object.FindAllSubmatchIndex(b, -1); len(at) > 1 {
		i := at[m.IntN(len(at))]
		return splice(b, i[2], i[3], strconv.AppendInt(nil, int64(1+m.IntN(len(at))), 10))
	}
	return nil
}

// token replaces one match by a word.
func (m mutator) token(b []byte, what *regexp.Regexp, word []byte) []byte {
	at := what.FindAllIndex(b, -1)
	if len(at) == 0 {
		return nil
	}
	i := at[m.IntN(len(at))]
	return splice(b, i[0], i[1], word)
}

// stream mutates the data of a stream, decompressed if it can be, and makes its length right.
func (m mutator) stream(b []byte, p pdfPatterns) []byte {
	at := p.stream.FindAllSubmatchIndex(b, -1)
	if len(at) == 0 {
		return nil
	}
	i := at[m.IntN(len(at))]
	n, err := strconv.Atoi(string(b[i[2]:i[3]]))
	if err != nil || n > len(b)-i[1] {
		return nil
	}
	data := bytes.Clone(b[i[1] : i[1]+n])
	raw := inflated(data)
	if len(raw) == 0 {
		raw = data
	}
	for range 1 + m.IntN(3) {
		next := m.token(raw, p.number, []byte(strconv.FormatInt(int64(m.odd()), 10)))
		if next == nil || m.IntN(2) == 0 {
			next = raw
			if len(raw) > 0 {
				next = m.bytes(raw)
			}
		}
		raw = next
	}
	if len(inflated(data)) > 0 {
		raw = deflate(raw)
	}
	out := splice(b, i[1], i[1]+n, raw)
	return splice(out, i[2], i[3], strconv.AppendInt(nil, int64(len(raw)), 10))
}

// repairXref makes the offsets of a classical table, and startxref, right again.
func repairXref(b []byte) []byte {
	table := bytes.LastIndex(b, []byte("xref\n0 "))
	for table > 0 && b[table-1] == 't' { // of startxref
		table = bytes.LastIndex(b[:table], []byte("xref\n0 "))
	}
	if table < 0 {
		return b
	}
	at := bytes.IndexByte(b[table+5:], '\n')
	if at < 0 {
		return b
	}
	rows := table + 5 + at + 1
	for _, i := range patterns().object.FindAllSubmatchIndex(b[:table], -1) {
		n, err := strconv.Atoi(string(b[i[2]:i[3]]))
		if row := rows + 20*n; err == nil && n > 0 && n < 1<<20 && row+20 <= len(b) {
			copy(b[row:], fmt.Sprintf("%010d", i[0]))
		}
	}
	if i := bytes.LastIndex(b, []byte("startxref\n")); i > table {
		i += len("startxref\n")
		end := i
		for end < len(b) && b[end] >= '0' && b[end] <= '9' {
			end++
		}
		b = splice(b, i, end, strconv.AppendInt(nil, int64(table), 10))
	}
	return b
}
