// Package sniff decides what a file is from its first bytes, once, for routing, offering and storing alike.
//
//	prefix := make([]byte, sniff.PrefixBytes) // filled from the start of the file
//	res := sniff.Sniff(prefix[:n], size, "q3.pdf", "application/pdf")
//	for _, mediaType := range res.Candidates { … } // the next one when a decoder refuses the bytes as malformed
//
// A cheap look routes; the decoder's own structural check decides. Bytes go before names: the name and the declared type are hints, used
// where bytes cannot tell (markdown, CSV, office files), and where they say something else the result says so. Package host routes by it.
package sniff

import (
	"bytes"
	"slices"

	"github.com/gabriel-vasile/mimetype"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// PrefixBytes is how much of a file's beginning Sniff looks at. A shorter prefix is used as it is.
const PrefixBytes = readapi.TextPrefixBytes

// Result is what a file is.
type Result struct {
	// MediaType is never empty: application/octet-stream when nothing is known.
	MediaType readapi.MediaType

	// Candidates are the media types whose decoders are tried in turn, MediaType first: when one refuses the bytes as malformed the next
	// may read them. There is always one.
	Candidates []readapi.MediaType

	// Declared is what the declared type or, failing that, the name's extension says; "" when they say nothing. Mismatch means that the
	// bytes say something else.
	Declared readapi.MediaType
	Mismatch bool

	// Empty means that there are no bytes. MediaType is then a text type if the name or the declared type says text.
	Empty bool
}

// Sniff says what a file of size bytes is that begins with prefix. name is the file's name or path, declared its declared media type;
// either may be "". It is a pure function of its arguments, looks at PrefixBytes at most, and is safe for concurrent use.
func Sniff(prefix []byte, size int64, name, declared string) Result {
	prefix = prefix[:min(len(prefix), PrefixBytes)]
	h := hintsOf(name, declared)
	if size == 0 || len(prefix) == 0 {
		mt := readapi.OctetStream
		if isText(h.best()) {
			mt = h.best()
		}
		return Result{MediaType: mt, Candidates: []readapi.MediaType{mt}, Declared: h.best(), Empty: true}
	}
	candidates := candidatesOf(prefix, size == int64(len(prefix)), h)
	r := Result{MediaType: candidates[0], Candidates: candidates}
	r.Declared, r.Mismatch = h.against(r.MediaType)
	return r
}

func candidatesOf(prefix []byte, whole bool, h hints) []readapi.MediaType {
	class := readapi.ClassifyText(prefix, whole)
	var text readapi.MediaType
	if class.Text {
		text = textType(prefix, class, h)
	}
	switch pdf := findPDF(prefix); {
	case pdf == pdfNone:
	case bytes.HasPrefix(prefix, []byte(zipHeader)): // an archive whose first member is a PDF, stored as it is
		return unique(zipType(prefix, h), "application/pdf")
	case len(prefix) > ustarAt && bytes.HasPrefix(prefix[ustarAt:], []byte("ustar")):
		return unique("application/x-tar", "application/pdf")
	case !class.Text, pdf == pdfObjects:
		return unique("application/pdf", text)
	case pdf == pdfFile && !isText(h.best()), pdf == pdfAtStart && h.best() == "application/pdf":
		// What claims to be a PDF by its first line and by its objects or its name is a bad PDF if it is none, not prose.
		return unique("application/pdf")
	case pdf == pdfAtStart, pdf == pdfFile:
		return unique("application/pdf", text)
	default:
		return unique(text, "application/pdf")
	}
	// A magic of ASCII in what reads as text is prose about it. One that begins above ASCII is not; and where the text would be UTF-16 that
	// only its NULs speak for, every picture with a few is one.
	byNULs := class.Text && class.BOM == 0 && class.Charset != "" && class.Charset != "utf-8"
	switch mt := imageType(prefix); {
	case mt == "":
	case mt == "image/jxl" && class.Text: // whose magic has two bytes, which are a letter
		return unique(mt, text)
	case byNULs:
		return unique(mt)
	case bytes.IndexByte(prefix[:min(len(prefix), 4)], 0) >= 0: // no prose: that of TIFF, say, before pixels that are few controls
		return unique(mt)
	case !class.Text, prefix[0] >= 0x80:
		return unique(mt, text)
	}
	if mt, ok := magicType(prefix, h); ok && class.BOM == 0 {
		return unique(mt, text)
	}
	if class.Text {
		return unique(text)
	}
	return unique(binaryType(prefix, h))
}

// ustarAt is where the header of a tar archive's first member has its magic (POSIX.1-1988).
const ustarAt = 257

// unique returns the types that are not empty.
func unique(types ...readapi.MediaType) []readapi.MediaType {
	return slices.DeleteFunc(types, func(m readapi.MediaType) bool { return m == "" })
}

// binaryType names bytes that are neither text, PDF nor an image that our own rules know.
func binaryType(prefix []byte, h hints) readapi.MediaType {
	mt, ok := readapi.ParseMediaType(mimetype.Detect(prefix).String())
	if !ok || isText(mt) || mt.Type() == "text" || mt == "application/pdf" || mt.Type() == "image" && ownImage[mt] {
		return readapi.OctetStream
	}
	// The directory of a compound file may lie anywhere, so that the prefix shows a container only: its name decides. An office file that is
	// encrypted is one too ([MS-OFFCRYPTO], 2.3).
	if mt == oleStorage && containers[h.ext] != "" {
		return extTypes[h.ext]
	}
	return mt
}
