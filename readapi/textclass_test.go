package readapi_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// wide encodes s in a UTF-16 or UTF-32 charset, without a mark.
func wide(s, charset string) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	if strings.HasSuffix(charset, "be") {
		order = binary.BigEndian
	}
	var out []byte
	for _, r := range s {
		switch {
		case strings.HasPrefix(charset, "utf-32"):
			out = order.AppendUint32(out, uint32(r))
		default:
			for _, u := range utf16.AppendRune(nil, r) {
				out = order.AppendUint16(out, u)
			}
		}
	}
	return out
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(7, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestClassifyText(t *testing.T) {
	log := strings.Repeat("2026-11-30 12:00:00 info the pump runs\n", 40)
	chinese := strings.Repeat("流水线的每一步都写在日志里。\n请在回复之前查看附件\n", 20)
	utf8Text := readapi.TextClass{Text: true, Charset: "utf-8"}
	ascii := readapi.TextClass{Text: true, Charset: "utf-8", ASCII: true}
	legacy := readapi.TextClass{Text: true}
	binary := readapi.TextClass{}
	for _, c := range []struct {
		what string
		in   string
		want readapi.TextClass
	}{
		{"nothing", "", ascii},
		{"three bytes", "\x00\x01\x02", binary},
		{"ASCII", log, ascii},
		{"UTF-8", chinese, utf8Text},
		{"UTF-8 cut inside a character", chinese[:len(chinese)-2], utf8Text},
		{"windows-1252 that ends in its one letter", "Caf\xe9", legacy},
		{"UTF-8 with its mark", "\ufeff" + chinese, readapi.TextClass{Text: true, Charset: "utf-8", BOM: 3}},
		{"a mark alone", "\ufeff", readapi.TextClass{Text: true, Charset: "utf-8", BOM: 3, ASCII: true}},
		{"windows-1252", "Stra\xdfe, Gr\xfc\xdfe\n", legacy},
		{"UTF-8 with a bad byte", chinese + "\xff\n", legacy},
		{"UTF-16LE with its mark", "\xff\xfe" + string(wide(chinese, "utf-16le")), readapi.TextClass{Text: true, Charset: "utf-16le", BOM: 2}},
		{"UTF-16BE with its mark", "\xfe\xff" + string(wide("abc", "utf-16be")), readapi.TextClass{Text: true, Charset: "utf-16be", BOM: 2}},
		{"UTF-32LE with its mark", "\xff\xfe\x00\x00" + string(wide("한국어", "utf-32le")), readapi.TextClass{Text: true, Charset: "utf-32le", BOM: 4}},
		{"UTF-32BE with its mark", "\x00\x00\xfe\xff" + string(wide("a", "utf-32be")), readapi.TextClass{Text: true, Charset: "utf-32be", BOM: 4}},
		{"UTF-16LE, Latin", string(wide(log, "utf-16le")), readapi.TextClass{Text: true, Charset: "utf-16le"}},
		{"UTF-16BE, Latin", string(wide(log, "utf-16be")), readapi.TextClass{Text: true, Charset: "utf-16be"}},
		{"UTF-16LE, two letters", string(wide("ab", "utf-16le")), readapi.TextClass{Text: true, Charset: "utf-16le"}},
		{"UTF-16BE, Chinese, few NULs", string(wide(chinese, "utf-16be")), readapi.TextClass{Text: true, Charset: "utf-16be"}},
		{"UTF-16LE, Chinese, few NULs", string(wide(chinese, "utf-16le")), readapi.TextClass{Text: true, Charset: "utf-16le"}},
		{"UTF-16LE, emoji", string(wide(strings.Repeat("ok 👍🏽\n", 30), "utf-16le")), readapi.TextClass{Text: true, Charset: "utf-16le"}},
		{"UTF-32LE", string(wide(log, "utf-32le")), readapi.TextClass{Text: true, Charset: "utf-32le"}},
		{"UTF-32BE, Chinese", string(wide(chinese, "utf-32be")), readapi.TextClass{Text: true, Charset: "utf-32be"}},
		{"one NUL in a log", log[:100] + "\x00" + log[100:], readapi.TextClass{Text: true, Charset: "utf-8", ASCII: true, NULs: 1}},
		{"NUL padding", log + strings.Repeat("\x00", 4096), readapi.TextClass{Text: true, Charset: "utf-8", ASCII: true, Padding: 4096}},
		{"terminal escapes", "\x1b[31mred\x1b[0m\n", ascii},
		{"ISO-2022-JP", "\x1b$B$3$l\x1b(B\n", ascii},
		{"ISO-2022-KR", "\x1b$)C\n\x0e0!3*\x0f \x0e4Y6s\x0f\n", ascii},
		{"noise", string(noise(4096)), binary},
		{"a little noise", string(noise(120)), binary},
		{"NULs alone", strings.Repeat("\x00", 100), binary},
		{"a magic word before zeros", "RAW1" + strings.Repeat("\x00", 400), binary},
		{"a mark before text that is damaged too badly", "\xff\xfe" + string(wide(log[:80], "utf-16le")) + strings.Repeat("\x00\xd8", 80), binary},
		{"erased memory", strings.Repeat("\xff", 64), binary},
		{"erased memory behind a little text", "log\n" + strings.Repeat("\xff", 4096), binary},
		{"one letter often", strings.Repeat("\xff", 63), legacy},
		{"two bytes often", strings.Repeat("\xd6\xd0", 100), legacy},
		{"a mark before noise", "\xff\xfe" + string(noise(4096)), binary},
		{"controls", strings.Repeat("ab\x01", 100), binary},
		{"small integers", string(wide("\x01\x02\x03\x04\x05\x06\x07\x08", "utf-32le")), binary},
		{"a PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x02\x00\x00\x00", binary},
	} {
		if got := readapi.ClassifyText([]byte(c.in), true); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// TestClassifyTextHead: one control is text in the shortest line, and a number of four zero bytes at the beginning is no text, however much
// of it follows.
func TestClassifyTextHead(t *testing.T) {
	code := strings.Repeat("def main():\n    return 'a constant'\n", 100)
	for in, want := range map[string]bool{
		"ping\a\n": true, "\a\a\a\a\n": false, "a\x01": false, "\xa7\r\r\n\x00\x00\x00\x00" + code: false, "log\x00" + code: true, code + "\x00\x00\x00\x00" + code: true,
	} {
		if got := readapi.ClassifyText([]byte(in), false).Text; got != want {
			t.Errorf("%.20q is text: %v, want %v", in, got, want)
		}
	}
}

func TestClassifyTextLooksAtThePrefixOnly(t *testing.T) {
	b := append(bytes.Repeat([]byte("text\n"), readapi.TextPrefixBytes/5+1), noise(4096)...)
	if got := readapi.ClassifyText(b, true); !got.Text || !got.ASCII {
		t.Errorf("noise behind the prefix counts: %+v", got)
	}
}

// TestClassifyTextWide: a line of everyday text in UTF-16 or UTF-32 without a mark is recognised, in either order.
func TestClassifyTextWide(t *testing.T) {
	words := []string{"Der", "Zug", "hält", "in", "Köln", "流水线", "附件", "请查看", "これは", "カタログ", "です", "привет", "мир", "한국어", "안녕", "ok"}
	rapid.Check(t, func(t *rapid.T) {
		charset := rapid.SampledFrom([]string{"utf-16le", "utf-16be", "utf-32le", "utf-32be"}).Draw(t, "charset")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 12, 200).Draw(t, "words"), " ") + "\n"
		if got := readapi.ClassifyText(wide(text, charset), true); got.Charset != charset {
			t.Fatalf("%q in %s is taken for %+v", text, charset, got)
		}
	})
}

func FuzzClassifyText(f *testing.F) {
	for _, s := range []string{"", "plain\n", "\xff\xfea\x00", "\x00\x00\xfe\xff\x00\x00\x00a", "\x1b$B\x1b(B", "gr\xfc\xdfe", "日本語", "a\x00\x00\x00", "\xff\xfe\x00\x00"} {
		f.Add([]byte(s), true)
	}
	f.Add(wide("流水线\n日志", "utf-16be"), false)
	f.Add(noise(300), false)
	f.Fuzz(func(t *testing.T, in []byte, whole bool) {
		own := bytes.Clone(in)
		c := readapi.ClassifyText(own, whole)
		if !bytes.Equal(own, in) {
			t.Fatal("the prefix was written to")
		}
		if again := readapi.ClassifyText(own, whole); again != c {
			t.Fatalf("%+v, then %+v", c, again)
		}
		if !c.Text && c != (readapi.TextClass{}) {
			t.Fatalf("not text, and yet %+v", c)
		}
		if len(in) > readapi.TextPrefixBytes {
			in = in[:readapi.TextPrefixBytes]
		}
		if c.BOM+c.NULs+c.Padding > len(in) {
			t.Fatalf("%+v of %d bytes", c, len(in))
		}
		body := in[c.BOM:]
		switch {
		case c.ASCII && bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }):
			t.Fatalf("%+v of %q", c, in)
		case c.Charset == "utf-8" && c.BOM == 0 && !cutValid(body):
			t.Fatalf("%+v of %q, which is not UTF-8", c, in)
		}
	})
}

// cutValid reports whether b without its padding and up to three more bytes is UTF-8.
func cutValid(b []byte) bool {
	b = bytes.TrimRight(b, "\x00")
	for i := range min(4, len(b)+1) {
		if utf8.Valid(b[:len(b)-i]) {
			return true
		}
	}
	return false
}
