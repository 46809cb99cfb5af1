package object_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// streamOf returns the only stream of a file.
func streamOf(t *testing.T, dict string, data []byte) object.Node {
	t.Helper()
	w := pdftest.Plain("")
	num := w.Stream(dict, data)
	f, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	return f.Object(num)
}

// Whatever the predictor, the samples come out as they went in.
func TestPredictors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{1, 2, 4, 8, 16} {
		for _, colors := range []int{1, 3, 4} {
			for _, predictor := range []int{1, 2, 10, 11, 12, 13, 14, 15} {
				const columns = 13
				row := (columns*colors*bits + 7) / 8
				want := make([]byte, 11*row)
				for i := range want {
					want[i] = byte(rnd.Uint32())
				}
				if pad := row*8 - columns*colors*bits; pad > 0 { // bits that are no sample are 0
					for i := row - 1; i < len(want); i += row {
						want[i] &= byte(0xff << pad)
					}
				}
				data := want
				if predictor > 1 {
					data = pdftest.Predict(want, predictor, columns, colors, bits)
				}
				for filter, coded := range map[string][]byte{"FlateDecode": pdftest.Deflate(string(data)), "LZWDecode": pdftest.LZW(data, true)} {
					dict := fmt.Sprintf("/Filter/%s/DecodeParms<</Predictor %d/Columns %d/Colors %d/BitsPerComponent %d>>", filter, predictor, columns, colors, bits)
					got, err := streamOf(t, dict, coded).Data(1 << 20)
					if predictor == 2 && bits < 8 && err == nil { // the bits behind the last sample are anything
						for i := row - 1; i < len(got); i += row {
							got[i] &= byte(0xff << (row*8 - columns*colors*bits))
						}
					}
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s: %d bytes, %v", dict, len(got), err)
					}
				}
			}
		}
	}
}

func TestFilters(t *testing.T) {
	text := strings.Repeat("The quick brown fox. ", 900)
	z := pdftest.Deflate(text)
	for name, c := range map[string]struct {
		dict, data string
		want       string
		err        error
	}{
		"none":              {"", text, text, nil},
		"lzw":               {"/Filter/LZWDecode", string(pdftest.LZW([]byte(text), true)), text, nil},
		"lzw-late":          {"/Filter/LZW/DecodeParms<</EarlyChange 0>>", string(pdftest.LZW([]byte(text), false)), text, nil},
		"lzw-late-array":    {"/Filter[/LZW]/DecodeParms[<</EarlyChange 0>>]", string(pdftest.LZW([]byte(text), false)), text, nil},
		"flate-parms-lone":  {"/Filter[/Fl]/DecodeParms<</Predictor 1>>", string(z), text, nil},
		"nulls":             {"/Filter[null /FlateDecode]/DecodeParms[null null]", string(z), text, nil},
		"85-prefix":         {"/Filter/A85", "<~87cURD_*#TDfTZ)~>", "Hello, world", nil},
		"85-spaces":         {"/Filter/A85", " 87cU\nRD_*#\tTDfTZ) ~>", "Hello, world", nil},
		"85-no-end":         {"/Filter/A85", "87cURD_*#TDfTZ)", "Hello, world", nil},
		"85-z":              {"/Filter/A85", "z87cURD_*#TDfTZ)~>", "\x00\x00\x00\x00Hello, world", nil},
		"hex-odd":           {"/Filter/AHx", "4 8\n65 6C6>", "Hel`", nil},
		"hex-junk":          {"/Filter/ASCIIHexDecode", "48zz65>6c", "He", nil},
		"run":               {"/Filter/RL", "\x02abc\xfex\x80junk", "abcxxx", nil},
		"run-cut":           {"/Filter/RL", "\x09abc", "abc", nil},
		"crypt":             {"/Filter[/Crypt/FlateDecode]", string(z), text, nil},
		"flate-cut":         {"/Filter/FlateDecode", string(pdftest.Deflate("Hello, world, hello, world, hello"))[:16], "", object.ErrDamaged},
		"flate-no-header":   {"/Filter/FlateDecode", string(z[2:]), text, nil},
		"picture":           {"/Filter/DCTDecode", text, "", object.ErrFilter},
		"unknown":           {"/Filter[/FlateDecode/Nobody]", string(z), "", object.ErrFilter},
		"external":          {"/F(elsewhere)", text, "", nil},
		"too-many":          {"/Filter[" + strings.Repeat("/AHx", 9) + "]", text, "", object.ErrFilter},
		"abbreviated-parms": {"/Filter/LZW/DP<</EarlyChange 0>>", string(pdftest.LZW([]byte(text), false)), text, nil},
	} {
		got, err := streamOf(t, c.dict, []byte(c.data)).Data(1 << 20)
		if !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if name == "flate-cut" {
			if len(got) == 0 || !strings.HasPrefix("Hello, world, hello", string(got)) {
				t.Errorf("%s: %q", name, got)
			}
		} else if string(got) != c.want {
			t.Errorf("%s: %d bytes %.40q, want %d", name, len(got), got, len(c.want))
		}
	}
}

// The limit is of what comes out, whatever the filter.
func TestDataIsBounded(t *testing.T) {
	text := strings.Repeat("x", 1000)
	run := strings.Repeat("\x81x", 8)
	for dict, data := range map[string][]byte{
		"/Filter/FlateDecode": pdftest.Deflate(text), "/Filter/LZWDecode": pdftest.LZW([]byte(text), true), "/Filter/RunLengthDecode": []byte(run),
	} {
		for _, limit := range []int{0, 1, 100, 999} {
			if got, err := streamOf(t, dict, data).Data(limit); len(got) > limit || !errors.Is(err, object.ErrBudget) {
				t.Errorf("%s: %d bytes of %d, %v", dict, len(got), limit, err)
			}
		}
		if got, err := streamOf(t, dict, data).Data(1024); err != nil || len(got) < 1000 {
			t.Errorf("%s: %d bytes, %v", dict, len(got), err)
		}
	}
}

func TestEncoded(t *testing.T) {
	jpeg := "not really a picture"
	for dict, data := range map[string]string{
		"/Filter/DCTDecode/DecodeParms<</ColorTransform 0>>":                        jpeg,
		"/Filter[/FlateDecode/DCT]/DecodeParms[null<</ColorTransform 0>>]":          string(pdftest.Deflate(jpeg)),
		"/Filter[/A85/Fl/DCTDecode]/DecodeParms[null null<</ColorTransform 0>>]":    ascii85(string(pdftest.Deflate(jpeg))),
		"/Filter[/DCTDecode/FlateDecode]/DecodeParms[<</ColorTransform 0>> null]":   jpeg,
		"/Filter[/Fl/DCTDecode]/DecodeParms[<</Predictor 1>><</ColorTransform 0>>]": string(pdftest.Deflate(jpeg)),
	} {
		got, filter, parms, err := streamOf(t, dict, []byte(data)).Encoded(1 << 20)
		if err != nil || string(got) != jpeg || filter != "DCTDecode" || !parms.Key("ColorTransform").Is(object.Number) {
			t.Errorf("%s: %q, %s, %v, %v", dict, got, filter, parms.Keys(), err)
		}
	}
	if got, filter, _, err := streamOf(t, "/Filter/FlateDecode", pdftest.Deflate(jpeg)).Encoded(1 << 20); err != nil || filter != "" || string(got) != jpeg {
		t.Errorf("data that are whole: %q, %q, %v", got, filter, err)
	}
	if got, _, _, err := streamOf(t, "/Filter/DCTDecode", []byte(jpeg)).Encoded(5); !errors.Is(err, object.ErrBudget) || len(got) != 5 {
		t.Errorf("a picture that is too large: %q, %v", got, err)
	}
}

// An inline image's dictionary is read from its text, and its data by it.
func TestInline(t *testing.T) {
	n := streamOf(t, "", nil).File().Parse([]byte("<</W 4/F[/AHx/Fl]/DP[null<</Predictor 12/Columns 4>>]>>"))
	data := fmt.Sprintf("%x>", pdftest.Deflate(string(pdftest.PNGUp([]byte("abcdefgh"), 4))))
	got, filter, _, err := n.Decode([]byte(data), 100)
	if err != nil || filter != "" || string(got) != "abcdefgh" || n.Key("W").Int() != 4 || len(n.Filters()) != 2 || n.Filters()[1] != "FlateDecode" {
		t.Errorf("%q, %q, %v, %q", got, filter, err, n.Filters())
	}
}

func ascii85(data string) string {
	var b strings.Builder
	for len(data) > 0 {
		var v uint32
		n := min(4, len(data))
		for i := range 4 {
			v <<= 8
			if i < n {
				v |= uint32(data[i])
			}
		}
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = byte(v%85) + '!'
			v /= 85
		}
		b.Write(digits[:n+1])
		data = data[n:]
	}
	return b.String() + "~>"
}
