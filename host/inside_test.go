package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var digestBox = strings.Repeat("b0", 32)

// boxes is the decoder of archives, natively.
func boxes() fake { return fake{boxtest.Decoder, digestBox} }

func text(name, content string) boxtest.Entry {
	return boxtest.Entry{Name: name, Data: []byte(content)}
}

func child(t testing.TB, path string) []int {
	t.Helper()
	out, err := readapi.ParseChild(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file inside a file is read down to the fourth level, and the answer is about it.
func TestChild(t *testing.T) {
	r := reader(t, fakes{boxes(), lines(digestA)})
	const leaf = "one\ntwo\nthree\n"
	sum := sha256.Sum256([]byte(leaf))
	for depth := 1; depth <= readapi.MaxChildDepth; depth++ {
		data := string(boxtest.Nest(depth, text("leaf.txt", leaf)))
		path := strings.TrimSuffix(strings.Repeat("2/", depth), "/")
		doc, err := r.Read(t.Context(), file("box.zip", data), readapi.Selection{Child: child(t, path)})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if doc.Name != "leaf.txt" || doc.MediaType != "text/plain" || doc.Bytes != int64(len(leaf)) || doc.SHA256 != hex.EncodeToString(sum[:]) ||
			doc.Child != path || doc.Decoder.Digest != digestA || doc.Unit != readapi.UnitLine || doc.Total != 3 || doc.Kind != readapi.KindOther {
			t.Errorf("%s: %+v", path, doc)
		}
		doc, err = r.Read(t.Context(), file("box.zip", data), readapi.Selection{Child: child(t, path), Units: []readapi.Range{{From: 2, To: 2}}, Form: readapi.FormSource})
		if err != nil || len(doc.Parts) != 1 || doc.Parts[0].Text != "two\n" {
			t.Errorf("%s, line 2: %+v, %v", path, doc, err)
		}
	}
	data := string(boxtest.Nest(2, text("leaf.txt", leaf)))
	doc, err := r.Read(t.Context(), file("box.zip", data), readapi.Selection{Child: []int{2}})
	if err != nil || len(doc.Children) != 2 || doc.Children[1].Name != "leaf.txt" || doc.Name != "inner.zip" {
		t.Errorf("an archive inside: %+v, %v", doc, err)
	}
}

// Each way in which a child cannot be read has its code, and none of them takes back that the file around it can.
func TestChildRefusals(t *testing.T) {
	r := reader(t, fakes{boxes(), lines(digestA)})
	big := strings.Repeat("x", 3000)
	data := string(boxtest.Zip("", text("a.txt", "text\n"), text("b.bin", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\xff\xfe\xfd"), text("empty", ""),
		text("empty.txt", ""), text("big.txt", big), text("bad.zip", "PK\x03\x04\x14\x00\x00\x00\xff\xfe\x01\x02\x03\x80\x81\x00\x00"), boxtest.Entry{Name: "locked.zip", Data: boxtest.Zip("secret", text("a", "b"))}))
	nested := string(boxtest.Nest(6, text("leaf.txt", "leaf")))
	small := &readapi.Limits{MaxInputBytes: int64(len(data)), MaxOutputBytes: 100}
	for name, c := range map[string]struct {
		data string
		sel  readapi.Selection
		lim  *readapi.Limits
		want readapi.Code
		says string
	}{
		"no such child":   {data, readapi.Selection{Child: []int{9}}, nil, readapi.CodeInvalidRequest, ""},
		"child 0":         {data, readapi.Selection{Child: []int{0}}, nil, readapi.CodeInvalidRequest, ""},
		"none inside it":  {data, readapi.Selection{Child: []int{1, 2}}, nil, readapi.CodeInvalidRequest, "file 1 "},
		"no decoder":      {data, readapi.Selection{Child: []int{2}}, nil, readapi.CodeUnsupportedFeature, "no decoder reads application/octet-stream"},
		"empty":           {data, readapi.Selection{Child: []int{3}}, nil, readapi.CodeMalformed, "file 3 inside it: the file is empty"},
		"empty text":      {data, readapi.Selection{Child: []int{4}}, nil, "", ""},
		"inside empty":    {data, readapi.Selection{Child: []int{4, 1}}, nil, readapi.CodeInvalidRequest, "file 4 "},
		"too much output": {data, readapi.Selection{Child: []int{5}, MaxTokens: -1}, small, "", ""}, // cut, as any text
		"damaged":         {data, readapi.Selection{Child: []int{6}}, nil, readapi.CodeMalformed, "file 6 "},
		"locked":          {data, readapi.Selection{Child: []int{7}}, nil, readapi.CodeEncrypted, "file 7 "},
		"inside locked":   {data, readapi.Selection{Child: []int{7, 1}}, nil, readapi.CodeEncrypted, "file 7 "},
		"no such line":    {data, readapi.Selection{Child: []int{1}, Units: []readapi.Range{{From: 9, To: 9}}}, nil, readapi.CodeInvalidRequest, "file 1 "},
		"no such form":    {data, readapi.Selection{Child: []int{1}, Form: readapi.FormImage}, nil, readapi.CodeInvalidRequest, ""},
		"five deep":       {nested, readapi.Selection{Child: []int{2, 2, 2, 2, 2}}, nil, readapi.CodeLimitDepth, ""},
		"a text has none": {"just text\n", readapi.Selection{Child: []int{1}}, nil, readapi.CodeInvalidRequest, "no files inside"},
	} {
		f := file("box.zip", c.data)
		f.Limits = c.lim
		_, err := r.Read(t.Context(), f, c.sel)
		if wantCode(t, name, err, c.want); err != nil && !strings.Contains(err.(*readapi.Error).Message(), c.says) {
			t.Errorf("%s: %q does not say %q", name, err.(*readapi.Error).Message(), c.says)
		}
	}
}

// bomb is a decoder of archives whose file inside is n bytes, however large the archive is.
func bomb(n int) fake {
	d, inner := boxtest.Decoder, boxtest.Zip("", text("a.txt", "a"))
	d.Decode = func(_ readapi.Input, req *readapi.Request, w *pdk.Writer) error {
		if len(req.Child) == 0 {
			return w.Text(1, "a bomb\n")
		}
		return w.File(0, readapi.Child{N: 1, Name: "inner.zip"}, append(inner, make([]byte, n-len(inner))...))
	}
	return fake{d, digestBox}
}

// What is unpacked is bounded for the whole way down, and a picture is bounded as pictures are.
func TestChildBytes(t *testing.T) {
	lim := &readapi.Limits{MaxInputBytes: 100_000, MaxImageInputBytes: 50_000}
	read := func(n int, path ...int) error {
		f := file("box.zip", string(boxtest.Zip("", text("a.txt", "a"))))
		f.Limits = lim
		_, err := reader(t, fakes{bomb(n)}).Read(t.Context(), f, readapi.Selection{Child: path})
		return err
	}
	for name, c := range map[string]struct {
		n      int
		path   []int
		want   readapi.Code
		actual int64
	}{
		"exactly the limit":    {100_000, []int{1}, "", 0},
		"one more":             {100_001, []int{1}, readapi.CodeLimitOutput, 100_001},
		"two that fit":         {50_000, []int{1, 1}, "", 0},
		"two that do not":      {50_001, []int{1, 1}, readapi.CodeLimitOutput, 100_002},
		"three that fit":       {33_333, []int{1, 1, 1}, "", 0},
		"four that do not":     {33_333, []int{1, 1, 1, 1}, readapi.CodeLimitOutput, 133_332},
		"nothing left at all":  {50_000, []int{1, 1, 1}, readapi.CodeLimitOutput, 0},
		"four that fit at all": {25_000, []int{1, 1, 1, 1}, "", 0},
	} {
		err := read(c.n, c.path...)
		wantCode(t, name, err, c.want)
		if e, ok := err.(*readapi.Error); ok && (e.Limit == nil || e.Limit.Name != "max_input_bytes" || e.Limit.Value != 100_000 || c.actual > 0 && e.Limit.Actual != c.actual) {
			t.Errorf("%s: %+v", name, e.Limit)
		}
	}
}

// metered are decoders each of whose reads takes so much fuel, and fails where there is less.
type metered struct {
	fakes
	fuel  int64
	reads *atomic.Int64
}

func (m metered) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	m.reads.Add(1)
	if d.Limits.Fuel < m.fuel {
		return readapi.Result{Usage: readapi.Usage{Fuel: d.Limits.Fuel}}, &readapi.Error{Code: readapi.CodeLimitFuel, Limit: &readapi.LimitHit{Name: "fuel", Value: d.Limits.Fuel}}
	}
	res, err := m.fakes.Decode(ctx, info, d)
	res.Usage = readapi.Usage{Fuel: m.fuel, MemoryBytes: d.Input.Size()}
	return res, err
}

// Fuel is the whole read's: a way of four takes five reads, and has the budget of one.
func TestChildFuel(t *testing.T) {
	data := string(boxtest.Nest(4, text("leaf.txt", "leaf")))
	for fuel, want := range map[int64]readapi.Code{500: "", 499: readapi.CodeLimitFuel, 400: readapi.CodeLimitFuel, 100: readapi.CodeLimitFuel} {
		m := metered{fakes{boxes(), lines(digestA)}, 100, &atomic.Int64{}}
		f := file("box.zip", data)
		f.Limits = &readapi.Limits{Fuel: fuel}
		doc, err := reader(t, m).Read(t.Context(), f, readapi.Selection{Child: []int{2, 2, 2, 2}})
		wantCode(t, fmt.Sprint(fuel, " units"), err, want)
		if err == nil && (doc.Usage.Fuel != 500 || doc.Usage.MemoryBytes != int64(len(data))) {
			t.Errorf("usage %+v", doc.Usage)
		}
		if want != "" && m.reads.Load() > fuel/100+1 {
			t.Errorf("%d units: %d decodes", fuel, m.reads.Load())
		}
	}
	// A decoder that refuses the bytes has worked too.
	m := metered{fakes{pdfs(func(*pdk.Writer) error { return pdk.Malformed("") }), lines(digestA)}, 100, &atomic.Int64{}}
	for fuel, want := range map[int64]readapi.Code{200: "", 199: readapi.CodeMalformed} {
		prose := file("a.txt", "%PDF-1.7 is what such a file begins with.\n")
		prose.Limits = &readapi.Limits{Fuel: fuel}
		_, err := reader(t, m).Read(t.Context(), prose, readapi.Selection{})
		wantCode(t, fmt.Sprint("a text behind a refusal, ", fuel), err, want)
	}
}

// A cursor into a file inside a file belongs to the bytes around it and to all decoders on the way.
func TestChildCursor(t *testing.T) {
	leaf := strings.Repeat("some words on a line\n", 300)
	data := string(boxtest.Nest(2, text("leaf.txt", leaf)))
	r := reader(t, fakes{boxes(), lines(digestA)})
	walk := func(sel readapi.Selection) (text, last string) {
		var b strings.Builder
		for n := 0; ; n++ {
			doc, err := r.Read(t.Context(), file("box.zip", data), sel)
			if err != nil || n > 500 || doc.Child != "2/2" {
				t.Fatalf("answer %d: %+v, %v", n, doc, err)
			}
			for _, p := range doc.Parts {
				b.WriteString(p.Text)
			}
			if doc.Next == "" {
				return b.String(), last
			}
			sel = readapi.Selection{Cursor: doc.Next, MaxTokens: sel.MaxTokens}
			last = doc.Next
		}
	}
	got, next := walk(readapi.Selection{Child: []int{2, 2}, MaxTokens: 100})
	if got != leaf && got+"\n" != leaf {
		t.Errorf("the walk gave %d bytes, want %d", len(got), len(leaf))
	}
	otherBox := boxes()
	otherBox.digest = digestB
	doc, err := r.Read(t.Context(), file("leaf.txt", leaf), readapi.Selection{MaxTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		r    *host.Reader
		data string
		sel  readapi.Selection
		want readapi.Code
	}{
		"the same":             {r, data, readapi.Selection{Cursor: next}, ""},
		"another box":          {r, string(boxtest.Nest(2, text("leaf.txt", leaf+"x"))), readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"the leaf alone":       {r, leaf, readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"cursor of the leaf":   {r, data, readapi.Selection{Cursor: doc.Next}, readapi.CodeStaleCursor},
		"another decoder":      {reader(t, fakes{boxes(), lines(digestB)}), data, readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"another box decoder":  {reader(t, fakes{otherBox, lines(digestA)}), data, readapi.Selection{Cursor: next}, readapi.CodeStaleCursor},
		"a cursor and a child": {r, data, readapi.Selection{Cursor: next, Child: []int{2, 2}}, readapi.CodeInvalidRequest},
	} {
		_, err := c.r.Read(t.Context(), file("box.zip", c.data), c.sel)
		wantCode(t, name, err, c.want)
	}
}

// asking are decoders that remember the digests and passwords that they were asked with.
type asking struct {
	fakes
	digests, passwords []string
}

func (a *asking) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	a.digests, a.passwords = append(a.digests, d.SHA256()), append(a.passwords, d.Request.Password)
	return a.fakes.Decode(ctx, info, d)
}

// A file that a decoder fails with is known by its own digest, wherever it lies.
func TestChildDigest(t *testing.T) {
	a := &asking{fakes: fakes{boxes(), lines(digestA)}}
	leaf := text("leaf.txt", "leaf")
	if _, err := reader(t, a).Read(t.Context(), file("box.zip", string(boxtest.Nest(2, leaf))), readapi.Selection{Child: []int{2, 2}}); err != nil {
		t.Fatal(err)
	}
	for i, b := range [][]byte{boxtest.Nest(2, leaf), boxtest.Nest(1, leaf), leaf.Data} {
		sum := sha256.Sum256(b)
		if want := hex.EncodeToString(sum[:]); i >= len(a.digests) || a.digests[i] != want {
			t.Fatalf("the %dth decode is of %v, want %s", i, a.digests, want)
		}
	}
}

// A password opens the file, and what is inside it; it is asked for where it lacks and is in no error and no cursor.
func TestPassword(t *testing.T) {
	const secret = "päss wörd"
	lots := strings.Repeat("some words on a line\n", 100)
	data := string(boxtest.Zip(secret, text("a.txt", "one\n"), boxtest.Entry{Name: "b.zip", Data: boxtest.Zip(secret, text("c.txt", lots))}))
	r := reader(t, fakes{boxes(), lines(digestA)})
	read := func(sel readapi.Selection) (*readapi.Document, error) {
		return r.Read(t.Context(), file("box.zip", data), sel)
	}
	hint := func(err error) string {
		if e, ok := err.(*readapi.Error); ok {
			if strings.Contains(e.Error()+e.Message()+e.Hint, "wörd") {
				t.Errorf("the password is in %v", e)
			}
			return e.Hint
		}
		return ""
	}
	_, err := read(readapi.Selection{})
	if wantCode(t, "no password", err, readapi.CodeEncrypted); !strings.Contains(hint(err), "Give the password") {
		t.Errorf("hint %q", hint(err))
	}
	_, err = read(readapi.Selection{Password: "wörd"})
	if wantCode(t, "another password", err, readapi.CodeEncrypted); !strings.Contains(hint(err), "does not open") {
		t.Errorf("hint %q", hint(err))
	}
	_, err = read(readapi.Selection{Password: strings.Repeat("x", 5000)})
	wantCode(t, "a long password", err, readapi.CodeInvalidRequest)
	if doc, err := read(readapi.Selection{Password: secret}); err != nil || len(doc.Children) != 2 {
		t.Errorf("the password: %+v, %v", doc, err)
	}
	doc, err := read(readapi.Selection{Password: secret, Child: []int{2, 1}, MaxTokens: 100})
	if err != nil || doc.Next == "" || strings.Contains(doc.Next, "w") && strings.Contains(doc.Next, secret) {
		t.Fatalf("inside: %+v, %v", doc, err)
	}
	_, err = read(readapi.Selection{Cursor: doc.Next})
	if wantCode(t, "a cursor without it", err, readapi.CodeEncrypted); !strings.Contains(hint(err), "again") {
		t.Errorf("hint %q", hint(err))
	}
	if doc, err = read(readapi.Selection{Cursor: doc.Next, Password: secret}); err != nil || doc.Child != "2/1" {
		t.Errorf("a cursor with it: %+v, %v", doc, err)
	}
}
