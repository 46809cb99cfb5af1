package host_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var digestImage = strings.Repeat("1a", 32)

// picturesOf is a decoder of pictures, which gives PNGs back as they are and calls a side of 13 pixels damaged.
func pictureDecoder() fake {
	return fake{pdk.Decoder{
		Name: "image", Version: "1", MediaTypes: []readapi.MediaType{"image/png"}, Unit: readapi.UnitFrame, Forms: []readapi.Form{readapi.FormImage},
		Decode: func(in readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
			b := make([]byte, in.Size())
			if _, err := in.ReadAt(b, 0); err != nil {
				return err
			}
			cfg, err := png.DecodeConfig(bytes.NewReader(b))
			if err != nil || cfg.Width == 13 {
				return pdk.Malformed("no picture")
			}
			if cfg.Width == 14 {
				return w.Text(1, "not even an image")
			}
			if err := w.Warn(readapi.WarnPartial, "a line is missing", 1); err != nil {
				return err
			}
			return w.Image(1, "image/png", cfg.Width, cfg.Height, b)
		},
	}, digestImage}
}

func picture(name string, side int) boxtest.Entry {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		panic(err)
	}
	return boxtest.Entry{Name: name, Data: b.Bytes()}
}

// shown is what an answer holds, in short: "1:text 2:5x5 2:5x5".
func shown(doc *readapi.Document) string {
	var out []string
	for _, p := range doc.Parts {
		what := strings.TrimSpace(p.Text)
		if p.Image != nil {
			what = fmt.Sprintf("%dx%d", p.Image.Width, p.Image.Height)
		}
		out = append(out, fmt.Sprintf("%d:%s", p.At, what))
	}
	return strings.Join(out, " ")
}

// The pictures of units stand in their places, in order; one that cannot be read is a warning at its unit.
func TestPictures(t *testing.T) {
	data := string(boxtest.Zip("", text("a.txt", "one\n"+strings.Repeat(" ", 1100)), picture("b twice.png", 5), text("c.txt", "three\n"), picture("d.png", 13), picture("e.png", 6),
		boxtest.Entry{Name: "f.jxl", Data: []byte("\xff\x0a\x00\x00\x00\x00\x00\xff\xff\xff\x80")}, boxtest.Entry{Name: "g.pdf", Data: []byte(aPDF)}, picture("h.png", 14),
		boxtest.Entry{Name: "i.bin"}))
	r := reader(t, fakes{boxes(), pictureDecoder(), lines(digestA)})
	doc, err := r.Read(t.Context(), file("box.zip", data), readapi.Selection{Form: readapi.FormImage})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(doc), "1:one 2:5x5 2:5x5 3:three 5:6x6"; got != want || doc.Covers != (readapi.Range{From: 1, To: 9}) || doc.Next != "" {
		t.Errorf("got %s, covers %v, next %q, want %s", got, doc.Covers, doc.Next, want)
	}
	var warned []string
	for _, w := range doc.Warnings {
		warned = append(warned, fmt.Sprintf("%s at %d: %s", w.Code, w.At, w.Detail))
	}
	want := []string{
		"partial at 2: a line is missing", "partial at 2: a line is missing", "partial at 4: its picture cannot be read: malformed_input, no picture",
		"partial at 5: a line is missing", "unsupported_filter at 6: its picture cannot be read: unsupported_kind, image/jxl",
		"unsupported_filter at 7: its picture cannot be read: unsupported_feature, no picture but application/pdf",
		"partial at 8: its picture cannot be read: bad_output, no picture",
		"unsupported_filter at 9: its picture cannot be read: unsupported_feature, no picture but application/octet-stream",
	}
	if strings.Join(warned, "\n") != strings.Join(want, "\n") {
		t.Errorf("warnings:\n%s", strings.Join(warned, "\n"))
	}
	for _, p := range doc.Parts {
		if p.Image != nil && p.EstTokens != 1 { // a patch of 28 pixels
			t.Errorf("a picture of %d tokens", p.EstTokens)
		}
	}
	doc, err = r.Read(t.Context(), file("outer.zip", string(boxtest.Zip("", boxtest.Entry{Name: "box.zip", Data: []byte(data)}))),
		readapi.Selection{Form: readapi.FormImage, Child: []int{1}, Units: []readapi.Range{{From: 5, To: 5}}})
	if err != nil || shown(doc) != "5:6x6" || doc.Child != "1" {
		t.Errorf("of a file inside: %+v, %v", doc, err)
	}
}

// Where no picture can be read, the read says why; behind other answers it is a warning, and the walk goes on.
func TestPicturesFail(t *testing.T) {
	r := reader(t, fakes{boxes(), pictureDecoder()})
	data := string(boxtest.Zip("", picture("a.png", 5), picture("b.png", 13)))
	_, err := r.Read(t.Context(), file("box.zip", data), readapi.Selection{Form: readapi.FormImage, Units: []readapi.Range{{From: 2, To: 2}}})
	wantCode(t, "a picture that is damaged", err, readapi.CodeMalformed)
	doc, err := r.Read(t.Context(), file("box.zip", data), readapi.Selection{Form: readapi.FormImage, MaxTokens: readapi.ImageTokens})
	if err != nil || shown(doc) != "1:5x5" || doc.Next == "" {
		t.Fatalf("the first: %+v, %v", doc, err)
	}
	doc, err = r.Read(t.Context(), file("box.zip", data), readapi.Selection{Cursor: doc.Next})
	if err != nil || len(doc.Parts) != 0 || len(doc.Warnings) != 1 || doc.Warnings[0].At != 2 || doc.Next != "" {
		t.Errorf("the second, behind a cursor: %+v, %v", doc, err)
	}
	large := file("box.zip", data)
	large.Limits = &readapi.Limits{MaxImageInputBytes: 60}
	_, err = r.Read(t.Context(), large, readapi.Selection{Form: readapi.FormImage})
	wantCode(t, "larger than a picture may be", err, readapi.CodeLimitOutput)
}

// An answer ends before the picture that does not fit any more, whatever does not fit, and walking gives each picture once.
func TestPicturesWalk(t *testing.T) {
	var entries []boxtest.Entry
	var want []string
	for i := range 30 {
		switch at := i + 1; i % 3 {
		case 0:
			entries = append(entries, text(fmt.Sprint(i, ".txt"), "text\n"))
			want = append(want, fmt.Sprintf("%d:text", at))
		case 1:
			entries = append(entries, picture(fmt.Sprint(i, ".png"), 20+i))
			want = append(want, fmt.Sprintf("%d:%dx%d", at, 20+i, 20+i))
		default:
			entries = append(entries, picture(fmt.Sprint(i, " twice.png"), 20+i))
			want = append(want, fmt.Sprintf("%d:%dx%d %d:%dx%d", at, 20+i, 20+i, at, 20+i, 20+i))
		}
	}
	data := string(boxtest.Zip("", entries...))
	size := int64(len(picture("", 49).Data))
	for name, c := range map[string]struct {
		sel  readapi.Selection
		lim  readapi.Limits
		fuel int64
		most int // pictures of one answer
	}{
		"all":       {readapi.Selection{MaxTokens: -1}, readapi.Limits{}, 1, 30},
		"tokens":    {readapi.Selection{MaxTokens: 3*readapi.ImageTokens + 100}, readapi.Limits{}, 1, 3},
		"bytes":     {readapi.Selection{MaxTokens: -1, MaxBytes: 3*size + 50}, readapi.Limits{}, 1, 5},
		"one byte":  {readapi.Selection{MaxTokens: -1, MaxBytes: size}, readapi.Limits{}, 1, 1},
		"frames":    {readapi.Selection{MaxTokens: -1}, readapi.Limits{MaxFrames: 4}, 1, 4},
		"fuel":      {readapi.Selection{MaxTokens: -1}, readapi.Limits{Fuel: 450}, 100, 3},
		"one's":     {readapi.Selection{MaxTokens: -1}, readapi.Limits{Fuel: 200}, 100, 1},
		"input":     {readapi.Selection{MaxTokens: -1}, readapi.Limits{MaxImageInputBytes: 3 * size}, 1, 5},
		"no limits": {readapi.Selection{}, readapi.Limits{}, 1, 10},
	} {
		m := metered{fakes{boxes(), pictureDecoder()}, c.fuel, &atomic.Int64{}}
		r := reader(t, m)
		f := file("box.zip", data)
		f.Limits = &c.lim
		sel := c.sel
		sel.Form = readapi.FormImage
		var got []string
		most, answers := 0, 0
		for ; ; answers++ {
			doc, err := r.Read(t.Context(), f, sel)
			if err != nil || answers > 100 {
				t.Fatalf("%s, answer %d: %v", name, answers, err)
			}
			if s := shown(doc); s != "" {
				got = append(got, s)
			}
			pictures := 0
			for _, p := range doc.Parts {
				if p.Image != nil {
					pictures++
				}
				if p.At < doc.Covers.From || p.At > doc.Covers.To {
					t.Errorf("%s: unit %d outside of %v", name, p.At, doc.Covers)
				}
			}
			for _, w := range doc.Warnings {
				if w.At > doc.Covers.To {
					t.Errorf("%s: a warning at %d, the answer covers %v", name, w.At, doc.Covers)
				}
			}
			most = max(most, pictures)
			if doc.Next == "" {
				break
			}
			sel = readapi.Selection{Cursor: doc.Next, MaxTokens: sel.MaxTokens, MaxBytes: sel.MaxBytes}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
		if most > c.most || most < c.most/2 {
			t.Errorf("%s: up to %d pictures in one answer, want %d", name, most, c.most)
		}
	}
}

// raw answers with what a test says.
type raw struct {
	fakes
	res readapi.Result
}

func (r raw) Decode(context.Context, readapi.DecoderInfo, readapi.Decoding) (readapi.Result, error) {
	return r.res, nil
}

// What a decoder hands on that nobody asked for, or out of place, is not let in, whoever let it through.
func TestFilesOutOfPlace(t *testing.T) {
	b := picture("", 5).Data
	for name, c := range map[string]struct {
		sel   readapi.Selection
		files []readapi.File
	}{
		"unasked":             {readapi.Selection{}, []readapi.File{{At: 1, Bytes: b}}},
		"a child unasked":     {readapi.Selection{Form: readapi.FormImage}, []readapi.File{{Bytes: b}}},
		"no child":            {readapi.Selection{Child: []int{1}}, nil},
		"two children":        {readapi.Selection{Child: []int{1}}, []readapi.File{{Bytes: b}, {Bytes: b}}},
		"a picture for it":    {readapi.Selection{Child: []int{1}}, []readapi.File{{At: 1, Bytes: b}}},
		"behind all parts":    {readapi.Selection{Form: readapi.FormImage}, []readapi.File{{At: 1, Before: 1, Bytes: b}}},
		"before the last one": {readapi.Selection{Form: readapi.FormImage}, []readapi.File{{At: 1, Bytes: b}, {At: 1, Before: -1, Bytes: b}}},
	} {
		r := reader(t, raw{fakes{boxes(), pictureDecoder()}, readapi.Result{Unit: "entry", Total: 1, Files: c.files}})
		_, err := r.Read(t.Context(), file("box.zip", string(boxtest.Zip("", text("a.txt", "a")))), c.sel)
		wantCode(t, name, err, readapi.CodeBadOutput)
	}
}
