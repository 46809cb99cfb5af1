package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// looked is look, one question after the other.
func looked(b []byte) (f facts) {
	if f.valid = utf8.Valid(b); !f.valid {
		return f
	}
	f.ascii = !bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf })
	f.odd = readapi.NextSuspect(string(b), 0) < len(b)
	f.lfs, f.crs, f.crlfs = int64(bytes.Count(b, []byte("\n"))), int64(bytes.Count(b, []byte("\r"))), int64(bytes.Count(b, []byte("\r\n")))
	f.replacements = int64(bytes.Count(b, []byte("\uFFFD")))
	return f
}

func checkLook(t rapid.TB, b []byte) {
	t.Helper()
	got, want := look(b), looked(b)
	longest := 0
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		longest = max(longest, len(line))
	}
	if got.valid && longest > mostShown && !got.long {
		t.Fatalf("a line of %d bytes is not seen", longest)
	}
	if got.long && longest < lookBytes {
		t.Fatalf("a line of %d bytes is long", longest)
	}
	if got.long = false; !got.valid {
		got = facts{}
	}
	if got != want {
		t.Fatalf("%.200q (%d bytes): %+v, want %+v", b, len(b), got, want)
	}
}

// TestLookCharacters: every code point, wherever it stands in a word, and every two bytes.
func TestLookCharacters(t *testing.T) {
	for r := range rune(0x110000) {
		for i := range 8 {
			if i != int(r)%8 && r > 0x3100 && r&0xff != 0xa4 {
				continue
			}
			checkLook(t, append(bytes.Repeat([]byte("x"), i), string(r)+"y"...))
		}
	}
	for a := range 256 {
		for b := range 256 {
			for _, rest := range []string{"", "\x80", "\x80\x80", "\xa4\xbf", "a"} {
				checkLook(t, []byte(strings.Repeat(" ", b%9)+string([]byte{byte(a), byte(b)})+rest))
			}
		}
	}
}

func TestLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", " the pump runs well ", "ß", "流水线", "かな", "，", "\n", "\r\n", "\r", "\t", "👩\u200d🔧", "e\u0301", "\x1b[1m", "\x7f", "\x00", "\u202e", "\uFFFD", "\u0085", "\u00ad", "Việt",
			strings.Repeat("long", 100), strings.Repeat("長", 340), strings.Repeat("short\n", 200), strings.Repeat("двa\r\n", 90), "\xe4\xb8", "\xff", "\x80", "\xf0\x9f\x98",
		})
		checkLook(t, []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")))
	})
}

func FuzzLook(f *testing.F) {
	for _, s := range []string{"", "plain text\n", "\u3164\ufeff\u061c\u180e", "\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80", strings.Repeat("x", 3000), "流水\r\n\r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkLook(t, b) })
}

func BenchmarkLook(b *testing.B) {
	for _, c := range []struct{ name, in string }{
		{"ASCII", "2026-11-30 12:00:00 info the pump runs well today\n"}, {"CRLF", "2026-11-30 12:00:00 info the pump runs well today\r\n"},
		{"Chinese", "早上我们去市场买了面包和水果，天气很好。孩子们在院子里玩了一整天。\n"}, {"Japanese", "工場のポンプは今日もよく動いています。\n"}, {"Russian", "Сегодня насос работает хорошо, спасибо.\n"},
		{"French", "Aujourd’hui, la pompe a été réparée à l’usine.\n"}, {"Vietnamese", "Hôm nay máy bơm chạy tốt, cảm ơn bạn rất nhiều.\n"},
	} {
		in := []byte(strings.Repeat(c.in, 64<<10/len(c.in)))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if !look(in).valid {
					b.Fatal("no UTF-8")
				}
			}
		})
	}
}
