package sniff_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/sniff"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// heads are the beginnings of files of every kind that people attach, and their types. Behind each come samples that would pass for a text
// in an 8-bit charset.
var heads = []struct{ head, want string }{
	{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "application/gzip"},
	{"7z\xbc\xaf\x27\x1c\x00\x04", "application/x-7z-compressed"},
	{"Rar!\x1a\x07\x00\xcf\x90s", "application/vnd.rar"}, {"Rar!\x1a\x07\x01\x00", "application/vnd.rar"},
	{"\xfd7zXZ\x00\x00\x04", "application/x-xz"}, {"\x28\xb5\x2f\xfd\x24\x05", "application/zstd"},
	{"BZh91AY&SY\xab\xcd", "application/x-bzip2"}, {"\x04\x22\x4d\x18\x64\x40", "application/x-lz4"},
	{"\x5d\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x34", "application/x-lzma"},
	{"MSCF\x00\x00\x00\x00\x10\x20\x00\x00\x00\x00\x00\x00\x2c", "application/vnd.ms-cab-compressed"},
	{"\xed\xab\xee\xdb\x03\x00\x00\x00\x00\x01", "application/x-rpm"},
	{"!<arch>\n/               0           0     0     0       100       `\n", "application/x-archive"},
	{"!<arch>\ndebian-binary   1410122664  0     0     100644  4         `\n2.0\n", "application/vnd.debian.binary-package"},
	{"SQLite format 3\x00\x10\x00\x01\x01\x00\x40\x20\x20", "application/vnd.sqlite3"},
	{"\x00asm\x01\x00\x00\x00", "application/wasm"},
	{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00", "application/x-executable"},
	{"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8", "application/vnd.microsoft.portable-executable"},
	{"\xcf\xfa\xed\xfe\x07\x00\x00\x01\x03\x00\x00\x00\x02\x00\x00\x00", "application/x-mach-binary"},
	{"ID3\x03\x00\x00\x00\x00\x0f\x76TIT2\x00\x00\x00\x05\x00\x00\x00abcd", "audio/mpeg"},
	{"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00", "audio/wav"}, {"fLaC\x00\x00\x00\x22", "audio/flac"},
	{"FORM\x00\x00\x01\x00AIFFCOMM\x00\x00\x00\x12", "audio/aiff"}, {"FORM\x00\x00\x01\x00AIFCFVER\x00\x00\x00\x04", "audio/aiff"},
	{"OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x00\x00\x00\x00\x01\x02\x03\x04\x01\x1e\x01vorbis", "audio/ogg"},
	{"#!AMR\n\x3c\x91\x17\x16", "audio/amr"}, {"#!AMR-WB\n\x3c\x91\x17\x16", "audio/amr"}, {"MThd\x00\x00\x00\x06\x00\x01", "audio/midi"},
	{"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2mp41", "video/mp4"}, {"\x00\x00\x00\x18ftypM4A \x00\x00\x02\x00isomiso2mp41", "audio/x-m4a"},
	{"\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  \x00\x00\x00\x08wide", "video/quicktime"},
	{"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm", "video/webm"},
	{"RIFF\x24\x00\x00\x00AVI LIST\x10\x00\x00\x00hdrlavih", "video/x-msvideo"},
	{"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c", "video/x-ms-asf"},
	{strings.Repeat("\x47\x40\x00\x10"+strings.Repeat("\xff", 184), 3), "video/mp2t"},
	{"8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03", "image/vnd.adobe.photoshop"}, {"gimp xcf v011\x00\x00\x00\x01\x00", "image/x-xcf"},
	{"\x76\x2f\x31\x01\x02\x00\x00\x00channels\x00", "image/x-exr"}, {"qoif\x00\x00\x00\x10\x00\x00\x00\x10\x04\x00\xfe", "image/x-qoi"},
	{"\x01\x00\x00\x00\x6c\x00\x00\x00" + strings.Repeat("\x00", 32) + " EMF\x00\x00\x01\x00", "image/emf"},
	{"\xd7\xcd\xc6\x9a\x00\x00\x00\x00\x00\x00\x10\x10", "image/wmf"}, {"\x01\x00\x09\x00\x00\x03\x10\x00\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00", "image/wmf"},
	{"icns\x00\x00\x10\x00TOC \x00\x00\x00\x10", "image/x-icns"}, {"II\xbc\x01\x20\x00\x00\x00\x24\xc3\xdd\x6f", "image/jxr"},
	{"P6\n# made by hand\n300 200\n255\n\x80\x81", "image/x-portable-pixmap"}, {"P5 300 200 255\n\x80\x81", "image/x-portable-graymap"},
	{"P4\n300 200\n\x80\x81", "image/x-portable-bitmap"}, {"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nENDHDR\n", "image/x-portable-arbitrarymap"},
	{"\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 ", "image/jp2"}, {"\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjpx ", "image/jpx"},
	{"\xff\x4f\xff\x51\x00\x2f\x00\x00\x00\x00\x01\x00", "image/x-jp2-codestream"},
	{"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "image/heif"}, {"\x00\x00\x00\x18ftypheix\x00\x00\x00\x00mif1heix", "image/heif"},
	{"\x00\x00\x00\x18ftypmsf1\x00\x00\x00\x00msf1hevc", "image/heif"}, {"\x00\x00\x00\x14ftypheim\x00\x00\x00\x00mif1", "image/heif"},
	{"\x00\x00\x00\x1cftypavis\x00\x00\x00\x00avismsf1miaf", "image/avif"}, {"\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01crx isom", "image/x-canon-cr3"},
	{"\x00\x00\x02\x00\x01\x00\x20\x20\x00\x00\x05\x00\x06\x00\xa8\x10\x00\x00\x16\x00\x00\x00\x28\x00", "image/x-icon"},
	{"\x28\x00\x00\x00\x10\x00\x00\x00\x10\x00\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24), "image/bmp"},
	{strings.Repeat("\x00", 128) + "DICM\x02\x00\x00\x00UL", "application/dicom"}, {"PAR1\x15\x04\x15\x10\x15\x14", "application/vnd.apache.parquet"},
	{"\x93NUMPY\x01\x00\x76\x00{'descr'", "application/x-numpy"}, {"\x89HDF\r\n\x1a\n\x00\x00", "application/x-hdf5"},
	{"bplist00\xd4\x01\x02\x03", "application/x-plist"}, {"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "application/vnd.tcpdump.pcap"},
	{"!BDN\x12\x34\x56\x78SM\x17\x00", "application/vnd.ms-outlook-pst"}, {"\x78\x9f\x3e\x22\x01\x00", "application/vnd.ms-tnef"},
	{"wOFF\x00\x01\x00\x00\x00\x00\x10\x00", "font/woff"}, {"wOF2\x00\x01\x00\x00\x00\x00\x10\x00", "font/woff2"}, {"OTTO\x00\x0c\x00\x80\x00\x03", "font/otf"},
	{"\x00\x01\x00\x00\x00\x0c\x00\x80\x00\x03\x00\x40DSIG\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "font/ttf"},
	{"\xde\x12\x04\x95\x00\x00\x00\x00\x01\x00\x00\x00", "application/x-gettext-translation"},
}

// Every kind of file is named by its bytes, whatever follows them, and by no name.
func TestKinds(t *testing.T) {
	for _, c := range heads {
		for what, tail := range map[string]string{
			"text in an 8-bit charset": strings.Repeat("\xe4\xf6\xfc \xdf", 600), "ASCII": strings.Repeat("lorem ipsum ", 300), "zeros": strings.Repeat("\x00", 4000), "noise": noise(4000),
		} {
			in := c.head + tail
			got := sniff.Sniff([]byte(in), int64(len(in))+100, "", "")
			if string(got.MediaType) != c.want {
				t.Errorf("%.12q and %s: %s, want %s", c.head, what, got.MediaType, c.want)
			}
		}
	}
}

// A file may end anywhere in its head.
func TestCutHeads(t *testing.T) {
	for _, c := range append(heads, struct{ head, want string }{"#!AMR-WB", ""}) {
		for n := range len(c.head) {
			sniff.Sniff(slices.Clip([]byte(c.head[:n])), int64(n), "", "")
		}
	}
}

// Prose that begins with the letters of any magic is prose.
func TestProseOnMagics(t *testing.T) {
	for _, c := range heads {
		letters := 0
		for letters < len(c.head) && c.head[letters] >= ' ' && c.head[letters] < 0x7f {
			letters++
		}
		for n := range letters + 1 {
			for _, prose := range []string{" is how such a file begins.\n", "\n", ": a magic\n", "é, said the clerk", "0", "1\r\n", "\tpage\t1\n", strings.Repeat(" and so on", 500), " 中文\n"} {
				in := c.head[:n] + prose
				if in == "!<arch>\n" {
					continue // an archive without members, whole
				}
				if got := sniff.Sniff([]byte(in), int64(len(in)), "", "").MediaType; got.Type() != "text" {
					t.Errorf("%.40q is %s", in, got)
				}
			}
		}
	}
}

// packed is a ZIP of these members, as Office packs it (sizes in the headers) or as a program that streams does.
func packed(t testing.TB, streamed bool, members ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		var f io.Writer
		var err error
		if streamed {
			f, err = w.Create(m[0])
		} else {
			var deflated bytes.Buffer
			d, _ := flate.NewWriter(&deflated, flate.BestCompression)
			_, err = io.WriteString(d, m[1])
			if err = cmpErr(err, d.Close()); err == nil {
				f, err = w.CreateRaw(&zip.FileHeader{Name: m[0], Method: zip.Deflate, CompressedSize64: uint64(deflated.Len()), UncompressedSize64: uint64(len(m[1]))})
			}
			m[1] = deflated.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// An office file is named exactly, whatever the order of its members, by what it says of itself; where that is behind the prefix, by its
// name.
func TestPackages(t *testing.T) {
	const office = "application/vnd.openxmlformats-officedocument."
	list := func(main string) [2]string {
		return [2]string{"[Content_Types].xml", `<?xml version="1.0"?><Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/x" ContentType="` + main + `"/></Types>`}
	}
	docx := list(office + "wordprocessingml.document.main+xml")
	far := [2]string{"docProps/thumbnail.jpeg", noise(20_000)}
	part := func(name string) [2]string { return [2]string{name, "<x/>"} }
	for _, c := range []struct {
		what, name string
		members    [][2]string
		want       string
	}{
		{"as Word packs it", "", [][2]string{docx, part("_rels/.rels"), part("word/document.xml")}, office + "wordprocessingml.document"},
		{"the telling member behind the prefix", "", [][2]string{docx, far, part("word/document.xml")}, office + "wordprocessingml.document"},
		{"nothing telling in the prefix", "a.docx", [][2]string{far, docx}, office + "wordprocessingml.document"},
		{"nothing telling, and no name", "", [][2]string{far, docx}, "application/zip"},
		{"other members first", "", [][2]string{part("customXml/item1.xml"), part("word/document.xml"), docx}, office + "wordprocessingml.document"},
		{"by its folders", "", [][2]string{part("_rels/.rels"), part("xl/workbook.xml")}, office + "spreadsheetml.sheet"},
		{"macros", "a.docx", [][2]string{list("application/vnd.ms-word.document.macroEnabled.main+xml")}, "application/vnd.ms-word.document.macroenabled.12"},
		{"a template", "", [][2]string{list(office + "wordprocessingml.template.main+xml")}, office + "wordprocessingml.template"},
		{"a workbook", "", [][2]string{list(office + "spreadsheetml.sheet.main+xml")}, office + "spreadsheetml.sheet"},
		{"a binary workbook", "", [][2]string{list("application/vnd.ms-excel.sheet.binary.macroEnabled.main")}, "application/vnd.ms-excel.sheet.binary.macroenabled.12"},
		{"slides", "", [][2]string{list(office + "presentationml.presentation.main+xml")}, office + "presentationml.presentation"},
		{"a slide show", "a.pptx", [][2]string{list(office + "presentationml.slideshow.main+xml")}, office + "presentationml.slideshow"},
		{"OpenDocument", "", [][2]string{{"mimetype", "application/vnd.oasis.opendocument.text"}, part("content.xml")}, "application/vnd.oasis.opendocument.text"},
		{"OpenDocument, mimetype late", "", [][2]string{part("content.xml"), {"mimetype", "application/vnd.oasis.opendocument.spreadsheet\n"}}, "application/vnd.oasis.opendocument.spreadsheet"},
		{"a book", "", [][2]string{part("META-INF/container.xml"), {"mimetype", "application/epub+zip"}}, "application/epub+zip"},
		{"a program", "", [][2]string{part("META-INF/MANIFEST.MF"), part("A.class")}, "application/java-archive"},
		{"an app", "", [][2]string{part("AndroidManifest.xml"), part("classes.dex")}, "application/vnd.android.package-archive"},
		{"an archive with a folder called word", "a.zip", [][2]string{part("word/notes.txt")}, "application/zip"},
		{"a mimetype that is none", "", [][2]string{{"mimetype", "whatever I like"}}, "application/zip"},
		{"a mimetype that would be text", "", [][2]string{{"mimetype", "text/html"}}, "application/zip"},
		{"a mimetype that would be a PDF", "", [][2]string{{"mimetype", "application/pdf"}}, "application/zip"},
		{"no member", "", nil, "application/zip"},
	} {
		for _, streamed := range []bool{false, true} {
			in := packed(t, streamed, append([][2]string{}, c.members...)...)
			got := sniff.Sniff([]byte(in), int64(len(in)), c.name, "")
			if string(got.MediaType) != c.want || got.Mismatch && !strings.Contains(c.want, "macro") {
				t.Errorf("%s, streamed %v: %+v, want %s", c.what, streamed, got, c.want)
			}
		}
	}
}

// An archive that holds another is what it is itself.
func TestArchiveOfArchives(t *testing.T) {
	inner := packed(t, false, [2]string{"META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n"}, [2]string{"A.class", "x"})
	in := zipped(t, "lib.jar="+inner, "readme.txt=hi")
	if got := sniff.Sniff([]byte(in), int64(len(in)), "", "").MediaType; got != "application/zip" {
		t.Errorf("a ZIP of a JAR is %s", got)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, err := range []error{w.WriteHeader(&tar.Header{Name: "lib.jar", Mode: 0o644, Size: int64(len(inner))})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, inner); err != nil {
		t.Fatal(err)
	}
	old := b.Bytes() // the oldest archives have no magic, only their checksum
	for i := 257; i < 512; i++ {
		old[i] = 0
	}
	sum := 8 * int(' ')
	for i, c := range old[:512] {
		if i < 148 || i >= 156 {
			sum += int(c)
		}
	}
	copy(old[148:156], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7), '0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
	if got := sniff.Sniff(old, int64(len(old)), "", "").MediaType; got != "application/x-tar" {
		t.Errorf("an old tar is %s", got)
	}
	old[0]++
	if got := sniff.Sniff(old, int64(len(old)), "", "").MediaType; got == "application/x-tar" {
		t.Error("a wrong checksum makes a tar")
	}
}

// Compound files are what their names say, where the prefix does not: an encrypted office file is one as well.
func TestCompoundFiles(t *testing.T) {
	in := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 16) + "\x3e\x00\x03\x00\xfe\xff\x09\x00" + strings.Repeat("\x00", 16) + "\x01\x00\x00\x00\xff\xff\x00\x00" + strings.Repeat("\xff", 9000)
	for name, want := range map[string]readapi.MediaType{
		"": "application/x-ole-storage", "a.doc": "application/msword", "a.xls": "application/vnd.ms-excel", "a.ppt": "application/vnd.ms-powerpoint",
		"a.msg": "application/vnd.ms-outlook", "a.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "a.txt": "application/x-ole-storage",
	} {
		if got := sniff.Sniff([]byte(in), int64(len(in)), name, ""); got.MediaType != want || got.Mismatch != (name == "a.txt") {
			t.Errorf("%q: %+v, want %s", name, got, want)
		}
	}
}

// Texts that begin in one of the many ways of their kind.
func TestTextLooks(t *testing.T) {
	for in, want := range map[string]readapi.MediaType{
		"<p>Hello <b>you</b></p>\n":                  "text/html",
		"\n\n<table class=x>\n<tr><td>1</table>":     "text/html",
		"<META charset=utf-8><script>var a</script>": "text/html",
		"<product>\n</product>\n":                    "text/plain",
		"<p\n":                                       "text/plain",
		"<a, b> is a pair\n":                         "text/plain",
		"X-One: 0\r\nReceived: from a\r\n by b\r\nFrom: a@b.c\r\nTo: d\r\n\r\nhi":             "message/rfc822",
		"ARC-Seal: i=1;\n a=b\nDKIM-Signature: v=1\nFrom: a@b\n\n":                            "message/rfc822",
		"MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n":              "message/rfc822",
		"From - Mon Nov 30 12:00:00 2026\nX-Status: 0\nReturn-Path: <a>\nFrom: a\n\nhi":       "application/mbox",
		"Package: a\nVersion: 1\nDate: today\n":                                               "text/plain",
		"key: value\n indented: more\n":                                                       "text/plain",
		"[1,2]\n[3,4]\n":                                                                      "application/x-ndjson",
		"[1,2]\n":                                                                             "application/json",
		"[section]\n[other]\n":                                                                "text/plain",
		"{\"metadata\": {\"kernelspec\": {}}, \"nbformat\": 4}":                               "application/x-ipynb+json",
		"P6 is a road, and P5 300 200 255 are numbers\n":                                      "text/plain",
		"P5 300 200 255 and so on\n":                                                          "text/plain",
		"%!PS-Adobe-3.0\n%%Pages: 1\n":                                                        "text/plain",
		"BZh91 is no archive\n":                                                               "text/plain",
		"!<arch>\nis how an archive begins, and this one is not one at all, it is a letter\n": "text/plain",
	} {
		if got := sniff.Sniff([]byte(in), int64(len(in)), "", "").MediaType; got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	in := "<b>bold</b> is how HTML says it\n"
	if got := sniff.Sniff([]byte(in), int64(len(in)), "notes.txt", "").MediaType; got != "text/plain" {
		t.Errorf("a text file that begins with a tag is %s", got)
	}
}

// What a name says agrees with what the bytes say where it is the same in other words.
func TestAgreement(t *testing.T) {
	codestream := "\xff\x4f\xff\x51\x00\x2f\x00\x00" + noise(400)
	film := "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2mp41" + noise(400)
	for _, c := range []struct {
		in, name, declared string
		mismatch           bool
	}{
		{codestream, "a.jp2", "", false}, {codestream, "a.j2k", "image/j2c", false}, {codestream, "a.png", "", true},
		{film, "a.m4v", "", false}, {film, "a.mov", "video/quicktime", false}, {film, "a.mp3", "", true}, {film, "a.txt", "", true},
		{"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00" + noise(400), "a.wav", "audio/x-wav", false},
		{"bplist00\xd4\x01\x02\x03" + noise(400), "Info.plist", "", false}, {"ssh-ed25519 AAAA me@host\n", "id.pub", "", false},
		{noise(400), "a.7z", "", true}, {noise(400), "a.own", "", false},
	} {
		if got := sniff.Sniff([]byte(c.in), int64(len(c.in)), c.name, c.declared); got.Mismatch != c.mismatch {
			t.Errorf("%.8q as %s, %s: %+v, want mismatch %v", c.in, c.name, c.declared, got, c.mismatch)
		}
	}
}
