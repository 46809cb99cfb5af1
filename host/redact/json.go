package redact

import (
	"encoding/json"
	"strings"
)

// jsonText redacts a text that is a JSON object, array or string; ok is false for every other text. The strings in it are redacted like
// texts of their own, so JSON within JSON is too: each level of it at least doubles its quotes' backslashes, so there are few levels.
func jsonText(s string) (out string, ok bool) {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" || !strings.Contains(`{["`, t[:1]) || !json.Valid([]byte(s)) {
		return "", false
	}
	w := walker{in: s}
	w.value(false)
	if w.copied == 0 {
		return s, true
	}
	w.out.WriteString(s[w.copied:])
	return w.out.String(), true
}

// walker goes once through valid JSON and copies it, with what is to be hidden replaced.
type walker struct {
	in     string
	pos    int
	copied int // of in, how much is in out
	out    strings.Builder
}

func (w *walker) replace(start int, with string) {
	w.out.WriteString(w.in[w.copied:start])
	w.out.WriteString(with)
	w.copied = w.pos
}

func (w *walker) peek() byte {
	for strings.IndexByte(" \t\r\n", w.in[w.pos]) >= 0 {
		w.pos++
	}
	return w.in[w.pos]
}

// value passes one value; with hide it is replaced as a whole, unless it cannot be a credential.
func (w *walker) value(hide bool) {
	c := w.peek()
	if hide {
		start := w.pos
		w.skip()
		switch raw := w.in[start:w.pos]; {
		case spareConstant(raw), raw == `""`, raw == "{}", raw == "[]", raw == `"`+Marker+`"`:
		default:
			w.replace(start, `"`+Marker+`"`)
		}
		return
	}
	switch c {
	case '{', '[':
		w.members(c == '{')
	case '"':
		w.text()
	default:
		w.skip()
	}
}

func (w *walker) members(object bool) {
	w.pos++
	for {
		switch w.peek() {
		case '}', ']':
			w.pos++
			return
		case ',':
			w.pos++
			continue
		}
		hide := false
		if object {
			hide = Sensitive(w.text())
			w.peek()
			w.pos++ // the colon
		}
		w.value(hide)
	}
}

// text passes a string, redacted, and returns it as it was.
func (w *walker) text() string {
	start := w.pos
	w.skip()
	var s string
	if json.Unmarshal([]byte(w.in[start:w.pos]), &s) != nil {
		return ""
	}
	if clean := Text(s); clean != s {
		w.replace(start, quote(clean))
	}
	return s
}

// skip passes one value without looking at it.
func (w *walker) skip() {
	depth := 0
	for w.pos < len(w.in) {
		switch c := w.in[w.pos]; c {
		case '"':
			for w.pos++; w.in[w.pos] != '"'; w.pos++ {
				if w.in[w.pos] == '\\' {
					w.pos++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth > 0 || strings.IndexByte(",:]} \t\r\n", w.in[w.pos]) >= 0 {
				break
			}
			for w.pos < len(w.in) && strings.IndexByte(",:]} \t\r\n", w.in[w.pos]) < 0 {
				w.pos++
			}
			return
		}
		w.pos++
		if depth == 0 {
			return
		}
	}
}

// quote is s as JSON, with < > & as they are.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `"` + Marker + `"`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
