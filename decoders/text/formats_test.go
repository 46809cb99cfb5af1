package text

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// as makes a request one for a file of a media type.
func as(mt readapi.MediaType) func(*readapi.Request) {
	return func(req *readapi.Request) { req.MediaType = mt }
}

// childOf reads the nth file inside, as the host asks for it.
func childOf(in string, mt readapi.MediaType, n int) (readapi.File, error) {
	res, err := try(in, func(req *readapi.Request) { req.MediaType, req.Child, req.MaxFileBytes = mt, []int{n}, 1<<20 })
	if err != nil {
		return readapi.File{}, err
	}
	return res.Files[0], nil
}

// fuzzAs holds files of a media type to what holds for any bytes, and reads each file inside that an answer lists: it is there, and as large
// as said. The vectors go through the whole of decodertest.Invariants, which is too slow for a fuzzer here.
func fuzzAs(f *testing.F, mt readapi.MediaType) {
	f.Fuzz(func(t *testing.T, in []byte) { checkAs(t, string(in), mt) })
}

func checkAs(t *testing.T, in string, mt readapi.MediaType) {
	res, err := try(in, as(mt))
	if err != nil {
		if c := readapi.CodeOf(err); c != readapi.CodeMalformed && c != readapi.CodeUnsupportedFeature {
			t.Errorf("the outcome is %v", err)
		}
		return
	}
	text := textOf(res)
	if !utf8.ValidString(text) {
		t.Errorf("the text is not UTF-8: %.200q", text)
	}
	if meta, err := json.Marshal(res.Meta); err != nil || !utf8.Valid(meta) {
		t.Errorf("meta: %v", err)
	}
	if got := walked(t, in, mt, int64(max(8, len(text)/3))); got != text {
		t.Errorf("in three answers the text is\n%.300q, want\n%.300q", got, text)
	}
	for i, c := range res.Children {
		if c.N != i+1 || c.Name == "" || strings.ContainsAny(c.Name, `/\`) || !utf8.ValidString(c.Name) {
			t.Errorf("child %d is %+v", i+1, c)
		}
		if i > 5 || c.Bytes > 1<<20 {
			break
		}
		file, err := childOf(in, mt, c.N)
		if err != nil || mt != "application/mbox" && int64(len(file.Bytes)) != c.Bytes || int64(len(file.Bytes)) > c.Bytes {
			t.Errorf("child %d of %d bytes gives %d, %v", c.N, c.Bytes, len(file.Bytes), err)
		}
	}
	if _, err := childOf(in, mt, len(res.Children)+1); readapi.CodeOf(err) != readapi.CodeInvalidRequest && len(res.Children) < 999 {
		t.Errorf("a child too many: %v", err)
	}
}

// walked reads a file in answers of at most n bytes.
func walked(t *testing.T, in string, mt readapi.MediaType, n int64) (text string) {
	var start readapi.Position
	for range 1000 {
		res, err := try(in, func(req *readapi.Request) { req.MediaType, req.MaxBytes, req.Start = mt, n, start })
		if err != nil {
			t.Errorf("at %+v: %v", start, err)
			return text
		}
		text += textOf(res)
		if res.Next == nil {
			return text
		}
		start = *res.Next
	}
	t.Error("the walk does not end")
	return text
}

// mutate changes some bytes of a seed, as much as a fuzzer does: every run of the tests reads some hundred damaged files of each kind.
func mutate(r *rand.Rand, seed string) string {
	b := []byte(seed)
	for range 1 + r.IntN(5) {
		at := r.IntN(len(b))
		to := min(len(b), at+r.IntN(40))
		switch r.IntN(4) {
		case 0:
			b[at] = byte(r.IntN(256))
		case 1:
			b = append(b[:at:at], b[to:]...)
		case 2:
			b = append(b[:to:to], b[at:]...)
		case 3:
			b = b[:max(1, at)]
		}
		if len(b) == 0 {
			return "x"
		}
	}
	return string(b)
}

// TestMutants damages a file of each kind in many ways.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for mt, seeds := range formatSeeds {
		for range 300 {
			in := mutate(r, seeds[r.IntN(len(seeds))])
			checkAs(t, in, mt)
			if t.Failed() {
				t.Fatalf("%s: %q", mt, in)
			}
		}
	}
}

// formatSeeds are files of each kind for fuzzing.
var formatSeeds = map[readapi.MediaType][]string{mailType: mailSeeds, mboxType: mailboxSeeds, rtfType: rtfSeeds, notebookType: notebookSeeds}

func seedAs(f *testing.F, mt readapi.MediaType) {
	for _, s := range formatSeeds[mt] {
		f.Add([]byte(s))
	}
}
