package host_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// input is an Input of any behaviour.
type input struct {
	size int64
	read func(p []byte, off int64) (int, error)
}

func (i *input) Size() int64                             { return i.size }
func (i *input) ReadAt(p []byte, off int64) (int, error) { return i.read(p, off) }

// longPDF is a PDF of more bytes than the sniffer looks at.
var longPDF = aPDF + strings.Repeat("% more\n", 100_000)

// failing is a decoder that fails with code, whatever the bytes.
func failing(code readapi.Code) fakes {
	return fakes{pdfs(func(*pdk.Writer) error { return &readapi.Error{Code: code} })}
}

// Nothing reads the input any more when a read has returned: the caller may close it or use its memory again. The digest, which is
// computed beside the decode, used to go on behind a decoder's error.
func TestInputIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside atomic.Int64
		in := &input{size: int64(len(longPDF)), read: func(p []byte, off int64) (int, error) {
			inside.Add(1)
			defer inside.Add(-1)
			time.Sleep(time.Second)
			return strings.NewReader(longPDF).ReadAt(p, off)
		}}
		_, err := reader(t, failing(readapi.CodeEncrypted)).Read(t.Context(), host.File{Input: in, Name: "a.pdf"}, readapi.Selection{})
		if readapi.CodeOf(err) != readapi.CodeEncrypted {
			t.Errorf("got %v, want encrypted", err)
		}
		if n := inside.Load(); n != 0 {
			t.Errorf("%d reads of the input are under way behind the read", n)
		}
	})
}

// A reader that blocks for good does not hold up a read whose context ends, wherever it is reading.
func TestBlockedInput(t *testing.T) {
	for name, at := range map[string]int64{"at its beginning": 0, "further on": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				in := &input{size: int64(len(longPDF)), read: func(p []byte, off int64) (int, error) {
					if off >= at {
						<-release
					}
					return strings.NewReader(longPDF).ReadAt(p, off)
				}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				r := reader(t, fakes{pdfs(func(*pdk.Writer) error { return nil })})
				f := host.File{Input: in, Name: "a.pdf"}
				_, err := r.Read(ctx, f, readapi.Selection{})
				if e, ok := err.(*readapi.Error); !ok || e.Code != readapi.CodeLimitTime || e.Limit != nil {
					t.Errorf("the caller's deadline: %v, want limit_time without a limit of ours", err)
				}
				f.Limits = &readapi.Limits{Timeout: 1500 * time.Millisecond}
				_, err = r.Read(t.Context(), f, readapi.Selection{})
				if e, ok := err.(*readapi.Error); !ok || e.Code != readapi.CodeLimitTime || e.Limit == nil || e.Limit.Value != 1500 {
					t.Errorf("the read's own limit: %v, want limit_time with it", err)
				}
			})
		})
	}
}

func TestBadInput(t *testing.T) {
	content := strings.NewReader(longPDF)
	good := fakes{pdfs(func(*pdk.Writer) error { return nil })}
	for name, c := range map[string]struct {
		in   *input
		want readapi.Code
	}{
		"whole":          {&input{int64(len(longPDF)), content.ReadAt}, ""},
		"negative size":  {&input{-1, content.ReadAt}, readapi.CodeInvalidRequest},
		"became shorter": {&input{int64(len(longPDF)) + 1, content.ReadAt}, readapi.CodeMalformed},
		"panics at once": {&input{100, func([]byte, int64) (int, error) { panic("on purpose") }}, readapi.CodeNotFound},
		"panics further on": {&input{int64(len(longPDF)), func(p []byte, off int64) (int, error) {
			if off > 0 {
				panic("on purpose")
			}
			return content.ReadAt(p, off)
		}}, readapi.CodeNotFound},
		"fails further on": {&input{int64(len(longPDF)), func(p []byte, off int64) (int, error) {
			if off > 0 {
				return 0, io.ErrClosedPipe
			}
			return content.ReadAt(p, off)
		}}, readapi.CodeNotFound},
	} {
		if _, err := reader(t, good).Read(t.Context(), host.File{Input: c.in, Name: "a.pdf"}, readapi.Selection{}); readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// An empty text is an answer, but not to every question.
func TestEmptyTextSelections(t *testing.T) {
	r := reader(t, fakes{lines(digestA)})
	doc, err := r.Read(t.Context(), file("a.txt", strings.Repeat("a line\n", 100)), readapi.Selection{MaxTokens: 10})
	if err != nil || doc.Next == "" {
		t.Fatal(doc, err)
	}
	for name, c := range map[string]struct {
		sel  readapi.Selection
		want readapi.Code
	}{
		"all":                {readapi.Selection{}, ""},
		"source":             {readapi.Selection{Form: readapi.FormSource}, ""},
		"image":              {readapi.Selection{Form: readapi.FormImage}, readapi.CodeInvalidRequest},
		"no such form":       {readapi.Selection{Form: "audio"}, readapi.CodeInvalidRequest},
		"a line":             {readapi.Selection{Units: []readapi.Range{{From: 1}}}, readapi.CodeInvalidRequest},
		"a child":            {readapi.Selection{Child: []int{1}}, readapi.CodeInvalidRequest},
		"negative budget":    {readapi.Selection{MaxBytes: -1}, readapi.CodeInvalidRequest},
		"no cursor":          {readapi.Selection{Cursor: "x"}, readapi.CodeInvalidRequest},
		"cursor of a former": {readapi.Selection{Cursor: doc.Next}, readapi.CodeStaleCursor},
	} {
		doc, err := r.Read(t.Context(), file("a.txt", ""), c.sel)
		if readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && doc.Decoder.Digest != digestA {
			t.Errorf("%s: the decoder is %+v", name, doc.Decoder)
		}
	}
}

// vanishing are decoders that go away between Accepts and Decode.
type vanishing struct {
	fakes
	gone *bool
}

func (v vanishing) Accepts(m readapi.MediaType) []readapi.DecoderInfo {
	if *v.gone {
		return nil
	}
	return v.fakes.Accepts(m)
}

func (v vanishing) Decode(context.Context, readapi.DecoderInfo, readapi.Decoding) (readapi.Result, error) {
	*v.gone = true
	return readapi.Result{}, readapi.CodeNotFound
}

// A decoder that is removed while a read begins is as if it had not been there; it is no missing attachment.
func TestVanishedDecoder(t *testing.T) {
	_, err := reader(t, vanishing{fakes{lines(digestA)}, new(bool)}).Read(t.Context(), file("a.txt", "a\n"), readapi.Selection{})
	if readapi.CodeOf(err) != readapi.CodeUnsupportedKind {
		t.Errorf("got %v, want unsupported_kind", err)
	}
}

// The largest budgets are budgets like any other.
func TestHugeBudgets(t *testing.T) {
	content := strings.Repeat("some words on a line\n", 100)
	for _, n := range []int64{math.MaxInt64, 1<<62 + 1, math.MaxInt64 / 4} {
		lim := readapi.Limits{MaxOutputBytes: n, MaxTokens: n}
		f := host.File{Input: bytes.NewReader([]byte(content)), Name: "a.txt", Limits: &lim}
		doc, err := reader(t, fakes{lines(digestA)}).Read(t.Context(), f, readapi.Selection{MaxTokens: n, MaxBytes: n})
		if err != nil || doc.Next != "" {
			t.Errorf("%d: %+v, %v", n, doc, err)
		}
	}
}

// Budgets are of the answer as it leaves: escaping makes six characters of one.
func TestBudgetOfWhatLeaves(t *testing.T) {
	content := strings.Repeat("a"+strings.Repeat("\x7f", 50)+"\n", 100)
	r := reader(t, fakes{pdfs(func(w *pdk.Writer) error {
		for at := range w.Units(3) {
			if err := w.Text(at, content); err != nil {
				return err
			}
		}
		return nil
	})})
	for _, sel := range []readapi.Selection{{MaxTokens: 100}, {MaxTokens: -1, MaxBytes: 1000}} {
		doc, err := r.Read(t.Context(), file("a.pdf", aPDF), sel)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range doc.Parts {
			n += len(p.Text)
		}
		if sel.MaxTokens > 0 && doc.Usage.EstTokens > sel.MaxTokens || sel.MaxBytes > 0 && int64(n) > sel.MaxBytes || n == 0 {
			t.Errorf("%+v: %d tokens, %d bytes", sel, doc.Usage.EstTokens, n)
		}
	}
}
