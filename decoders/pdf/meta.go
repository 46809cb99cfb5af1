package pdf

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// maxMetaBytes bounds each text of the metadata.
const maxMetaBytes = 2000

// meta returns what the document says of itself: title, author, subject, keywords, creator, producer, created, modified (as RFC 3339 where
// they can be read), pages, version, encrypted, language, tagged, outline (number of entries).
func (d *document) meta() map[string]any {
	m := map[string]any{"pages": d.total, "encrypted": d.file.Encrypted()}
	for key, name := range map[string]string{
		"title": "Title", "author": "Author", "subject": "Subject", "keywords": "Keywords", "creator": "Creator", "producer": "Producer",
	} {
		if s := cutText(d.info.Key(name).Text()); s != "" {
			m[key] = s
		}
	}
	for key, name := range map[string]string{"created": "CreationDate", "modified": "ModDate"} {
		if s := date(d.info.Key(name).Text()); s != "" {
			m[key] = s
		}
	}
	if v := d.version(); v != "" {
		m["version"] = v
	}
	if s := cutText(d.root.Key("Lang").Text()); s != "" {
		m["language"] = s
	}
	if mark := d.root.Key("MarkInfo").Key("Marked"); mark.Kind() == object.Bool {
		m["tagged"] = mark.Bool()
	}
	if n := d.outline(); n > 0 {
		m["outline"] = n
	}
	return m
}

// version is the header's, or the catalog's where that is newer (7.2.2).
func (d *document) version() string {
	v := d.file.Version()
	if c := object.HeaderVersion([]byte(d.root.Key("Version").Name())); c > v {
		v = c
	}
	return v
}

func cutText(s string) string {
	if len(s) > maxMetaBytes {
		s = strings.ToValidUTF8(s[:maxMetaBytes], "")
	}
	return s
}

// maxOutline bounds how many outline entries are counted.
const maxOutline = 10_000

// outline counts the entries of the top level, which is what reading them one by one allows.
func (d *document) outline() int {
	seen := map[int]bool{}
	n := 0
	for item := d.root.Key("Outlines").Key("First"); item.Kind() == object.Dict && n < maxOutline; item = item.Key("Next") {
		if id := item.ID(); seen[id] {
			break
		} else {
			seen[id] = true
		}
		n++
	}
	return n
}

// date turns "D:20240131120000+01'00'" (7.9.4) into RFC 3339; what is missing behind the year is the earliest it can be. A text that is no
// date gives "".
func date(s string) string {
	s = strings.TrimPrefix(s, "D:")
	digits := 0
	for digits < len(s) && digits < 14 && object.IsDigit(s[digits]) {
		digits++
	}
	if digits < 4 {
		return ""
	}
	full := s[:digits&^1] + "00000101000000"[digits&^1:]
	if full[4:6] < "01" || full[4:6] > "12" || full[6:8] < "01" || full[6:8] > "31" || full[8:10] > "23" || full[10:12] > "59" || full[12:] > "59" {
		return ""
	}
	zone := "Z"
	if rest := strings.NewReplacer("'", "", ":", "").Replace(s[digits:]); len(rest) >= 5 && (rest[0] == '+' || rest[0] == '-') && onlyDigits(rest[1:5]) {
		zone = rest[:3] + ":" + rest[3:5]
	}
	return full[:4] + "-" + full[4:6] + "-" + full[6:8] + "T" + full[8:10] + ":" + full[10:12] + ":" + full[12:] + zone
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if !object.IsDigit(s[i]) {
			return false
		}
	}
	return true
}
