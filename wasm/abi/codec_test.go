package abi_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/google/go-cmp/cmp"
)

// reference is what encoding/json writes without HTML escapes.
func reference(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func appended(t testing.TB, v any) string {
	t.Helper()
	b, err := abi.AppendJSON([]byte("before"), v)
	if err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	return strings.TrimPrefix(string(b), "before")
}

// text returns a string of all that a string may be made of.
func text(rnd *rand.Rand) string {
	pieces := []string{"a", "key", "\"", "\\", "/", "\x00", "\x1f", "\b\f\n\r\t", "\x7f", "é", "中", "\U0001f600", "\u2028", "\u2029", "\xff", "\xe4\xb8", "<&>", "\ufffd", "\ud7ff"}
	var b strings.Builder
	for range rnd.IntN(6) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

// fill sets v to something random; with all, every field and element is there and none is zero.
func fill(v reflect.Value, rnd *rand.Rand, all bool) {
	some := all || rnd.IntN(3) > 0
	switch v.Kind() {
	case reflect.Pointer:
		if some {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), rnd, all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), rnd, all)
		}
	case reflect.Slice:
		if some {
			v.Set(reflect.MakeSlice(v.Type(), 1+rnd.IntN(3), 3))
			for i := range v.Len() {
				fill(v.Index(i), rnd, all)
			}
		}
	case reflect.String:
		v.SetString(text(rnd))
		if all {
			v.SetString("x" + v.String())
		}
	case reflect.Bool:
		v.SetBool(some)
	case reflect.Int, reflect.Int64:
		if some {
			v.SetInt(1 + rnd.Int64N(math.MaxInt32)<<(rnd.IntN(2)*16)*int64(1-2*rnd.IntN(2)))
		}
	default:
		panic("a field of a kind that nobody thought of: " + v.Type().String())
	}
}

// Every header is what encoding/json makes of it, with all keys and with some.
func TestHeadersAreEncodingJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, h := range []any{&abi.Description{}, &abi.Part{}, &readapi.Warning{}, &abi.Failure{}, &readapi.Child{}, &abi.File{}, &abi.End{}} {
		for n := range 2000 {
			v := reflect.New(reflect.TypeOf(h).Elem())
			fill(v.Elem(), rnd, n%2 == 0)
			want := reference(t, v.Interface())
			if got := appended(t, v.Elem().Interface()); got != want {
				t.Fatalf("%T: %s, want %s", h, got, want)
			}
		}
	}
}

// value returns a random value of what a decoder may put into its meta and data.
func value(rnd *rand.Rand, depth int) any {
	kinds := 21
	if depth == 0 {
		kinds = 10
	}
	number := math.Float64frombits(rnd.Uint64())
	for math.IsNaN(number) || math.IsInf(number, 0) {
		number = math.Float64frombits(rnd.Uint64())
	}
	switch rnd.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return rnd.IntN(2) == 0
	case 2, 3:
		return text(rnd)
	case 4:
		return rnd.Int()
	case 5:
		return []any{int32(rnd.Uint32()), uint32(rnd.Uint32()), rnd.Uint64(), -rnd.Int64()}[rnd.IntN(4)]
	case 6:
		return number
	case 7:
		return []float64{0, math.Copysign(0, -1), 0.1, 1e-6, 9.9e-7, 1e-9, 1e20, 1e21, 1e22, 612.5, 5e-324, math.MaxFloat64}[rnd.IntN(12)]
	case 8:
		return readapi.Child{N: rnd.Int(), Name: text(rnd)}
	case 9:
		return &abi.End{Total: rnd.Int64()}
	case 10:
		return []string{text(rnd), text(rnd)}[:rnd.IntN(3)]
	case 11:
		return [][]string{{text(rnd)}, nil, {}}
	case 12:
		return []int{rnd.Int(), 0}
	case 13:
		return []int64{rnd.Int64(), -1}
	case 14:
		return []float64{number, 0.5}
	case 15:
		return []any{map[string]string{text(rnd): text(rnd), "b": "c"}, map[string]int64{text(rnd): rnd.Int64(), "b": 0}}[rnd.IntN(2)]
	case 16:
		return []any{nil, map[string]any(nil), []any(nil), []string(nil), map[string]string(nil)}[rnd.IntN(5)]
	case 17:
		return []map[string]any{{"k": value(rnd, depth-1)}, nil}
	case 18:
		return []any{value(rnd, depth-1), value(rnd, depth-1)}
	}
	m := map[string]any{}
	for range rnd.IntN(4) {
		m[text(rnd)] = value(rnd, depth-1)
	}
	return m
}

func TestValuesAreEncodingJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		v := value(rnd, 4)
		if got, want := appended(t, v), reference(t, v); got != want {
			t.Fatalf("%#v: %s, want %s", v, got, want)
		}
	}
	deep := any("x")
	for range 200 {
		deep = []any{deep}
	}
	for _, bad := range []any{math.NaN(), math.Inf(-1), []float64{math.Inf(1)}, map[string]any{"a": math.NaN()}, struct{}{}, []any{make(chan int)}, deep} {
		if b, err := abi.AppendJSON([]byte("before"), bad); err == nil || string(b) != "before" {
			t.Errorf("%T became %q, %v", bad, b, err)
		}
	}
}

// Strings of a decoder come from files: any bytes.
func FuzzString(f *testing.F) {
	f.Add("a\"\\\n\u2028\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(abi.AppendString(nil, s)), reference(t, s); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// ascii writes the string s with every character escaped that may be.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r > 0xffff:
			b.WriteString(strings.Trim(string(must(json.Marshal(string(r)))), `"`))
		case r < ' ' || r >= 0x7f || r%3 == 0:
			const hex = "0123456789abCDEF"
			b.WriteString(`\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}))
		case r == '"' || r == '\\' || r == '/':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// A request that the host writes is the same on the guest's side of the wall, every key of it, however its JSON is spelled.
func TestRequestIsEncodingJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for n := range 5000 {
		var want, compare readapi.Request
		fill(reflect.ValueOf(&want).Elem(), rnd, n%2 == 0)
		raw := must(json.Marshal(want))
		if err := json.Unmarshal(raw, &compare); err != nil { // bytes that are no character are lost
			t.Fatal(err)
		}
		if n%3 == 0 {
			raw = must(json.MarshalIndent(want, " \r", "\t"))
		}
		if n%4 == 0 {
			raw = bytes.Replace(raw, []byte("{"), []byte(`{"later":[{"a":[1.5e-7,-0,null,true,false,""],"b":{}},[]], "`+ascii("é\U0001f600")+`":"`+ascii(text(rnd))+`",`), 1)
		}
		got, err := abi.ParseRequest(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if d := cmp.Diff(compare, got); d != "" {
			t.Fatalf("%s: %s", raw, d)
		}
	}
	for range 2000 {
		want := strings.ToValidUTF8(text(rnd), "?")
		if got, err := abi.ParseRequest([]byte(`{"name":"` + ascii(want) + `"}`)); err != nil || got.Name != want {
			t.Fatalf("%q became %q, %v", want, got.Name, err)
		}
	}
	if _, err := abi.ParseRequest([]byte(`{"later":` + strings.Repeat("[", 1<<20))); err == nil {
		t.Error("a request as deep as that is read")
	}
}

// byReference reads a request with encoding/json, whose keys have any case.
func byReference(raw []byte) (req readapi.Request, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return req, err
	}
	b := must(json.Marshal(members))
	err = json.Unmarshal(b, &req)
	return req, err
}

// oddCase reports whether JSON has a key twice or in another case, or lies too deep, where the two readers may differ.
func oddCase(raw []byte) bool {
	known := map[string]bool{"from": true, "to": true, "at": true, "part": true, "offset": true}
	for f := range reflect.TypeFor[readapi.Request]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = true
	}
	seen := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(raw))
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch v := t.(type) {
		case json.Delim:
			if depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[v]; depth > 90 {
				return true
			}
		case string:
			if lower := strings.Map(fold, v); lower != v && known[lower] || seen[v] {
				return true
			}
			seen[v] = true
		}
	}
}

// fold is what encoding/json takes for the same letter.
func fold(r rune) rune {
	switch r {
	case 'ſ':
		return 's'
	case 'K':
		return 'k'
	}
	return []rune(strings.ToLower(string(r)))[0]
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"v":1,"media_type":"application/pdf","name":"a\u00e9\ud83d\ude00\ud800","form":"auto","units":[{"from":1,"to":3},{"from":7,"to":0}],"start":{"at":2,"part":1,"offset":9}}`))
	f.Add([]byte(`{"child":[1,2],"max_tokens":20000,"max_bytes":-1,"unescaped":true,"words":true,"password":"p","max_file_bytes":1,"later":[1.0e+5,-0.1]}`))
	f.Add([]byte(`{"v":1e3}`))
	f.Add([]byte(`{"v":01}`))
	f.Add([]byte(` { "name" : null , "units":null,"start":null,"v":null,"unescaped":null } `))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if oddCase(raw) {
			return
		}
		got, err := abi.ParseRequest(raw)
		want, werr := byReference(raw)
		if (err == nil) != (werr == nil) {
			t.Fatalf("%v, want %v", err, werr)
		}
		if err == nil && reference(t, got) != reference(t, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
