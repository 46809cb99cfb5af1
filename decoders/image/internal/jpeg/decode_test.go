package jpeg_test

import (
	"bytes"
	"errors"
	"image"
	stdjpeg "image/jpeg"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg/jpegtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// shade is a soft picture with a little detail.
func shade(c, x, y int) int { return 60 + 3*x/2 + y + c*20 + (x*7+y*5+c)%9 }

// edges has steps, as a drawing has.
func edges(c, x, y int) int { return 40 + (x/5+y/7+c)%3*80 }

func open(t testing.TB, data []byte) *jpeg.Decoder {
	t.Helper()
	d, err := jpeg.Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// samples decodes all of a file as it is coded.
func samples(t testing.TB, data []byte) (pix []byte, missing string) {
	t.Helper()
	d := open(t, data)
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	n := d.Frame.Width * d.Frame.Components
	pix = make([]byte, n*d.Frame.Height)
	for y := range d.Frame.Height {
		d.Samples(pix[y*n : (y+1)*n])
	}
	missing, err := d.Missing()
	if err != nil {
		t.Fatal(err)
	}
	return pix, missing
}

// samplings are those that encoders make and some that nobody does.
var samplings = [][]jpegtest.Component{
	jpegtest.Named("\x01"), jpegtest.Sampled(0x22), jpegtest.YCbCr(0x11), jpegtest.YCbCr(0x21), jpegtest.YCbCr(0x12), jpegtest.YCbCr(0x22), jpegtest.YCbCr(0x41),
	jpegtest.YCbCr(0x42), jpegtest.YCbCr(0x14), jpegtest.YCbCr(0x31), jpegtest.YCbCr(0x44), jpegtest.Sampled(0x22, 0x21, 0x12), jpegtest.Sampled(0x11, 0x22, 0x22),
	jpegtest.Sampled(0x32, 0x21, 0x13), jpegtest.Named("\x07\x07\x07"), jpegtest.Named("CMYK"), jpegtest.Sampled(0x22, 0x11, 0x11, 0x22),
}

// However a picture is put into scans, the same pixels come out; and what comes out is what went in.
func TestEveryKind(t *testing.T) {
	for i, comps := range samplings {
		for _, size := range [][2]int{{61, 43}, {1, 1}, {16, 33}} {
			base := jpegtest.Spec{Width: size[0], Height: size[1], Components: comps, Sample: shade}
			want, missing := samples(t, base.Bytes())
			if missing != "" {
				t.Errorf("sampling %d, %v: %s", i, size, missing)
			}
			for x := range want {
				c, px, py := x%len(comps), x/len(comps)%size[0], x/len(comps)/size[0]
				if d := int(want[x]) - shade(c, px, py); d > 24 || d < -24 {
					t.Fatalf("sampling %d, %v: sample %d of (%d, %d) is %d, want %d", i, size, c, px, py, want[x], shade(c, px, py))
				}
			}
			for name, change := range map[string]func(*jpegtest.Spec){
				"restarts":                func(s *jpegtest.Spec) { s.Restart = 3 },
				"progressive":             func(s *jpegtest.Spec) { s.Progressive = true },
				"progressive, restarts":   func(s *jpegtest.Spec) { s.Progressive, s.Restart = true, 2 },
				"apart":                   func(s *jpegtest.Spec) { s.Apart = comps[0].ID != comps[len(comps)-1].ID },
				"arithmetic":              func(s *jpegtest.Spec) { s.Arithmetic = true },
				"arithmetic, restarts":    func(s *jpegtest.Spec) { s.Arithmetic, s.Restart = true, 2 },
				"arithmetic, apart":       func(s *jpegtest.Spec) { s.Arithmetic, s.Apart = true, comps[0].ID != comps[len(comps)-1].ID },
				"arithmetic, conditioned": func(s *jpegtest.Spec) { s.Arithmetic, s.Lower, s.Upper, s.Low = true, 2, 4, 20 },
				"arithmetic, progressive": func(s *jpegtest.Spec) { s.Arithmetic, s.Progressive = true, true },
				"lines later":             func(s *jpegtest.Spec) { s.DefineLines = true },
			} {
				s := base
				if change(&s); s.Progressive && comps[0].ID == comps[len(comps)-1].ID && len(comps) > 1 {
					continue // a scan of one of them could be anyone's
				}
				got, missing := samples(t, s.Bytes())
				if !bytes.Equal(got, want) || missing != "" {
					t.Errorf("sampling %d, %v, %s: other pixels; %s", i, size, name, missing)
				}
			}
		}
	}
}

// Twelve bits come out as their upper eight, rounded.
func TestTwelveBits(t *testing.T) {
	for _, progressive := range []bool{false, true} {
		s := jpegtest.Spec{Width: 40, Height: 24, Components: jpegtest.YCbCr(0x11), Precision: 12, Progressive: progressive}
		s.Sample = func(c, x, y int) int { return 16*shade(c, x, y) + 5 }
		got, missing := samples(t, s.Bytes())
		for i, v := range got {
			if d := int(v) - shade(i%3, i/3%40, i/120); d > 1 || d < -1 {
				t.Fatalf("progressive %v: sample %d is %d, off by %d", progressive, i, v, d)
			}
		}
		if missing != "" {
			t.Error(missing)
		}
	}
}

// What the library decodes comes out as it does there, but for rounding.
func TestAgainstStandard(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		comps := rapid.SampledFrom([][]jpegtest.Component{jpegtest.Named("\x01"), jpegtest.YCbCr(0x11), jpegtest.YCbCr(0x22), jpegtest.YCbCr(0x21), jpegtest.YCbCr(0x41)}).Draw(rt, "sampling")
		s := jpegtest.Spec{
			Width: rapid.IntRange(1, 70).Draw(rt, "w"), Height: rapid.IntRange(1, 50).Draw(rt, "h"), Components: comps, Step: rapid.IntRange(1, 40).Draw(rt, "step"),
			Restart: rapid.IntRange(0, 5).Draw(rt, "restart"), Progressive: rapid.Bool().Draw(rt, "progressive"), Sample: edges,
		}
		if s.Progressive {
			s.Restart = 0 // the library loses its way there; libjpeg does not
		}
		data := s.Bytes()
		want, err := stdjpeg.Decode(bytes.NewReader(data))
		if err != nil {
			rt.Fatal(err)
		}
		d := open(t, data)
		if err := d.Start(); err != nil {
			rt.Fatal(err)
		}
		d.Planes(func(c, y int, row []byte) {
			for x, v := range row {
				if diff := int(v) - int(sampleOf(want, c, x, y)); diff > 1 || diff < -1 {
					rt.Fatalf("component %d, sample (%d, %d) is %d, %d more than there", c, x, y, v, diff)
				}
			}
		})
	})
}

// sampleOf is a sample of a component of the library's picture.
func sampleOf(m image.Image, c, x, y int) byte {
	switch m := m.(type) {
	case *image.Gray:
		return m.Pix[y*m.Stride+x]
	case *image.YCbCr:
		return [][]byte{m.Y, m.Cb, m.Cr}[c][y*[]int{m.YStride, m.CStride, m.CStride}[c]+x]
	}
	panic("another kind of picture")
}

// Halved, a component is the mean of its samples, however often.
func TestHalved(t *testing.T) {
	for _, s := range []jpegtest.Spec{
		{Width: 64, Height: 48, Components: jpegtest.YCbCr(0x22), Sample: shade}, {Width: 64, Height: 48, Components: jpegtest.YCbCr(0x11), Sample: edges, Step: 3},
		{Width: 64, Height: 48, Components: jpegtest.Named("\x01"), Sample: shade, Progressive: true},
		{Width: 64, Height: 48, Components: jpegtest.Named("\x01"), Sample: func(c, x, y int) int { return 16 * shade(c, x, y) }, Precision: 12},
	} {
		data := s.Bytes()
		d := open(t, data)
		if err := d.Start(); err != nil {
			t.Fatal(err)
		}
		full := make([][][]byte, len(s.Components))
		d.Planes(func(c, _ int, row []byte) { full[c] = append(full[c], slices.Clone(row)) })
		for shift := uint(1); shift <= 3; shift++ {
			d.Rewind()
			for c := range full {
				d.Shrink(c, shift)
			}
			rows := 0
			d.Planes(func(c, y int, row []byte) {
				rows++
				for x, v := range row {
					sum := 0
					for j := range 1 << shift {
						for i := range 1 << shift {
							sum += int(full[c][y<<shift+j][x<<shift+i])
						}
					}
					if diff := int(v) - (sum+1<<(2*shift)/2)>>(2*shift); diff > 1 || diff < -1 {
						t.Fatalf("halved %d times, component %d, (%d, %d): %d is off by %d", shift, c, x, y, v, diff)
					}
				}
			})
			if want := 0; rows == want {
				t.Error("no rows")
			}
		}
	}
}

// The colours that Row makes of what the components are.
func TestColors(t *testing.T) {
	level := func(v ...int) func(c, _, _ int) int { return func(c, _, _ int) int { return v[c] } }
	adobe := func(transform string) [][]byte {
		return [][]byte{jpegtest.Segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00"+transform)}
	}
	jfif := jpegtest.Segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	for _, c := range []struct {
		name     string
		comps    string
		segments [][]byte
		sample   func(c, x, y int) int
		want     [3]byte
	}{
		{"gray", "\x01", nil, level(77), [3]byte{77, 77, 77}},
		{"by JFIF", "RGB", [][]byte{jfif}, level(100, 128, 200), [3]byte{201, 49, 100}},
		{"by number", "\x01\x02\x03", nil, level(100, 128, 200), [3]byte{201, 49, 100}},
		{"by name", "RGB", nil, level(100, 128, 200), [3]byte{100, 128, 200}},
		{"Adobe, as they are", "\x01\x02\x03", adobe("\x00"), level(100, 128, 200), [3]byte{100, 128, 200}},
		{"Adobe, converted", "RGB", adobe("\x01"), level(100, 128, 200), [3]byte{201, 49, 100}},
		{"inks", "CMYK", nil, level(255, 204, 0, 128), [3]byte{128, 102, 0}},
		{"Adobe's inks", "CMYK", adobe("\x00"), level(255, 204, 0, 128), [3]byte{128, 102, 0}},
		{"Adobe's inks, converted", "\x01\x02\x03\x04", adobe("\x02"), level(100, 128, 200, 255), [3]byte{54, 206, 155}},
	} {
		d := open(t, jpegtest.Spec{Width: 9, Height: 9, Components: jpegtest.Named(c.comps), Sample: c.sample, Segments: c.segments}.Bytes())
		if err := d.Start(); err != nil {
			t.Fatal(err)
		}
		row := make([]byte, 36)
		d.Row(row)
		if got := [3]byte(row[4:]); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Chroma of half the width is a triangle between its samples (jdsample.c of libjpeg): three quarters of the nearer, one of the other.
func TestTriangle(t *testing.T) {
	s := jpegtest.Spec{Width: 16, Height: 1, Components: jpegtest.Sampled(0x21, 0x11, 0x11)}
	s.Sample = func(_, x, _ int) int { return 10 + x/2*30 }
	got, _ := samples(t, s.Bytes())
	for x := range 16 {
		near, far := 10+x/2*30, 10+(x/2-1+x%2*2)*30
		if x == 0 || x == 15 {
			far = near
		}
		want := (3*near + far + 1 + x%2) / 4
		if v := int(got[3*x+1]); v < want-1 || v > want+1 {
			t.Errorf("sample %d is %d, want %d", x, v, want)
		}
	}
}

func TestRefused(t *testing.T) {
	good := jpegtest.Spec{Width: 16, Height: 16, Components: jpegtest.YCbCr(0x22), Sample: shade}.Bytes()
	sof := bytes.Index(good, []byte("\xff\xc0"))
	changed := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[sof+at] = v
		return b
	}
	for name, c := range map[string]struct {
		data        []byte
		unsupported string
	}{
		"nothing":       {nil, ""},
		"no frame":      {good[:sof], ""},
		"lossless":      {changed(1, 0xc3), "lossless jpeg"},
		"hierarchical":  {changed(1, 0xc5), "hierarchical jpeg"},
		"nine bits":     {changed(4, 9), "jpeg of other than 8 or 12 bits"},
		"sampling of 0": {changed(11, 0x01), ""},
		"sampling of 5": {changed(11, 0x51), ""},
		"two frames":    {slices.Concat(good[:sof], good[sof:sof+19], good[sof:]), ""},
		"a bad table":   {bytes.Replace(good, []byte("\xff\xc4\x00\x23\x00"), []byte("\xff\xc4\x00\x23\x04"), 1), ""},
		"two":           {jpegtest.Spec{Width: 8, Height: 8, Components: jpegtest.Named("ab"), Sample: shade}.Bytes(), "jpeg with two components"},
	} {
		d, err := jpeg.Open(bytes.NewReader(c.data), int64(len(c.data)), nil)
		switch {
		case c.unsupported != "" && (err != nil || d.Frame.Unsupported() != c.unsupported):
			t.Errorf("%s: %v, want %q", name, err, c.unsupported)
		case c.unsupported == "" && !errors.Is(err, readapi.CodeMalformed):
			t.Errorf("%s: %v, want malformed_input", name, err)
		}
	}
}

func TestMotionFrame(t *testing.T) {
	s := jpegtest.Spec{Width: 33, Height: 17, Components: jpegtest.YCbCr(0x21), Sample: func(c, x, y int) int { return 100 + x + y }, Step: 8, NoTables: true}
	got, missing := samples(t, s.Bytes())
	if v := got[3*20]; missing != "" || v < 115 || v > 125 {
		t.Errorf("%d, %q", v, missing)
	}
}

func TestScansAreCounted(t *testing.T) {
	s := jpegtest.Spec{Width: 8, Height: 8, Components: jpegtest.Named("\x01"), Sample: shade, Progressive: true}.Bytes()
	last := bytes.LastIndex(s, []byte("\xff\xda"))
	many := slices.Concat(s[:last], bytes.Repeat(s[last:len(s)-2], jpeg.MaxScans), s[len(s)-2:])
	d := open(t, many)
	if err := d.Start(); !errors.Is(err, readapi.CodeLimitFuel) {
		t.Errorf("%v, want limit_fuel", err)
	}
	if n := d.CountScans(); n < jpeg.MaxScans || !strings.Contains(string(s), "\xff\xda") {
		t.Errorf("%d scans are counted", n)
	}
}
