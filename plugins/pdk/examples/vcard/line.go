package vcard

import (
	"bytes"
	"strings"
)

// prop is one line of a card: [group.]NAME[;parameter…]:value.
type prop struct {
	name  string   // upper case
	types []string // lower case
	value string
}

// unfold takes one line with the lines that continue it: those that begin with a blank (RFC 6350, 3.2), and in quoted-printable what
// stands behind a line that ends in "=" (vCard 2.1).
func unfold(data []byte) (line, rest []byte) {
	line, rest = cut(data)
	line = bytes.Clone(line)
	for {
		var next []byte
		switch {
		case len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t'):
			next, rest = cut(rest[1:])
		case len(rest) > 0 && bytes.HasSuffix(line, []byte("=")) && quoted(line):
			line = line[:len(line)-1]
			next, rest = cut(rest)
		default:
			return line, rest
		}
		line = append(line, next...)
	}
}

func cut(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// quoted reports whether a line's parameters say that its value is quoted-printable.
func quoted(line []byte) bool {
	head, _, _ := bytes.Cut(line, []byte(":"))
	return bytes.Contains(upper(head), []byte("QUOTED-PRINTABLE"))
}

// upper is bytes.ToUpper of ASCII letters alone.
func upper(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

// lower is strings.ToLower of ASCII letters alone.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

func property(line []byte) (p prop, ok bool) {
	var params []string
	inside, from, colon := false, 0, -1
	for i, c := range line {
		if c == '"' {
			inside = !inside
		}
		if !inside && (c == ';' || c == ':') {
			params = append(params, string(line[from:i]))
			from = i + 1
		}
		if !inside && c == ':' {
			colon = i
			break
		}
	}
	if colon < 0 {
		return p, false
	}
	name := params[0][strings.LastIndexByte(params[0], '.')+1:]
	if p.name = string(upper([]byte(name))); p.name == "" || strings.Trim(p.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return p, false
	}
	for _, param := range params[1:] {
		key, value, named := strings.Cut(string(upper([]byte(param))), "=")
		if !named {
			key, value = "TYPE", param // vCard 2.1
		} else {
			value = param[len(key)+1:]
		}
		if key != "TYPE" {
			continue
		}
		for typ := range strings.SplitSeq(strings.Trim(value, `"`), ",") {
			if typ = lower(typ); typ != "" && typ != "quoted-printable" && typ != "base64" {
				p.types = append(p.types, typ)
			}
		}
	}
	p.value = string(line[colon+1:])
	if quoted(line) {
		p.value = printable(p.value)
	}
	return p, true
}

// printable decodes quoted-printable; what is none stays as it is.
func printable(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '=' && i+2 < len(s) {
			if hi, lo := digit(s[i+1]), digit(s[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func digit(c byte) int { return strings.IndexByte("0123456789ABCDEF", upper([]byte{c})[0]) }

// plain is a value for people: escapes taken out, the components of a structured one joined by commas, later lines indented.
func plain(value string, structured bool) string {
	var out []byte
	start := 0 // of the component
	for i := 0; i < len(value); i++ {
		c, escaped := value[i], false
		if c == '\\' && i+1 < len(value) && strings.IndexByte(`\,;nN`, value[i+1]) >= 0 {
			i++
			c, escaped = value[i], true
			if c == 'n' || c == 'N' {
				c = '\n'
			}
		}
		switch {
		case c == '\r':
		case c == '\n':
			out = append(out, "\n  "...)
		case c == ';' && structured && !escaped:
			if len(out) > start {
				out = append(out, ", "...)
				start = len(out)
			}
		default:
			out = append(out, c)
		}
	}
	if start > 0 && len(out) == start {
		out = out[:start-2]
	}
	return string(out)
}
