package tools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxListed is how many warnings and files inside a file are shown: neither has a budget of its own.
const maxListed = 40

// fileContent is what the fence around a file is called.
const fileContent = "file content"

// mostAbout is how many tokens the outline of a file takes at most; of a small budget it is a tenth.
const mostAbout = 1000

// labelled lays answers out for a model: what it is and where it comes from, the content and all that came with it within a fence, and how
// to go on. An answer that does not go on another says first what the file says of itself.
func labelled(first bool, most int64) func(*readapi.Document) string {
	return func(doc *readapi.Document) string {
		about := ""
		if first {
			about = readapi.MetaText(doc.Meta, doc.Unit, doc.Next != "", min(mostAbout, most/10))
		}
		return label(doc, about)
	}
}

func label(doc *readapi.Document, about string) string {
	inside := []string{}
	if about != "" {
		inside = append(inside, about)
	}
	for _, p := range doc.Parts {
		inside = append(inside, p.Text, string(p.Data))
	}
	for _, c := range doc.Children {
		inside = append(inside, c.Name, string(c.MediaType))
	}
	for _, w := range doc.Warnings {
		inside = append(inside, w.Code, w.Detail)
	}
	f := newFence(append(inside, doc.Name)...)
	var b strings.Builder
	fmt.Fprintf(&b, "File %s (%s, %d bytes), %s", quoted(doc.Name), doc.MediaType, doc.Bytes, extent(doc))
	if doc.Decoder.Name != "" {
		fmt.Fprintf(&b, ", read by decoder %s %s", line(doc.Decoder.Name), line(doc.Decoder.Version))
	}
	if doc.Child != "" {
		fmt.Fprintf(&b, ", file %s inside %s\n", line(doc.Child), line(doc.URI))
	} else {
		fmt.Fprintf(&b, ", from %s\n", line(doc.URI))
	}
	b.WriteString(f.warning(fileContent, "what the file holds, as whoever made it wrote it"))
	b.WriteString(f.open(fileContent) + "\n")
	b.WriteString(about)
	content(&b, doc, f.line)
	children(&b, doc)
	warnings(&b, doc)
	b.WriteString(f.close(fileContent) + "\n")
	if doc.Next != "" {
		fmt.Fprintf(&b, "More follows. next cursor: %s\nTo go on, call read_attachment with the same uri and this cursor, without units and form.\n", line(doc.Next))
	}
	if len(doc.Children) > 0 {
		path := strconv.Itoa(doc.Children[0].N)
		if doc.Child != "" {
			path = doc.Child + "/" + path
		}
		fmt.Fprintf(&b, "To read a file inside, call read_attachment with the same uri and its number as child: %q is the first.\n", line(path))
	}
	if doc.Next == "" && doc.Unit == readapi.UnitFrame && doc.Covers.To < doc.Total { // an animation stands for its first frame
		b.WriteString("The other frames are read with units \"1-\".\n")
	}
	return b.String()
}

// plain is the content alone.
func plain(doc *readapi.Document) string {
	var b strings.Builder
	content(&b, doc, func(s string) string { return "--- " + s + " ---\n" })
	return b.String()
}

// content lays out the parts as the command line does. Each unit gets a marker, except where a file has only one and where lines simply
// follow each other.
func content(b *strings.Builder, doc *readapi.Document, marker func(string) string) {
	flow, picture := readapi.NewFlow(doc), 0
	for i := range doc.Parts {
		p := &doc.Parts[i]
		if flow.Next(p) {
			b.WriteString(marker(fmt.Sprintf("%s %d of %s", line(string(doc.Unit)), p.At, totalOf(max(doc.Total, p.At), doc.AtLeast))))
		}
		switch p.Type {
		case readapi.PartText:
			b.WriteString(p.Text)
			if p.Text != "" && !strings.HasSuffix(p.Text, "\n") {
				b.WriteByte('\n')
			}
			if p.Truncated && (doc.Unit != readapi.UnitLine || doc.Next != "" && i == len(doc.Parts)-1) { // a line that is shown in part says itself how the rest is read
				b.WriteString(marker(fmt.Sprintf("%s %d goes on", line(string(doc.Unit)), p.At)))
			}
		case readapi.PartImage:
			if p.Image != nil {
				picture++
				b.WriteString(marker(fmt.Sprintf("picture %d: %s, %dx%d", picture, p.Image.MediaType, p.Image.Width, p.Image.Height)))
			}
		case readapi.PartData:
			b.WriteString(flow.Words(p))
		}
	}
}

// children lists the files inside the file; their names are the file's.
func children(b *strings.Builder, doc *readapi.Document) {
	for i, c := range doc.Children {
		if i == maxListed {
			fmt.Fprintf(b, "and %d more files inside\n", len(doc.Children)-i)
			break
		}
		fmt.Fprintf(b, "file inside: %d. %s (%s, %d bytes)\n", c.N, quoted(c.Name), line(string(c.MediaType)), c.Bytes)
	}
}

// warnings lists what the decoder and the host noticed.
func warnings(b *strings.Builder, doc *readapi.Document) {
	for i, w := range doc.Warnings {
		if i == maxListed {
			fmt.Fprintf(b, "and %d more warnings\n", len(doc.Warnings)-i)
			break
		}
		where := ""
		if w.At > 0 {
			where = fmt.Sprintf(" at %s %d", line(string(doc.Unit)), w.At)
		}
		fmt.Fprintf(b, "warning: %s%s: %s\n", line(w.Code), where, line(w.Detail))
	}
}

// extent says how many units there are and which of them are here: "12 pages", "pages 3-5 of 12", "lines 1-400 of at least 9000".
func extent(doc *readapi.Document) string {
	unit, total := line(string(doc.Unit)), totalOf(doc.Total, doc.AtLeast)
	units := unit + "s"
	switch {
	case doc.Covers.From == 0 || doc.Covers.From == 1 && doc.Covers.To == doc.Total && !doc.AtLeast:
		if doc.Total == 1 {
			units = unit
		}
		return total + " " + units
	case doc.Covers.From == doc.Covers.To:
		return fmt.Sprintf("%s %d of %s", unit, doc.Covers.From, total)
	}
	return fmt.Sprintf("%s %d-%d of %s", units, doc.Covers.From, doc.Covers.To, total)
}

// totalOf is a number of units in words: "12", "at least 9000".
func totalOf(n int64, atLeast bool) string {
	if atLeast {
		return fmt.Sprintf("at least %d", n)
	}
	return fmt.Sprint(n)
}

// line is s on one line with nothing hidden in it.
func line(s string) string { return readapi.EscapeLine(s) }

// quoted is a name that somebody gave, such that it is seen where it ends.
func quoted(name string) string {
	return `"` + strings.ReplaceAll(line(name), `"`, `\"`) + `"`
}
