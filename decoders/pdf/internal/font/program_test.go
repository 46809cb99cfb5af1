package font

import (
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// programs are small ones of each kind.
func programs() map[string][]byte {
	return map[string][]byte{
		"TrueType": pdftest.TrueType{
			Unicode: map[rune]int{'A': 1, 'B': 2}, Symbol: map[int]int{0xf021: 1}, Mac: map[byte]int{33: 1}, Post: []string{"", "A", "B"}, Glyphs: 3,
		}.Bytes(),
		"format 12":   pdftest.TrueType{Unicode: map[rune]int{'A': 1, 0x1d400: 2}, MacShort: map[int]int{1: 1, 4: 2}, PostMac: true, Glyphs: 3}.Bytes(),
		"CFF":         pdftest.CFF{Names: []string{"A.x", "B.x"}, Codes: []byte{33, 34}}.Bytes(),
		"CFF, ranges": pdftest.CFF{SIDs: []int{34, 35}, Codes: []byte{33, 34}, Ranges: true}.Bytes(),
		"CFF, CIDs":   pdftest.CFF{CIDs: []int{5, 6}, Ordering: "Japan1"}.Bytes(),
		"OpenType":    pdftest.TrueType{CFF: pdftest.CFF{Names: []string{"A.x"}}.Bytes(), Mac: map[byte]int{1: 1}, Glyphs: 2}.Bytes(),
		"Type 1":      pdftest.Type1("256 array dup 33 /A put dup 8#42 /B put readonly def"),
	}
}

// ask asks a program everything.
func ask(p *program) {
	for c := range 256 {
		p.codeText(byte(c))
	}
	for cid := range uint32(1000) {
		p.cidText(cid)
	}
	p.cidText(0xffff)
	p.cidText(0xffffffff)
}

// TestDamagedPrograms holds that a program that is cut anywhere, or has any two bytes changed, is read at little cost.
func TestDamagedPrograms(t *testing.T) {
	for name, program := range programs() {
		if p := parseProgram(program); p == nil {
			t.Errorf("%s: not read", name)
		}
		most := 0
		for i := range program {
			ask(parseProgram(program[:i]))
			for _, b := range []string{"\xff", "\x00", "\x7f", "\xff\xff", "\x00\x10"} {
				damaged := []byte(string(program[:i]) + b)
				if i+len(b) < len(program) {
					damaged = append(damaged, program[i+len(b):]...)
				}
				p := parseProgram(damaged)
				ask(p)
				if p != nil {
					most = max(most, p.work)
				}
			}
		}
		if most > 1<<18 {
			t.Errorf("%s: %d entries read", name, most)
		}
	}
}

// TestProgramWork holds that tables that say the same codes again and again are walked once.
func TestProgramWork(t *testing.T) {
	segments := func(n int) []byte { // format 4, each segment all codes
		sub := make([]byte, 16+8*n)
		sub[1], sub[6], sub[7] = 4, byte(2*n>>8), byte(2*n)
		for i := range n {
			sub[14+2*i], sub[15+2*i] = 0xff, 0xfe
		}
		return sub
	}
	groups := func(n int) []byte { // format 12, likewise
		sub := make([]byte, 16+12*n)
		sub[1], sub[14], sub[15] = 12, byte(n>>8), byte(n)
		for i := range n {
			copy(sub[16+12*i+4:], "\x00\x10\xff\xff")
		}
		return sub
	}
	for name, sub := range map[string][]byte{"format 4": segments(8000), "format 12": groups(60000)} {
		p := &program{}
		start := time.Now()
		p.each(sub, func(uint32, uint16) {})
		if p.work > 0x110000 {
			t.Errorf("%s: %d codes in %v", name, p.work, time.Since(start))
		}
	}
}

func TestStandardStrings(t *testing.T) {
	if n := len([]rune(sidRunes)); n != standardStrings {
		t.Errorf("%d standard strings", n)
	}
	for sid, want := range map[int]rune{0: 0, 1: ' ', 34: 'A', 66: 'a', 109: 'ﬁ', 149: 'ß', 228: 'ž', 239: '0', 378: 'ÿ', 379: 0, 390: 0, 391: 0} {
		if got := runeAt(sidRunes, sid); got != want {
			t.Errorf("string %d is %q, want %q", sid, got, want)
		}
	}
	for c, want := range map[byte]rune{0x30: '0', 0x61: 'a', 0x56: 'ﬀ', 0x87: 'á', 0xda: '¹'} {
		if got := encMacExpert.rune(c); got != want {
			t.Errorf("MacExpert %x is %q, want %q", c, got, want)
		}
	}
}

func FuzzTrueType(f *testing.F) {
	for _, p := range programs() {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, data []byte) { ask(parseTrueType(data)) })
}

func FuzzCFF(f *testing.F) {
	for _, p := range programs() {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, data []byte) { ask(parseCFF(data)) })
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte(pdftest.ToUnicodeMap("1 beginbfrange <0003> <0005> [<0041> /B <0043>] endbfrange 1 beginbfchar <0006> 65 endbfchar")))
	f.Add([]byte("/H usecmap /WMode 1 def 2 begincidrange <00> <7f> 1 <8000> <80ff> 200 endcidrange 1 beginnotdefrange <00> <1f> 1 endnotdefrange"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := parseCMap(data)
		c.useMap(cjk.Load("V"))
		if c.entries > maxRanges {
			t.Errorf("%d entries", c.entries)
		}
		for s := []byte("\x00\x01\x80\x00\xff\xff\x21"); len(s) > 0; {
			v, n := c.codes.Next(s)
			if n < 1 || n > len(s) {
				t.Fatalf("a code of %d bytes", n)
			}
			c.codes.CID(v)
			c.texts.appendText(nil, v)
			s = s[n:]
		}
	})
}
