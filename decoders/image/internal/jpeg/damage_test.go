package jpeg_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg/jpegtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// tried decodes whatever comes and fails on an error that is none of its own.
func tried(t testing.TB, data []byte) (pix []byte, missing string, err error) {
	t.Helper()
	defer func() {
		if err != nil && readapi.CodeOf(err) == readapi.CodeInternal {
			t.Fatalf("an error without a code: %v", err)
		}
	}()
	d, err := jpeg.Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil || d.Frame.Unsupported() != "" || d.Frame.Width*d.Frame.Height == 0 || d.Frame.Width*d.Frame.Height > 1<<16 {
		return nil, "", err
	}
	if n, err := d.Bytes(); err != nil || n > 1<<24 || d.CountScans() > 40 {
		return nil, "", err
	}
	if err := d.Start(); err != nil {
		return nil, "", err
	}
	n := d.Frame.Width * 4
	pix = make([]byte, n*d.Frame.Height)
	for y := range d.Frame.Height {
		d.Row(pix[y*n : (y+1)*n])
	}
	missing, err = d.Missing()
	return pix, missing, err
}

// arithmeticTail is what the decoder's register holds and the last decisions may not need.
func arithmeticTail(s jpegtest.Spec) int {
	if s.Arithmetic {
		return 2
	}
	return 0
}

// A file that is cut anywhere gives what is there: the rows before the cut are those of the whole, and it says that some are missing.
func TestEveryCut(t *testing.T) {
	for _, s := range []jpegtest.Spec{
		{Width: 40, Height: 40, Components: jpegtest.YCbCr(0x11), Sample: edges, Step: 4}, {Width: 40, Height: 40, Components: jpegtest.YCbCr(0x22), Sample: edges, Step: 4, Restart: 2},
		{Width: 40, Height: 40, Components: jpegtest.YCbCr(0x21), Sample: edges, Step: 4, Progressive: true}, {Width: 40, Height: 40, Components: jpegtest.YCbCr(0x11), Sample: edges, Step: 4, Apart: true},
		{Width: 40, Height: 40, Components: jpegtest.Named("\x01"), Sample: edges, Step: 4},
		{Width: 40, Height: 40, Components: jpegtest.YCbCr(0x21), Sample: edges, Step: 4, Restart: 2, Arithmetic: true},
	} {
		data := s.Bytes()
		whole, missing, err := tried(t, data)
		if err != nil || missing != "" {
			t.Fatalf("%v %q", err, missing)
		}
		start := bytes.Index(data, []byte("\xff\xda"))
		partial, same := 0, 0
		for n := range len(data) - 2 {
			pix, missing, err := tried(t, data[:n])
			switch {
			case err == nil && n < start:
				t.Fatalf("%d bytes are headers, and a picture", n)
			case err == nil && missing == "" && n < len(data)-3-arithmeticTail(s): // the last bytes may be nothing but filling
				t.Errorf("cut at %d of %d, nothing is missing", n, len(data))
			case err != nil:
				continue
			}
			partial++
			if strings.Contains(missing, "of the picture") {
				at := 0
				for at < len(pix) && pix[at] == whole[at] {
					at++
				}
				same = max(same, at)
			}
		}
		if partial < len(data[start:])/2 || !s.Progressive && !s.Apart && same < len(whole)*6/10 {
			t.Errorf("%d of %d cuts give a picture, with %d of %d bytes the same at best", partial, len(data)-start, same, len(whole))
		}
	}
}

// A stretch between restart markers that is lost, damaged or misnumbered costs itself and no more.
func TestResync(t *testing.T) {
	s := jpegtest.Spec{Width: 80, Height: 64, Components: jpegtest.YCbCr(0x11), Sample: edges, Step: 2, Restart: 10}
	data := s.Bytes()
	whole, _, _ := tried(t, data)
	at := func(i byte) int { return bytes.Index(data, []byte{0xff, 0xd0 + i}) }
	const row = 80 * 4 * 8 // a stretch is a row of blocks
	for name, c := range map[string]struct {
		data []byte
		lost []int
	}{
		"lost":           {slices.Concat(data[:at(2)], data[at(3):]), []int{3}},
		"two lost":       {slices.Concat(data[:at(2)], data[at(4):]), []int{3, 4}},
		"cut short":      {slices.Concat(data[:at(2)+9], data[at(3):]), []int{3}},
		"misnumbered":    {bytes.Replace(data, []byte{0xff, 0xd2}, []byte{0xff, 0xd6}, 1), nil},
		"twice":          {slices.Concat(data[:at(3)], data[at(2):at(3)], data[at(3):]), nil},
		"noise in front": {slices.Concat(data[:at(3)], []byte("\x12\x34\xff\x00\xff\x01\x56"), data[at(3):]), nil},
		"fill bytes":     {slices.Concat(data[:at(3)], []byte("\xff\xff\xff"), data[at(3):]), nil},
	} {
		pix, missing, err := tried(t, c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 8 {
			if same := bytes.Equal(pix[i*row:(i+1)*row], whole[i*row:(i+1)*row]); same == slices.Contains(c.lost, i) {
				t.Errorf("%s: stretch %d as in the whole: %v", name, i, same)
			}
		}
		if (missing != "") != (len(c.lost) > 0) {
			t.Errorf("%s: missing: %q", name, missing)
		}
	}
}

// What is slightly wrong and everybody reads.
func TestTolerated(t *testing.T) {
	s := jpegtest.Spec{Width: 40, Height: 24, Components: jpegtest.YCbCr(0x22), Sample: shade}
	data := s.Bytes()
	whole, _, _ := tried(t, data)
	sos := bytes.Index(data, []byte("\xff\xda"))
	for name, b := range map[string][]byte{
		"no end":              data[:len(data)-2],
		"junk in front":       slices.Concat(data[:2], []byte("junk\xff\xff\xff"), data[2:]),
		"junk between":        slices.Concat(data[:sos], []byte("\x00\x01\xff\x00\xff"), data[sos:]),
		"junk behind":         slices.Concat(data, data),
		"a segment too short": slices.Concat(data[:2], []byte("\xff\xe3\x00\x05abcdefgh"), data[2:]),
		"a segment too long":  slices.Concat(data[:2], []byte("\xff\xe3\xff\xf0abcdefgh"), data[2:]),
		"no length":           slices.Concat(data[:2], []byte("\xff\xe3\x00\x00"), data[2:]),
		"start twice":         slices.Concat(data[:2], data),
	} {
		if pix, missing, err := tried(t, b); err != nil || missing != "" || !bytes.Equal(pix, whole) {
			t.Errorf("%s: %v %q, same: %v", name, err, missing, bytes.Equal(pix, whole))
		}
	}
	bad := bytes.Clone(data)
	copy(bad[len(bad)-60:], bytes.Repeat([]byte("\xfe"), 8)) // no code begins so
	if _, missing, err := tried(t, bad); err != nil || missing == "" {
		t.Errorf("bad codes: %v %q", err, missing)
	}
}

// Whatever is done to a file, it is a picture or an error with a code; never a panic, and the same each time.
func TestMutants(t *testing.T) {
	var seeds [][]byte
	for _, comps := range samplings {
		for i := range 4 {
			seeds = append(seeds, jpegtest.Spec{
				Width: 30, Height: 20, Components: comps, Sample: edges, Step: 9, Progressive: i&1 != 0, Restart: i & 2, Apart: i == 2 && comps[0].ID != 7, Arithmetic: len(seeds)%3 == 0,
			}.Bytes())
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		data := bytes.Clone(rapid.SampledFrom(seeds).Draw(rt, "file"))
		for range rapid.IntRange(1, 6).Draw(rt, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				data[at] = rapid.Byte().Draw(rt, "byte")
			case 1:
				data = slices.Delete(data, at, min(len(data), at+rapid.IntRange(1, 9).Draw(rt, "n")))
			default:
				data = slices.Insert(data, at, rapid.SliceOfN(rapid.Byte(), 1, 5).Draw(rt, "bytes")...)
			}
			if len(data) == 0 {
				return
			}
		}
		pix, missing, err := tried(t, data)
		again, missing2, err2 := tried(t, data)
		if !bytes.Equal(pix, again) || missing != missing2 || readapi.CodeOf(err) != readapi.CodeOf(err2) {
			rt.Fatal("two decodings differ")
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, comps := range samplings {
		for _, progressive := range []bool{false, true} {
			f.Add(jpegtest.Spec{Width: 20, Height: 20, Components: comps, Sample: edges, Step: 9, Progressive: progressive, Restart: 2}.Bytes())
			f.Add(jpegtest.Spec{Width: 20, Height: 20, Components: comps, Sample: edges, Step: 9, Progressive: progressive, Arithmetic: true}.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { _, _, _ = tried(t, data) })
}
