package json

import (
	stdjson "encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pieces gives text in pieces of n bytes, each in memory that is overwritten when the next one is asked for.
func pieces(text string, n int) func() ([]byte, error) {
	var last []byte
	return func() ([]byte, error) {
		for i := range last {
			last[i] = '!'
		}
		if text == "" {
			return nil, io.EOF
		}
		last = []byte(text[:min(n, len(text))])
		text = text[len(last):]
		return last, nil
	}
}

// value reads the next value as encoding/json gives it with UseNumber, by t and the tokens behind it.
func value(r *Reader, t Token) (any, error) {
	switch t.Kind {
	case String:
		return t.Text(), nil
	case Number:
		return stdjson.Number(t.Text()), nil
	case True, False:
		return t.Kind == True, nil
	case Null:
		return nil, nil
	}
	list, object := []any{}, map[string]any{}
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case ArrayEnd:
			return list, nil
		case ObjectEnd:
			return object, nil
		case Key:
			key := e.Text()
			if e, err = r.Next(); err != nil {
				return nil, err
			}
			if object[key], err = value(r, e); err != nil {
				return nil, err
			}
		default:
			v, err := value(r, e)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	}
}

func whole(text string, n int) (any, error) {
	r := NewReader(pieces(text, n))
	t, err := r.Next()
	if err != nil {
		return nil, err
	}
	v, err := value(r, t)
	if err != nil {
		return nil, err
	}
	if _, err = r.Next(); err != io.EOF {
		return nil, errors.Join(err, errors.New("not the end"))
	}
	return v, nil
}

// same compares with encoding/json: the same texts are valid, and say the same.
func same(t interface{ Fatalf(string, ...any) }, text string, n int) {
	got, err := whole(text, n)
	if valid := stdjson.Valid([]byte(text)); valid != (err == nil) {
		t.Fatalf("%q in pieces of %d: %v, encoding/json says valid is %v", text, n, err, valid)
	}
	if err != nil {
		var at *SyntaxError
		if text != "" && !errors.As(err, &at) {
			t.Fatalf("%q fails with %v", text, err)
		}
		return
	}
	var want any
	d := stdjson.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q in pieces of %d gives %#v, want %#v", text, n, got, want)
	}
}

var examples = []string{
	"", " ", "{}", "[]", "null", "true", "false", "tru", "nul", "falsy", "0", "-0", "-", "01", "1.", "1.5", ".5", "1e5", "1E+5", "1e-", "1e", "-1.25e-7 ", "+1",
	`"a"`, `"`, `"\`, `"\u`, `"\u12`, `"\u00e9"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`, `"\x"`, `"\/\b\f\n\r\t\"\\"`,
	"\"a\nb\"", "\"a\tb\"", "\"\x7f\"", `"流水线 ü 😀"`, "[1,2,3]", "[1,]", "[,1]", "[1 2]", "[1", "]", "}", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`,
	`{"a":1,"b":[true,{"c":null}]}`, `{"a":1]`, `[1}`, `{1:2}`, `{"a" : "b" , "a":"c"}`, "[[[[]]]]", "[] []", "1 2", "\ufeff{}", "{\"a\":\r\n1}", "\v1", "'a'", "NaN", "// c\n1",
	`{"k":` + `"` + strings.Repeat("0123456789", 30) + `"}`, `{"\u006b":1}`,
}

func TestLikeEncodingJSON(t *testing.T) {
	for _, text := range examples {
		for _, n := range []int{1, 2, 3, 7, 1 << 20} {
			same(t, text, n)
		}
	}
}

func TestRandomLikeEncodingJSON(t *testing.T) {
	words := []string{"{", "}", "[", "]", ",", ":", `"a"`, `"\u00fc\\"`, "12", "-0.5e3", "true", "false", "null", " ", "\n", "\"", "x", "é", `\`}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), "")
		same(t, text, rapid.IntRange(1, 9).Draw(t, "n"))
	})
	var values func(depth int) *rapid.Generator[any]
	values = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil),
		)
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(values(depth-1), 0, 5), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.String(), values(depth-1), 0, 5), func(m map[string]any) any { return m }),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		b, err := stdjson.MarshalIndent(values(4).Draw(t, "value"), "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(b), rapid.IntRange(1, 40).Draw(t, "n"))
	})
}

func FuzzReader(f *testing.F) {
	for _, text := range examples {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		text := strings.ToValidUTF8(string(in), "?")
		if strings.Count(text, "[")+strings.Count(text, "{") > 5000 { // encoding/json gives up at ten thousand levels
			return
		}
		same(t, text, max(1, n&31))
	})
}

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int64
		reason       string
	}{
		{`{"a": 1,}`, 1, 9, "a key is missing"},
		{"{\n  \"ü\": 流\n}", 2, 8, "a value is missing"},
		{"[1,\r\n2,\r3,\n x]", 4, 2, "a value is missing"},
		{"[\"a\nb\"]", 1, 4, "a control character stands in a string"},
		{`{"流水": "\q"}`, 1, 10, "the escape does not exist"},
		{`{"a": [1, 2`, 1, 12, "the text ends inside a value"},
		{"[1]\n\n]", 3, 1, "something follows the value"},
		{"[1}", 1, 3, "the bracket is of the wrong kind"},
		{"[1 2]", 1, 4, "a comma is missing"},
		{`{"a" 1}`, 1, 6, "a colon is missing"},
		{"[-x]", 1, 3, "a digit is missing"},
		{"", 1, 1, "the text ends inside a value"},
	} {
		for n := 1; n < 9; n++ {
			_, err := whole(c.text, n)
			e, ok := errors.AsType[*SyntaxError](err)
			if !ok || *e != (SyntaxError{c.line, c.column, c.reason}) {
				t.Errorf("%q in pieces of %d gives %v, want %d:%d %s", c.text, n, err, c.line, c.column, c.reason)
			}
		}
	}
}

func TestSkip(t *testing.T) {
	text := `{"big": {"a": [1, {"b": "` + strings.Repeat("x", 5000) + `"}]}, "one": 1, "list": [[], [2]], "last": "end"}`
	for _, n := range []int{1, 5, 1 << 20} {
		r := NewReader(pieces(text, n))
		var keys []string
		for {
			tok, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if tok.Kind == Key {
				keys = append(keys, tok.Text())
				if err := r.Skip(); err != nil {
					t.Fatal(err)
				}
				if r.Depth() != 1 {
					t.Fatalf("behind %q the depth is %d", keys, r.Depth())
				}
			}
		}
		if got := strings.Join(keys, " "); got != "big one list last" {
			t.Errorf("keys %q", got)
		}
		if cap(r.keep) > 64 && n == 5 {
			t.Errorf("%d bytes are kept of what was skipped", cap(r.keep))
		}
	}
	r := NewReader(pieces("[[1,2],3]", 2))
	for range 2 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Skip(); err != nil || r.Depth() != 1 {
		t.Fatalf("behind a begin: depth %d, %v", r.Depth(), err)
	}
	if tok, _ := r.Next(); tok.Text() != "3" {
		t.Errorf("then comes %q", tok.Raw)
	}
}

func TestMaxToken(t *testing.T) {
	for _, n := range []int{1, 3, 100} {
		r := NewReader(pieces(`["流水线流水线", "short", 1234567890]`, n))
		r.MaxToken = 8
		var got []string
		for tok, err := r.Next(); err == nil; tok, err = r.Next() {
			if tok.Kind == String || tok.Kind == Number {
				got = append(got, tok.Text())
				if tok.Cut != (tok.Text() != "short") {
					t.Errorf("%q: cut is %v", tok.Text(), tok.Cut)
				}
			}
		}
		if strings.Join(got, " ") != "流水 short 12345678" {
			t.Errorf("in pieces of %d: %q", n, got)
		}
	}
}

// TestDeep: depth costs a bit a level and no stack, up to a limit.
func TestDeep(t *testing.T) {
	read := func(levels int) error {
		r := NewReader(pieces(strings.Repeat("[", levels)+strings.Repeat("]", levels), 4096))
		for {
			if _, err := r.Next(); err != nil {
				return err
			}
		}
	}
	if err := read(MaxDepth); err != io.EOF {
		t.Errorf("at the limit: %v", err)
	}
	e, ok := errors.AsType[*SyntaxError](read(MaxDepth + 1))
	if !ok || e.Column != MaxDepth+1 || e.Reason != "the nesting is too deep" {
		t.Errorf("beyond the limit: %v", e)
	}
}

func TestErrorOfNext(t *testing.T) {
	gone := errors.New("gone")
	for _, head := range []string{"", "[", `{"a`, `"\`, `"\u0`, "12", "1.", "1e", "tr", "[1,", "-"} {
		given := false
		r := NewReader(func() ([]byte, error) {
			if given || head == "" {
				return nil, gone
			}
			given = true
			return []byte(head), nil
		})
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if _, again := r.Next(); err != gone || again != gone {
			t.Errorf("%q ends with %v, then %v", head, err, again)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	text := "[" + strings.Repeat(`{"id": 12345, "name": "a name of some length", "tags": ["x", "y"], "ok": true},`, 10000) + "{}]"
	b.SetBytes(int64(len(text)))
	data := []byte(text)
	r := NewReader(nil)
	for b.Loop() {
		rest := data
		r.Reset(func() ([]byte, error) {
			if len(rest) == 0 {
				return nil, io.EOF
			}
			p := rest[:min(len(rest), 64<<10)]
			rest = rest[len(p):]
			return p, nil
		})
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
