package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// namers are fakes of which some can say what a file is that nobody reads.
type namers struct {
	fakes
	asked int
}

func (n *namers) Names(m readapi.MediaType) (out []readapi.DecoderInfo) {
	for _, d := range n.fakes {
		for _, t := range d.Names {
			if t == m {
				out = append(out, readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.digest})
			}
		}
	}
	return out
}

func (n *namers) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	if info.Name == "heads" {
		n.asked++
	}
	return n.fakes.Decode(ctx, info, d)
}

// heads is a decoder that names HEIF files by answering with err.
func heads(digest string, err error) fake {
	return fake{pdk.Decoder{
		Name: "heads", Version: "1", MediaTypes: []readapi.MediaType{"image/png"}, Unit: readapi.UnitFrame, Names: []readapi.MediaType{"image/heif"},
		Decode: func(readapi.Input, *readapi.Request, *pdk.Writer) error { return err },
	}, digest}
}

const (
	aHEIF = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x08mdat\x00\xff\xfe\x80"
	facts = "heic 4032x3024, orientation 6"
)

func detail(t *testing.T, err error, code readapi.Code) string {
	t.Helper()
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	return e.Detail
}

// A file that no decoder reads is named by its header; what goes wrong with that leaves the error as it is.
func TestNamed(t *testing.T) {
	known := pdk.Unsupported(facts)
	for what, c := range map[string]struct {
		decoders fakes
		want     string
		asked    int
	}{
		"nobody names it":       {fakes{lines(digestA)}, "image/heif", 0},
		"named":                 {fakes{lines(digestA), heads(digestB, known)}, "image/heif: " + facts, 1},
		"damaged":               {fakes{heads(digestB, pdk.Malformed("no box"))}, "image/heif", 1},
		"over a limit":          {fakes{heads(digestB, pdk.OverLimit(readapi.CodeLimitPixels, "max_pixels", 1, 2))}, "image/heif", 1},
		"read after all":        {fakes{heads(digestB, nil)}, "image/heif", 1},
		"nothing said":          {fakes{heads(digestB, pdk.Unsupported(""))}, "image/heif", 1},
		"the second one says":   {fakes{heads(digestA, pdk.Malformed("no box")), heads(digestB, known)}, "image/heif: " + facts, 2},
		"the first one says it": {fakes{heads(digestA, known), heads(digestB, pdk.Unsupported("other"))}, "image/heif: " + facts, 1},
	} {
		d := &namers{fakes: c.decoders}
		_, err := reader(t, d).Read(t.Context(), file("a.heic", aHEIF), readapi.Selection{})
		if got := detail(t, err, readapi.CodeUnsupportedKind); got != c.want || d.asked != c.asked {
			t.Errorf("%s: %q after %d asked, want %q after %d", what, got, d.asked, c.want, c.asked)
		}
	}
	d := &namers{fakes: fakes{heads(digestB, known)}}
	_, err := reader(t, d).Read(t.Context(), host.File{Input: strings.NewReader(aHEIF), Limits: &readapi.Limits{MaxImageInputBytes: 9}}, readapi.Selection{})
	if detail(t, err, readapi.CodeTooLarge); d.asked != 0 {
		t.Error("a file over the limit was shown to a decoder")
	}
}

// A file inside a file is named in the same way, by the code that takes nothing back of what was offered.
func TestNamedInside(t *testing.T) {
	d := &namers{fakes: fakes{boxes(), heads(digestB, pdk.Unsupported(facts))}}
	data := string(boxtest.Zip("", text("a.heic", aHEIF)))
	_, err := reader(t, d).Read(t.Context(), file("box.zip", data), readapi.Selection{Child: []int{1}})
	if got, want := detail(t, err, readapi.CodeUnsupportedFeature), "in file 1 inside it: no decoder reads image/heif: "+facts; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An attachment that nobody reads has no address, and is named to its owner who reads it all the same: not to others, and not when the
// decoder that could say it is switched off.
func TestNamedAttachment(t *testing.T) {
	d := &namers{fakes: fakes{lines(digestA), heads(digestB, pdk.Unsupported(facts))}}
	h := newPlace().open(t, d, nil)
	s := h.Session(scope("s"))
	a := attach(t, s, "a.heic", aHEIF)
	if a.Resource != "" || a.Unavailable != readapi.CodeUnsupportedKind || d.asked != 0 {
		t.Fatalf("%+v, asked %d times", a, d.asked)
	}
	of := func(s *host.Session, code readapi.Code) string {
		_, err := s.Read(t.Context(), h.Session(scope("s")).URI(a.ID), readapi.Selection{}, nil)
		return detail(t, err, code)
	}
	if got, want := of(s, readapi.CodeUnsupportedKind), "image/heif: "+facts; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if of(h.Session(scope("other")), readapi.CodeNotFound); d.asked != 1 {
		t.Errorf("asked %d times for one read", d.asked)
	}
	if err := h.EnableDecoder(t.Context(), "heads", false); err != nil {
		t.Fatal(err)
	}
	if got := of(s, readapi.CodeUnsupportedKind); got != "image/heif" || d.asked != 1 {
		t.Errorf("switched off: %q, asked %d times", got, d.asked)
	}
}
