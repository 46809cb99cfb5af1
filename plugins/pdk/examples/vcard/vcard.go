// Package vcard is an example of a decoder: cards of people (vCard 2.1, 3.0 and 4.0, RFC 6350 and 2426) as text, one unit for each card.
// The same decoder stands in c/ and rust/ beside it, and gives the same answers.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o vcard.wasm ./plugins/pdk/examples/vcard/guest
package vcard

import (
	"bytes"
	"io"
	"strings"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoder is the example.
var Decoder = pdk.Decoder{
	Name: "vcard", Version: "1.0.0", MediaTypes: []readapi.MediaType{"text/vcard", "text/x-vcard"}, Unit: "card", Forms: []readapi.Form{readapi.FormText},
	Samples: []pdk.Sample{{MediaType: "text/vcard", Data: []byte("BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n")}},
	Decode:  decode,
}

// card is one card: its text, and what is to be said of it.
type card struct {
	lines    []byte // while it is read
	text     string
	replaced bool // bytes that are not UTF-8 became U+FFFD
	media    bool // pictures, sounds or keys are left out
}

func decode(in readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
	data := make([]byte, in.Size())
	if _, err := in.ReadAt(data, 0); err != nil && err != io.EOF {
		return err
	}
	cards, fault := parse(bytes.TrimPrefix(data, []byte("\ufeff")))
	if fault != "" {
		return pdk.Malformed(fault)
	}
	if err := w.Meta(map[string]any{"cards": len(cards)}); err != nil {
		return err
	}
	for at := range w.Units(int64(len(cards))) {
		c := cards[at-1]
		if err := w.Text(at, c.text); err != nil {
			return err
		}
		if c.replaced {
			w.Warn(readapi.WarnReplaced, "bytes that are not UTF-8", at)
		}
		if c.media {
			w.Warn(readapi.WarnPartial, "pictures, sounds and keys are left out", at)
		}
	}
	return nil
}

// parse gives the cards of a file, or what is wrong with it.
func parse(data []byte) (cards []card, fault string) {
	var open *card
	for len(data) > 0 {
		var line []byte
		line, data = unfold(data)
		if len(bytes.Trim(line, " \t")) == 0 {
			continue
		}
		p, ok := property(line)
		begin := ok && p.name == "BEGIN" && strings.EqualFold(p.value, "VCARD")
		switch {
		case open == nil && !begin:
			return nil, "there is something outside a card"
		case open == nil:
			open = &card{}
		case begin:
			return nil, "a card begins inside a card"
		case !ok:
			return nil, "a line of a card is no property"
		case p.name == "END":
			raw := string(append(open.lines, '\n'))
			open.text = strings.Map(func(r rune) rune { return r }, raw) // each byte that is not UTF-8 becomes U+FFFD
			open.replaced = open.text != raw
			cards, open = append(cards, *open), nil
		default:
			open.add(p)
		}
	}
	if open != nil {
		return nil, "a card does not end"
	}
	if len(cards) == 0 {
		return nil, "there is no card"
	}
	return cards, ""
}

var labels = map[string]string{
	"FN": "Name", "N": "Name parts", "NICKNAME": "Nickname", "TEL": "Phone", "EMAIL": "Email", "ADR": "Address", "ORG": "Organization", "TITLE": "Title",
	"ROLE": "Role", "BDAY": "Birthday", "URL": "URL", "NOTE": "Note",
}

// add makes lines of a property.
func (c *card) add(p prop) {
	switch p.name {
	case "VERSION", "PRODID", "REV", "UID":
		return
	case "PHOTO", "LOGO", "SOUND", "KEY":
		c.media = true
		return
	}
	label, known := labels[p.name]
	if !known {
		label = p.name
	}
	if len(p.types) > 0 {
		label += " (" + strings.Join(p.types, ", ") + ")"
	}
	c.lines = append(c.lines, label+": "+plain(p.value, p.name == "N" || p.name == "ADR" || p.name == "ORG")+"\n"...)
}
