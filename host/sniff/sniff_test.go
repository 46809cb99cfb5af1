package sniff_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	pdfBody = "1 0 obj\n<< /Type /Catalog >>\nendobj\n"
	binaryT = readapi.OctetStream
)

func encoded(t testing.TB, how string) string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 9, 5), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	var err error
	switch how {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped is a ZIP file of these members.
func zipped(t testing.TB, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		name, content, _ := strings.Cut(name, "=")
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func utf16le(s string) string {
	b := []byte("\xff\xfe")
	for _, r := range s {
		b = binary.LittleEndian.AppendUint16(b, uint16(r))
	}
	return string(b)
}

func bmp(info uint32) string {
	b := []byte("BM")
	for _, v := range []uint32{70, 0, 54, info, 2, 2, 1 | 24<<16, 0, 16, 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(append(b, 0, 1, 2, 3, 4, 5, 0, 0, 6, 7, 8, 9, 10, 11, 0, 0))
}

func noise(n int) string {
	b := make([]byte, n)
	for i, x := 0, uint32(9); i < n; i++ {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

func TestSniffByBytes(t *testing.T) {
	for _, c := range []struct {
		what, in string
		want     []readapi.MediaType
	}{
		{"PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + pdfBody, types("application/pdf")},
		{"PDF, all ASCII", "%PDF-1.4\n" + pdfBody, types("application/pdf")},
		{"PDF 2.0", "%PDF-2.0\n" + pdfBody, types("application/pdf")},
		{"PDF of binary", "%PDF-1.5\n" + noise(4000), types("application/pdf")},
		{"PDF behind junk", strings.Repeat("junk\n", 200) + "%PDF-1.4\n" + pdfBody, types("application/pdf", "text/plain")},
		{"PDF header too late", strings.Repeat("junk\n", 210) + "%PDF-1.4\n" + pdfBody, types("text/plain")},
		{"prose that mentions a header", "A file begins with %PDF-1.4 and goes on.\n", types("text/plain", "application/pdf")},
		{"prose that begins with a header", "%PDF-1.4 is how a file begins.\n", types("application/pdf", "text/plain")},
		{"prose that mentions no version", "Look for %PDF- and then %PDF-x.\n", types("text/plain")},
		{"a header behind a false one", "%PDF-? %PDF-1.4\n" + pdfBody, types("application/pdf", "text/plain")},
		{"PNG", encoded(t, "png"), types("image/png")},
		{"PNG that would make fine UTF-16", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x08\x00\x00\x00\x08" + strings.Repeat("a\x00b\x4e", 400), types("image/png")},
		{"GIF that would make fine UTF-16", "GIF89a\x08\x00\x08\x00\x80\x00\x00\x10\x20\x30\xf0\xe0\xd0" + strings.Repeat("!\xf9\x04\x1c\xff\xff\x00\x00", 400), types("image/gif")},
		{"UTF-16 that begins with the magic of JPEG XL", "\xff\x0a" + strings.Repeat("\x00a", 400), types("image/jxl", "text/plain")},
		{"JPEG", encoded(t, "jpeg"), types("image/jpeg")},
		{"GIF", encoded(t, "gif"), types("image/gif")},
		{"prose on GIF", "GIF89a is a format of 1989.\n", types("text/plain")},
		{"BMP", bmp(40), types("image/bmp")},
		{"BMP, version 5", bmp(124), types("image/bmp")},
		{"BM and no BMP", bmp(41), types(binaryT)},
		{"prose on BM", "BM is what a bitmap begins with, said the man.\n", types("text/plain")},
		{"TIFF, little endian", "II*\x00\x08\x00\x00\x00\x01\x00\x00\x01\x03\x00", types("image/tiff")},
		{"TIFF, big endian", "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x00", types("image/tiff")},
		{"BigTIFF", "II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00", types("image/tiff")},
		{"WebP", "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00", types("image/webp")},
		{"ICO", "\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00\x00\x00\x28\x00", types("image/x-icon")},
		{"HEIC", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x00", types("image/heif")},
		{"HEIF", "\x00\x00\x00\x14ftypmif1\x00\x00\x00\x00mif1\x00\x00\x00\x00", types("image/heif")},
		{"AVIF", "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf\x00\x00\x00\x00", types("image/avif")},
		{"MP4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2mp41\x00\x00\x00\x00", types("video/mp4")},
		{"JPEG XL", "\xff\x0a\xfa\x7f\x01\x90\x08\x00", types("image/jxl")},
		{"JPEG XL, boxed", "\x00\x00\x00\x0cJXL \r\n\x87\n\x00\x00\x00\x14ftypjxl ", types("image/jxl")},
		{"JPEG 2000", "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 ", types("image/jp2")},
		{"SVG", `<svg xmlns="http://www.w3.org/2000/svg"/>`, types("image/svg+xml")},
		{"SVG behind a declaration and a comment", "<?xml version=\"1.0\"?>\n<!-- made by hand <svg> -->\n<!DOCTYPE svg PUBLIC \"x\">\n<svg/>", types("image/svg+xml")},
		{"SVG with a prefix", `<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg"/>`, types("image/svg+xml")},
		{"HTML", "<!doctype html>\n<p>hi", types("text/html")},
		{"HTML behind a comment", "<!-- saved from a page -->\n<html><body>", types("text/html")},
		{"HTML in UTF-16", utf16le("<html><p>Zeitung</p></html>"), types("text/html")},
		{"XML", "<?xml version=\"1.0\"?>\n<feed/>", types("application/xml")},
		{"a comment that does not end", "<!-- ", types("text/plain")},
		{"RTF", `{\rtf1\ansi hi}`, types("application/rtf")},
		{"a calendar", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", types("text/calendar")},
		{"a card", "begin:vcard\r\nVERSION:3.0\r\n", types("text/vcard")},
		{"JSON", `{"a": 1}`, types("application/json")},
		{"a JSON array", `[1, 2]`, types("application/json")},
		{"JSON lines", "{\"a\":1}\n{\"a\":2}\n", types("application/x-ndjson")},
		{"a notebook", `{"cells": [{"cell_type": "code"}]}`, types("application/x-ipynb+json")},
		{"a brace in prose", "{not} json", types("text/plain")},
		{"mail", "From: a@example.org\nTo: b@example.org\nSubject: hi\n\nhello\n", types("message/rfc822")},
		{"a mailbox", "From a@example.org Mon Nov 30 12:00:00 2026\nFrom: a@example.org\nSubject: hi\n\nhello\n", types("application/mbox")},
		{"a letter", "From here on: nothing.\nSubject: to change.\n", types("text/plain")},
		{"prose", "It was a dark night.\n", types("text/plain")},
		{"Chinese in GBK", "\xc1\xf7\xcb\xae\xcf\xdf\n", types("text/plain")},
		{"noise", noise(4096), types(binaryT)},
		{"zeros", strings.Repeat("\x00", 512), types(binaryT)},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02\x03", types("application/gzip")},
		{"a ZIP", zipped(t, "a.bin=\x00\x01"), types("application/zip")},
		{"docx", zipped(t, "[Content_Types].xml=<x/>", "_rels/.rels=<x/>", "word/document.xml=<x/>"), types("application/vnd.openxmlformats-officedocument.wordprocessingml.document")},
		{"xlsx", zipped(t, "[Content_Types].xml=<x/>", "_rels/.rels=<x/>", "xl/workbook.xml=<x/>"), types("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")},
		{"odt", zipped(t, "mimetype=application/vnd.oasis.opendocument.text"), types("application/vnd.oasis.opendocument.text")},
		{"epub", zipped(t, "mimetype=application/epub+zip"), types("application/epub+zip")},
	} {
		got := sniff.Sniff([]byte(c.in), int64(len(c.in)), "", "")
		if !slices.Equal(got.Candidates, c.want) || got.MediaType != c.want[0] || got.Mismatch || got.Empty || got.Declared != "" {
			t.Errorf("%s: %+v, want %v", c.what, got, c.want)
		}
	}
}

func types(t ...readapi.MediaType) []readapi.MediaType { return t }

func TestSniffByName(t *testing.T) {
	office := zipped(t, "a.xml=<x/>")
	for _, c := range []struct {
		name, declared, in string
		want               readapi.MediaType
		says               readapi.MediaType
		mismatch           bool
	}{
		{"a.txt", "", "prose\n", "text/plain", "text/plain", false},
		{"a.md", "", "<p align=center>\n# Title\n", "text/markdown", "text/markdown", false},
		{"a.md", "", "<!-- toc -->\n<html>\n", "text/markdown", "text/markdown", false},
		{"A.CSV", "", "a,b\n1,2\n", "text/csv", "text/csv", false},
		{"a.tsv", "", "a\tb\n", "text/tab-separated-values", "text/tab-separated-values", false},
		{"a", "text/csv; charset=utf-8", "a,b\n", "text/csv", "text/csv", false},
		{"a.log", "text/csv", "a,b\n", "text/csv", "text/csv", false},
		{"a.json", "", `{"a": `, "application/json", "application/json", false},
		{"a.ipynb", "", `{"nbformat": 4}`, "application/x-ipynb+json", "application/x-ipynb+json", false},
		{"a.jsonl", "", `{"a": 1}`, "application/x-ndjson", "application/x-ndjson", false},
		{"a.xml", "", "<feed/>", "application/xml", "application/xml", false},
		{"a.xml", "text/xml", "<feed/>", "application/xml", "application/xml", false},
		{"a.xhtml", "", "<?xml version=\"1.0\"?>\n<x/>", "text/html", "text/html", false},
		{"a.eml", "", "X-One: 1\n\nhi\n", "message/rfc822", "message/rfc822", false},
		{"a.go", "", "package main\n", "text/plain", "text/plain", false},
		{"a.vue", "", "<html>\n", "text/plain", "text/plain", false},
		{"Makefile", "", "{\"a\": 1}\n", "text/plain", "text/plain", false},
		{`C:\files\a.css`, "", "a {}\n", "text/css", "text/css", false},
		{"a.css/", "", "a {}\n", "text/css", "text/css", false},
		{"a.docx", "", office, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
		{"a.zip", "", office, "application/zip", "application/zip", false},
		{"a.jpg", "image/jpg", encoded(t, "jpeg"), "image/jpeg", "image/jpeg", false},
		{"a.apng", "", encoded(t, "png"), "image/png", "image/png", false},
		{"a.xyz", "application/octet-stream", encoded(t, "png"), "image/png", "", false},
		{"a.xyz", "application/x-own", noise(4096), "application/octet-stream", "application/x-own", false},

		{"a.png", "", encoded(t, "jpeg"), "image/jpeg", "image/png", true},
		{"a.png", "image/jpeg", encoded(t, "jpeg"), "image/jpeg", "image/png", true},
		{"a.png", "", "<!doctype html><p>404", "text/html", "image/png", true},
		{"a.csv", "", "<html><p>404", "text/csv", "text/csv", false},
		{"a.txt", "", noise(4096), "application/octet-stream", "text/plain", true},
		{"a.txt", "", encoded(t, "png"), "image/png", "text/plain", true},
		{"a.txt", "", "%PDF-1.4\n" + pdfBody, "application/pdf", "text/plain", true},
		{"a.pdf", "", "no header at all\n", "text/plain", "application/pdf", true},
		{"a", "application/pdf", "no header at all\n", "text/plain", "application/pdf", true},
		{"a.docx", "", "prose\n", "text/plain", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", true},
		{"a.txt", "text/html", "prose\n", "text/html", "text/html", false},
	} {
		got := sniff.Sniff([]byte(c.in), int64(len(c.in)), c.name, c.declared)
		if got.MediaType != c.want || got.Declared != c.says || got.Mismatch != c.mismatch {
			t.Errorf("%s %s %.20q: %+v, want %s, declared %s, mismatch %v", c.name, c.declared, c.in, got, c.want, c.says, c.mismatch)
		}
	}
}

// TestSniffFakePDF: what claims to be a PDF by name and first line is not read as prose.
func TestSniffFakePDF(t *testing.T) {
	in := []byte("%PDF-1.4 not really a pdf\n")
	for _, c := range []struct {
		name, declared string
		want           []readapi.MediaType
	}{
		{"fake.pdf", "", types("application/pdf")},
		{"fake", "application/pdf", types("application/pdf")},
		{"fake.txt", "", types("application/pdf", "text/plain")},
	} {
		if got := sniff.Sniff(in, int64(len(in)), c.name, c.declared); !slices.Equal(got.Candidates, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.name, c.declared, got.Candidates, c.want)
		}
	}
}

func TestSniffEmpty(t *testing.T) {
	for _, c := range []struct {
		name, declared string
		want           readapi.MediaType
	}{
		{"a.txt", "", "text/plain"}, {"a.go", "", "text/plain"}, {"a.md", "", "text/markdown"}, {"README", "", "text/plain"},
		{"a", "text/csv", "text/csv"}, {"a.png", "", binaryT}, {"a.pdf", "", binaryT}, {"a", "", binaryT}, {"", "", binaryT},
	} {
		if got := sniff.Sniff(nil, 0, c.name, c.declared); got.MediaType != c.want || !got.Empty || got.Mismatch {
			t.Errorf("empty %q, %q: %+v, want %s", c.name, c.declared, got, c.want)
		}
	}
}

// TestSniffKind: the kind of source code follows from its name, whose type is text/plain.
func TestSniffKind(t *testing.T) {
	for name, want := range map[string]readapi.Kind{"a.go": readapi.KindCode, "a.py": readapi.KindCode, "a.txt": readapi.KindOther, "a.json": readapi.KindCode} {
		got := sniff.Sniff([]byte("x = 1\n"), 6, name, "")
		if k := readapi.KindOf(got.MediaType, name); k != want {
			t.Errorf("%s is %s of kind %s, want %s", name, got.MediaType, k, want)
		}
	}
}

func FuzzSniff(f *testing.F) {
	for _, s := range []string{"", "%PDF-1.4\n" + pdfBody, "<!-- x --><svg/>", "<?xml?><a:svg", `{"a":1}`, "From a\nFrom: b\nTo: c\n", bmp(40), "\x00\x00\x00\x18ftypmif1", zipped(f, "mimetype=application/epub+zip"), utf16le("<html>"), noise(64)} {
		f.Add([]byte(s), int64(len(s)), "a.txt", "text/plain")
		f.Add([]byte(s), int64(1<<20), "", "")
	}
	for _, c := range heads {
		f.Add([]byte(c.head+"\xe4\xf6\xfc"), int64(1<<20), "a.docx", "")
	}
	f.Fuzz(func(t *testing.T, in []byte, size int64, name, declared string) {
		own := bytes.Clone(in)
		got := sniff.Sniff(own, size, name, declared)
		if !bytes.Equal(own, in) {
			t.Fatal("the prefix was written to")
		}
		if again := sniff.Sniff(own, size, name, declared); !reflect.DeepEqual(got, again) {
			t.Fatalf("%+v, then %+v", got, again)
		}
		if len(got.Candidates) == 0 || got.Candidates[0] != got.MediaType {
			t.Fatalf("candidates %v of %s", got.Candidates, got.MediaType)
		}
		for _, mt := range got.Candidates {
			if c, ok := readapi.ParseMediaType(string(mt)); !ok || c != mt {
				t.Fatalf("%q is not canonical", mt)
			}
		}
		// Text by any name is text that the decoder takes, and the other way round.
		if !got.Empty {
			class := readapi.ClassifyText(in, size == int64(len(in)))
			text := slices.ContainsFunc(got.Candidates, func(m readapi.MediaType) bool { return slices.Contains(sniff.TextFamily(), m) })
			if text != class.Text && !slices.Equal(got.Candidates, types("application/pdf")) {
				t.Fatalf("candidates %v of what is classified as %+v", got.Candidates, class)
			}
		}
	})
}

// The heads of the sniff cases, each with what could follow in a file. What no decoder takes is named exactly; what is nothing at all is
// octet-stream.
func TestHeads(t *testing.T) {
	const tail = "fmt \x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\xff\xfe\x00\x00"
	for head, want := range map[string]readapi.MediaType{
		"%PDF-1.7": "application/pdf", "\n\n%PDF-1.7": "application/pdf", "RIFF0000WEBP": "image/webp", "RIFF0000WAVE": "audio/wav",
		"GIF87a": "image/gif", "BM": readapi.OctetStream,
	} {
		if got := sniff.Sniff([]byte(head+tail), int64(len(head+tail)), "", "").MediaType; got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
	got := sniff.Sniff([]byte("not an image"), 12, "x.png", "image/png")
	if got.MediaType != "text/plain" || !got.Mismatch || got.Declared != "image/png" {
		t.Errorf("a claim that the bytes do not keep: %+v", got)
	}
}

// A magic with a NUL in it is no prose, however few controls the pixels behind it are.
func TestSniffPictureLikeText(t *testing.T) {
	pixels := strings.Repeat("\x81\xff\xbd\xcfF", 2000)
	for head, want := range map[string]readapi.MediaType{"II*\x00\xa4c\x10\x10": "image/tiff", "MM\x00*\x10\x10\xa4c": "image/tiff"} {
		data := head + pixels
		if got := sniff.Sniff([]byte(data), int64(len(data)), "a.tif", ""); got.MediaType != want || len(got.Candidates) != 1 {
			t.Errorf("%q: %+v, want %s", head, got, want)
		}
	}
	prose := "II* is how such a file begins, and M\xfcnchen is a city\n"
	if got := sniff.Sniff([]byte(prose), int64(len(prose)), "a.txt", ""); got.MediaType != "text/plain" {
		t.Errorf("prose: %+v", got)
	}
}

// An archive that begins with a PDF is an archive.
func TestSniffArchiveOfPDF(t *testing.T) {
	pdf := "%PDF-1.7\n" + pdfBody
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	if err := w.WriteHeader(&tar.Header{Name: "q3.pdf", Mode: 0o644, Size: int64(len(pdf))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(pdf)); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		data string
		want readapi.MediaType
	}{
		"zip": {zipped(t, "q3.pdf="+pdf), "application/zip"}, "tar": {packed.String(), "application/x-tar"},
		"a PDF behind something": {"\x00\x01PK\x03\x04" + pdf, "application/pdf"},
	} {
		if got := sniff.Sniff([]byte(c.data), int64(len(c.data)), "", ""); got.MediaType != c.want {
			t.Errorf("%s: %+v, want %s", what, got, c.want)
		}
	}
}
