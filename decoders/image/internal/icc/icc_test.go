package icc

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc/icctest"
)

// made is a generated profile, and what Little CMS 2.14 makes of the colours below through it (relative colorimetric).
type made struct {
	name    string
	profile icctest.Profile
	model   Model
	near    int
	want    [][3]byte
}

// The colours that the wanted ones are of.
var (
	rgbColours  = [][]byte{{0, 0, 0}, {255, 255, 255}, {128, 128, 128}, {200, 30, 40}, {20, 180, 60}, {30, 60, 220}, {250, 240, 20}, {12, 30, 7}}
	grayColours = [][]byte{{0}, {255}, {128}, {60}, {9}}
	inkColours  = [][]byte{{0, 0, 0, 0}, {255, 255, 255, 255}, {0, 0, 0, 255}, {128, 0, 0, 0}, {0, 200, 60, 10}, {30, 60, 0, 128}, {255, 240, 20, 40}}
)

func lut(version byte, space, pcs string, data []byte) icctest.Profile {
	return icctest.Profile{Version: version, Class: "prtr", Space: space, PCS: pcs, Tags: []icctest.Tag{{Name: "A2B0", Data: data}}}
}

// backwards takes blue for red, and a power for the curve.
func backwards(encode func(l, a, b float64) [3]float64, gamma float64) func(v []float64) [3]float64 {
	return func(v []float64) [3]float64 {
		return encode(icctest.Lab(math.Pow(v[2], gamma), math.Pow(v[1], gamma), math.Pow(v[0], gamma)))
	}
}

func inks(v []float64) [3]float64 { return icctest.NewLab(icctest.Lab(icctest.Ink(v))) }

// half is linear sRGB as XYZ, encoded.
func half(v []float64) [3]float64 {
	const k = 32768.0 / 65535
	return [3]float64{
		k * (0.4360747*v[0] + 0.3850649*v[1] + 0.1430804*v[2]), k * (0.2225045*v[0] + 0.7168786*v[1] + 0.0606169*v[2]),
		k * (0.0139322*v[0] + 0.0971045*v[1] + 0.7141733*v[2]),
	}
}

func profiles() []made {
	same := func(x float64) float64 { return x }
	srgb := icctest.SRGB
	return []made{
		{"adobe", icctest.AdobeRGB(), RGB, 2, [][3]byte{{0, 0, 0}, {255, 255, 255}, {129, 129, 129}, {233, 24, 36}, {0, 181, 42}, {0, 57, 225}, {254, 240, 0}, {0, 24, 0}}},
		{"swapped", icctest.Swapped(), RGB, 1, [][3]byte{{0, 0, 0}, {255, 255, 255}, {128, 128, 128}, {40, 30, 200}, {60, 180, 20}, {220, 60, 30}, {20, 240, 250}, {7, 30, 12}}},
		{"gamma 1.8", srgb(icctest.Gamma(1.8)), RGB, 1, [][3]byte{{0, 0, 0}, {255, 255, 255}, {146, 146, 146}, {210, 40, 53}, {26, 193, 77}, {40, 77, 227}, {251, 243, 26}, {13, 40, 5}}},
		{"linear", srgb(icctest.Table(2, same)), RGB, 1, [][3]byte{{0, 0, 0}, {255, 255, 255}, {188, 188, 188}, {229, 96, 110}, {79, 219, 133}, {96, 133, 239}, {253, 248, 79}, {61, 96, 46}}},
		{"formula 0", srgb(icctest.Para(0, 2.4)), RGB, 1, [][3]byte{{0, 0, 0}, {255, 255, 255}, {121, 121, 121}, {197, 18, 28}, {7, 176, 49}, {17, 49, 218}, {250, 239, 7}, {2, 18, 1}}},
		{"formula 1", srgb(icctest.Para(1, 2, 0.9, 0.1)), RGB, 1, [][3]byte{{25, 25, 25}, {255, 255, 255}, {150, 150, 150}, {211, 58, 68}, {48, 194, 88}, {58, 88, 227}, {251, 243, 48}, {39, 58, 33}}},
		{"formula 2", srgb(icctest.Para(2, 2, 0.8, 0.1, 0.05)), RGB, 1, [][3]byte{{69, 69, 69}, {239, 239, 239}, {149, 149, 149}, {200, 84, 89}, {78, 186, 102}, {84, 102, 214}, {235, 228, 78}, {74, 84, 72}}},
		{"formula 4", srgb(icctest.Para(4, 2.2, 0.9, 0.1, 0.1, 0.1, 0.02, 0.01)), RGB, 1, [][3]byte{{25, 25, 25}, {255, 255, 255}, {147, 147, 147}, {210, 64, 71}, {36, 192, 88}, {64, 88, 227}, {253, 244, 36}, {32, 64, 30}}},
		{"gray", icctest.Gray("XYZ", icctest.Gamma(2.2)), Gray, 2, [][3]byte{{0, 0, 0}, {255, 255, 255}, {129, 129, 129}, {57, 57, 57}, {2, 2, 2}}},
		{"gray to L", icctest.Gray("Lab", icctest.Gamma(1)), Gray, 1, [][3]byte{{0, 0, 0}, {255, 255, 255}, {119, 119, 119}, {56, 56, 56}, {12, 12, 12}}},
		{"inks, lut16", icctest.CMYK(), CMYK, 2, [][3]byte{{255, 255, 255}, {4, 7, 5}, {48, 48, 48}, {191, 237, 249}, {242, 144, 191}, {178, 168, 181}, {56, 83, 177}}},
		{"inks, lut8", lut(2, "CMYK", "Lab", icctest.Lut8(4, 9, inks)), CMYK, 2, [][3]byte{{255, 255, 255}, {3, 7, 6}, {48, 48, 48}, {192, 237, 250}, {242, 144, 191}, {177, 167, 181}, {56, 83, 177}}},
		{"inks, lutAToB", lut(4, "CMYK", "Lab", icctest.LutAToB(4, 9, icctest.Gamma(1.2), inks)), CMYK, 3, [][3]byte{{255, 255, 255}, {4, 7, 5}, {48, 48, 48}, {201, 240, 250}, {244, 152, 200}, {191, 183, 192}, {58, 88, 185}}},
		{"lut16", lut(2, "RGB", "Lab", icctest.Lut16(3, 17, backwards(icctest.OldLab, 2))), RGB, 2, [][3]byte{{0, 0, 0}, {255, 255, 255}, {137, 137, 137}, {44, 31, 206}, {67, 187, 19}, {224, 67, 31}, {20, 242, 251}, {6, 31, 10}}},
		{"lut8", lut(2, "RGB", "Lab", icctest.Lut8(3, 17, backwards(icctest.NewLab, 2))), RGB, 3, [][3]byte{{0, 0, 0}, {255, 255, 255}, {138, 138, 138}, {44, 31, 205}, {66, 187, 20}, {224, 67, 32}, {21, 242, 251}, {6, 31, 10}}},
		{"lutAToB", lut(4, "RGB", "Lab", icctest.LutAToB(3, 17, icctest.Gamma(1), backwards(icctest.NewLab, 1.8))), RGB, 2, [][3]byte{{0, 0, 0}, {255, 255, 255}, {146, 146, 146}, {53, 40, 210}, {77, 193, 26}, {227, 77, 40}, {27, 243, 251}, {10, 40, 16}}},
		{"lutAToB to XYZ", lut(4, "RGB", "XYZ", icctest.LutAToB(3, 17, icctest.Gamma(2.2), half)), RGB, 3, [][3]byte{{0, 0, 0}, {255, 255, 255}, {129, 129, 129}, {201, 24, 35}, {12, 181, 57}, {24, 57, 221}, {250, 240, 12}, {5, 24, 1}}},
	}
}

// through is one colour through t.
func through(t *Transform, m Model, device []byte) [3]byte {
	var p [4]byte
	copy(p[:], device)
	if t == nil {
		return [3]byte(p[:])
	}
	if m == CMYK {
		var in [4]byte
		copy(in[:], device)
		t.Inks(p[:], in[:])
	} else {
		t.Pixels(p[:])
	}
	return [3]byte(p[:])
}

func TestColours(t *testing.T) {
	for _, c := range profiles() {
		to, err := Parse(c.profile.Bytes(), c.model)
		if err != nil || to == nil {
			t.Errorf("%s: %v, %v", c.name, to, err)
			continue
		}
		colours := map[Model][][]byte{Gray: grayColours, RGB: rgbColours, CMYK: inkColours}[c.model]
		if len(colours) != len(c.want) {
			t.Fatalf("%s: %d colours wanted", c.name, len(c.want))
		}
		for i, device := range colours {
			got := through(to, c.model, device)
			for j := range got {
				if d := int(got[j]) - int(c.want[i][j]); d > c.near || d < -c.near {
					t.Errorf("%s: %v is %v, want %v", c.name, device, got, c.want[i])
					break
				}
			}
		}
	}
}

// TestSRGB: a profile that says sRGB costs nothing, one that nearly does is not taken for it.
func TestSRGB(t *testing.T) {
	for name, c := range map[string]struct {
		curve   []byte
		nothing bool
	}{
		"table":     {icctest.Table(1024, icctest.Expanded), true},
		"short":     {icctest.Table(256, icctest.Expanded), true},
		"formula":   {icctest.Para(3, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045), true},
		"gamma 2.2": {icctest.Gamma(2.2), false},
		"gamma 1.8": {icctest.Gamma(1.8), false},
	} {
		if to, err := Parse(icctest.SRGB(c.curve).Bytes(), RGB); err != nil || (to == nil) != c.nothing {
			t.Errorf("%s: taken for sRGB: %v, want %v (%v)", name, to == nil, c.nothing, err)
		}
	}
	if to, err := Parse(icctest.Gray("XYZ", icctest.Table(1024, icctest.Expanded)).Bytes(), Gray); to != nil || err != nil {
		t.Errorf("gray with the curve of sRGB: %v", err)
	}
	same := icctest.Lut16(3, 33, func(v []float64) [3]float64 {
		return icctest.OldLab(icctest.Lab(icctest.Expanded(v[0]), icctest.Expanded(v[1]), icctest.Expanded(v[2])))
	})
	if to, err := Parse(lut(2, "RGB", "Lab", same).Bytes(), RGB); to != nil || err != nil {
		t.Errorf("a table that says sRGB: %v", err)
	}
}

// TestRefused: what is of no use is refused, by name.
func TestRefused(t *testing.T) {
	good := icctest.AdobeRGB()
	change := func(f func(b []byte)) []byte {
		b := good.Bytes()
		f(b)
		return b
	}
	far := func(b []byte) { binary.BigEndian.PutUint32(b[132+4:], 1<<31) }   // the first tag
	large := func(b []byte) { binary.BigEndian.PutUint32(b[132+8:], 1<<31) } // and how large it is
	huge := icctest.SRGB(append([]byte("curv\x00\x00\x00\x00\xff\xff\xff\xff"), 1, 2, 3, 4))
	wide := icctest.Lut16(3, 2, half)
	wide[10] = 255 // points along each of the channels
	cut := icctest.LutAToB(3, 2, icctest.Gamma(1), half)
	binary.BigEndian.PutUint32(cut[24:], uint32(len(cut)))
	for _, c := range []struct {
		name string
		data []byte
		m    Model
		want error
	}{
		{"empty", nil, RGB, errProfile},
		{"words", bytes.Repeat([]byte("words "), 100), RGB, errProfile},
		{"of another model", good.Bytes(), CMYK, errModel},
		{"gray", good.Bytes(), Gray, errModel},
		{"a link", change(func(b []byte) { copy(b[12:], "link") }), RGB, errClass},
		{"another space", change(func(b []byte) { copy(b[20:], "RGB ") }), RGB, errClass},
		{"too large", append(good.Bytes(), make([]byte, MaxBytes)...), RGB, errSize},
		{"no tags", change(func(b []byte) { binary.BigEndian.PutUint32(b[128:], 0) }), RGB, errTag},
		{"a tag behind the end", change(far), RGB, errTag},
		{"a tag without end", change(large), RGB, errTag},
		{"a curve without end", huge.Bytes(), RGB, errDamaged},
		{"a formula of the future", icctest.SRGB(icctest.Para(5, 1)).Bytes(), RGB, errKind},
		{"a curve of another kind", icctest.SRGB([]byte("text\x00\x00\x00\x00words")).Bytes(), RGB, errKind},
		{"inks without a table", icctest.Profile{Version: 2, Class: "prtr", Space: "CMYK", PCS: "Lab"}.Bytes(), CMYK, errTag},
		{"a grid that is not there", lut(2, "RGB", "XYZ", wide).Bytes(), RGB, errDamaged},
		{"a grid behind the end", lut(4, "RGB", "XYZ", cut).Bytes(), RGB, errDamaged},
		{"a table of other channels", lut(2, "CMYK", "Lab", icctest.Lut16(3, 3, half)).Bytes(), CMYK, errModel},
		{"a matrix to Lab", icctest.Profile{Version: 2, Class: "mntr", Space: "RGB", PCS: "Lab", Tags: good.Tags}.Bytes(), RGB, errTag},
	} {
		if to, err := Parse(c.data, c.m); err != c.want || to != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestCut reads profiles of each kind that end early: none may break anything.
func TestCut(t *testing.T) {
	for _, c := range profiles() {
		b := c.profile.Bytes()
		for n := 0; n < min(len(b), 1200); n += 7 {
			Parse(b[:n], c.model)
			if to, err := Parse(b[:len(b)-n-1], c.model); n > 256 && err == nil && to == nil {
				t.Errorf("%s without its last %d bytes is sRGB", c.name, n+1)
			}
		}
	}
}

// TestLevels: a gray axis stays in order, whatever the curve.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.Float64Range(0.3, 4).Draw(t, "gamma")
		to, err := Parse(icctest.SRGB(icctest.Gamma(g)).Bytes(), RGB)
		if err != nil {
			t.Fatal(err)
		}
		last := byte(0)
		for v := range 256 {
			c := through(to, RGB, []byte{byte(v), byte(v), byte(v)})
			if int(c[0])-int(c[1]) > 1 || int(c[1])-int(c[0]) > 1 || c[1] < last {
				t.Fatalf("gray %d is %v", v, c)
			}
			last = c[1]
		}
	})
}

// TestNumbers holds the functions against those of package math.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, g := rapid.Float64Range(1e-6, 2).Draw(t, "x"), rapid.Float64Range(0.2, 5).Draw(t, "g")
		if got, want := pow(x, g), math.Pow(x, g); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("pow(%v, %v) is %v, want %v", x, g, got, want)
		}
	})
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 2} {
		if c := clamp(x); !(c >= 0 && c <= 1) {
			t.Errorf("clamp(%v) is %v", x, c)
		}
	}
}

// TestLab: known colours.
func TestLab(t *testing.T) {
	l := NewLab()
	for _, c := range []struct {
		l    byte
		a, b int8
		want [3]byte
	}{
		{255, 0, 0, [3]byte{255, 255, 255}},
		{0, 0, 0, [3]byte{0, 0, 0}},
		{128, 0, 0, [3]byte{120, 120, 120}}, // L 50.2
		{138, 81, 70, [3]byte{255, 0, 0}},   // 54.3, 80.8, 69.9
		{224, -79, 81, [3]byte{0, 255, 0}},  // 87.8, -79.3, 81.0
		{75, 68, -112, [3]byte{0, 0, 255}},  // 29.6, 68.3, -112.0
	} {
		var p [4]byte
		l.Lab(p[:], c.l, c.a, c.b)
		for i, w := range c.want {
			if d := int(p[i]) - int(w); d > 10 || d < -10 { // a and b are whole numbers, and the corner of the gamut is steep
				t.Errorf("L %d a %d b %d is %v, want %v", c.l, c.a, c.b, p[:3], c.want)
				break
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range profiles() {
		if b := c.profile.Bytes(); len(b) < 1<<14 {
			f.Add(b, byte(c.model))
		}
	}
	f.Add(lut(2, "CMYK", "Lab", icctest.Lut8(4, 2, inks)).Bytes(), byte(CMYK))
	f.Add(lut(4, "RGB", "XYZ", icctest.LutAToB(3, 2, icctest.Gamma(2), half)).Bytes(), byte(RGB))
	f.Fuzz(func(t *testing.T, b []byte, m byte) {
		model := Model(m%3) + 1
		to, err := Parse(b, model)
		again, err2 := Parse(b, model)
		if err != err2 || (to == nil) != (again == nil) {
			t.Fatal("not the same twice")
		}
		for _, v := range []byte{0, 1, 77, 128, 254, 255} {
			device := []byte{v, 255 - v, v / 2, v}
			if through(to, model, device) != through(again, model, device) {
				t.Fatal("not the same twice")
			}
		}
	})
}

func BenchmarkInks(b *testing.B) {
	to, err := Parse(icctest.CMYK().Bytes(), CMYK)
	if err != nil {
		b.Fatal(err)
	}
	src, dst := make([]byte, 4<<20), make([]byte, 4<<20)
	for i := range src {
		src[i] = byte(i * 7 >> 2)
	}
	b.SetBytes(1 << 20) // pixels
	for b.Loop() {
		to.Inks(dst, src)
	}
}

func BenchmarkMatrix(b *testing.B) {
	to, err := Parse(icctest.AdobeRGB().Bytes(), RGB)
	if err != nil {
		b.Fatal(err)
	}
	pix := make([]byte, 4<<20)
	b.SetBytes(1 << 20)
	for b.Loop() {
		to.Pixels(pix)
	}
}
