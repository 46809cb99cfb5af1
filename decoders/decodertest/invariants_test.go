package decodertest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// recorder is a testing.TB that remembers failures, so that a test can see the suite fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Error(a ...any)            { r.failures = append(r.failures, fmt.Sprint(a...)) }
func (r *recorder) Errorf(f string, a ...any) { r.failures = append(r.failures, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(a ...any)            { r.Error(a...); panic(fatal{}) }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); panic(fatal{}) }

type fatal struct{}

func record(t *testing.T, f func(testing.TB)) (failures []string) {
	r := &recorder{TB: t}
	defer func() {
		failures = r.failures
		if p := recover(); p != nil {
			if _, ok := p.(fatal); !ok {
				panic(p)
			}
		}
	}()
	f(r)
	return nil
}

// words is a sound decoder to be broken: each word is a unit; "!" is malformed.
func words(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	b := make([]byte, in.Size())
	if _, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
		return err
	}
	if strings.Contains(string(b), "!") {
		return pdk.Malformed("an exclamation mark")
	}
	fields := strings.Fields(strings.ToValidUTF8(string(b), "?"))
	for at := range w.Units(int64(len(fields))) {
		if err := w.Text(at, fields[at-1]); err != nil {
			return err
		}
	}
	return nil
}

func decoder(decode func(readapi.Input, *readapi.Request, *pdk.Writer) error) *pdk.Decoder {
	return &pdk.Decoder{
		Name: "words", Version: "1.0.0", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "word",
		Forms: []readapi.Form{readapi.FormText, readapi.FormSource}, Decode: decode,
	}
}

const sample = "eins zwei drei vier fünf sechs sieben acht neun zehn 十一 十二"

func TestInvariantsHold(t *testing.T) {
	for _, in := range []string{sample, "", "one", "!", "a\xffb c"} {
		Invariants(t, []byte(in), "text", Native(decoder(words)))
	}
}

// TestInvariantsHoldWithSeveralParts: a unit may have a text, a value and a text again, and an answer may end between any two of them.
func TestInvariantsHoldWithSeveralParts(t *testing.T) {
	several := func(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
		b := make([]byte, in.Size())
		if _, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
			return err
		}
		fields := strings.Fields(string(b))
		for at := range w.Units(int64(len(fields))) {
			if err := w.Text(at, fields[at-1]); err != nil {
				return err
			}
			if err := w.Data(at, len(fields[at-1])); err != nil {
				return err
			}
			for range 2 {
				if err := w.Text(at, "and then some"); err != nil {
					return err
				}
			}
		}
		return nil
	}
	Invariants(t, []byte(sample), "text", Native(decoder(several)))
}

// TestInvariantsFind breaks the sound decoder in one way at a time; the suite has to notice each.
func TestInvariantsFind(t *testing.T) {
	sound := Native(decoder(words))
	var calls int
	for _, c := range []struct {
		what   string
		decode Decode
	}{
		{"a panic", func(readapi.Input, readapi.Request) (readapi.Result, error) { panic("at the disco") }},
		{"internal", func(readapi.Input, readapi.Request) (readapi.Result, error) {
			return readapi.Result{}, io.ErrShortWrite
		}},
		{"a trap", func(readapi.Input, readapi.Request) (readapi.Result, error) {
			return readapi.Result{}, readapi.CodeTrap
		}},
		{"a kept state", func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
			calls++
			res, err := sound(in, req)
			res.Meta = map[string]any{"calls": calls}
			return res, err
		}},
		{"no unit", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Unit = "" })},
		{"invalid UTF-8", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Parts[0].Text = "\xff" })},
		{"invalid UTF-8 in a warning", change(sound, func(_ readapi.Request, r *readapi.Result) {
			r.Warnings = []readapi.Warning{{Code: "x", Detail: "\xff"}}
		})},
		{"a part out of order", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Parts[0].At = 99 })},
		{"covers too much", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Covers.To = 99 })},
		{"covers nothing", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Covers = readapi.Range{} })},
		{"no total", change(sound, func(_ readapi.Request, r *readapi.Result) { r.Total, r.AtLeast = 0, true })},
		{"no end of the walk", change(sound, func(req readapi.Request, r *readapi.Result) { r.Next = &readapi.Position{At: max(1, req.Start.At)} })},
		{"over the budget", func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
			req.MaxTokens, req.MaxBytes = 0, 0
			return sound(in, req)
		}},
		{"a unit lost between answers", change(sound, func(_ readapi.Request, r *readapi.Result) {
			if r.Next != nil && r.Next.At < 12 {
				r.Next.At++
			}
		})},
		{"units ignored", func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
			req.Units = nil
			return sound(in, req)
		}},
		{"an empty picture", change(sound, func(_ readapi.Request, r *readapi.Result) {
			r.Parts[0].Type, r.Parts[0].Image = readapi.PartImage, &readapi.Image{Width: 1, Height: 1}
		})},
	} {
		if got := record(t, func(tb testing.TB) { Invariants(tb, []byte(sample), "text", c.decode) }); len(got) == 0 {
			t.Errorf("%s is not found", c.what)
		}
	}
}

// change lets f spoil every good answer with parts.
func change(d Decode, f func(readapi.Request, *readapi.Result)) Decode {
	return func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
		res, err := d(in, req)
		if err == nil && len(res.Parts) > 0 {
			f(req, &res)
		}
		return res, err
	}
}

func TestCheckFinds(t *testing.T) {
	ok := Vector{Form: readapi.FormAuto, Data: []byte("a b"), TextSHA256: TextSum("ab")}
	if got := record(t, func(tb testing.TB) { Check(tb, ok, "text", Native(decoder(words))) }); got != nil {
		t.Fatalf("a sound vector fails: %v", got)
	}
	for what, spoil := range map[string]func(*Vector){
		"other text":         func(v *Vector) { v.TextSHA256 = TextSum("ba") },
		"a code":             func(v *Vector) { v.Expect = readapi.CodeMalformed },
		"no error":           func(v *Vector) { v.Data = []byte("!") },
		"a warning":          func(v *Vector) { v.Warnings = []string{readapi.WarnPartial} },
		"a picture":          func(v *Vector) { v.Image = ImageSize{1, 1, ""} },
		"units":              func(v *Vector) { v.Units = []readapi.Range{{From: 1, To: 1}} },
		"a form not offered": func(v *Vector) { v.Form = readapi.FormImage },
	} {
		v := ok
		spoil(&v)
		if got := record(t, func(tb testing.TB) { Check(tb, v, "text", Native(decoder(words))) }); len(got) == 0 {
			t.Errorf("%s is not found", what)
		}
	}
}

func TestGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kind")
	vectors := []Vector{{Name: "a", Data: []byte("x"), Form: readapi.FormAuto}, {Name: "b", Expect: readapi.CodeMalformed, Form: readapi.FormAuto}}
	Golden(t, dir, vectors, true)
	Golden(t, dir, vectors, false)
	if err := os.WriteFile(filepath.Join(dir, "stray"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	Golden(t, dir, vectors[:1], true)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "a" {
		t.Errorf("after an update there are %v, %v", entries, err)
	}
}
