package jp2_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jp2"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jp2/jp2test"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// picture is a picture whose samples are smooth in one part, busy in another and level in a third, as pictures are.
func picture(x0, y0, w, h int, seed uint32, comps ...jp2test.Component) jp2test.Picture {
	p := jp2test.Picture{X0: x0, Y0: y0, W: w, H: h, Components: slices.Clone(comps)}
	for k := range p.Components {
		c := &p.Components[k]
		cw, ch := p.Size(k)
		most := int32(1)<<c.Depth - 1
		for y := range ch {
			for x := range cw {
				v := int32(x*5+y*3+40*k) << max(0, c.Depth-8)
				switch {
				case x > cw/2:
					seed = seed*1664525 + 1013904223
					v = int32(seed>>8) & most
				case y > ch/2:
					v = most / 3
				}
				v &= most
				if c.Signed {
					v -= 1 << (c.Depth - 1)
				}
				c.Samples = append(c.Samples, v)
			}
		}
	}
	return p
}

func comp(depth, dx, dy int) jp2test.Component {
	return jp2test.Component{Depth: depth, DX: dx, DY: dy}
}

func rgb() []jp2test.Component {
	return []jp2test.Component{comp(8, 1, 1), comp(8, 1, 1), comp(8, 1, 1)}
}

func decode(data []byte, o jp2.Options) ([]jp2.Plane, bool, error) {
	c, err := jp2.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, false, err
	}
	return c.Decode(o)
}

// compare decodes data and holds the samples to those of p, at most near apart.
func compare(t interface {
	Fatalf(string, ...any)
	Helper()
}, p jp2test.Picture, data []byte, near float64) {
	t.Helper()
	planes, partial, err := decode(data, jp2.Options{Components: len(p.Components), Raw: true})
	if err != nil || partial {
		t.Fatalf("%v, partial %v", err, partial)
	}
	for k, c := range p.Components {
		w, h := p.Size(k)
		if planes[k].W != w || planes[k].H != h {
			t.Fatalf("component %d is %dx%d, want %dx%d", k, planes[k].W, planes[k].H, w, h)
		}
		for i, v := range c.Samples {
			if c.Signed {
				v += 1 << (c.Depth - 1)
			}
			if got := planes[k].Pix[i]; math.Abs(float64(got)-float64(min(v, 255))) > near {
				t.Fatalf("component %d, sample (%d, %d): %d, want %d", k, i%w, i/w, got, v)
			}
		}
	}
}

// Every way of coding gives the same samples.
func TestWays(t *testing.T) {
	gray := []jp2test.Component{comp(8, 1, 1)}
	signed := []jp2test.Component{{Depth: 8, Signed: true, DX: 1, DY: 1}}
	chroma := []jp2test.Component{comp(8, 1, 1), comp(8, 2, 2), comp(8, 2, 1)}
	precincts := []byte{0x23, 0x34, 0x43, 0x55}
	cases := map[string]struct {
		p jp2test.Picture
		o jp2test.Options
	}{
		"no transform":               {picture(0, 0, 13, 9, 1, gray...), jp2test.Options{}},
		"five halvings":              {picture(0, 0, 70, 50, 2, gray...), jp2test.Options{Levels: 5, XCB: 2, YCB: 2}},
		"one row":                    {picture(0, 0, 33, 1, 3, gray...), jp2test.Options{Levels: 3, XCB: 2, YCB: 2}},
		"one column, odd":            {picture(1, 1, 1, 33, 4, gray...), jp2test.Options{Levels: 3, XCB: 2, YCB: 2}},
		"one sample, odd":            {picture(1, 1, 1, 1, 4, gray...), jp2test.Options{Levels: 2}},
		"more halvings than samples": {picture(0, 0, 3, 2, 5, gray...), jp2test.Options{Levels: 9, XCB: 1, YCB: 1}},
		"colours, mixed":             {picture(0, 0, 40, 30, 6, rgb()...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Mixed: true}},
		"signed":                     {picture(0, 0, 20, 20, 7, signed...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3}},
		"one bit":                    {picture(0, 0, 20, 20, 8, comp(1, 1, 1)), jp2test.Options{Levels: 2, XCB: 3, YCB: 3}},
		"smaller chroma":             {picture(3, 5, 41, 31, 9, chroma...), jp2test.Options{Levels: 2, XCB: 2, YCB: 2}},
		"off the origin, tiles":      {picture(13, 7, 60, 50, 10, gray...), jp2test.Options{Levels: 3, XCB: 2, YCB: 2, TileW: 23, TileH: 19, TileX: 5, TileY: 3}},
		"tiles of one sample":        {picture(0, 0, 6, 5, 11, gray...), jp2test.Options{Levels: 1, TileW: 1, TileH: 1}},
		"layers":                     {picture(0, 0, 40, 40, 12, gray...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Layers: 7}},
		"more layers than passes":    {picture(0, 0, 20, 20, 13, gray...), jp2test.Options{Levels: 1, XCB: 3, YCB: 3, Layers: 60}},
		"marks between packets":      {picture(0, 0, 40, 40, 14, gray...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Layers: 3, SOP: true, EPH: true}},
		"packed headers":             {picture(0, 0, 40, 40, 15, gray...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Layers: 3, PPT: true, EPH: true, Parts: 3, TileW: 25, TileH: 25}},
		"tile-parts":                 {picture(0, 0, 40, 40, 16, gray...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Layers: 3, Parts: 4, TileW: 25, TileH: 25}},
		"a region of interest":       {picture(0, 0, 40, 40, 17, gray...), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Shift: 13}},
		"long code-blocks":           {picture(0, 0, 300, 7, 18, gray...), jp2test.Options{XCB: 8, YCB: 0}},
		"high code-blocks":           {picture(0, 0, 7, 300, 19, gray...), jp2test.Options{XCB: 0, YCB: 8}},
	}
	for _, style := range []byte{
		jp2test.Bypass, jp2test.Reset, jp2test.TermAll, jp2test.Causal, jp2test.Segments, jp2test.Bypass | jp2test.TermAll, jp2test.Bypass | jp2test.Causal | jp2test.Reset, 63 &^ 16,
	} {
		cases[fmt.Sprintf("style %d", style)] = struct {
			p jp2test.Picture
			o jp2test.Options
		}{picture(0, 0, 40, 37, 20, comp(8, 1, 1)), jp2test.Options{Levels: 2, XCB: 3, YCB: 3, Style: style, Layers: 4}}
	}
	for order := range 5 {
		cases[fmt.Sprintf("order %d", order)] = struct {
			p jp2test.Picture
			o jp2test.Options
		}{picture(3, 5, 61, 47, 30, chroma...), jp2test.Options{Levels: 3, XCB: 1, YCB: 1, Order: order, Layers: 2, Precincts: precincts, TileW: 40, TileH: 40}}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { compare(t, c.p, jp2test.Encode(c.p, c.o), 0) })
	}
}

// The irreversible transform is as near as its quantization.
func TestIrreversible(t *testing.T) {
	for _, step := range []float64{0.125, 0.7, 1, 3} {
		for _, p := range []jp2test.Picture{picture(0, 0, 50, 40, 1, comp(8, 1, 1)), picture(5, 3, 33, 1, 2, comp(8, 1, 1)), picture(0, 0, 40, 41, 3, rgb()...)} {
			o := jp2test.Options{Levels: 3, XCB: 3, YCB: 3, Step: step, Mixed: len(p.Components) == 3, Layers: 2}
			compare(t, p, jp2test.Encode(p, o), 1+7*step)
		}
	}
}

// Any picture in any way of coding comes back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		var comps []jp2test.Component
		for range n("components", 1, 4) {
			comps = append(comps, jp2test.Component{Depth: n("depth", 1, 8), Signed: rapid.Bool().Draw(t, "signed"), DX: n("dx", 1, 3), DY: n("dy", 1, 3)})
		}
		p := picture(n("x", 0, 9), n("y", 0, 9), n("w", 4, 40), n("h", 4, 40), uint32(n("seed", 0, 1000)), comps...)
		o := jp2test.Options{
			Levels: n("levels", 0, 5), XCB: n("xcb", 0, 3), YCB: n("ycb", 0, 3), Style: byte(n("style", 0, 63)) &^ 16, Order: n("order", 0, 4),
			Layers: n("layers", 1, 5), SOP: rapid.Bool().Draw(t, "sop"), EPH: rapid.Bool().Draw(t, "eph"), Parts: n("parts", 1, 3),
		}
		if rapid.Bool().Draw(t, "tiles") {
			o.TileX, o.TileY = n("tx", 0, p.X0), n("ty", 0, p.Y0)
			o.TileW, o.TileH = n("tw", p.X0-o.TileX+1, 40), n("th", p.Y0-o.TileY+1, 40)
		}
		if rapid.Bool().Draw(t, "precincts") {
			for range o.Levels + 1 {
				o.Precincts = append(o.Precincts, byte(n("precinct", 1, 6)|n("high", 1, 6)<<4))
			}
		}
		compare(t, p, jp2test.Encode(p, o), 0)
	})
}

// A picture at a half of its size is its low frequencies; it is as large as that makes it, wherever its tiles and its origin are.
func TestReduce(t *testing.T) {
	p := picture(7, 3, 61, 45, 1, comp(8, 1, 1))
	for i := range p.Components[0].Samples { // a slope, that its low frequencies are near to
		p.Components[0].Samples[i] = int32(2*(i%61) + i/61)
	}
	for _, o := range []jp2test.Options{{Levels: 4, XCB: 3, YCB: 3}, {Levels: 4, XCB: 3, YCB: 3, TileW: 30, TileH: 20}, {Levels: 4, XCB: 3, YCB: 3, Step: 0.25}} {
		data := jp2test.Encode(p, o)
		for reduce := range 5 {
			planes, partial, err := decode(data, jp2.Options{Components: 1, Reduce: reduce})
			if err != nil || partial {
				t.Fatal(err, partial)
			}
			half := func(v int) int { return (v + 1<<reduce - 1) >> reduce }
			got := planes[0]
			if got.W != half(68)-half(7) || got.H != half(48)-half(3) {
				t.Fatalf("reduced %d times: %dx%d", reduce, got.W, got.H)
			}
			for y := range got.H {
				for x := range got.W {
					// Column x of the reduced grid is column x<<reduce of the picture's.
					px, py := min(60, max(0, (x+half(7))<<reduce-7)), min(44, max(0, (y+half(3))<<reduce-3))
					want := 2*px + py
					if d := int(got.Pix[y*got.W+x]) - want; d > 4+3<<reduce || d < -4-3<<reduce {
						t.Errorf("reduced %d times, (%d, %d): %d, want about %d", reduce, x, y, got.Pix[y*got.W+x], want)
					}
				}
			}
		}
	}
}

// Deep samples come out by their highest bits, shallow ones spread over a byte.
func TestDepths(t *testing.T) {
	for depth := 1; depth <= 16; depth++ {
		p := picture(0, 0, 24, 20, uint32(depth), comp(depth, 1, 1))
		planes, _, err := decode(jp2test.Encode(p, jp2test.Options{Levels: 2, XCB: 3, YCB: 3}), jp2.Options{Components: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range p.Components[0].Samples {
			want := v >> max(0, depth-8)
			if most := int32(1)<<depth - 1; depth < 8 {
				want = (v*255 + most/2) / most
			}
			if int32(planes[0].Pix[i]) != want {
				t.Fatalf("%d bits: %d is %d, want %d", depth, v, planes[0].Pix[i], want)
			}
		}
	}
	p := picture(0, 0, 8, 8, 1, comp(17, 1, 1))
	if _, _, err := decode(jp2test.Encode(p, jp2test.Options{}), jp2.Options{Components: 1}); readapi.CodeOf(err) != readapi.CodeUnsupportedFeature {
		t.Errorf("17 bits: %v", err)
	}
}

// A file that ends early gives what it has, and says so; the more there is the nearer it is to the whole.
func TestCut(t *testing.T) {
	p := picture(0, 0, 64, 64, 1, comp(8, 1, 1))
	data := jp2test.Encode(p, jp2test.Options{Levels: 3, XCB: 2, YCB: 2, Layers: 6})
	last := math.Inf(1)
	for _, part := range []int{30, 60, 90, 100} {
		planes, partial, err := decode(data[:len(data)*part/100], jp2.Options{Components: 1})
		if err != nil || partial != (part < 100) {
			t.Fatalf("%d %%: %v, partial %v", part, err, partial)
		}
		sum := 0.0
		for i, v := range p.Components[0].Samples {
			sum += math.Abs(float64(planes[0].Pix[i]) - float64(v))
		}
		if sum >= last || part == 100 && sum != 0 {
			t.Errorf("%d %%: off by %v, less of the file was off by %v", part, sum, last)
		}
		last = sum
	}
}

// Streams of any kind are decoded or refused, the same twice.
func FuzzDecode(f *testing.F) {
	for i, o := range []jp2test.Options{
		{}, {Levels: 3, XCB: 1, YCB: 1, Layers: 3}, {Levels: 2, Style: 63 &^ 16, Mixed: true, SOP: true, EPH: true}, {Levels: 2, PPT: true, Order: jp2test.PCRL, TileW: 9, TileH: 7},
		{Levels: 2, Step: 0.5, Order: jp2test.CPRL, Precincts: []byte{0x22, 0x33, 0x44}, Mixed: true}, {Levels: 1, Shift: 12, Style: jp2test.Bypass, Order: jp2test.RPCL, Parts: 2},
	} {
		f.Add(jp2test.Encode(picture(i, i, 17, 13, uint32(i), rgb()...), o), byte(i%3))
	}
	f.Fuzz(func(t *testing.T, in []byte, reduce byte) {
		c, err := jp2.Open(bytes.NewReader(in), int64(len(in)))
		if err != nil {
			refused(t, err)
			return
		}
		o := jp2.Options{Components: 4, Reduce: min(int(reduce)%8, c.Levels())}
		if c.Width() > 1<<10 || c.Height() > 1<<10 || c.Cost(o) > 4<<20 {
			return // the caller would not ask
		}
		a, partial, err := c.Decode(o)
		b, again, err2 := decode(in, o)
		if readapi.CodeOf(err) != readapi.CodeOf(err2) || partial != again || !reflect.DeepEqual(a, b) {
			t.Fatalf("two decodes differ: %v, %v", err, err2)
		}
		refused(t, err)
	})
}

func refused(t *testing.T, err error) {
	switch readapi.CodeOf(err) {
	case "", readapi.CodeMalformed, readapi.CodeUnsupportedFeature, readapi.CodeLimitMemory, readapi.CodeLimitFuel:
	default:
		t.Fatalf("%v", err)
	}
}
