package decodertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decode reads one input as one request asks. The suite does not know how it runs. It may be called again after any outcome.
type Decode func(in readapi.Input, req readapi.Request) (readapi.Result, error)

// Native returns the Decode that calls d as a function, without the wall.
func Native(d *pdk.Decoder) Decode {
	return func(in readapi.Input, req readapi.Request) (readapi.Result, error) { return pdk.Run(d, in, req) }
}

// Run runs every vector of kind (text, pdf or image) as a subtest, and the Invariants on its input. It fails when there is no vector.
func Run(t *testing.T, kind string, decode Decode) {
	t.Helper()
	vectors, err := Vectors(kind)
	if err != nil {
		t.Fatal(err)
	}
	RunVectors(t, vectors, kind, decode)
}

// RunVectors is Run on vectors that the caller has: those of a decoder of a kind of its own, which it may call as it likes. Such a vector
// names its media type where that is not text/plain. It fails when there is no vector.
func RunVectors(t *testing.T, vectors []Vector, kind string, decode Decode) {
	t.Helper()
	if len(vectors) == 0 {
		t.Fatal("decodertest: there is no vector")
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			Check(t, v, kind, decode)
			invariants(t, &v, kind, decode)
		})
	}
}

// Check decodes one vector, walking the cursors to the end, and compares the outcome with what the vector expects.
func Check(t testing.TB, v Vector, kind string, decode Decode) {
	t.Helper()
	s := suite{t: t, kind: kind, decode: decode, in: v.Data}
	res, err := s.walk(v.Request(kind))
	if got := readapi.CodeOf(err); got != v.Expect {
		t.Errorf("the outcome is %s (%v), want %s", okOr(got), err, okOr(v.Expect))
		return
	}
	if err != nil {
		return
	}
	if v.TextSHA256 != "" {
		text := joined(res.Parts)
		sum := sha256.Sum256([]byte(text))
		if got := hex.EncodeToString(sum[:]); got != v.TextSHA256 {
			t.Errorf("sha256 of the text is %s, want %s; the text begins %.300q", got, v.TextSHA256, text)
		}
	}
	if v.Image != (ImageSize{}) {
		checkImage(t, v.Image, res.Parts)
	}
	for _, code := range v.Warnings {
		if !slices.ContainsFunc(res.Warnings, func(w readapi.Warning) bool { return w.Code == code }) {
			t.Errorf("there is no warning %s, only %v", code, res.Warnings)
		}
	}
}

func checkImage(t testing.TB, want ImageSize, parts []readapi.Part) {
	t.Helper()
	i := slices.IndexFunc(parts, func(p readapi.Part) bool { return p.Type == readapi.PartImage })
	if i < 0 {
		t.Errorf("there is no image part, want %v", want)
		return
	}
	got := ImageSize{parts[i].Image.Width, parts[i].Image.Height, parts[i].Image.MediaType}
	if want.MediaType == "" {
		got.MediaType = ""
	}
	if got != want {
		t.Errorf("the first image is %v, want %v", got, want)
	}
}

// Seed adds the input of every vector of kind to f's corpus and fails if there is none. Inputs above 64 KiB are left out: the fuzzer
// would mutate little else.
func Seed(f *testing.F, kind string) {
	f.Helper()
	vectors, err := Vectors(kind)
	if err != nil {
		f.Fatal(err)
	}
	n := 0
	for _, v := range vectors {
		if len(v.Data) <= 64<<10 {
			f.Add(v.Data)
			n++
		}
	}
	if n == 0 {
		f.Fatalf("no vector of kind %q is small enough for a seed", kind)
	}
}

// Golden compares the vectors that a generator makes with the files in testdata/vectors/KIND, which lie at dir: each must be there with
// these very bytes, and nothing else may be. With update it writes them instead and removes the others.
func Golden(t *testing.T, dir string, vectors []Vector, update bool) {
	t.Helper()
	want := map[string][]byte{}
	for _, v := range vectors {
		if _, twice := want[v.Name]; twice || v.Name == "" || v.Name != filepath.Base(v.Name) {
			t.Fatalf("vector name %q is empty, a path, or there twice", v.Name)
		}
		b := FormatVector(v)
		if _, err := ParseVector(b); err != nil {
			t.Fatalf("vector %s: %v", v.Name, err)
		}
		want[v.Name] = b
	}
	if len(want) == 0 {
		t.Fatal("the generator makes no vector")
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !update {
		t.Fatal(err)
	}
	if update {
		write(t, dir, entries, want)
		return
	}
	for _, e := range entries {
		if want[e.Name()] == nil {
			t.Errorf("%s is not made by the generator (-update removes it)", e.Name())
		}
	}
	for name, b := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s is not what the generator makes (-update writes it): %v", name, err)
		}
	}
}

func write(t *testing.T, dir string, entries []os.DirEntry, want map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if want[e.Name()] == nil {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, b := range want {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TextSum returns the text-sha256 of a vector whose text is text.
func TextSum(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

func joined(parts []readapi.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func okOr(c readapi.Code) string {
	if c == "" {
		return "ok"
	}
	return string(c)
}
