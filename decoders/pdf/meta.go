package pdf

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// maxMetaBytes bounds each text of the metadata.
const maxMetaBytes = 2000

// facts are the texts of the metadata by their names in the information dictionary (14.3.3) and in XMP.
var facts = [...]struct{ key, info, xmp string }{
	{"title", "Title", "dc:title"},
	{"author", "Author", "dc:creator"},
	{"subject", "Subject", "dc:description"},
	{"keywords", "Keywords", "pdf:Keywords"},
	{"creator", "Creator", "xmp:CreatorTool"},
	{"producer", "Producer", "pdf:Producer"},
}

// meta returns what the document says of itself; docs/pdf.md has the list. What is not there has no key.
func (d *document) meta() map[string]any {
	m := map[string]any{"pages": d.total, "encrypted": d.file.Encrypted()}
	packet := d.packet()
	for _, f := range facts {
		s := d.info.Key(f.info).Text()
		if s == "" {
			s = packet.text(f.xmp)
		}
		put(m, f.key, cutText(s, maxMetaBytes))
	}
	for _, f := range [...]struct{ key, info, xmp string }{{"created", "CreationDate", "xmp:CreateDate"}, {"modified", "ModDate", "xmp:ModifyDate"}} {
		s := date(d.info.Key(f.info).Text())
		if s == "" {
			s = isoDate(packet.text(f.xmp))
		}
		put(m, f.key, s)
	}
	put(m, "version", d.version())
	language := d.root.Key("Lang").Text()
	if language == "" {
		language = packet.text("dc:language")
	}
	put(m, "language", cutText(language, maxMetaBytes))
	if part := packet.text("pdfaid:part"); part != "" {
		put(m, "pdfa", cutText(part+packet.text("pdfaid:conformance"), maxTitleBytes))
	}
	if mark := d.root.Key("MarkInfo").Key("Marked"); mark.Kind() == object.Bool {
		m["tagged"] = mark.Bool()
	}
	return m
}

// structure returns what leads through the document, for meta.
func (d *document) structure() map[string]any {
	m := map[string]any{}
	d.contents, d.contentsCut = d.outline()
	if len(d.contents) > 0 {
		m["outline"] = outlineValue(d.contents)
	}
	if d.contentsCut {
		m["outline_cut"] = true
	}
	if ranges := d.labels(); len(ranges) > 0 {
		m["page_labels"] = d.labelsValue(ranges)
	}
	if layers := d.layersValue(); len(layers) > 0 {
		m["layers"] = layers
	}
	return m
}

// features returns what the document has besides pages, for meta. What it has not is not named.
func (d *document) features() map[string]any {
	m := map[string]any{}
	if list := filesValue(d.files()[:min(len(d.files()), maxDescribed)]); len(list) > 0 {
		m["files"] = list
	}
	form := d.root.Key("AcroForm")
	if fields, signatures := d.countFields(form.Key("Fields")); fields > 0 {
		m["fields"] = fields
		if signatures > 0 {
			m["signatures"] = signatures
		}
	}
	for key, has := range map[string]bool{
		"xfa":        !form.Key("XFA").Null(),
		"linearized": d.file.Linearized(),
		"javascript": d.scripts(),
		"portfolio":  d.root.Key("Collection").Is(object.Dict),
	} {
		if has {
			m[key] = true
		}
	}
	return m
}

// scripts reports whether the document would run JavaScript when it is opened or used. Nothing here ever does.
func (d *document) scripts() bool {
	return !d.root.Key("Names").Key("JavaScript").Null() || isScript(d.root.Key("OpenAction")) || runsScript(d.root)
}

// runsScript reports whether JavaScript is an action of n (12.6.2), or one of its additional actions (12.6.3).
func runsScript(n object.Node) bool {
	if isScript(n.Key("A")) {
		return true
	}
	more := n.Key("AA")
	for _, key := range more.Keys() {
		if isScript(more.Key(key)) {
			return true
		}
	}
	return false
}

func isScript(action object.Node) bool {
	return action.Key("S").Name() == "JavaScript" || !action.Key("JS").Null()
}

// packet returns the metadata stream.
func (d *document) packet() xmp {
	b, err := d.root.Key("Metadata").Data(maxXMPBytes)
	if err != nil && len(b) == 0 {
		return ""
	}
	d.file.Parsed(len(b))
	return newXMP(b)
}

// maxDescribed bounds how many files inside meta says more of than the list of them does.
const maxDescribed = 100

// maxLayers bounds how many layers are named.
const maxLayers = 100

// layersValue is the names of the optional content groups, and whether they are on when the document is opened (8.11.4).
func (d *document) layersValue() (out []any) {
	groups := d.root.Key("OCProperties").Key("OCGs")
	for i := range min(groups.Len(), maxLayers) {
		name := cutText(oneLine(groups.Index(i).Key("Name").Text()), maxTitleBytes)
		out = append(out, map[string]any{"name": name, "on": !d.off(groups.Index(i))})
	}
	return out
}

// off reports whether optional content is not shown.
func (d *document) off(oc object.Node) bool { return d.layers != nil && !oc.Null() && d.layers(oc) }

// version is the header's, or the catalog's where that is newer (7.2.2).
func (d *document) version() string {
	v := d.file.Version()
	if c := object.HeaderVersion([]byte(d.root.Key("Version").Name())); c > v {
		v = c
	}
	return v
}

// put sets a key to a text that is not empty.
func put(m map[string]any, key, s string) {
	if s != "" {
		m[key] = s
	}
}

// cutText returns s, or as much of it as fits, cut between characters.
func cutText(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "")
	}
	return s
}

// oneLine joins the lines of a text that is a name.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\r\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}
