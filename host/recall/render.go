package recall

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/host/redact"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Budgets, in bytes of JSON as encoding/json writes it, with < > & escaped, which is the longest form.
const (
	maxPassageBytes = 12 << 10
	maxAnswerBytes  = 96 << 10
	maxTextBytes    = 4 << 10

	leastTextBytes = 64 // of a longer text: where not even that fits, a neighbour is left out
)

// layout is how much of names and texts an answer has room for.
type layout struct {
	name    int // of a file's name and media type
	reserve int // of a found message's text, whatever the better passages need
}

// layouts are tried in their order. The first one cuts no name that readapi.FileName made; the last one has room for 25 messages with 8
// files each, unless their ids are as long as ids may be.
var layouts = []layout{{768, 1024}, {768, 0}, {64, 1024}, {64, 0}}

// render puts the passages into answer, as many and as much of each as there is room for.
func render(answer *Answer, passages []*passage, offers map[readapi.AttachmentRef]readapi.Offer) {
	free := maxAnswerBytes - size(answer)
	var r renderer
	var least []int // of each passage
	for _, l := range layouts {
		r = renderer{offers, l.name}
		least = least[:0]
		total := 0
		for _, p := range passages {
			n := r.least(p, l.reserve)
			least = append(least, n)
			total += n
		}
		if total <= free {
			break
		}
	}
	reserved := 0
	for i, n := range least {
		if reserved+n > free {
			passages = passages[:i]
			break
		}
		reserved += n
	}
	for i, p := range passages {
		reserved -= least[i]
		shown := r.passage(p, min(maxPassageBytes, free-reserved-1))
		free -= size(shown) + 1
		answer.Passages = append(answer.Passages, shown)
	}
}

// size is how long v is as JSON.
func size(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return maxAnswerBytes
	}
	return len(b)
}

type renderer struct {
	offers map[readapi.AttachmentRef]readapi.Offer
	name   int
}

// frame is a passage without its messages.
func frame(p *passage) Passage {
	return Passage{SessionID: p.session, Score: p.score, AnchorID: p.anchor.id, Messages: []Message{}}
}

// least is how long a passage is that has only the message that was found, with up to text bytes of its text.
func (r renderer) least(p *passage, text int) int {
	return size(frame(p)) + size(r.message(p.anchor)) + min(escapedBytes(p.anchor.text), text) + len("…") + len(",")
}

// passage renders p in at most free bytes: the message that was found first, then its neighbours, nearest first, alternately.
func (r renderer) passage(p *passage, free int) Passage {
	out := frame(p)
	free -= size(out)
	anchor := r.message(p.anchor)
	free -= size(anchor)
	free -= setText(&anchor, p.anchor.text, free)
	var before, after []Message
	add := func(list []Message, from []*message, open *bool) []Message {
		if !*open || len(list) == len(from) {
			return list
		}
		m := from[len(list)]
		shown := r.message(m)
		need := size(shown) + len(",")
		if text := escapedBytes(m.text); free-need < min(text, leastTextBytes) {
			*open = false
			return list
		}
		free -= need
		free -= setText(&shown, m.text, free)
		return append(list, shown)
	}
	openBefore, openAfter := true, true
	for range max(len(p.before), len(p.after)) {
		before = add(before, p.before, &openBefore)
		after = add(after, p.after, &openAfter)
	}
	slices.Reverse(before)
	out.Messages = append(append(before, anchor), after...)
	out.HasMoreBefore = p.moreBefore || len(before) < len(p.before)
	out.HasMoreAfter = p.moreAfter || len(after) < len(p.after)
	return out
}

// message renders all of m but its text.
func (r renderer) message(m *message) Message {
	out := Message{MessageID: m.id, Role: m.role, Timestamp: m.time, Materials: []Material{}}
	for i, ref := range m.refs {
		offer := r.offers[ref]
		mime := readapi.EscapeLine(redact.Text(ref.MimeType))
		name, _ := cutEscaped(m.names[i], r.name)
		mime, _ = cutEscaped(mime, min(r.name, 128))
		out.Materials = append(out.Materials, Material{
			Name: name, Kind: ref.Kind, MimeType: mime, Bytes: ref.Bytes, Resource: offer.URI, Unavailable: offer.Unavailable,
		})
	}
	return out
}

// setText gives m as much of text as fits into free bytes and the most that a message may have. It returns how many bytes that are.
func setText(m *Message, text string, free int) int {
	m.Text, m.Truncated = cutEscaped(text, min(maxTextBytes, free))
	return escapedBytes(m.Text)
}

// cutEscaped is the longest beginning of s that takes at most n bytes in JSON, with … where something was cut.
func cutEscaped(s string, n int) (out string, cut bool) {
	if s == "" || escapedBytes(s) <= n {
		return s, false
	}
	room := n - len("…")
	end := 0
	for i, r := range s {
		if room -= escapedRune(s[i:], r); room < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if n < len("…") {
		return "", true
	}
	return s[:end] + "…", true
}

// escapedBytes is how many bytes s, which is UTF-8, takes between its quotes in JSON.
func escapedBytes(s string) (n int) {
	for i, r := range s {
		n += escapedRune(s[i:], r)
	}
	return n
}

// escapedRune is the same for the character r that s begins with.
func escapedRune(s string, r rune) int {
	switch {
	case strings.IndexByte("\"\\\b\f\n\r\t", s[0]) >= 0:
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return 6
	case r == utf8.RuneError && !strings.HasPrefix(s, "\uFFFD"):
		return 6
	}
	return utf8.RuneLen(r)
}
