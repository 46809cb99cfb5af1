package mail

import "bytes"

// A header is bounded by what mail programs write: more fields than these, or longer ones, are a file that wants to be slow.
const (
	maxFields     = 2000
	maxFieldBytes = 64 << 10
)

// field is one header field (RFC 5322, 2.2).
type field struct {
	name  string // lower case
	value []byte // as it stands behind the colon, line ends of the folding included
}

// header is a header. It decodes what stands in it, since what one field leaves open others may tell.
type header struct {
	fields  []field
	guess   string // charset of raw bytes above ASCII
	guessed bool
	detects int // pieces that were judged by themselves
}

// known are the fields by which a text is told to be a mail, and a broken line in a header from the beginning of the body.
const known = " from to cc bcc subject date message-id received return-path reply-to sender mime-version content-type content-transfer-encoding" +
	" content-disposition delivered-to in-reply-to references x-mailer user-agent list-id x-received dkim-signature arc-seal snapshot-content-location "

func isKnown(name string) bool { return bytes.Contains([]byte(known), []byte(" "+name+" ")) }

// lineEnd returns where the line at pos ends, its line end included.
func lineEnd(raw []byte, pos int) int {
	if i := bytes.IndexByte(raw[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(raw)
}

// bare is a line without its end.
func bare(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// fieldName returns the name of the field that a line begins, in lower case, and where its value begins; "" when it begins none. Blanks
// before the colon are obsolete and allowed (RFC 5322, 4.5).
func fieldName(line []byte) (name string, value int) {
	const longest = 100
	colon := bytes.IndexByte(line[:min(len(line), longest)], ':')
	if colon < 1 {
		return "", 0
	}
	b := bytes.TrimRight(line[:colon], " \t")
	for _, c := range b {
		if c <= ' ' || c >= 0x7f {
			return "", 0
		}
	}
	return string(bytes.ToLower(b)), colon + 1
}

// parseHeader reads the header at pos and returns where the body begins. A header without a blank line behind it ends at the first line that
// is neither a field nor goes on with one.
func parseHeader(raw []byte, pos, end int) (fields []field, body int) {
	start := -1 // of the value of the last field
	finish := func(at int) {
		if start >= 0 && len(fields) > 0 {
			fields[len(fields)-1].value = raw[start:min(at, start+maxFieldBytes)]
		}
		start = -1
	}
	for pos < end {
		next := min(lineEnd(raw, pos), end)
		line := bare(raw[pos:next])
		name, value := fieldName(line)
		switch {
		case len(line) == 0:
			finish(pos)
			return fields, next
		case line[0] == ' ' || line[0] == '\t':
			if len(fields) == 0 {
				return nil, pos
			}
		case name != "":
			finish(pos)
			if len(fields) < maxFields {
				fields = append(fields, field{name: name})
				start = pos + value
			}
		case len(fields) > 0 && resumes(raw, next, end): // a fold that lost its blank
		default:
			finish(pos)
			return fields, pos
		}
		pos = next
	}
	finish(pos)
	return fields, pos
}

// resumes reports whether a header goes on at pos.
func resumes(raw []byte, pos, end int) bool {
	if pos >= end {
		return false
	}
	name, _ := fieldName(bare(raw[pos:min(lineEnd(raw, pos), end)]))
	return isKnown(name)
}

// get returns the value of the first field of that name, nil without one.
func (h *header) get(name string) []byte {
	for i := range h.fields {
		if h.fields[i].name == name {
			return h.fields[i].value
		}
	}
	return nil
}

// unfold joins the lines of a value (RFC 5322, 2.2.3): blanks at a fold become one, others stay.
func unfold(v []byte) []byte {
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); i++ {
		if c := v[i]; c != '\r' && c != '\n' {
			if c == '\t' || c == 0 {
				c = ' '
			}
			out = append(out, c)
			continue
		}
		for i+1 < len(v) && (v[i+1] == '\r' || v[i+1] == '\n' || v[i+1] == ' ' || v[i+1] == '\t') {
			i++
		}
		out = append(bytes.TrimRight(out, " "), ' ')
	}
	return bytes.TrimSpace(out)
}
