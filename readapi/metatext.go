//go:build !wasip1

package readapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// mostRuns is how many runs of units MetaText tells of a map: neighbours are told together until they are so few.
const mostRuns = 20

// mostMetaRunes is how much of a title, or of another text about the file, MetaText tells.
const mostMetaRunes = 120

// MetaText is in words what meta says of the file as a whole, for who reads and does not parse: its title and author, its outline, and with
// cut, where more of the file follows than was given, the map of what its units take. unit is what the outline and the map count by. The
// outline is held to about most tokens; its lowest levels are left out first, then its end. Nothing is "".
func MetaText(meta map[string]any, unit Unit, cut bool, most int64) string {
	raw, err := json.Marshal(meta)
	if err != nil {
		return ""
	}
	var m struct {
		Title   string         `json:"title"`
		Author  string         `json:"author"`
		Outline []outlineEntry `json:"outline"`
		More    bool           `json:"outline_cut"`
		Map     []mapRun       `json:"map"`
	}
	if json.Unmarshal(raw, &m) != nil { // some other decoder means something else by these keys
		return ""
	}
	var b strings.Builder
	for _, fact := range [][2]string{{"title", m.Title}, {"author", m.Author}} {
		if fact[1] != "" {
			b.WriteString(fact[0] + ": " + metaLine(fact[1]) + "\n")
		}
	}
	outlineText(&b, m.Outline, m.More, unit, most)
	if cut {
		mapText(&b, m.Map, unit)
	}
	return b.String()
}

// outlineEntry is an entry of the outline, mapRun units that follow each other and what they take.
type (
	outlineEntry struct {
		Title  string `json:"title"`
		Level  int    `json:"level"`
		Page   int64  `json:"page"`
		URI    string `json:"uri"`
		Tokens int64  `json:"est_tokens"`
	}
	mapRun struct {
		From   int64 `json:"from"`
		To     int64 `json:"to"`
		Tokens int64 `json:"est_tokens"`
	}
)

// outlineText writes as many entries as fit in most tokens, each on a line that is indented by its level.
func outlineText(b *strings.Builder, entries []outlineEntry, more bool, unit Unit, most int64) {
	all := len(entries)
	deepest := 0
	for _, e := range entries {
		deepest = max(deepest, e.Level)
	}
	tokens := func() (sum int64) {
		for _, e := range entries {
			sum += EstimateTokens(e.line(unit))
		}
		return sum
	}
	for ; deepest > 1 && tokens() > most; deepest-- {
		entries = slices.DeleteFunc(entries, func(e outlineEntry) bool { return e.Level >= deepest })
	}
	var sum int64
	shown := 0
	for _, e := range entries {
		s := e.line(unit)
		if sum += EstimateTokens(s); sum > most {
			break
		}
		b.WriteString(s)
		shown++
	}
	switch {
	case more:
		b.WriteString("outline: it has more entries\n")
	case shown < all:
		b.WriteString("outline: left out here: " + strconv.Itoa(all-shown) + " entries\n")
	}
}

func (e outlineEntry) line(unit Unit) string {
	to := EscapeLine(string(unit)) + " " + strconv.FormatInt(e.Page, 10)
	switch {
	case e.Page < 1 && e.URI != "":
		to = metaLine(e.URI)
	case e.Page < 1:
		to = ""
	case e.Tokens > 0:
		to += ", about " + strconv.FormatInt(e.Tokens, 10) + " tokens"
	}
	if to != "" {
		to = " (" + to + ")"
	}
	return "outline: " + strings.Repeat("  ", min(max(e.Level, 1), 9)-1) + metaLine(e.Title) + to + "\n"
}

// mapText writes the map on one line.
func mapText(b *strings.Builder, runs []mapRun, unit Unit) {
	if len(runs) == 0 {
		return
	}
	together := (len(runs) + mostRuns - 1) / mostRuns
	b.WriteString("estimated tokens by " + EscapeLine(string(unit)) + ":")
	separator := " "
	for some := range slices.Chunk(runs, together) {
		var sum int64
		for _, r := range some {
			sum += r.Tokens
		}
		from, to := some[0].From, some[len(some)-1].To
		b.WriteString(separator + strconv.FormatInt(from, 10))
		if to > from {
			b.WriteString("-" + strconv.FormatInt(to, 10))
		}
		b.WriteString(": " + strconv.FormatInt(sum, 10))
		separator = ", "
	}
	b.WriteString("\n")
}

// metaLine is s on one line with nothing hidden in it, cut where it is long.
func metaLine(s string) string {
	if r := []rune(s); len(r) > mostMetaRunes {
		s = string(r[:mostMetaRunes]) + "…"
	}
	return EscapeLine(s)
}
