package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// shown is the text of one string in the font that make adds to a file.
func shown(t *testing.T, hex string, make func(w *pdftest.Writer) int) string {
	t.Helper()
	w := &pdftest.Writer{}
	res := decodeBytes(t, w.Shown(make(w), hex), readapi.Request{})
	return strings.TrimSpace(res.Parts[0].Text)
}

// TestTrueTypeWithoutEncoding reads a font that is not embedded, without an encoding: by its flag for Latin fonts it has the standard one
// (ISO 32000-1, 9.6.6.4), else that of Windows.
func TestTrueTypeWithoutEncoding(t *testing.T) {
	for more, want := range map[string]string{
		"/FontDescriptor<</Flags 32>>": "æø", "/FontDescriptor<</Flags 4>>": "ñù", "": "ñù",
		"/FontDescriptor<</Flags 32>>/Encoding/WinAnsiEncoding": "ñù", "/FontDescriptor<</Flags 32>>/Encoding<</Differences[1/a]>>": "ñù",
	} {
		got := shown(t, "f1f9", func(w *pdftest.Writer) int { return w.Add("<</Type/Font/Subtype/TrueType/BaseFont/ArialMT%s>>", more) })
		if got != want {
			t.Errorf("%s: %q, want %q", more, got, want)
		}
	}
}

// TestPredefinedCMaps reads a word in each encoding of ISO 32000-1, table 118.
func TestPredefinedCMaps(t *testing.T) {
	for _, c := range []struct{ names, ordering, hex, want string }{
		{"GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V", "GB1", "d6d0cec44142", "中文AB"},
		{"UniGB-UCS2-H UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V", "GB1", "4e2d658700410042", "中文AB"},
		{"B5pc-H B5pc-V HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V", "CNS1", "a4a4a4e54142", "中文AB"},
		{"CNS-EUC-H CNS-EUC-V", "CNS1", "c4e3c5c64142", "中文AB"},
		{"UniCNS-UCS2-H UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V", "CNS1", "4e2d658700410042", "中文AB"},
		{"83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V 90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V Ext-RKSJ-H Ext-RKSJ-V", "Japan1",
			"93fa967b82a94142", "日本かAB"},
		{"EUC-H EUC-V", "Japan1", "c6fccbdca4ab4142", "日本かAB"},
		{"H V", "Japan1", "467c4b5c242b", "日本か"},
		{"UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V UniJIS-UTF16-H UniJIS-UTF16-V UniJIS2004-UTF16-H", "Japan1",
			"65e5672c304b00410042", "日本かAB"},
		{"UniJIS-UTF8-H", "Japan1", "e697a5e69cace3818b4142", "日本かAB"},
		{"UniJIS-UTF32-H", "Japan1", "000065e50000672c0000304b0000004100000042", "日本かAB"},
		{"UniJIS-UTF16-H", "Japan1", "d842dfb7", "𠮷"},
		{"KSC-EUC-H KSC-EUC-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H", "Korea1", "c7d1b1db4142", "한글AB"},
		{"UniKS-UCS2-H UniKS-UCS2-V UniKS-UTF16-H UniKS-UTF16-V", "Korea1", "d55cae0000410042", "한글AB"},
		{"UniAKR-UTF16-H", "KR", "d55cae0000410042", "한글AB"},
	} {
		for name := range strings.FieldsSeq(c.names) {
			got := shown(t, c.hex, func(w *pdftest.Writer) int { return w.Composite("/"+name, c.ordering, "") })
			if strings.Join(strings.Fields(got), "") != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
}

// TestCollections reads identifiers of each collection without an encoding that says anything of them.
func TestCollections(t *testing.T) {
	for _, ordering := range []string{"GB1", "CNS1", "Japan1", "Korea1", "KR"} {
		if got := shown(t, "0022", func(w *pdftest.Writer) int { return w.Composite("/Identity-H", ordering, "") }); got != "A" {
			t.Errorf("%s: %q, want A", ordering, got)
		}
	}
	for _, c := range []struct{ ordering, hex, want string }{
		{"Japan1", "0465", "亜"}, {"Japan1", "1ecf", "、"}, {"GB1", "03ac", "啊"}, {"CNS1", "0253", "一"}, {"Korea1", "043e", "가"}, {"KR", "00dd", "가"},
		{"UCS", "4e00", "一"}, {"Nobody1", "0022", ""},
	} {
		if got := shown(t, c.hex, func(w *pdftest.Writer) int { return w.Composite("/Identity-H", c.ordering, "") }); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.ordering, c.hex, got, c.want)
		}
	}
}

// TestEmbeddedCMaps reads codes through CMaps that the file brings.
func TestEmbeddedCMaps(t *testing.T) {
	for _, c := range []struct{ name, dict, body, ordering, hex, want string }{
		{"usecmap", "", "/90ms-RKSJ-H usecmap 1 begincidrange <f0f0> <f0f0> 1125 endcidrange", "Japan1", "f0f093fa", "亜日"},
		{"UseCMap", "/UseCMap/H", "1 begincidchar <2121> 1125 endcidchar", "Japan1", "2121467c", "亜日"},
		{"mixed lengths", "", "2 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange 2 begincidrange <41> <5a> 34 <8000> <8001> 1125 endcidrange",
			"Japan1", "4180004280014380", "A亜B唖C"},
		{"not defined", "", "1 begincodespacerange <00> <ff> endcodespacerange 1 beginnotdefrange <00> <ff> 1 endnotdefrange 1 begincidchar <41> 34 endcidchar",
			"Japan1", "4142", "A"},
	} {
		got := shown(t, c.hex, func(w *pdftest.Writer) int {
			n := w.Flate("/Type/CMap"+c.dict, c.body)
			return w.Composite(fmt.Sprintf(" %d 0 R", n), c.ordering, "")
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
