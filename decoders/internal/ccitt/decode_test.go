package ccitt

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	xccitt "golang.org/x/image/ccitt"
	"pgregory.net/rapid"
)

// pack makes rows of bits of pixels.
func pack(rows [][]bool) (out []byte) {
	for _, px := range rows {
		line := make([]byte, (len(px)+7)/8)
		for i, black := range px {
			if black {
				line[i>>3] |= 0x80 >> (i & 7)
			}
		}
		out = append(out, line...)
	}
	return out
}

func encode(rows [][]bool, p Params, eols, end bool) []byte {
	e := encoder{Params: p, eols: eols}
	for _, px := range rows {
		e.row(px)
	}
	if end {
		return e.end()
	}
	return e.out
}

// drawing is rows that resemble each other, as those of a page do.
func drawing(rnd *rand.Rand, w, h int) [][]bool {
	rows := make([][]bool, h)
	px := make([]bool, w)
	for y := range rows {
		next := append([]bool(nil), px...)
		for range rnd.IntN(4) {
			at, n, black := rnd.IntN(w), rnd.IntN(w), rnd.IntN(2) == 0
			if rnd.IntN(3) > 0 {
				n %= 9
			}
			for i := at; i < min(w, at+n); i++ {
				next[i] = black
			}
		}
		rows[y], px = next, next
	}
	return rows
}

// TestRoundTrip: what is encoded is decoded, in each way of coding.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := rapid.OneOf(rapid.IntRange(1, 70), rapid.IntRange(2500, 6000)).Draw(t, "columns")
		rows := drawing(rnd, w, rapid.IntRange(1, 12).Draw(t, "rows"))
		p := Params{K: rapid.IntRange(-1, 4).Draw(t, "k"), Columns: w, ByteAlign: rapid.Bool().Draw(t, "align"), EndOfBlock: rapid.Bool().Draw(t, "block")}
		eols := p.K >= 0 && rapid.Bool().Draw(t, "eols")
		end := rapid.Bool().Draw(t, "end")
		if end && p.EndOfBlock && (p.K <= 0 || eols) { // the data say how many rows there are
			got, damaged := Decode(encode(rows, p, eols, end), p, 1000)
			if damaged || !bytes.Equal(got, pack(rows)) {
				t.Fatalf("without a number of rows: damaged %v, %d bytes, want %d", damaged, len(got), len(pack(rows)))
			}
		}
		got, damaged := Decode(encode(rows, p, eols, end), p, len(rows))
		if damaged || !bytes.Equal(got, pack(rows)) {
			t.Fatalf("damaged %v\ngot  %x\nwant %x", damaged, got, pack(rows))
		}
	})
}

// TestOtherDecoder holds the tables against those of golang.org/x/image/ccitt, on rows with a run of every length.
func TestOtherDecoder(t *testing.T) {
	const w = 5300
	var rows [][]bool
	for n := range 2600 {
		px := make([]bool, w)
		for i := n; i < 2*n+1; i++ {
			px[i] = true
		}
		rows = append(rows, px)
	}
	for k, format := range map[int]xccitt.SubFormat{0: xccitt.Group3, -1: xccitt.Group4} {
		p := Params{K: k, Columns: w, EndOfBlock: true}
		data := encode(rows, p, true, true)
		if k < 0 {
			data = encode(rows, p, false, true)
		}
		theirs, err := io.ReadAll(xccitt.NewReader(bytes.NewReader(data), xccitt.MSB, format, w, len(rows), &xccitt.Options{Invert: true}))
		if err != nil || !bytes.Equal(theirs, pack(rows)) {
			t.Errorf("K %d: the other decoder reads something else: %v", k, err)
		}
		ours, damaged := Decode(data, p, len(rows))
		if damaged || !bytes.Equal(ours, pack(rows)) {
			t.Errorf("K %d: damaged %v", k, damaged)
		}
	}
}

// TestDamage: with ends of lines one row is lost, without them all that follow.
func TestDamage(t *testing.T) {
	const w, h = 200, 40
	rows := drawing(rand.New(rand.NewPCG(3, 4)), w, h)
	for i := range rows { // no row without codes to break
		rows[i][100], rows[i][101] = true, false
	}
	for _, k := range []int{0, -1} {
		p := Params{K: k, Columns: w, EndOfBlock: true}
		e := encoder{Params: p, eols: k == 0}
		var from int
		for y, px := range rows {
			if y == h/2 {
				from = e.bits + 12
			}
			e.row(px)
		}
		data := bytes.Clone(e.end())
		for i := range 9 { // zeros are no code
			data[(from+i)>>3] &^= 0x80 >> ((from + i) & 7)
		}
		got, damaged := Decode(data, p, h)
		want := pack(rows)
		half := len(want) / 2
		if !damaged || len(got) < half || !bytes.Equal(got[:half], want[:half]) {
			t.Fatalf("K %d: damaged %v, %d of %d bytes, the rows before the damage are not there", k, damaged, len(got), len(want))
		}
		if rest := (h/2 - 1) * w / 8; k == 0 && (len(got) != len(want) || !bytes.Equal(got[len(got)-rest:], want[len(want)-rest:])) {
			t.Errorf("the rows behind the damage are not there: %d of %d bytes", len(got), len(want))
		}
	}
}

// TestLimits: neither rows nor changes are without end, whatever the data.
func TestLimits(t *testing.T) {
	ones := bytes.Repeat([]byte{0xff}, 1000) // each bit a white row
	if got, _ := Decode(ones, Params{K: -1, Columns: 8}, 100); len(got) != 100 {
		t.Errorf("%d rows, want 100", len(got))
	}
	e := encoder{Params: Params{Columns: 100}}
	for range 10_000 {
		e.run(0, false)
		e.run(0, true)
	}
	d := decoder{Params: e.Params, in: bitReader{src: e.out}, white: newTable(whiteCodes), black: newTable(blackCodes), line: make([]byte, 13)}
	if d.next(); len(d.above) > 200 || !d.damaged {
		t.Errorf("a row of 100 pixels has %d changes", len(d.above))
	}
	if got, damaged := Decode(ones, Params{K: -1}, 100); got != nil || !damaged {
		t.Errorf("rows of no pixels: %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	for k := -1; k < 3; k++ {
		rows := drawing(rand.New(rand.NewPCG(5, 6)), 60, 8)
		f.Add(encode(rows, Params{K: k, Columns: 60}, k >= 0, true), int8(k), uint16(60), false, true)
	}
	f.Fuzz(func(t *testing.T, src []byte, k int8, columns uint16, align, block bool) {
		p := Params{K: int(k), Columns: int(columns), ByteAlign: align, EndOfBlock: block}
		const most = 64
		got, damaged := Decode(src, p, most)
		if stride := (p.Columns + 7) / 8; len(got) > most*stride || stride > 0 && len(got)%stride != 0 {
			t.Fatalf("%d bytes of rows of %d", len(got), stride)
		}
		again, same := Decode(src, p, most)
		if !bytes.Equal(got, again) || same != damaged {
			t.Fatal("not the same twice")
		}
	})
}
