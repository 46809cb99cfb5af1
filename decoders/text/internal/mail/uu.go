package mail

import "bytes"

// unpack takes uuencoded files out of an old mail's text. What is left is the part's body.
func (m *Message) unpack(p *part) {
	var rest []byte // nil until a file is found
	kept := 0       // what of the body is in rest
	for pos := 0; pos < len(p.body); {
		k := bytes.Index(p.body[pos:], []byte("begin "))
		if k < 0 {
			break
		}
		start := pos + k
		pos = start + 1
		if start > 0 && p.body[start-1] != '\n' {
			continue
		}
		name, end := uuFile(p.body, start)
		if end == 0 {
			continue
		}
		rest = append(rest, p.body[kept:start]...)
		kept, pos = end, end
		m.add(p.head.toUTF8("", []byte(name)), "", "", &part{head: p.head, body: p.body[start:end], transfer: uuencode})
	}
	if kept > 0 {
		p.body = append(rest, p.body[kept:]...)
	}
}

// uuFile returns the name of the file that begins at start, and where it ends; 0 if none does: a line of prose may begin so.
func uuFile(b []byte, start int) (name string, end int) {
	pos := lineEnd(b, start)
	words := bytes.SplitN(bare(b[start:pos]), []byte(" "), 3)
	if len(words) != 3 || len(words[1]) < 3 || len(words[1]) > 4 || len(bytes.Trim(words[1], "01234567")) > 0 {
		return "", 0
	}
	for lines := 0; pos < len(b); lines++ {
		line := bare(b[pos:lineEnd(b, pos)])
		next := lineEnd(b, pos)
		if string(line) == "end" {
			return string(words[2]), next
		}
		if !uuLine(line) {
			if lines > 0 {
				return string(words[2]), pos // cut off
			}
			return "", 0
		}
		pos = next
	}
	return string(words[2]), pos
}

// uuLine reports whether a line can be one of a file: its length says how many digits follow, up to some that fill it.
func uuLine(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	n := int(line[0]-' ') & 63
	digits := (n + 2) / 3 * 4
	if line[0] < ' ' || line[0] > '`' || len(line)-1 > digits+4 {
		return false
	}
	for _, c := range line[1:] {
		if c < ' ' || c > '`' {
			return false
		}
	}
	return n == 0 || len(line) > 1
}
