package sniff

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// zipHeader begins each member of a ZIP archive (APPNOTE 6.3.10, 4.3.7), zipEnd the directory of an empty one (4.3.16).
const (
	zipHeader = "PK\x03\x04"
	zipEnd    = "PK\x05\x06"
)

// zipType names a ZIP archive by its first members, as far as the prefix has them: an office file by what it says of itself, wherever that
// stands, then by where its parts lie. A package that says no more than that it is one is what its name says.
func zipType(b []byte, h hints) readapi.MediaType {
	const plain = "application/zip"
	var pkg, jar bool // an Open Packaging package; an archive that begins with its manifest
	seen, mt := 0, readapi.MediaType("")
	members(b, func(name string, data []byte, deflated bool) bool {
		switch {
		case name == "mimetype":
			mt = declaredIn(inflated(data, deflated))
		case name == "[Content_Types].xml":
			pkg = true
			mt = packageType(inflated(data, deflated))
		case name == "_rels/.rels":
			pkg = true
		case name == "AndroidManifest.xml":
			mt = "application/vnd.android.package-archive"
		case seen == 0 && strings.HasPrefix(name, "META-INF/"): // JAR File Specification; further in it may be a jar inside the archive
			jar = true
		}
		seen++
		return mt == ""
	})
	switch {
	case mt != "":
		return mt
	case pkg:
		members(b, func(name string, _ []byte, _ bool) bool {
			folder, _, _ := strings.Cut(name, "/")
			mt = folders[folder]
			return mt == ""
		})
	}
	inside := containers[h.ext] == plain
	switch {
	case mt != "" && (!inside || !pkg): // of a macro document, say, the name knows more than the folder
		return mt
	case inside:
		return extTypes[h.ext]
	case jar && h.ext != "epub":
		return "application/java-archive"
	}
	switch mt, _ := readapi.ParseMediaType(mimetype.Detect(b).String()); mt {
	case "application/vnd.android.package-archive", "application/java-archive", "application/vnd.google-earth.kmz": // by other members
		return mt
	}
	return plain
}

// folders are where the parts of a package lie.
var folders = map[string]readapi.MediaType{
	"word": ooxml + "wordprocessingml.document", "xl": ooxml + "spreadsheetml.sheet", "ppt": ooxml + "presentationml.presentation",
	"visio": "application/vnd.ms-visio.drawing",
}

// mainParts are the content types of a package's main part (ECMA-376-1, 11.3, 12.3, 13.3; [MS-OFFMACRO2], 2.2), and what the file is then.
// The longer ones come first where one contains another.
var mainParts = []struct{ part, mediaType string }{
	{ooxml + "wordprocessingml.document.main+xml", ooxml + "wordprocessingml.document"},
	{ooxml + "wordprocessingml.template.main+xml", ooxml + "wordprocessingml.template"},
	{ooxml + "spreadsheetml.sheet.main+xml", ooxml + "spreadsheetml.sheet"},
	{ooxml + "spreadsheetml.template.main+xml", ooxml + "spreadsheetml.template"},
	{ooxml + "presentationml.presentation.main+xml", ooxml + "presentationml.presentation"},
	{ooxml + "presentationml.slideshow.main+xml", ooxml + "presentationml.slideshow"},
	{ooxml + "presentationml.template.main+xml", ooxml + "presentationml.template"},
	{"application/vnd.ms-word.document.macroenabled.main+xml", "application/vnd.ms-word.document.macroenabled.12"},
	{"application/vnd.ms-word.template.macroenabledtemplate.main+xml", "application/vnd.ms-word.template.macroenabled.12"},
	{"application/vnd.ms-excel.sheet.macroenabled.main+xml", "application/vnd.ms-excel.sheet.macroenabled.12"},
	{"application/vnd.ms-excel.sheet.binary.macroenabled.main", "application/vnd.ms-excel.sheet.binary.macroenabled.12"},
	{"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml", "application/vnd.ms-powerpoint.presentation.macroenabled.12"},
	{"application/vnd.ms-visio.drawing.main+xml", "application/vnd.ms-visio.drawing"},
	{"application/vnd.ms-package.3dmanufacturing-3dmodel+xml", "model/3mf"},
}

// packageType finds the main part's type in a package's list of content types.
func packageType(list []byte) readapi.MediaType {
	list = bytes.ToLower(list)
	for _, m := range mainParts {
		if bytes.Contains(list, []byte(m.part)) {
			return readapi.MediaType(m.mediaType)
		}
	}
	return ""
}

// declaredIn is what the member "mimetype" says (ODF 1.3, part 2, 3.3; EPUB OCF 3.3, 4.2.3). Others may say what they like, and it may be a
// kind that is decided by bytes: only applications are taken at their word.
func declaredIn(content []byte) readapi.MediaType {
	const most = 128
	mt, ok := readapi.ParseMediaType(strings.TrimSpace(string(content[:min(len(content), most)])))
	if !ok || isText(mt) || mt.Type() != "application" || mt == "application/pdf" {
		return ""
	}
	return mt
}

// members calls visit for each member of an archive that begins in b, until it returns false: its name and as much of its data as there is.
func members(b []byte, visit func(name string, data []byte, deflated bool) bool) {
	const fixed = 30
	for len(b) >= fixed && string(b[:4]) == zipHeader {
		flags, method := binary.LittleEndian.Uint16(b[6:]), binary.LittleEndian.Uint16(b[8:])
		size := int64(binary.LittleEndian.Uint32(b[18:]))
		nameLen, extraLen := int(binary.LittleEndian.Uint16(b[26:])), int(binary.LittleEndian.Uint16(b[28:]))
		if len(b) < fixed+nameLen {
			return
		}
		name := string(b[fixed : fixed+nameLen])
		b = b[min(len(b), fixed+nameLen+extraLen):]
		data := b
		const streamed, zip64 = 1 << 3, 1<<32 - 1
		if flags&streamed != 0 && size == 0 || size == zip64 { // the size stands behind the data: look for the next member
			i := nextHeader(b)
			data, b = content(b[:i]), b[i:]
		} else {
			n := int(min(size, int64(len(b))))
			data, b = b[:n], b[n:]
		}
		if method != 0 && method != 8 || flags&1 != 0 { // neither stored nor deflated, or encrypted
			data = nil
		}
		if !visit(name, data, method == 8) {
			return
		}
		if flags&streamed != 0 && size > 0 { // a descriptor follows even so
			b = b[nextHeader(b[:min(len(b), 32)]):]
		}
	}
}

// nextHeader finds the next header in b, or the end of b.
func nextHeader(b []byte) int {
	for i := 0; i+4 <= len(b); i++ {
		if n := bytes.Index(b[i:], []byte("PK")); n < 0 {
			break
		} else if i += n; i+4 > len(b) {
			break
		}
		switch string(b[i+2 : i+4]) {
		case "\x03\x04", "\x01\x02": // a member, the directory (APPNOTE 6.3.10, 4.3.7 and 4.3.12)
			return i
		}
	}
	return len(b)
}

// content is the data of a member, without the descriptor that may stand behind it (APPNOTE 6.3.10, 4.3.9).
func content(data []byte) []byte {
	const descriptor = 16
	tail := max(0, len(data)-descriptor-8) // with sizes of 64 bits eight more
	if n := bytes.Index(data[tail:], []byte("PK\x07\x08")); n >= 0 {
		return data[:tail+n]
	}
	return data
}

// inflated returns what data holds, of which the end may be missing, as far as it is worth looking at.
func inflated(data []byte, deflated bool) []byte {
	const most = 64 << 10
	if !deflated {
		return data
	}
	out, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), most)) // what is there of it
	return out
}
