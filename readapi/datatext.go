//go:build !wasip1

package readapi

import (
	"encoding/json"
	"strconv"
	"strings"
)

// DataText is a part of data in words, for who reads and does not parse: a line for each link, form field and note; of a table its size, for
// its cells stand in the text beside it, unless there is none (beside is false). What it does not know it gives as it is.
func DataText(data json.RawMessage, beside bool) string {
	var d struct {
		Table *struct {
			Rows [][]string `json:"rows"`
		} `json:"table"`
		Links       []dataLink  `json:"links"`
		Fields      []dataField `json:"fields"`
		Annotations []dataNote  `json:"annotations"`
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil || len(keys) != 1 || json.Unmarshal(data, &d) != nil {
		return string(data) + "\n"
	}
	var b strings.Builder
	switch {
	case d.Table != nil && beside:
		columns := 0
		for _, r := range d.Table.Rows {
			columns = max(columns, len(r))
		}
		return tableWords + strconv.Itoa(len(d.Table.Rows)) + " rows, " + strconv.Itoa(columns) + " columns]\n"
	case len(d.Links) > 0:
		for _, l := range d.Links {
			l.write(&b)
		}
	case len(d.Fields) > 0:
		for _, f := range d.Fields {
			f.write(&b)
		}
	case len(d.Annotations) > 0:
		for _, n := range d.Annotations {
			n.write(&b)
		}
	default:
		return string(data) + "\n"
	}
	return b.String()
}

// tableWords is how the words for a table begin whose cells stand in the text beside it.
const tableWords = "[table: "

type dataLink struct {
	Text string `json:"text"`
	URI  string `json:"uri"`
	Page int64  `json:"page"`
	File string `json:"file"`
}

func (l dataLink) write(b *strings.Builder) {
	to := dataLine(l.URI)
	switch {
	case l.URI == "" && l.File != "":
		to = "file " + dataLine(l.File)
	case l.URI == "":
		to = "page " + strconv.FormatInt(l.Page, 10)
	}
	b.WriteString("[link: ")
	if l.Text != "" {
		b.WriteString(dataLine(l.Text) + " -> ")
	}
	b.WriteString(to + "]\n")
}

type dataField struct {
	Name     string          `json:"name"`
	Label    string          `json:"label"`
	Type     string          `json:"type"`
	Value    json.RawMessage `json:"value"`
	Options  []string        `json:"options"`
	URI      string          `json:"uri"`
	Signed   bool            `json:"signed"`
	Signer   string          `json:"signer"`
	Date     string          `json:"date"`
	Password bool            `json:"password"`
}

// mostOptions is how many of the options of a field are told.
const mostOptions = 20

func (f dataField) write(b *strings.Builder) {
	name := f.Label
	if name == "" {
		name = f.Name
	}
	b.WriteString("[field " + dataLine(name) + ": " + dataLine(f.value()))
	for i, o := range f.Options {
		if i == mostOptions {
			b.WriteString(" | and " + strconv.Itoa(len(f.Options)-i) + " more")
			break
		}
		if i == 0 {
			b.WriteString("; options: " + dataLine(o))
			continue
		}
		b.WriteString(" | " + dataLine(o))
	}
	if f.URI != "" {
		b.WriteString(" -> " + dataLine(f.URI))
	}
	b.WriteString("]\n")
}

// value is what stands in the field, "" for nothing. What a signature says of itself is a claim that nobody checked.
func (f dataField) value() string {
	var s string
	switch {
	case f.Password:
		return "a password, not shown"
	case f.Type == "signature" && !f.Signed:
		return "not signed"
	case f.Type == "signature":
		s = "signed"
		if f.Signer != "" {
			s += ", by " + f.Signer
		}
		if f.Date != "" {
			s += ", " + f.Date
		}
		return s + ", not checked"
	case json.Unmarshal(f.Value, &s) == nil:
		return s
	}
	return string(f.Value)
}

type dataNote struct {
	Type     string `json:"type"`
	Contents string `json:"contents"`
	Author   string `json:"author"`
	Quote    string `json:"quote"`
}

func (n dataNote) write(b *strings.Builder) {
	b.WriteString("[note")
	if n.Type != "" {
		b.WriteString(", " + dataLine(n.Type))
	}
	if n.Author != "" {
		b.WriteString(", by " + dataLine(n.Author))
	}
	if n.Quote != "" {
		b.WriteString(", on \"" + dataLine(n.Quote) + "\"")
	}
	b.WriteString(": " + dataLine(n.Contents) + "]\n")
}

// dataLine is s on one line. What is hidden in it has been escaped, unless it was to be shown.
func dataLine(s string) string { return lineEscaper.Replace(s) }
