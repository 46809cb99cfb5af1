package object_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// An object that is a few bytes beside its offset is found without a search of the file; for one that is far away the file is searched once,
// around the data of its pictures.
func TestSearchedOnlyWhereNeeded(t *testing.T) {
	large := pdftest.Large{Pages: 100, Fat: 100 << 10}
	for name, c := range map[string]struct {
		shift int
		most  int64
	}{"sound": {0, 100 << 10}, "near": {7, 200 << 10}, "far": {1000, 60 << 20}} {
		s := large.File()
		f, err := object.Open(&shifted{s, c.shift}, "")
		if err != nil {
			t.Fatal(err)
		}
		kids := f.Trailer().Key("Root").Key("Pages").Key("Kids")
		if n := kids.Index(1).Key("Kids").Index(7).Key("Contents"); !n.Is(object.Stream) {
			t.Errorf("%s: the content is %v", name, n.Kind())
		}
		if s.Read > c.most {
			t.Errorf("%s: %d bytes are read of %d", name, s.Read, s.Size())
		}
	}
	// Each picture is 100 kB and a window of the search 272 kB, so half a file of small ones is skipped and nearly all of large ones.
	s := pdftest.Large{Pages: 30, Fat: 4 << 20}.File()
	if _, err := object.Open(&shifted{s, -1}, ""); err != nil || s.Read > s.Size()/8 {
		t.Errorf("%d bytes are read of %d: %v", s.Read, s.Size(), err)
	}
}

// shifted is a file whose table says offsets that are n too high; with -1 it has no startxref.
type shifted struct {
	*pdftest.Sparse
	n int
}

func (s *shifted) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.Sparse.ReadAt(p, off)
	if s.n < 0 {
		copy(p, bytes.ReplaceAll(p[:n], []byte("startxref"), []byte("startxxxx")))
		return n, err
	}
	b := p[:n]
	for i := 0; s.n > 0 && i+20 <= len(b); i++ { // the windows into the table begin at an entry
		if string(b[i+10:i+18]) == " 00000 n" {
			var at int
			fmt.Sscanf(string(b[i:i+10]), "%d", &at)
			copy(b[i:], fmt.Sprintf("%010d", at+s.n))
			i += 19
		}
	}
	return n, err
}

// A file that ends inside an object says so, one that is only without its table does not.
func TestCut(t *testing.T) {
	data := pdftest.Plain(pdftest.Lines("Hello"), pdftest.Lines("World")).Table()
	table := bytes.LastIndex(data, []byte("\nxref")) + 1
	for n, want := range map[int]bool{len(data): false, len(data) - 12: false, table: false, table - 10: true, bytes.Index(data, []byte("World")): true} {
		f, err := object.Open(bytes.NewReader(data[:n]), "")
		if err != nil {
			t.Fatal(err)
		}
		if f.Cut() != want {
			t.Errorf("%d of %d bytes: cut is %v", n, len(data), f.Cut())
		}
	}
}

// A search that was asked for finds what the table does not know, and changes nothing else.
func TestSearch(t *testing.T) {
	w := pdftest.Plain(pdftest.Lines("Hello"))
	data := append(w.Table(), "77 0 obj(found)endobj\n"...)
	data = append(data, "startxref\n"...)
	data = fmt.Appendf(data, "%d\n%%%%EOF", bytes.Index(data, []byte("\nxref"))+1)
	f, err := object.Open(bytes.NewReader(data), "")
	if err != nil {
		t.Fatal(err)
	}
	if !f.Object(77).Null() {
		t.Error("it is known before the search")
	}
	if !f.Search() || f.Search() || f.Object(77).Raw() != "found" {
		t.Errorf("it is %q", f.Object(77).Raw())
	}
}

// Reads that fail give what can be read otherwise.
func TestFailingReads(t *testing.T) {
	data := pdftest.Plain(pdftest.Lines("Hello")).Packed(true)
	for from := range int64(len(data)) {
		f, err := object.Open(failing{bytes.NewReader(data), from}, "")
		if err == nil && f.Trailer().Key("Root").Null() && len(f.LoosePages()) == 0 {
			t.Errorf("from %d on: a file without anything", from)
		}
	}
}

type failing struct {
	*bytes.Reader
	from int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, io.ErrUnexpectedEOF
	}
	return f.Reader.ReadAt(p, off)
}

// Text is what a text string says in each of its encodings.
func TestText(t *testing.T) {
	f, err := object.Open(bytes.NewReader(pdftest.Plain("").Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"(plain)": "plain", "(\x80\xa0\xe9)": "\u2022\u20ac\u00e9", "<FEFF20AC0041>": "\u20acA", "<FFFEAC204100>": "\u20acA", "<EFBBBFE282AC>": "\u20ac",
		"<FEFF001B0065006E001B0041>": "A", "<FEFFD83DDE00>": "\U0001f600", "<FEFFD83D>": "\ufffd", "/name": "", "12": "",
	} {
		if got := f.Parse([]byte(in)).Text(); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	if got := f.Parse([]byte("<</A[1 2 3]/B<</C(x)>>/A[4]>>")); got.Key("A").Index(0).Int() != 4 || got.Key("B").Key("C").Raw() != "x" || strings.Join(got.Keys(), "") != "ABA" {
		t.Errorf("%v", got.Keys())
	}
}
