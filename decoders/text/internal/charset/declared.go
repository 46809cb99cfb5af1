package charset

import "bytes"

// declaredWithin is how far into a file a declaration counts (WHATWG HTML, 13.2.3.2).
const declaredWithin = 1024

// declared returns the charset that a text names for itself, as it stands there: the encoding of an XML declaration, the charset of an
// HTML meta element or of a style sheet, or the coding of an Emacs or Vim line. "" when there is none.
func declared(head []byte) string {
	head = bytes.ToLower(head[:min(len(head), declaredWithin)])
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	if bytes.HasPrefix(trimmed, []byte("<?xml")) {
		decl, _, _ := bytes.Cut(trimmed, []byte("?>"))
		if v := value(decl, "encoding"); v != "" {
			return v
		}
	}
	for rest := head; ; {
		_, after, found := bytes.Cut(rest, []byte("<meta"))
		if !found {
			break
		}
		tag, _, _ := bytes.Cut(after, []byte(">"))
		if v := value(tag, "charset"); v != "" {
			return v
		}
		rest = after
	}
	if bytes.HasPrefix(trimmed, []byte("@charset ")) {
		return value(append([]byte("charset="), trimmed[len("@charset "):]...), "charset")
	}
	for range 2 { // PEP 263: the first or second line
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			for _, key := range []string{"coding", "fileencoding"} {
				if v := value(line, key); v != "" {
					return v
				}
			}
		}
		head = rest
	}
	return ""
}

// value returns what follows key and "=" or ":" in b, out of quotes.
func value(b []byte, key string) string {
	for {
		_, after, found := bytes.Cut(b, []byte(key))
		if !found {
			return ""
		}
		b = after
		v := bytes.TrimLeft(after, " \t")
		if len(v) == 0 || v[0] != '=' && v[0] != ':' {
			continue
		}
		v = bytes.TrimLeft(v[1:], " \t\"'")
		end := bytes.IndexAny(v, " \t\r\n\"';,>/?")
		if end < 0 {
			end = len(v)
		}
		return string(v[:end])
	}
}
