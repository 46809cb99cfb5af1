package host_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"reflect"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// wanting is a decoder of PDFs that keeps what it was asked.
func wanting(to *readapi.Request) fake {
	d := pdfs(func(w *pdk.Writer) error { return w.Text(1, "x") })
	decode := d.Decode
	d.Decode = func(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
		*to = *req
		return decode(in, req, w)
	}
	return d
}

// A profile, of the read or of the reader, says how pictures leave; a longer side that the caller sets goes before the profile's best, and
// never beyond what is taken.
func TestProfileOfARead(t *testing.T) {
	mine := readapi.Profile{
		Name: "mine", AsOf: "2026-12-01", Source: "us", MaxEdge: 500, MaxSide: 600, MaxPixels: 9000, MaxBytes: 7777, Cost: "patch:16",
		MediaTypes: []readapi.MediaType{"image/webp", "image/jpeg"},
	}
	type asks struct {
		edge, pixels, bytes int64
		types               []readapi.MediaType
		cost                string
	}
	both := readapi.ImageTypes()
	for name, c := range map[string]struct {
		usual string
		sel   readapi.Selection
		lim   readapi.Limits
		want  asks
	}{
		"none":               {"", readapi.Selection{}, readapi.Limits{}, asks{1568, 0, 0, nil, ""}},
		"an edge alone":      {"", readapi.Selection{}, readapi.Limits{MaxEdge: 99}, asks{99, 0, 0, nil, ""}},
		"of the read":        {"", readapi.Selection{Profile: "openai"}, readapi.Limits{}, asks{2048, 1572864, 20000000, both, "patch:32:1536"}},
		"of the reader":      {"safe", readapi.Selection{}, readapi.Limits{}, asks{1568, 0, 3750000, both, "patch:28"}},
		"both":               {"safe", readapi.Selection{Profile: "gemini"}, readapi.Limits{}, asks{1536, 0, 7000000, both, "tile:768:0:258"}},
		"a user's own":       {"", readapi.Selection{Profile: "mine"}, readapi.Limits{}, asks{500, 9000, 7777, []readapi.MediaType{"image/jpeg"}, "patch:16"}},
		"a smaller edge":     {"", readapi.Selection{Profile: "mine"}, readapi.Limits{MaxEdge: 50}, asks{50, 9000, 7777, []readapi.MediaType{"image/jpeg"}, "patch:16"}},
		"an edge too far":    {"", readapi.Selection{Profile: "mine"}, readapi.Limits{MaxEdge: 5000}, asks{600, 9000, 7777, []readapi.MediaType{"image/jpeg"}, "patch:16"}},
		"an edge for claude": {"", readapi.Selection{Profile: "claude"}, readapi.Limits{MaxEdge: 2576}, asks{2576, 0, 3750000, both, "patch:28"}},
	} {
		var req readapi.Request
		r, err := host.NewReader(fakes{wanting(&req)}, &host.ReaderOptions{Profiles: []readapi.Profile{mine}, Profile: c.usual, Limits: c.lim})
		if err != nil {
			t.Fatal(err)
		}
		c.sel.Original = true
		if _, err := r.Read(t.Context(), file("a.pdf", aPDF), c.sel); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := asks{req.MaxEdge, req.FitPixels, req.MaxImageBytes, req.ImageTypes, req.ImageCost}
		if !reflect.DeepEqual(got, c.want) || !req.Original {
			t.Errorf("%s: asked for %+v, want %+v", name, got, c.want)
		}
	}
}

func TestNoSuchProfile(t *testing.T) {
	_, err := host.NewReader(fakes{}, &host.ReaderOptions{Profile: "gpt"})
	wantCode(t, "of the reader", err, readapi.CodeInvalidRequest)
	_, err = host.NewReader(fakes{}, &host.ReaderOptions{Profiles: []readapi.Profile{{Name: "mine"}}})
	wantCode(t, "without a date", err, readapi.CodeInvalidRequest)
	_, err = reader(t, fakes{pdfs(func(w *pdk.Writer) error { return w.Text(1, "x") })}).Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{Profile: "gpt"})
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeInvalidRequest || !strings.Contains(e.Hint, "claude") {
		t.Errorf("of the read: %v", err)
	}
}

// scaler is a decoder of pictures that gives what the request wants: a grey picture of the size that fits.
func scaler() fake {
	d := pictureDecoder()
	d.Decode = func(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
		b := make([]byte, in.Size())
		if _, err := in.ReadAt(b, 0); err != nil {
			return err
		}
		cfg, err := png.DecodeConfig(bytes.NewReader(b))
		if err != nil {
			return pdk.Malformed("no picture")
		}
		tw, th := req.Fit().Size(int64(cfg.Width), int64(cfg.Height))
		var out bytes.Buffer
		if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, int(tw), int(th)))); err != nil {
			return err
		}
		return w.Image(1, "image/png", int(tw), int(th), out.Bytes())
	}
	return d
}

// A decoder that knows nothing of profiles gives pictures of any size. They leave as the request wants them all the same, each in its place,
// and the answer ends before one that its tokens have no room for.
func TestPicturesAreMadeToFit(t *testing.T) {
	careless := pdfs(func(w *pdk.Writer) error { return nil })
	careless.Decode = func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
		for at := range w.Units(3) {
			b := picture("", 3000).Data
			if at == 2 {
				b = picture("", 40).Data
			}
			cfg, _ := png.DecodeConfig(bytes.NewReader(b))
			if err := w.Image(at, "image/png", cfg.Width, cfg.Height, b); err != nil {
				return err
			}
		}
		return nil
	}
	r := reader(t, fakes{careless, scaler()})
	doc, err := r.Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{MaxTokens: -1})
	if err != nil || shown(doc) != "1:1568x1568 2:40x40 3:1568x1568" || doc.Covers != (readapi.Range{From: 1, To: 3}) {
		t.Fatalf("got %s, %v", shown(doc), err)
	}
	if doc.Parts[0].EstTokens != 56*56 || doc.Usage.EstTokens != 2*56*56+4 {
		t.Errorf("%d tokens, %d in all", doc.Parts[0].EstTokens, doc.Usage.EstTokens)
	}
	mine := readapi.Profile{Name: "mine", AsOf: "2026-12-01", Source: "us", MaxEdge: 280}
	small, err := host.NewReader(fakes{careless, scaler()}, &host.ReaderOptions{Profiles: []readapi.Profile{mine}, Profile: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	sel := readapi.Selection{MaxTokens: 120}
	var got []string
	for {
		doc, err := small.Read(t.Context(), file("a.pdf", aPDF), sel)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, shown(doc))
		if doc.Next == "" {
			break
		}
		sel = readapi.Selection{Cursor: doc.Next, MaxTokens: 120}
	}
	if s := strings.Join(got, " | "); s != "1:280x280 | 2:40x40 3:280x280" && s != "1:280x280 2:40x40 | 3:280x280" && s != "1:280x280 | 2:40x40 | 3:280x280" {
		t.Errorf("got %s", s)
	}
	_, err = reader(t, fakes{careless}).Read(t.Context(), file("a.pdf", aPDF), readapi.Selection{MaxTokens: -1})
	wantCode(t, "with nobody to scale it", err, readapi.CodeBadOutput)
}
