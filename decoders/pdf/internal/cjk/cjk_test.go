package cjk

import "testing"

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name     string
		in       string
		n        int
		cid      uint32
		r        rune
		vertical bool
	}{
		{"H", "\x30\x21", 2, 1125, 0, false}, // 亜
		{"V", "\x21\x22", 2, 7887, 0, true},
		{"90ms-RKSJ-H", "A", 1, 264, 0, false},
		{"90ms-RKSJ-H", "\x88\x9f", 2, 1125, 0, false},
		{"90ms-RKSJ-H", "\xb1", 1, 343, 0, false}, // half-width ｱ
		{"GBK-EUC-H", "\xb0\xa1", 2, 940, 0, false},
		{"GBK2K-H", "\x81\x39\xee\x39", 4, 22529, 0, false},
		{"ETen-B5-H", "\xa4\x40", 2, 595, 0, false},
		{"KSCms-UHC-H", "\xb0\xa1", 2, 1086, 0, false},
		{"CNS-EUC-H", "\x8e\xa2\xa1\xa1", 4, 5996, 0, false},
		{"UniJIS-UCS2-H", "\x4e\x9c", 2, 1125, '亜', false},
		{"UniJIS-UTF16-H", "\xd8\x40\xdc\x0b", 4, 13839, '𠀋', false},
		{"UniJIS-UTF8-H", "\xe4\xba\x9c", 3, 1125, '亜', false},
		{"UniJIS-UTF8-H", "\xf0\xa0\x80\x8b", 4, 13839, '𠀋', false},
		{"UniJIS-UTF8-V", "\xe3\x80\x81", 3, 7887, '、', true},
		{"UniJIS-UTF32-H", "\x00\x00\x4e\x9c", 4, 1125, '亜', false},
		{"UniAKR-UTF8-H", "\xea\xb0\x80", 3, 221, '가', false},
	} {
		m := Load(c.name)
		if m == nil {
			t.Errorf("no %s", c.name)
			continue
		}
		v, n := m.Next([]byte(c.in + "\x20"))
		cid, _ := m.CID(v)
		if n != c.n || cid != c.cid || m.Rune(v) != c.r || m.Vertical != c.vertical {
			t.Errorf("%s: %q has %d bytes, identifier %d, character %q, vertical %v; want %+v", c.name, c.in, n, cid, m.Rune(v), m.Vertical, c)
		}
	}
	for _, name := range []string{"", "Identity-H", "Adobe-Japan1", "Adobe-Japan1-UCS2", "UniJIS", "-UTF8-"} {
		if m := Load(name); m != nil {
			t.Errorf("there is a CMap %q", name)
		}
	}
	for _, name := range []string{"", "Adobe-Identity", "H"} {
		if c := LoadCharacters(name); c != nil {
			t.Errorf("there is a collection %q", name)
		}
	}
}

// TestDamagedTables holds that a packed map that is cut short reads as a short one.
func TestDamagedTables(t *testing.T) {
	if Entries("") != nil || Entries("\x02") != nil {
		t.Error("entries of nothing")
	}
	e, _ := find("V")
	for n := range e.Packed {
		Entry{Packed: e.Packed[:n]}.unpack().cmap()
	}
	all := e.unpack().s
	for n := range all {
		(&reader{s: all[:n]}).cmap()
	}
}

// TestNextNeverStands holds that every string is cut to its end.
func TestNextNeverStands(t *testing.T) {
	for _, m := range []*CMap{{}, {Spaces: []Space{{1, 0, 0x7f}, {3, 0x808080, 0xffffff}}}, Load("GBK2K-H"), Load("UniKS-UTF16-H")} {
		for a := range 256 {
			s := []byte{byte(a), 0x81, 0xff}
			for len(s) > 0 {
				_, n := m.Next(s)
				if n < 1 || n > len(s) {
					t.Fatalf("%x has a code of %d bytes", s, n)
				}
				s = s[n:]
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"H", "90ms-RKSJ-V", "UniGB-UCS2-H"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Load(name)
			}
		})
	}
	b.Run("characters", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			LoadCharacters("Adobe-Japan1")
		}
	})
}
