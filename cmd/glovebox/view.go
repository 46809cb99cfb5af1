package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// view lays one answer out for people. The layout is the same on a terminal and in a pipe. With --form source standard output carries
// the text alone, and what people should know goes to standard error.
type view struct {
	out, err io.Writer
	shown    string // the file as typed
	dir      string // of --out, "" without
	form     readapi.Form
	units    string // that were asked for, "" for all
	several  bool   // one of several answers
	goesOn   bool   // from a cursor
}

func (v *view) print(doc *readapi.Document, first bool) {
	var text, notes bytes.Buffer
	source := v.form == readapi.FormSource
	switch {
	case source && v.several: // as head does it
		fmt.Fprintf(&text, "==> %s <==\n", v.title())
	case !source:
		if !first {
			text.WriteByte('\n')
		}
		v.heading(&text, doc)
	}
	v.parts(&text, doc, source)
	v.notes(&notes, doc, source)
	// Failed writes are remembered by output; for standard error nobody is left to tell.
	if source {
		_, _ = v.out.Write(text.Bytes())
		_, _ = v.err.Write(notes.Bytes())
		return
	}
	text.Write(notes.Bytes())
	_, _ = v.out.Write(text.Bytes())
}

func (v *view) title() string {
	if v.shown == stdinName {
		return "standard input"
	}
	return readapi.EscapeLine(v.shown)
}

// heading is the title line: name, media type, what of it is here, size.
func (v *view) heading(w *bytes.Buffer, doc *readapi.Document) {
	var facts []string
	if doc.URI != "" { // an address does not say what it is of
		facts = append(facts, readapi.EscapeLine(doc.Name))
	}
	if doc.Child != "" {
		facts = append(facts, "file "+doc.Child+" inside it")
		if doc.URI == "" && doc.Name != "" {
			facts = append(facts, readapi.EscapeLine(doc.Name))
		}
	}
	facts = append(facts, string(doc.MediaType))
	if charset, ok := doc.Meta["charset"].(string); ok {
		facts = append(facts, readapi.EscapeLine(charset))
	}
	if title, ok := doc.Meta["title"].(string); ok && doc.MediaType == "text/html" { // it stands nowhere in the text
		facts = append(facts, `"`+strings.ReplaceAll(cutRunes(readapi.EscapeLine(title), mostTitle), `"`, `\"`)+`"`)
	}
	if width, height := number(doc.Meta["display_width"]), number(doc.Meta["display_height"]); width > 0 && height > 0 {
		facts = append(facts, fmt.Sprintf("%dx%d", width, height))
	}
	if doc.Unit != readapi.UnitFrame || doc.Total > 1 { // one frame is what every picture has
		facts = append(facts, extent(doc, v.units))
	}
	facts = append(facts, formatBytes(doc.Bytes))
	fmt.Fprintf(w, "%s: %s\n", v.title(), strings.Join(facts, ", "))
}

// mostTitle is how many characters of the title of a page are shown.
const mostTitle = 80

// cutRunes is s, or its beginning of at most n characters with a mark behind it.
func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// number is a whole number of a decoder's meta, which came through JSON or did not.
func number(v any) int64 {
	switch n := v.(type) {
	case float64:
		return int64(n)
	case int64:
		return n
	case int:
		return int64(n)
	}
	return 0
}

// extent says how many units there are and which of them are here: "12 pages", "pages 3-5 of 12", "lines 1-400 of at least 9000". Of units
// that were asked for it says those, unless the answer ends before the last of them.
func extent(doc *readapi.Document, units string) string {
	total := totalOf(doc.Total, doc.AtLeast)
	if strings.Contains(units, ",") && doc.Next == "" {
		return fmt.Sprintf("%s %s of %s", plural(doc.Unit, 2), readapi.EscapeLine(units), total)
	}
	whole := doc.Covers.From <= 1 && doc.Covers.To == doc.Total && !doc.AtLeast
	if whole || doc.Covers.From == 0 {
		return total + " " + plural(doc.Unit, doc.Total)
	}
	if doc.Covers.From == doc.Covers.To {
		return fmt.Sprintf("%s %d of %s", doc.Unit, doc.Covers.From, total)
	}
	return fmt.Sprintf("%s %d-%d of %s", plural(doc.Unit, 2), doc.Covers.From, doc.Covers.To, total)
}

// totalOf is a number of units in words: "12", "at least 9000".
func totalOf(n int64, atLeast bool) string {
	if atLeast {
		return "at least " + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

func plural(u readapi.Unit, n int64) string {
	if n == 1 {
		return string(u)
	}
	return string(u) + "s"
}

// parts is the content. Each unit gets a marker, except where a file has only one and where lines simply follow each other.
func (v *view) parts(w *bytes.Buffer, doc *readapi.Document, source bool) {
	flow := readapi.NewFlow(doc)
	for i := range doc.Parts {
		p := &doc.Parts[i]
		if flow.Next(p) && !source {
			fmt.Fprintf(w, "--- %s %d of %s ---\n", doc.Unit, p.At, totalOf(max(doc.Total, p.At), doc.AtLeast))
		}
		switch p.Type {
		case readapi.PartText:
			if source {
				w.WriteString(p.Text)
				continue
			}
			w.WriteString(oldLines(p.Text))
			if p.Text != "" && !strings.HasSuffix(p.Text, "\n") {
				w.WriteByte('\n')
			}
			if p.Truncated && goesOn(doc, i) {
				fmt.Fprintf(w, "[%s %d goes on]\n", doc.Unit, p.At)
			}
		case readapi.PartImage:
			v.image(w, p)
		case readapi.PartData:
			if !source {
				w.Write(visible([]byte(flow.Words(p))))
			}
		}
	}
}

// goesOn reports whether the rest of part i, which is cut, comes with the cursor. A line that a decoder shows the beginning of says itself how
// the rest is read.
func goesOn(doc *readapi.Document, i int) bool {
	return doc.Unit != readapi.UnitLine || doc.Next != "" && i == len(doc.Parts)-1
}

// oldLines ends lines as a terminal does it where they end in a CR alone, which there would put each over the one before. A CR at the very end
// may be half of a CRLF.
func oldLines(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if c == '\r' && i+1 < len(b) && b[i+1] != '\n' {
			b[i] = '\n'
		}
	}
	return string(b)
}

// image describes a picture; its bytes are for --out.
func (v *view) image(w *bytes.Buffer, p *readapi.Part) {
	if p.Image == nil {
		return
	}
	fmt.Fprintf(w, "[picture: %s, %dx%d, %s", p.Image.MediaType, p.Image.Width, p.Image.Height, formatBytes(int64(len(p.Image.Bytes))))
	if p.Image.File != "" {
		fmt.Fprintf(w, ", in %s", readapi.EscapeLine(filepath.Join(v.dir, filepath.FromSlash(p.Image.File))))
	}
	w.WriteString("]\n")
}

// notes is what follows the content: files inside the file, warnings, and how to go on.
func (v *view) notes(w *bytes.Buffer, doc *readapi.Document, source bool) {
	prefix := ""
	if source && v.several {
		prefix = v.title() + ": "
	}
	v.children(w, doc, prefix)
	for _, x := range doc.Warnings {
		where := ""
		if x.At > 0 {
			where = fmt.Sprintf(" at %s %d", doc.Unit, x.At)
		}
		fmt.Fprintf(w, "%swarning: %s%s: %s\n", prefix, readapi.EscapeLine(x.Code), where, readapi.EscapeLine(x.Detail))
	}
	if doc.Next != "" {
		if !source && !v.goesOn {
			w.WriteString(readapi.MetaText(doc.Meta, doc.Unit, true, mostAbout))
		}
		fmt.Fprintf(w, "%smore follows: --cursor %s goes on here, --all reads to the end\n", prefix, readapi.EscapeLine(doc.Next))
	}
	if doc.Unit == readapi.UnitFrame && v.units == "" && doc.Next == "" && doc.Covers.To < doc.Total { // an animation stands for its first frame
		fmt.Fprintf(w, "%s--frames 1- reads all frames\n", prefix)
	}
	if v.dir == "" && pictures(doc) {
		fmt.Fprintf(w, "%s--out DIR writes pictures as files\n", prefix)
	}
}

// mostAbout is how many tokens of a file's outline are shown where the file was not shown whole.
const mostAbout = 1000

// mostListed is how many files inside a file are listed.
const mostListed = 40

// children lists the files inside the file, and says how one is read.
func (v *view) children(w *bytes.Buffer, doc *readapi.Document, prefix string) {
	for i, c := range doc.Children {
		if i == mostListed {
			fmt.Fprintf(w, "%sand %d more files inside; --json has all of them\n", prefix, len(doc.Children)-i)
			break
		}
		fmt.Fprintf(w, "%sfile inside: %d. %s (%s, %s)\n", prefix, c.N, readapi.EscapeLine(c.Name), c.MediaType, formatBytes(c.Bytes))
	}
	if len(doc.Children) == 0 {
		return
	}
	path := strconv.Itoa(doc.Children[0].N)
	if doc.Child != "" {
		path = doc.Child + "/" + path
	}
	which := "it"
	if len(doc.Children) > 1 {
		which = "the first of them"
	}
	fmt.Fprintf(w, "%s--child %s reads %s\n", prefix, path, which)
}

func pictures(doc *readapi.Document) bool {
	for _, p := range doc.Parts {
		if p.Type == readapi.PartImage {
			return true
		}
	}
	return false
}
