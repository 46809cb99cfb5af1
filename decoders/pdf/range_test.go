package pdf

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// counter counts the bytes that are read of an input.
type counter struct {
	*bytes.Reader
	bytes int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

// large is a document of n pages in a balanced tree, each with about fat bytes of a picture that no text needs.
func large(n, fat int) *pdftest.Writer {
	const fan = 50
	w := &pdftest.Writer{}
	font := w.Add(pdftest.Helvetica)
	rnd := rand.New(rand.NewPCG(1, 2))
	picture := make([]byte, fat)
	for i := range picture {
		picture[i] = byte(rnd.Uint32())
	}
	var nodes []string
	tree := 2 + 3*n + (n+fan-1)/fan
	for from := 0; from < n; from += fan {
		var kids []string
		parent := len(w.Objects) + 3*min(fan, n-from) + 1
		for i := from; i < min(n, from+fan); i++ {
			image := w.Stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", picture)
			content := w.Flate("", fmt.Sprintf("/Im Do %s", pdftest.Lines(fmt.Sprintf("This is page %d", i+1))))
			page := w.Add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>/XObject<</Im %d 0 R>>>>>>", parent, content, font, image)
			kids = append(kids, fmt.Sprintf("%d 0 R", page))
		}
		nodes = append(nodes, fmt.Sprintf("%d 0 R", w.Add("<</Type/Pages/Parent %d 0 R/Count %d/Kids[%s]>>", tree, len(kids), strings.Join(kids, " "))))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", n, strings.Join(nodes, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	return w
}

func TestOnePageOfMany(t *testing.T) {
	const pages, fat = 1000, 20 << 10
	w := large(pages, fat)
	for name, data := range map[string][]byte{"table": w.Table(), "packed": w.Packed(true)} {
		for _, at := range []int64{1, 400, 1000} {
			in := &counter{Reader: bytes.NewReader(data)}
			res, err := pdk.Run(&Decoder, in, readapi.Request{Form: readapi.FormText, Units: []readapi.Range{{From: at, To: at}}})
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, res, fmt.Sprintf("This is page %d\n", at))
			if res.Total != pages {
				t.Errorf("%s: %d pages", name, res.Total)
			}
			// The cross-references are about 62 kB and are read through a growing window; the nodes of the tree and the objects of the page
			// come on top.
			if most := int64(320 << 10); in.bytes > most {
				t.Errorf("%s: page %d of a file of %d bytes reads %d, want %d at most", name, at, len(data), in.bytes, most)
			}
		}
	}
}

// TestTrustedTree reads a tree that is trusted in its counts, whole and by halves.
func TestTrustedTree(t *testing.T) {
	data := large(eagerPages+25, 0).Table()
	whole := decodeBytes(t, data, readapi.Request{})
	if n := len(whole.Parts); n != eagerPages+25 {
		t.Fatalf("%d parts", n)
	}
	for i, p := range whole.Parts {
		if want := fmt.Sprintf("This is page %d\n", i+1); p.At != int64(i+1) || p.Text != want {
			t.Fatalf("page %d is %q, want %q", p.At, p.Text, want)
		}
	}
}

// TestContradiction: a tree of more pages than are walked says that each kid is a page, and one is a node of two. No text is lost, and a
// page has the same number whatever is selected.
func TestContradiction(t *testing.T) {
	w := &pdftest.Writer{}
	font := w.Add(pdftest.Helvetica)
	const n = eagerPages + 10
	var kids []string
	page := func(text string) int {
		c := w.Stream("", []byte(pdftest.Lines(text)))
		return w.Add("<</Type/Page/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", c, font)
	}
	for i := range n {
		num := page(fmt.Sprintf("Page %d", i+1))
		if i == 4 {
			num = w.Add("<</Type/Pages/Count 2/Kids[%d 0 R %d 0 R]>>", num, page("More"))
		}
		kids = append(kids, fmt.Sprintf("%d 0 R", num))
	}
	tree := w.Add("<</Type/Pages/Count %d/Kids[%s]>>", n, strings.Join(kids, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	res := decodeBytes(t, w.Table(), readapi.Request{Units: []readapi.Range{{From: 4, To: 6}}})
	wantText(t, readapi.Result{Parts: res.Parts[:1]}, "Page 4\n")
	wantText(t, readapi.Result{Parts: res.Parts[1:2]}, "Page 5\nMore\n")
	wantText(t, readapi.Result{Parts: res.Parts[2:]}, "Page 6\n")
	if res.Total != n {
		t.Errorf("total %d, want %d", res.Total, n)
	}
}

// failing is an input whose reads fail from an offset on.
type failing struct {
	*bytes.Reader
	from int64
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, io.ErrUnexpectedEOF
	}
	return f.Reader.ReadAt(p, off)
}

func TestFailingInput(t *testing.T) {
	data := pdftest.Plain(pdftest.Lines(hello)).Table()
	for from := range int64(len(data)) {
		_, err := pdk.Run(&Decoder, &failing{bytes.NewReader(data), from}, readapi.Request{Form: readapi.FormText})
		if code := readapi.CodeOf(err); code != "" && code != readapi.CodeMalformed {
			t.Fatalf("reads fail from %d on: %v", from, err)
		}
	}
}
