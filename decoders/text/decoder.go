// Package text is the decoder of plain text in any charset: it finds the charset, converts to UTF-8 and gives lines.
//
//	res, err := pdk.Run(&text.Decoder, in, readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto})
//
// The charset comes from charset.Detect, a pure function: byte order mark, UTF-16/32 pattern, valid UTF-8, what the text declares of itself,
// statistics, in this order. Lines are kept as they are; LF, CRLF and CR end one, U+2028, VT and FF do not. Memory is bounded by the
// longest line, not by the file.
//
// The decoder runs behind the wall as guest/main.go; package host escapes what is hidden in the text afterwards.
package text

import (
	"io"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoder reads the text family of media types. Its unit is the line, from 1, its line end included.
//
// Forms: auto and text drop NUL padding at the end of the file and the escapes of terminals, and show the first 2,000 characters of longer
// lines unless a single line is asked for; source keeps every character. In all of them the charset is converted, the byte order mark
// removed, and bytes that are no character become U+FFFD. Meta: charset (WHATWG label), charset_source (bom, pattern, utf-8, declared,
// statistical, default), confidence (0 to 1), lines, newline (lf, crlf, cr, mixed, none), replaced and hidden (characters), ansi (escapes
// left out), nul_padding (bytes left out). The counts cover what was scanned: the whole file when total is exact. Warnings: replaced,
// hidden_text (with the places of the first characters), low_confidence, nul_padding.
//
// Errors: malformed_input for a binary, unsupported_feature for a charset that nobody decodes, limit_output for a line of more than
// 32 MiB.
var Decoder = pdk.Decoder{
	Name:    "text",
	Version: "0.1.0",
	MediaTypes: []readapi.MediaType{
		"text/plain", "text/markdown", "text/csv", "text/tab-separated-values", "text/html", "text/css", "text/javascript", "text/calendar",
		"text/vcard", "application/json", "application/x-ndjson", "application/xml", "application/x-ipynb+json", "application/rtf",
		"application/mbox", "message/rfc822", "image/svg+xml",
	},
	Unit:     readapi.UnitLine,
	Children: true,
	Forms:    []readapi.Form{readapi.FormText, readapi.FormSource},
	Samples:  samples,
	Decode:   decode,
}

// WarnNULPadding says that NUL bytes at the end of the file were left out.
const WarnNULPadding = "nul_padding"

// scanBytes is the largest file that is scanned to its end, for its total, when the answer is complete before that.
const scanBytes = 1 << 20

func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	r, rendered := rendererOf(req.MediaType)
	switch {
	case len(req.Child) > 0 && r.file == nil:
		return pdk.Invalid("a text has no files inside")
	case len(req.Child) > 0:
		return r.file(newPage(in, req, w), req.Child[0])
	case rendered && req.Form != readapi.FormSource:
		if shown, err := newPage(in, req, w).show(r); shown {
			return err
		}
	}
	return plain(in, req, w)
}

// plain shows a file as it stands.
func plain(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	src, err := open(in, req.Form != readapi.FormSource)
	if err != nil {
		return err
	}
	l := newLines(req, w).capped()
	for {
		chunk, f, err := src.looked()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := l.feedLooked(chunk, f); err != nil {
			return err
		}
		if l.done && in.Size() > scanBytes {
			return report(src, l, w, false)
		}
	}
	if err := l.finish(); err != nil {
		return err
	}
	if err := w.CheckUnits(l.count); err != nil {
		return err
	}
	return report(src, l, w, true)
}

// report closes the answer with what is known of the file.
func report(src *source, l *lines, w *pdk.Writer, whole bool) error {
	w.Total(l.count, !whole)
	meta := map[string]any{
		"charset": src.charset.Label, "charset_source": src.charset.Source, "confidence": float64(src.charset.Percent) / 100,
		"lines": l.count, "newline": l.newline(), "replaced": src.replaced, "hidden": l.hidden.all,
	}
	if l.strip != nil && l.strip.count > 0 {
		meta["ansi"] = l.strip.count
	}
	if src.padding > 0 {
		meta["nul_padding"] = src.padding
		if err := w.Warn(WarnNULPadding, strconv.FormatInt(src.padding, 10)+" NUL bytes at the end are left out", 0); err != nil {
			return err
		}
	}
	if err := w.Meta(meta); err != nil {
		return err
	}
	if src.replaced > 0 {
		detail := counted(src.replaced, "sequence is no character", "sequences are no characters") + " in " + src.charset.Label + ", shown as U+FFFD"
		if err := w.Warn(readapi.WarnReplaced, detail, 0); err != nil {
			return err
		}
	}
	if l.hidden.unseen > 0 {
		if err := w.Warn(readapi.WarnHiddenText, l.hidden.detail(), l.hidden.first[0].line); err != nil {
			return err
		}
	}
	if src.charset.Percent < charset.Doubtful {
		if err := w.Warn(readapi.WarnLowConfidence, "the charset is a guess", 0); err != nil {
			return err
		}
	}
	return nil
}
