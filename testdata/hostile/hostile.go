// Package hostile makes the files that tests read to see that the wall holds: bombs, cycles, floods, lies, disguises. Each is made by a
// small generator and has a name, and says what has to become of it.
//
//	for _, f := range hostile.Files() {
//		doc, err := reader.ReadFile(ctx, f.Make(), f.Make().Size(), f.As, nil)
//		… // f.Want
//	}
//
// Mutate makes damaged versions of any file, the same ones for the same seed. Only tests and suites import this package.
package hostile

import (
	"bytes"
	"compress/zlib"
	"hash/adler32"
	"io"
)

// File is one hostile file.
type File struct {
	Name  string // of the case, unique
	Kind  string // pdf, image or text: what it is, or poses as
	As    string // the file's name as a sender gives it
	Units string // what to ask for; "": everything
	All   bool   // the cursors are to be followed to the end
	Make  func() Input
	Want  Want
}

// Input is a file's bytes. Large ones are not kept: they are made where they are read.
type Input interface {
	io.ReaderAt
	Size() int64
}

// Want is what has to become of a file. What holds of every file is not said: a code of the closed list, never internal, decoder_trap or
// bad_output; no hidden character in the default view.
type Want struct {
	Codes []string // with which the read may end; "" is an answer. Never empty.

	Limit string // of an error with a limit: its name
	Hint  string // of an error: what its detail contains

	// Of an answer:
	Warnings []string // codes that are there
	Text     string   // some part's text contains it
	Lacks    string   // nothing of the default view contains it
	Raw      string   // the unescaped view has it
	Hidden   int64    // what meta counts as hidden; 0: not checked
	Type     string   // media type; "": not checked
	Parts    int      // how many there are, at least
	Next     bool     // a cursor leads on
}

// ends are the codes with which a read may end.
func ends(codes ...string) Want { return Want{Codes: codes} }

// hits is a code that comes with the name of the limit that was hit.
func hits(code, limit string) Want { return Want{Codes: []string{code}, Limit: limit} }

// answers is an answer with these warnings.
func answers(warnings ...string) Want { return Want{Codes: []string{""}, Warnings: warnings} }

// shows is an answer that contains a text.
func shows(text string, warnings ...string) Want {
	return Want{Codes: []string{""}, Text: text, Warnings: warnings}
}

// or adds codes with which the read may end as well.
func (w Want) or(codes ...string) Want {
	w.Codes = append(w.Codes[:len(w.Codes):len(w.Codes)], codes...)
	return w
}

const (
	malformed   = "malformed_input"
	unsupported = "unsupported_feature"
	noDecoder   = "unsupported_kind"
	encrypted   = "encrypted"
	tooLarge    = "too_large"
	limitPixels = "limit_pixels"
	limitMemory = "limit_memory"
	limitOutput = "limit_output"
	limitFuel   = "limit_fuel"
	limitDepth  = "limit_depth"
	partial     = "partial"
	noText      = "no_text_layer"
	stripped    = "metadata_stripped"
	hiddenText  = "hidden_text"
	replaced    = "replaced"
	mismatch    = "declared_type_mismatch"
)

// Files returns all files, those of a kind together.
func Files() []File {
	var out []File
	for _, list := range [][]File{
		pngFiles(), pngChunkFiles(), apngFiles(), gifFiles(), gifFloodFiles(), jpegFiles(), jpegFloodFiles(), bmpFiles(), icoFiles(),
		tiffFiles(), tiffDirectoryFiles(), tiffBombFiles(), webpFiles(), boxFiles(),
		pdfStructureFiles(), pdfTreeFiles(), pdfCountFiles(), pdfXrefFiles(), pdfXrefStreamFiles(), pdfObjectStreamFiles(), pdfFilterFiles(),
		pdfLengthFiles(), pdfContentFiles(), pdfFormFiles(), pdfFontFiles(), pdfWidthFiles(),
		pdfCryptFiles(), pdfActiveFiles(), pdfMetaFiles(), pdfCutFiles(),
		textBombFiles(), textCharsetFiles(), textByteFiles(), textHiddenFiles(), textLineFiles(), nameFiles(), disguiseFiles(), plainFiles(),
	} {
		out = append(out, list...)
	}
	return out
}

// image is a picture that was sent under its case's name; ext names the format.
func image(name, ext string, want Want, data func() []byte) File {
	return File{Name: name, Kind: "image", As: name + "." + ext, Make: of(data), Want: want}
}

func pdf(name string, want Want, data func() []byte) File {
	return File{Name: name, Kind: "pdf", As: name + ".pdf", Make: of(data), Want: want}
}

func text(name, ext string, want Want, data func() []byte) File {
	return File{Name: name, Kind: "text", As: name + "." + ext, Make: of(data), Want: want}
}

// units asks for a part of the file.
func (f File) units(u string) File {
	f.Units = u
	return f
}

// whole follows the cursors.
func (f File) whole() File {
	f.All = true
	return f
}

func of(data func() []byte) func() Input {
	return func() Input { return bytes.NewReader(data()) }
}

// repeating is a file of size bytes that repeats a piece between a head and a tail, without being in memory.
type repeating struct {
	head, piece, tail []byte
	size              int64
}

func (r *repeating) Size() int64 { return r.size }

func (r *repeating) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < r.size {
		var k int
		switch body := off - int64(len(r.head)); {
		case body < 0:
			k = copy(p[n:], r.head[off:])
		case off >= r.size-int64(len(r.tail)):
			k = copy(p[n:], r.tail[off-(r.size-int64(len(r.tail))):])
		default:
			k = copy(p[n:], r.piece[body%int64(len(r.piece)):min(int64(len(r.piece)), body%int64(len(r.piece))+r.size-int64(len(r.tail))-off)])
		}
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

func lazy(head, piece, tail string, size int64) func() Input {
	return func() Input {
		return &repeating{[]byte(head), bytes.Repeat([]byte(piece), max(1, 4096/len(piece))), []byte(tail), size}
	}
}

// deflate compresses with zlib.
func deflate(b []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression) // the level is one that there is
	_, _ = w.Write(b)                                       // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// deflated is a zlib stream of about n bytes, and not fewer, that repeat piece; a thousand times smaller. One block of it is compressed, and
// written again and again: what it refers back to is the same every time.
func deflated(piece string, n int64) []byte {
	block := bytes.Repeat([]byte(piece), max(1, min(int(n), 256<<10)/len(piece)))
	if n <= int64(2*len(block)) {
		return deflate(bytes.Repeat([]byte(piece), int(n+int64(len(piece))-1)/len(piece)))
	}
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression)
	sum := adler32.New()
	var ends [2]int
	for i := range ends {
		_, _ = w.Write(block)
		_ = w.Flush()
		sum.Write(block)
		ends[i] = out.Len()
	}
	again := bytes.Clone(out.Bytes()[ends[0]:ends[1]])
	for size := int64(2 * len(block)); size < n; size += int64(len(block)) {
		out.Write(again)
		sum.Write(block)
	}
	out.Write([]byte{3, 0}) // a last block that is empty
	return sum.Sum(out.Bytes())
}

// join concatenates strings and byte slices.
func join(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p...)
		case []byte:
			out = append(out, p...)
		case byte:
			out = append(out, p)
		}
	}
	return out
}

func repeat(piece string, n int) string { return string(bytes.Repeat([]byte(piece), n)) }
