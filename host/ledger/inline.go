package ledger

import "bytes"

// maxInlineBytes is how long a run of encoded bytes in an event may be. An icon or a digest is far below, a file that somebody put into the
// text is above.
const maxInlineBytes = 8 << 10

// leastDistinct is how many different characters a run must have to be taken for encoded bytes: hexadecimal has 16. A line of dashes, a
// genome or a thousand digits of pi has fewer. Bytes in wrapped lines need leastDistinctWrapped: a list of digests, one on each line, is
// no file, and hexadecimal has at most 22.
const (
	leastDistinct        = 16
	leastDistinctWrapped = 40
)

// leastLine and mostLine are how long the lines of wrapped base64 are: RFC 7468 has 64 characters, RFC 2045 has 76.
const (
	leastLine = 60
	mostLine  = 128
)

// inlineBytes returns the length of the first run of encoded bytes in payload that is longer than an event may have, 0 if there is none.
// It is one pass over the JSON as it stands.
//
// What counts: a run of at least maxInlineBytes of the base64 alphabets (standard or for URLs), which any language's text breaks with a
// space or a mark long before; the same in lines of one length, as mail has it; and what follows the comma of a data: URI.
func inlineBytes(payload []byte) int {
	for pos := 0; pos < len(payload); {
		n := runLength(payload[pos:])
		if n >= maxInlineBytes && distinct(payload[pos:pos+n]) >= leastDistinct {
			return n
		}
		if n >= leastLine && n <= mostLine {
			if wrapped := wrappedLength(payload[pos:], n); wrapped >= maxInlineBytes && distinct(payload[pos:pos+wrapped]) >= leastDistinctWrapped {
				return wrapped
			} else if wrapped > 0 {
				n = wrapped
			}
		}
		if pos += n; n == 0 {
			pos += skipOther(payload[pos:])
		}
	}
	return dataURI(payload)
}

// skipOther is the length of the character, which is none of base64, that b begins with; an escape is one.
func skipOther(b []byte) int {
	switch {
	case b[0] != '\\':
		return 1
	case len(b) > 6 && b[1] == 'u':
		return 6
	}
	return 2
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// runLength is how many characters of base64 b begins with; an escaped slash counts for its two bytes.
func runLength(b []byte) int {
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) && b[i+1] == '/' {
			i++
			continue
		}
		if !base64Byte(b[i]) {
			return i
		}
	}
	return len(b)
}

// wrappedLength is how long the lines of line characters each are with which b begins, with their ends; the last one may be shorter. A "="
// in an earlier one means that each line is a thing of its own.
func wrappedLength(b []byte, line int) int {
	pos := 0
	for {
		n := runLength(b[pos:])
		if n > line {
			return pos
		}
		pad := bytes.IndexByte(b[pos:pos+n], '=') >= 0
		pos += n
		end := lineEnd(b[pos:])
		if n < line || pad || end == 0 {
			return pos
		}
		pos += end
	}
}

// lineEnd is the length of the escaped line end that b begins with.
func lineEnd(b []byte) int {
	for _, end := range []string{`\n`, `\r\n`} {
		if bytes.HasPrefix(b, []byte(end)) {
			return len(end)
		}
	}
	return 0
}

func distinct(b []byte) (n int) {
	var seen [256]bool
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// mostMediaType is how long the part of a data: URI before its comma is taken to be.
const mostMediaType = 256

// dataURI returns the length of the first data: URI with at least maxInlineBytes behind its comma, however they are encoded; 0 if there is
// none. Before the comma stands a media type or ";base64" (RFC 2397), or it is just the word.
func dataURI(b []byte) int {
	for {
		i := bytes.Index(b, []byte("data:"))
		if i < 0 {
			return 0
		}
		b = b[i+len("data:"):]
		comma := bytes.IndexByte(b[:min(len(b), mostMediaType)], ',')
		if comma < 0 || !bytes.ContainsAny(b[:comma], "/;") || uriLength(b[:comma]) < comma {
			continue
		}
		n := uriLength(b[comma+1:])
		if n >= maxInlineBytes {
			return n
		}
		b = b[comma+1+n:]
	}
}

// uriLength is how many characters of a URI b begins with. The backslash is none, but JSON may write one before a slash.
func uriLength(b []byte) int {
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' && i+1 < len(b) && b[i+1] == '/' {
			continue
		}
		if c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\\' {
			return i
		}
	}
	return len(b)
}
