package sniff

import (
	"path"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// hints are what a name and a declared type say.
type hints struct {
	ext      string            // lower case, without the dot
	named    readapi.MediaType // by the extension; "" when unknown
	declared readapi.MediaType // canonical; "" when it says nothing
}

func hintsOf(name, declared string) hints {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	h := hints{ext: strings.TrimPrefix(path.Ext(name), ".")}
	if h.named = extTypes[h.ext]; h.named == "" {
		h.named = wholeNames[name]
	}
	if mt, ok := readapi.ParseMediaType(declared); ok && !vague[mt] {
		h.declared = mt
		if a := aliases[mt]; a != "" {
			h.declared = a
		}
	}
	return h
}

// vague are declared types that senders use when they do not know.
var vague = map[readapi.MediaType]bool{
	readapi.OctetStream: true, "binary/octet-stream": true, "application/binary": true, "application/unknown": true,
	"application/x-download": true, "application/force-download": true, "application/download": true, "*/*": true,
}

// best is the declared type, or the name's when there is none.
func (h hints) best() readapi.MediaType {
	if h.declared != "" {
		return h.declared
	}
	return h.named
}

// against compares the hints with what the bytes say: the first that disagrees is a mismatch.
func (h hints) against(detected readapi.MediaType) (declared readapi.MediaType, mismatch bool) {
	for _, hint := range []readapi.MediaType{h.declared, h.named} {
		if hint != "" && !agree(hint, detected) {
			return hint, true
		}
	}
	return h.best(), false
}

// agree reports whether a hint and a detected type may both be right: they are equal, or both are text, whose types shade into each
// other, or the hint is a container's and detection found the container alone.
func agree(hint, detected readapi.MediaType) bool {
	switch {
	case hint == detected:
		return true
	case isText(hint) && isText(detected):
		return (hint == "text/html") == (detected == "text/html") || hint == "text/plain" || detected == "text/plain"
	case alike[hint] != "" && alike[hint] == alike[detected]:
		return true
	case detected.Type() == "image":
		return hint.Type() == "image" && strings.TrimPrefix(string(hint), "image/x-") == strings.TrimPrefix(string(detected), "image/x-")
	case detected == readapi.OctetStream:
		return !known[hint]
	case sounding(hint) && sounding(detected): // what a container holds, and which of its brands it has, is seldom what its name says
		_, h, _ := strings.Cut(string(hint), "/")
		_, d, _ := strings.Cut(string(detected), "/")
		return hint.Type() == detected.Type() && hint.Type() == "video" || h == d
	}
	return !known[hint] && !known[detected]
}

// alike are types whose files carry each other's names; each has the first of its kind.
var alike = map[readapi.MediaType]readapi.MediaType{
	"image/jp2": "image/jp2", "image/jpx": "image/jp2", "image/jpm": "image/jp2", jpegStream: "image/jp2",
	"application/xml": "application/xml", "application/x-plist": "application/xml",
	ooxml + "presentationml.slideshow": ooxml + "presentationml.presentation", ooxml + "presentationml.presentation": ooxml + "presentationml.presentation",
}

func sounding(m readapi.MediaType) bool { return m.Type() == "audio" || m.Type() == "video" }

// known are the types that Sniff recognises by their bytes: if a file claims one and is something else, that is worth a word.
var known = func() map[readapi.MediaType]bool {
	m := map[readapi.MediaType]bool{"application/pdf": true}
	for _, mt := range extTypes {
		m[mt] = true
	}
	for mt := range ownImage {
		m[mt] = true
	}
	return m
}()

// aliases are other names of the types used here.
var aliases = map[readapi.MediaType]readapi.MediaType{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/apng": "image/png", "image/x-png": "image/png",
	"image/x-ms-bmp": "image/bmp", "image/x-bmp": "image/bmp", "image/vnd.microsoft.icon": "image/x-icon", "image/ico": "image/x-icon",
	"image/heic": "image/heif", "image/heic-sequence": "image/heif", "image/heif-sequence": "image/heif", "image/svg": "image/svg+xml",
	"image/tif": "image/tiff", "image/j2c": jpegStream, "image/j2k": jpegStream, "image/x-j2k": jpegStream, "image/x-win-bitmap": "image/x-icon",
	"image/avif-sequence": "image/avif", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav", "audio/mp3": "audio/mpeg",
	"audio/x-flac": "audio/flac", "audio/x-aiff": "audio/aiff", "application/x-rar-compressed": "application/vnd.rar", "application/x-rar": "application/vnd.rar",
	"application/x-zstd": "application/zstd", "application/x-bzip": "application/x-bzip2", "application/x-sqlite3": "application/vnd.sqlite3",
	"image/x-photoshop": "image/vnd.adobe.photoshop", "application/x-photoshop": "image/vnd.adobe.photoshop", "application/x-pdf": "application/pdf", "text/xml": "application/xml",
	"text/x-markdown": "text/markdown", "application/csv": "text/csv", "application/vnd.ms-excel.csv": "text/csv", "text/json": "application/json",
	"application/jsonl": "application/x-ndjson", "application/jsonlines": "application/x-ndjson", "application/ndjson": "application/x-ndjson",
	"application/javascript": "text/javascript", "application/x-javascript": "text/javascript", "text/rtf": "application/rtf",
	"application/xhtml+xml": "text/html", "text/x-vcard": "text/vcard", "application/ics": "text/calendar",
	"application/x-zip-compressed": "application/zip", "application/x-gzip": "application/gzip",
}

const (
	ooxml = "application/vnd.openxmlformats-officedocument."
	odf   = "application/vnd.oasis.opendocument."
)

// oleStorage is a compound file of which no more is known.
const oleStorage = "application/x-ole-storage"

// containers are the office files of which the prefix may only show what they are packed in.
var containers = map[string]readapi.MediaType{
	"docx": "application/zip", "xlsx": "application/zip", "pptx": "application/zip", "odt": "application/zip", "ods": "application/zip",
	"odp": "application/zip", "epub": "application/zip", "docm": "application/zip", "xlsm": "application/zip", "pptm": "application/zip",
	"dotx": "application/zip", "xltx": "application/zip", "potx": "application/zip", "ppsx": "application/zip", "xlsb": "application/zip",
	"vsdx": "application/zip", "odg": "application/zip", "pages": "application/zip", "numbers": "application/zip",
	"doc": oleStorage, "xls": oleStorage, "ppt": oleStorage, "msg": oleStorage, "vsd": oleStorage,
}

// extTypes are the types that extensions stand for. Source code is text/plain: which language it is follows from the name alone.
var extTypes = func() map[string]readapi.MediaType {
	m := map[string]readapi.MediaType{}
	for mt, exts := range map[readapi.MediaType]string{
		"application/pdf":    "pdf",
		"image/png":          "png apng",
		"image/jpeg":         "jpg jpeg jpe jfif",
		"image/gif":          "gif",
		"image/bmp":          "bmp dib",
		"image/tiff":         "tif tiff",
		"image/webp":         "webp",
		"image/x-icon":       "ico cur",
		"image/heif":         "heic heif heics heifs hif",
		"image/avif":         "avif avifs",
		"image/jxl":          "jxl",
		"image/jp2":          "jp2",
		"image/jpx":          "jpx jpf",
		jpegStream:           "j2k j2c jpc jhc",
		"image/svg+xml":      "svg",
		"application/zip":    "zip",
		"application/gzip":   "gz tgz",
		"application/msword": "doc", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt", "application/vnd.ms-outlook": "msg",
		ooxml + "wordprocessingml.document": "docx", ooxml + "spreadsheetml.sheet": "xlsx", ooxml + "presentationml.presentation": "pptx",
		odf + "text": "odt", odf + "spreadsheet": "ods", odf + "presentation": "odp", "application/epub+zip": "epub",
		ooxml + "wordprocessingml.template": "dotx", ooxml + "spreadsheetml.template": "xltx", ooxml + "presentationml.template": "potx",
		ooxml + "presentationml.slideshow": "ppsx", "application/vnd.ms-word.document.macroenabled.12": "docm",
		"application/vnd.ms-excel.sheet.macroenabled.12": "xlsm", "application/vnd.ms-powerpoint.presentation.macroenabled.12": "pptm",
		"application/vnd.ms-excel.sheet.binary.macroenabled.12": "xlsb", "application/vnd.ms-visio.drawing": "vsdx", "application/vnd.visio": "vsd",
		odf + "graphics":              "odg",
		"application/vnd.apple.pages": "pages", "application/vnd.apple.numbers": "numbers",
		"audio/mpeg": "mp3", "audio/wav": "wav", "audio/ogg": "ogg oga opus", "audio/flac": "flac", "audio/x-m4a": "m4a", "audio/aiff": "aif aiff aifc",
		"audio/midi": "mid midi", "video/mp4": "mp4", "video/x-m4v": "m4v", "video/quicktime": "mov", "video/webm": "webm", "video/matroska": "mkv",
		"video/x-msvideo": "avi", "video/x-ms-asf": "wmv wma asf",
		"application/x-7z-compressed": "7z", "application/vnd.rar": "rar", "application/x-xz": "xz txz", "application/zstd": "zst",
		"application/x-bzip2": "bz2 tbz2", "application/x-tar": "tar", "application/vnd.sqlite3": "sqlite sqlite3", "application/wasm": "wasm",
		"application/dicom": "dcm", "application/vnd.apache.parquet": "parquet", "image/vnd.adobe.photoshop": "psd psb", "image/x-icns": "icns",
		"image/x-xcf": "xcf", "image/emf": "emf", "image/wmf": "wmf", "image/jxr": "jxr wdp hdp", "image/x-exr": "exr",
		"font/woff": "woff", "font/woff2": "woff2",

		"text/plain":                "txt text log asc cfg conf ini toml yaml yml env properties diff patch tex bib srt vtt po rst adoc org " + source,
		"text/markdown":             "md markdown mdown mkd",
		"text/csv":                  "csv",
		"text/tab-separated-values": "tsv tab",
		"text/html":                 "html htm xhtml shtml",
		"text/css":                  "css",
		"text/javascript":           "js mjs cjs",
		"text/calendar":             "ics ifb",
		"text/vcard":                "vcf vcard",
		"application/json":          "json geojson webmanifest har",
		"application/x-ndjson":      "ndjson jsonl",
		"application/xml":           "xml xsd xsl xslt rss atom kml gpx plist",
		"application/x-ipynb+json":  "ipynb",
		"message/rfc822":            "eml mht mhtml",
		"application/mbox":          "mbox",
		"application/rtf":           "rtf",
	} {
		for ext := range strings.FieldsSeq(exts) {
			m[ext] = mt
		}
	}
	return m
}()

const source = "c cc cpp cxx h hh hpp cs go java kt kts scala swift rs rb py pyi php pl pm lua sh bash zsh fish ps1 bat cmd sql r jl m mm ts tsx " +
	"jsx vue svelte dart ex exs erl hs ml fs clj lisp el vim proto graphql tf gradle cmake mk asm s v vhd zig nim pas f90 awk sed tcl"

// wholeNames are file names without an extension that stand for text.
var wholeNames = map[string]readapi.MediaType{
	"readme": "text/plain", "license": "text/plain", "licence": "text/plain", "makefile": "text/plain", "dockerfile": "text/plain",
	"changelog": "text/plain", "authors": "text/plain", "copying": "text/plain", "notice": "text/plain", "todo": "text/plain",
	".gitignore": "text/plain", ".env": "text/plain", ".editorconfig": "text/plain",
}
