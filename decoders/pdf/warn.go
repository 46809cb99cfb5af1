package pdf

import (
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Warnings of a page. Their details are words of ours: nothing of the file is in them.
const (
	noTextAtAll   = "the page has no text of its own"
	noTextPicture = "the page has no text of its own, only pictures: the form image shows them"
	lowConfidence = "the fonts do not say what many of the characters are"
	onlyXFA       = "the form is XFA, which few programs show: the pages are only what stands in its place; its XML is among the files inside"
	pagesLost     = "parts of the page tree cannot be read"
)

// maxUnknown is the part of a page's characters that may be unknown: of more, the text is not to be relied on.
const maxUnknown = 0.2

// warnings are what a reader should know of a page.
func (d *document) warnings(at int, m *marks, text string) (out []readapi.Warning) {
	c := &d.content
	add := func(code, detail string) {
		out = append(out, readapi.Warning{Code: code, Detail: detail, At: int64(at)})
	}
	switch {
	case c.Short != "":
		add(readapi.WarnPartial, c.Short)
	case c.Damaged != "":
		add(readapi.WarnPartial, c.Damaged)
	case m.left > 0:
		add(readapi.WarnPartial, strconv.Itoa(m.left)+" more links, fields and notes are left out")
	}
	if strings.TrimSpace(text) == "" && len(out) == 0 { // of a page that was not read whole, nobody knows
		if len(c.Images) > 0 {
			add(readapi.WarnNoTextLayer, noTextPicture)
		} else {
			add(readapi.WarnNoTextLayer, noTextAtAll)
		}
	}
	if float64(c.Unknown) > maxUnknown*float64(c.Glyphs) {
		add(readapi.WarnLowConfidence, lowConfidence)
	}
	if hidden := d.hiddenDetail(); hidden != "" {
		add(readapi.WarnHiddenText, hidden)
	}
	return out
}

// maxDetail is how long the detail of a warning may be: the protocol cuts it behind 200 bytes.
const maxDetail = 200

// hiddenDetail says how much of a page is not seen, why, and where it begins; "" if everything is. Where there are more reasons than fit,
// it says how many there are and which one hides most.
func (d *document) hiddenDetail() string {
	var parts []string
	var most content.HiddenCount
	all := 0
	counts := d.content.HiddenCounts()
	for _, h := range counts {
		all += h.Characters
		if h.Characters > most.Characters {
			most = h
		}
		parts = append(parts, d.hiddenFor(h))
	}
	d.hidden += all
	if n := d.content.Refused; n > 0 {
		parts = append(parts, count(n, "replacement")+" other than what is shown")
	}
	s := strings.Join(parts, "; ")
	if len(s) > maxDetail {
		s = characters(all) + " for " + count(len(counts), "reason") + "; " + d.hiddenFor(most)
	}
	return s
}

func (d *document) hiddenFor(h content.HiddenCount) string {
	return characters(h.Characters) + " " + h.Reason.String() + ", first " + place(&d.content, float64(h.X), float64(h.Y))
}

func characters(n int) string { return count(n, "character") }

// count is a number of things in words.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// place says in words where on the page, as it is shown, a point lies.
func place(c *content.Page, x, y float64) string {
	b := c.Box
	if b.Empty() {
		return ""
	}
	across, up := (x-b.X0)/(b.X1-b.X0), (y-b.Y0)/(b.Y1-b.Y0)
	if across < 0 || across > 1 || up < 0 || up > 1 {
		return "outside the page"
	}
	for range c.Rotate / 90 { // clockwise
		across, up = up, 1-across
	}
	rows, columns := [3]string{"bottom", "", "top"}, [3]string{"left", "", "right"}
	row, column := rows[min(2, int(3*up))], columns[min(2, int(3*across))]
	switch {
	case row == "" && column == "":
		return "in the middle"
	case row == "" || column == "":
		return "at the " + row + column
	}
	return "at the " + row + " " + column
}

// placeholder reports whether the pages of a form are only what viewers show that cannot show the form itself (12.7.8): it says so, or it
// has no field outside its XFA.
func (d *document) placeholder() bool {
	form := d.root.Key("AcroForm")
	if form.Key("XFA").Null() {
		return false
	}
	return d.root.Key("NeedsRendering").Bool() || d.total == 1 && form.Key("Fields").Len() == 0 && form.Key("XFA").Is(object.Array)
}
