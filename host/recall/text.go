package recall

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/redact"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxResultBytes is how much of a tool's result is searched and shown.
const maxResultBytes = 10 << 10

// folder folds text so that what differs by case or by how characters are put together is the same. It belongs to one request.
type folder struct{ caser cases.Caser }

func newFolder() folder { return folder{cases.Fold()} }

// text folds s: Unicode's full case folding, which no neighbour of a character changes, and NFC before and after.
func (f folder) text(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = norm.NFC.String(s)
	var b strings.Builder
	b.Grow(len(s))
	from, others := 0, 0 // from is where those begin that the library folds
	for i, r := range s {
		if !simple(r) {
			others++
			continue
		}
		if from < i {
			b.WriteString(f.caser.String(s[from:i]))
		}
		b.WriteRune(foldRune(r))
		from = i + utf8.RuneLen(r)
	}
	b.WriteString(f.caser.String(s[from:]))
	if others == 0 {
		return b.String()
	}
	return norm.NFC.String(b.String())
}

// simple reports whether foldRune folds r: it is of ASCII or of a script without case from which most long texts are, which need no library,
// or it is Cherokee, whose small letters fold to the capitals (CaseFolding.txt): cases.Fold swaps the two, so that they never meet.
func simple(r rune) bool {
	return r < utf8.RuneSelf || 0x2e80 <= r && r < 0xa640 || 0xac00 <= r && r < 0xd7a4 || 0x13a0 <= r && r <= 0x13fd || 0xab70 <= r && r <= 0xabbf
}

func foldRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case 0x13f8 <= r && r <= 0x13fd:
		return r - 0x13f8 + 0x13f0
	case 0xab70 <= r && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	}
	return r
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// segment is a text that is searched apart from others: what a message says, or one name. Redacted as one, text and names could hide each
// other's credentials or show them; searched as one, a term could be found across the join.
type segment struct {
	stored string
	hidden func() string // the same as it may be shown; most messages are never asked
}

func plainSegment(s string) segment {
	return segment{s, func() string { return redact.Text(s) }}
}

// prose is what a message says.
func prose(e ledger.Event) segment {
	switch e.Type {
	case ledger.User:
		if e.DisplayText != "" {
			return plainSegment(e.DisplayText)
		}
		return plainSegment(e.Text)
	case ledger.Assistant:
		return plainSegment(e.Text)
	case ledger.ToolCall:
		return plainSegment(e.Intent)
	case ledger.ToolResult:
		if len(e.Result) > 0 {
			return resultSegment(e.Result)
		}
	}
	return plainSegment("")
}

// refs are the files that a message carries.
func (r *Recall) refs(e ledger.Event) []readapi.AttachmentRef {
	if !r.off.malformed {
		return e.Refs()
	}
	var out []readapi.AttachmentRef
	for _, raw := range e.Attachments[:min(len(e.Attachments), readapi.MaxAttachments)] {
		ref, _ := readapi.ParseAttachmentRef(raw)
		out = append(out, ref)
	}
	return out
}

// name is how a file's name is searched and shown.
func (r *Recall) name(s string) segment {
	if r.off.redact {
		return segment{s, func() string { return s }}
	}
	return plainSegment(s)
}

// segments are all that a message is found by.
func (r *Recall) segments(e ledger.Event) []segment {
	out := []segment{prose(e)}
	if r.off.names {
		return out
	}
	for _, ref := range r.refs(e) {
		out = append(out, r.name(ref.Name))
	}
	return out
}

// resultSegment is what a tool's result says: its strings in their order, each a line, without keys and the "kind" at the top. A string is
// redacted by the keys above it before they are lost, and the whole once more.
func resultSegment(raw json.RawMessage) segment {
	w := resultWalker{d: json.NewDecoder(bytes.NewReader(raw))}
	w.d.UseNumber()
	w.value(0, false)
	var stored []string
	for _, s := range w.found {
		stored = append(stored, s.text)
	}
	return segment{cutBytes(strings.Join(stored, "\n"), maxResultBytes), func() string {
		var shown []string
		for _, s := range w.found {
			text := redact.Text(s.text)
			if s.sensitive && text != "" {
				text = redact.Marker
			}
			shown = append(shown, text)
		}
		return cutBytes(redact.Text(strings.Join(shown, "\n")), maxResultBytes)
	}}
}

type resultString struct {
	text      string
	sensitive bool
}

// resultWalker collects the strings of a JSON value until there are enough of them.
type resultWalker struct {
	d     *json.Decoder
	found []resultString
	bytes int
}

// value passes one value; it returns false at the end, or when there is enough.
func (w *resultWalker) value(depth int, sensitive bool) bool {
	t, err := w.d.Token()
	if err != nil {
		return false
	}
	switch t := t.(type) {
	case string:
		w.found = append(w.found, resultString{t, sensitive})
		w.bytes += len(t) + 1
		return w.bytes <= maxResultBytes
	case json.Delim:
		for w.d.More() {
			below := sensitive
			if t == '{' {
				key, err := w.d.Token()
				name, ok := key.(string)
				if err != nil || !ok {
					return false
				}
				if depth == 0 && name == "kind" {
					var kind json.RawMessage
					if w.d.Decode(&kind) != nil {
						return false
					}
					continue
				}
				below = sensitive || redact.Sensitive(name)
			}
			if !w.value(depth+1, below) {
				return false
			}
		}
		_, err := w.d.Token() // the closing bracket
		return err == nil
	}
	return true
}

// cutBytes is the longest prefix of s of at most n bytes that ends with a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
