package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// withFiles has files in the tree of names, files that are associated with the document, and files on page 2.
func withFiles() []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	csv := w.Attachment("folder/data.csv", "", []byte("a,b\n1,2\n"), "/Desc(The numbers)/AFRelationship/Data")
	xml := w.Attachment(`C:\in\fac`+"\u202e"+`tur.xml`, "application/xml", []byte("<a/>"), "")
	note := w.Attachment("note.txt", "text/plain", []byte("hello"), "")
	source := w.Attachment("source", "", []byte("x"), "")
	names := w.NameTree(1, "a", pdftest.Ref(csv), "b", "<</F(elsewhere.txt)>>", "c", "(no specification)", "d", pdftest.Ref(xml))
	tree, _ := w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), 3, func(i int, _ []int) pdftest.Page {
		p := pdftest.Page{Content: pdftest.Lines("page")}
		if i == 1 {
			p.Entries = fmt.Sprintf("/Annots[<</Subtype/FileAttachment/Rect[0 0 9 9]/FS %d 0 R/Contents(see this)>>]/AF[%d 0 R]", note, source)
		}
		return p
	})
	w.Catalog(tree, "/Names<</EmbeddedFiles %d 0 R>>/AF[%d 0 R %d 0 R]", names, xml, csv)
	return w.Table()
}

func TestFilesAreListed(t *testing.T) {
	doc := withFiles()
	all := []readapi.Child{
		{N: 1, Name: "data.csv", MediaType: "text/csv", Bytes: 8}, {N: 2, Name: "factur.xml", MediaType: "application/xml", Bytes: 4},
		{N: 2501, Name: "source", MediaType: "application/octet-stream", Bytes: 1}, {N: 2502, Name: "note.txt", MediaType: "text/plain", Bytes: 5},
	}
	res := decodeBytes(t, doc, readapi.Request{})
	if d := cmp.Diff(all, res.Children); d != "" {
		t.Errorf("children (-want +got):\n%s", d)
	}
	want(t, "files", res.Meta["files"], `[{"n":1,"name":"data.csv","bytes":8,"description":"The numbers","relationship":"Data"},{"n":2,"name":"factur.xml","bytes":4}]`)
	want(t, "notes", data(t, res, 2, "annotations"), `[{"type":"FileAttachment","contents":"see this"}]`)
	res = decodeBytes(t, doc, readapi.Request{Units: []readapi.Range{{From: 1, To: 1}}})
	if d := cmp.Diff(all[:2], res.Children); d != "" {
		t.Errorf("children of page 1 (-want +got):\n%s", d)
	}
}

func TestFilesAreHandedOn(t *testing.T) {
	doc := withFiles()
	for n, text := range map[int]string{1: "a,b\n1,2\n", 2: "<a/>", 2501: "x", 2502: "hello"} {
		res := decodeBytes(t, doc, readapi.Request{Child: []int{n}, MaxFileBytes: 100})
		if len(res.Files) != 1 || string(res.Files[0].Bytes) != text || res.Files[0].At != 0 || res.Files[0].Child.N != n || len(res.Parts) > 0 {
			t.Errorf("child %d gives %+v", n, res)
		}
	}
	for _, n := range []int{3, 999, 1000, 1501, 2500, 2503, 3501, 4501, 1<<31 - 1} {
		if _, err := run(doc, readapi.Request{Child: []int{n}, MaxFileBytes: 100}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("child %d gives %v, want invalid_request", n, err)
		}
	}
	if _, err := run(doc, readapi.Request{Child: []int{1}, MaxFileBytes: 7}); readapi.CodeOf(err) != readapi.CodeLimitOutput {
		t.Errorf("a file over the limit gives %v, want limit_output", err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	make := func(entries string, data []byte) []byte {
		w := &pdftest.Writer{}
		stream := w.Stream("/Type/EmbeddedFile"+entries, data)
		spec := w.Add("<</Type/Filespec/F(a.txt)/EF<</F %d 0 R>>>>", stream)
		tree, _ := w.Tree("", 1, func(int, []int) pdftest.Page { return pdftest.Page{} })
		w.Catalog(tree, "/Names<</EmbeddedFiles<</Names[(a)%d 0 R]>>>>", spec)
		return w.Table()
	}
	z := pdftest.Deflate(strings.Repeat("0123456789", 100))
	for name, c := range map[string]struct {
		doc  []byte
		code readapi.Code
		warn []string
	}{
		"sound":          {make("/Filter/FlateDecode", z), "", nil},
		"empty":          {make("", nil), "", nil},
		"unknown filter": {make("/Filter/NoSuchDecode", z), readapi.CodeUnsupportedFeature, nil},
		"no data at all": {make("/Filter/FlateDecode", []byte("xx")), readapi.CodeMalformed, nil},
		"cut":            {make("/Filter/FlateDecode", z[:len(z)-8]), "", []string{"partial"}},
		"over the limit": {make("/Filter/FlateDecode", pdftest.Deflate(strings.Repeat("x", 5000))), readapi.CodeLimitOutput, nil},
	} {
		res, err := run(c.doc, readapi.Request{Child: []int{1}, MaxFileBytes: 2000})
		if readapi.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		} else if d := cmp.Diff(c.warn, codes(res)); d != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", name, d)
		}
	}
}

// A file that is encrypted has its files encrypted too, and a loop or a flood of names ends.
func TestFilesAreBounded(t *testing.T) {
	w := &pdftest.Writer{}
	stream := w.Stream("", []byte("x"))
	var specs bytes.Buffer
	for i := range maxFiles + 50 {
		n := w.Stream("", []byte("x"))
		fmt.Fprintf(&specs, "(%d)<</F(a)/EF<</F %d 0 R>>>>", i, n)
	}
	fmt.Fprintf(&specs, "(again)<</F(a)/EF<</F %d 0 R>>>>", stream)
	loop := len(w.Objects) + 1
	w.Add("<</Kids[%d 0 R]/Names[%s]>>", loop, specs.Bytes())
	tree, _ := w.Tree("", 1, func(int, []int) pdftest.Page { return pdftest.Page{} })
	w.Catalog(tree, "/Names<</EmbeddedFiles %d 0 R>>", loop)
	if res := decodeBytes(t, w.Table(), readapi.Request{}); len(res.Children) != maxFiles {
		t.Errorf("%d children, want %d", len(res.Children), maxFiles)
	}
}

func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{
		"a.txt": "a.txt", "/etc/passwd": "passwd", `..\..\x.exe`: "x.exe", "dir/": "dir", "": "artifact", "..": "artifact", "a\x00b": "a-b", "..//": "artifact",
	} {
		if got := fileName(in); got != want {
			t.Errorf("fileName(%q) = %q, want %q", in, got, want)
		}
	}
	if n := len(fileName(strings.Repeat("x", 10_000) + ".pdf")); n > 200 {
		t.Errorf("a name of %d bytes", n)
	}
	for _, c := range []struct {
		said, name string
		want       readapi.MediaType
	}{
		{"Application/PDF", "x", "application/pdf"}, {"nonsense", "x.JPG", "image/jpeg"}, {"application/octet-stream", "a.csv", "text/csv"}, {"", "x", readapi.OctetStream},
	} {
		if got := fileType(c.said, c.name); got != c.want {
			t.Errorf("fileType(%q, %q) = %s, want %s", c.said, c.name, got, c.want)
		}
	}
}

// A catalogue has more pictures than one answer may list: the answer ends ahead of a page, and the next one goes on there.
func TestListsAreBounded(t *testing.T) {
	const pages, pictures = mostListed/maxPagePictures + 20, maxPagePictures
	w := &pdftest.Writer{}
	var names, draw strings.Builder
	for i := range pictures {
		n := w.Stream("/Type/XObject/Subtype/Image/Width 20/Height 20/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, 400))
		fmt.Fprintf(&names, "/I%d %d 0 R", i, n)
		fmt.Fprintf(&draw, "q 9 0 0 9 %d %d cm /I%d Do Q ", 10+i%50*10, 10+i/50*10, i)
	}
	w.Pages("/XObject<<"+names.String()+">>", slices.Repeat([]string{draw.String()}, pages)...)
	seen, answers := map[int]bool{}, 0
	for req := (readapi.Request{}); ; answers++ {
		res := decodeBytes(t, w.Table(), req)
		if len(res.Children) > mostListed+perPage {
			t.Fatalf("%d files in one answer", len(res.Children))
		}
		for _, c := range res.Children {
			if seen[c.N] {
				t.Fatalf("file %d is listed twice", c.N)
			}
			seen[c.N] = true
		}
		if res.Next == nil {
			break
		}
		req.Start = *res.Next
	}
	if len(seen) != pages*pictures || answers != 1 {
		t.Errorf("%d files in %d answers, want %d in 2", len(seen), answers+1, pages*pictures)
	}
}

// Where only the files inside are encrypted, the document reads without the password, and a file inside is encrypted for whoever lacks it.
func TestOnlyFilesAreEncrypted(t *testing.T) {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	note := w.Attachment("note.txt", "text/plain", []byte("hello"), "")
	open := w.Attachment("open.txt", "text/plain", []byte("open"), "/Filter/Crypt")
	tree, _ := w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), 1, func(int, []int) pdftest.Page { return pdftest.Page{Content: pdftest.Lines("page")} })
	w.Catalog(tree, "/AF[%d 0 R %d 0 R]", note, open)
	w.Encrypt(pdftest.Security{Revision: 4, Method: "Identity", Strings: "Identity", Files: "AESV2", User: "secret", Owner: "an owner"})
	doc := w.Table()
	for _, password := range []string{"", "wrong", "secret", "an owner"} {
		res := decodeBytes(t, doc, readapi.Request{Password: password})
		wantText(t, res, "page\n")
		if len(res.Children) != 2 || res.Children[0].Name != "note.txt" {
			t.Errorf("children %v", res.Children)
		}
		res, err := run(doc, readapi.Request{Child: []int{1}, MaxFileBytes: 100, Password: password})
		if password == "" || password == "wrong" {
			if readapi.CodeOf(err) != readapi.CodeEncrypted {
				t.Errorf("password %q: %v, want encrypted", password, err)
			}
		} else if err != nil || string(res.Files[0].Bytes) != "hello" {
			t.Errorf("password %q: %+v, %v", password, res, err)
		}
	}
}
