package charset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/transform"
	"pgregory.net/rapid"
)

var fastLabels = []string{"gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "windows-1252", "windows-1255", "koi8-r", "ibm437", "viscii", "x-mac-ce", "utf-16le"}

// converted converts in steps of the sizes given, and says where each of them ended.
func converted(t transform.Transformer, in []byte, step, room int) (out []byte, ends string) {
	dst := make([]byte, room)
	for from := 0; from < len(in); {
		piece := in[from:min(len(in), from+step)]
		n, m, err := t.Transform(dst, piece, from+len(piece) == len(in))
		out = append(out, dst[:n]...)
		ends += fmt.Sprintf(" %d/%d/%v", n, m, err)
		if m == 0 {
			step++ // for a sequence that does not fit
			continue
		}
		from += m
	}
	return out, ends
}

// TestDecoder: the fast decoders and the others make the same of anything, and stop at the same places.
func TestDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom(fastLabels).Draw(t, "label")
		piece := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")) }),
			rapid.Custom(func(t *rapid.T) string {
				return string(rapid.SliceOfN(rapid.ByteRange(0x81, 0xfe), 0, 40).Draw(t, "high bytes"))
			}),
			rapid.SampledFrom([]string{"plain ASCII, long enough", "\x81\x30\x81\x30", "\x88\x62", "\x8e\xb1", "\x8f\xa2\xaf", "\x80", "\xff", "\xa4\xa2\xa4\xa4", "\xd6\xd0\xce\xc4"}),
		)
		in := []byte(strings.Repeat(strings.Join(rapid.SliceOfN(piece, 1, 20).Draw(t, "pieces"), ""), rapid.IntRange(1, 3).Draw(t, "times")))
		step, room := rapid.IntRange(4, 300).Draw(t, "step"), rapid.IntRange(4, 300).Draw(t, "room")
		got, ends := converted(Decoder(label, leastFast), in, step, room)
		want, wantEnds := converted(Encoding(label).NewDecoder().Transformer, in, step, room)
		if !bytes.Equal(got, want) || ends != wantEnds {
			t.Fatalf("%s of %q: %q%s, want %q%s", label, in, got, ends, want, wantEnds)
		}
	})
}

// TestDecoderPairs: every two bytes, met for the first and for the second time.
func TestDecoderPairs(t *testing.T) {
	for _, label := range fastLabels {
		fast, slow := Decoder(label, leastFast), Encoding(label).NewDecoder().Transformer
		var in []byte
		for range 2 {
			for a := 0x80; a < 0x100; a++ {
				for b := range 256 {
					in = append(in, byte(a), byte(b), 'a')
				}
			}
		}
		got, ends := converted(fast, in, 5000, 20000)
		want, wantEnds := converted(slow, in, 5000, 20000)
		if !bytes.Equal(got, want) || ends != wantEnds {
			t.Errorf("%s differs", label)
		}
	}
}

func TestDecoderNone(t *testing.T) {
	for _, label := range []string{"utf-8", "euc-tw", "no such"} {
		if d := Decoder(label, 1<<20); d != nil {
			t.Errorf("%s: %T", label, d)
		}
	}
}
