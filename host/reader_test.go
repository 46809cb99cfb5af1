package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fakes are decoders that run natively, in order.
type fakes []fake

type fake struct {
	pdk.Decoder
	digest string
}

func (f fakes) Accepts(m readapi.MediaType) (out []readapi.DecoderInfo) {
	for _, d := range f {
		for _, t := range d.MediaTypes {
			if t == m {
				out = append(out, readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.digest})
			}
		}
	}
	return out
}

func (f fakes) All() (out []readapi.DecoderInfo) {
	for _, d := range f {
		out = append(out, readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.digest})
	}
	return out
}

func (f fakes) Decode(_ context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	in, req := d.Input, d.Request
	for i := range f {
		if f[i].digest == info.Digest {
			res, err := pdk.Run(&f[i].Decoder, in, req)
			res.Decoder = info
			return res, err
		}
	}
	return readapi.Result{}, &readapi.Error{Code: readapi.CodeNotFound}
}

// lines is a decoder of text by lines, as simple as can be.
func lines(digest string) fake {
	return fake{pdk.Decoder{
		Name: "lines", Version: "1", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: readapi.UnitLine, Forms: []readapi.Form{readapi.FormSource},
		Decode: func(in readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
			b, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
			if err != nil {
				return err
			}
			all := strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
			for at := range w.Units(int64(len(all))) {
				if err := w.Line(at, all[at-1]); err != nil {
					return err
				}
			}
			return nil
		},
	}, digest}
}

// pdfs is a decoder that answers every PDF with whatever emit does.
func pdfs(emit func(w *pdk.Writer) error) fake {
	return fake{pdk.Decoder{
		Name: "pdf", Version: "1", MediaTypes: []readapi.MediaType{"application/pdf"}, Unit: readapi.UnitPage, Forms: []readapi.Form{readapi.FormImage},
		Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error { return emit(w) },
	}, strings.Repeat("cd", 32)}
}

const aPDF = "%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"

var digestA, digestB = strings.Repeat("aa", 32), strings.Repeat("bb", 32)

func file(name, content string) host.File {
	return host.File{Input: strings.NewReader(content), Name: name}
}

func reader(t *testing.T, d host.Decoders) *host.Reader {
	t.Helper()
	r, err := host.NewReader(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRead(t *testing.T) {
	doc, err := reader(t, fakes{lines(digestA)}).Read(t.Context(), file("a.txt", "one\ntwo\n"), readapi.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("one\ntwo\n"))
	if doc.SHA256 != hex.EncodeToString(sum[:]) || doc.MediaType != "text/plain" || doc.Unit != readapi.UnitLine || doc.Total != 2 ||
		doc.Bytes != 8 || doc.Next != "" || doc.Parts[0].Text != "one\ntwo" && doc.Parts[0].Text != "one\ntwo\n" || doc.Parts[0].Unit != readapi.UnitLine ||
		doc.Decoder.Digest != digestA || doc.Usage.EstTokens == 0 {
		t.Errorf("got %+v", doc)
	}
}

func TestCursorWalk(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "line number %d\n", i+1)
	}
	r := reader(t, fakes{lines(digestA)})
	var got strings.Builder
	sel := readapi.Selection{MaxTokens: 100}
	for n := 0; ; n++ {
		doc, err := r.Read(t.Context(), file("a.txt", text.String()), sel)
		if err != nil || n > 500 {
			t.Fatal(n, err)
		}
		for _, p := range doc.Parts {
			got.WriteString(p.Text)
		}
		if doc.Next == "" {
			break
		}
		sel.Cursor = doc.Next
	}
	if want := strings.TrimSuffix(text.String(), "\n"); got.String() != want && got.String() != text.String() {
		t.Errorf("the walk gave %d bytes, want %d", got.Len(), text.Len())
	}
}

func TestCursorErrors(t *testing.T) {
	content := strings.Repeat("some words on a line\n", 100)
	r := reader(t, fakes{lines(digestA)})
	doc, err := r.Read(t.Context(), file("a.txt", content), readapi.Selection{MaxTokens: 20})
	if err != nil || doc.Next == "" {
		t.Fatalf("%+v, %v", doc, err)
	}
	next := doc.Next
	newer := reader(t, fakes{lines(digestB)})
	for name, c := range map[string]struct {
		r    *host.Reader
		f    host.File
		sel  readapi.Selection
		want readapi.Code
	}{
		"other file":       {r, file("a.txt", content+"x"), readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"other decoder":    {newer, file("a.txt", content), readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"mistyped":         {r, file("a.txt", content), readapi.Selection{Cursor: next[1:]}, readapi.CodeInvalidRequest},
		"units and cursor": {r, file("a.txt", content), readapi.Selection{Cursor: next, Units: []readapi.Range{{From: 1, To: 1}}}, readapi.CodeInvalidRequest},
		"other form":       {r, file("a.txt", content), readapi.Selection{Cursor: next, Form: readapi.FormSource}, readapi.CodeInvalidRequest},
	} {
		_, err := c.r.Read(t.Context(), c.f, c.sel)
		if readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if e, ok := err.(*readapi.Error); ok && c.want == readapi.CodeStaleCursor && (e.Limit == nil || e.Limit.Name != "unit" || e.Limit.Value < 2) {
			t.Errorf("%s: does not say where to start again: %+v", name, e)
		}
	}
}

func TestRefusals(t *testing.T) {
	r := reader(t, fakes{lines(digestA)})
	small := readapi.Limits{MaxInputBytes: 4}
	for name, c := range map[string]struct {
		f    host.File
		sel  readapi.Selection
		want readapi.Code
	}{
		"no decoder":          {file("a.pdf", aPDF), readapi.Selection{}, readapi.CodeUnsupportedKind},
		"binary":              {file("a.txt", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\xff\xfe\xfd"), readapi.Selection{}, readapi.CodeUnsupportedKind},
		"too large":           {host.File{Input: strings.NewReader("12345"), Name: "a.txt", Limits: &small}, readapi.Selection{}, readapi.CodeTooLarge},
		"empty, no text":      {file("a.pdf", ""), readapi.Selection{}, readapi.CodeMalformed},
		"unit beyond end":     {file("a.txt", "a\n"), readapi.Selection{Units: []readapi.Range{{From: 9, To: 9}}}, readapi.CodeInvalidRequest},
		"form not there":      {file("a.txt", "a\n"), readapi.Selection{Form: readapi.FormImage}, readapi.CodeInvalidRequest},
		"no such form":        {file("a.txt", "a\n"), readapi.Selection{Form: "audio"}, readapi.CodeInvalidRequest},
		"negative budget":     {file("a.txt", "a\n"), readapi.Selection{MaxBytes: -1}, readapi.CodeInvalidRequest},
		"input that vanishes": {host.File{Input: broken{}, Name: "a.txt"}, readapi.Selection{}, readapi.CodeNotFound},
	} {
		if _, err := r.Read(t.Context(), c.f, c.sel); readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	ok := readapi.Limits{MaxInputBytes: 5} // exactly the limit is not too large
	if _, err := r.Read(t.Context(), host.File{Input: strings.NewReader("12345"), Name: "a.txt", Limits: &ok}, readapi.Selection{}); err != nil {
		t.Errorf("a file of exactly the limit: %v", err)
	}
}

// broken is an input whose bytes cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, io.ErrUnexpectedEOF }
func (broken) Size() int64                       { return 100 }

func TestEmptyText(t *testing.T) {
	doc, err := reader(t, fakes{}).Read(t.Context(), file("a.txt", ""), readapi.Selection{})
	if err != nil || len(doc.Parts) != 0 || doc.Total != 0 || doc.SHA256 == "" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

// A decoder that refuses the bytes hands them on; the answer says what the file turned out to be.
func TestFallThrough(t *testing.T) {
	refuse := pdfs(func(*pdk.Writer) error { return pdk.Malformed("no objects") })
	prose := "The header of such a file is %PDF-1.7 and then come objects.\n"
	doc, err := reader(t, fakes{refuse, lines(digestA)}).Read(t.Context(), file("a.txt", prose), readapi.Selection{})
	if err != nil || doc.MediaType != "text/plain" {
		t.Errorf("prose about PDF: %+v, %v", doc, err)
	}
	// A real PDF that is damaged is not text.
	if _, err := reader(t, fakes{refuse, lines(digestA)}).Read(t.Context(), file("a.pdf", aPDF+"\x00\xff\xfe\x01"), readapi.Selection{}); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("a damaged PDF: %v, want malformed_input", err)
	}
	// Any other refusal ends the read.
	locked := pdfs(func(*pdk.Writer) error { return pdk.Encrypted("") })
	if _, err := reader(t, fakes{locked, refuse}).Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{}); readapi.CodeOf(err) != readapi.CodeEncrypted {
		t.Errorf("an encrypted PDF: %v", err)
	}
}

func TestWhatLeaves(t *testing.T) {
	pic := func(w, h int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		emit func(w *pdk.Writer) error
		want readapi.Code
	}{
		"good picture":          {func(w *pdk.Writer) error { return w.Image(1, "image/png", 3, 2, pic(3, 2)) }, ""},
		"picture of other size": {func(w *pdk.Writer) error { return w.Image(1, "image/png", 3, 3, pic(3, 2)) }, readapi.CodeBadOutput},
		"picture of other type": {func(w *pdk.Writer) error { return w.Image(1, "image/jpeg", 3, 2, pic(3, 2)) }, readapi.CodeBadOutput},
		"no picture":            {func(w *pdk.Writer) error { return w.Image(1, "image/png", 3, 2, []byte("<script>")) }, readapi.CodeBadOutput},
		"huge picture":          {func(w *pdk.Writer) error { return w.Image(1, "image/png", 20000, 1, pic(20000, 1)) }, readapi.CodeBadOutput},
	} {
		if _, err := reader(t, fakes{pdfs(c.emit)}).Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{}); readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Nothing that a reader would not see leaves as it is: not in text, names, meta or warnings, unless it was asked for.
func TestHidden(t *testing.T) {
	const evil = "a\u202eb\x1b[2J\U000E0041"
	d := fakes{pdfs(func(w *pdk.Writer) error {
		w.Meta(map[string]any{"title": evil, "list": []any{evil}, evil: map[string]any{"k": evil}})
		w.Warn("partial", evil, 1)
		w.Child(readapi.Child{N: 1, Name: evil})
		w.Data(1, []string{evil})
		return w.Text(1, evil)
	})}
	doc, err := reader(t, d).Read(t.Context(), file(evil+".pdf", aPDF), readapi.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(string(b), readapi.Hidden); i >= 0 {
		t.Errorf("a hidden character leaves: %q", b[max(0, i-20):min(len(b), i+20)])
	}
	if strings.Contains(string(b), `\u001b`) || strings.Contains(string(b), `\u202e`) {
		t.Errorf("a hidden character leaves as a JSON escape: %s", b)
	}
	if w := doc.Warnings[len(doc.Warnings)-1]; w.Code != readapi.WarnHiddenText {
		t.Errorf("no hidden_text warning: %+v", doc.Warnings)
	}
	doc, err = reader(t, d).Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{Unescaped: true})
	if err != nil || doc.Parts[len(doc.Parts)-1].Text != evil {
		t.Errorf("unescaped: %+v, %v", doc, err)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := reader(t, fakes{lines(digestA)}).Read(ctx, file("a.txt", "a\n"), readapi.Selection{})
	if c := readapi.CodeOf(err); c != readapi.CodeCanceled {
		t.Errorf("got %v, want canceled", err)
	}
}
