package mail

import (
	"bytes"
	stdbase64 "encoding/base64"
	"mime"
	"mime/quotedprintable"
	stdmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func decoded(src []byte, kind transfer) []byte {
	d := decoder{src: src, kind: kind}
	return d.all()
}

// TestTransfer: what the standard library encodes comes back, over the borders of pieces too, and the size is known before.
func TestTransfer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Repeat(string(rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "data")), rapid.IntRange(1, 2000).Draw(t, "times")))
		var qp bytes.Buffer
		w := quotedprintable.NewWriter(&qp)
		w.Binary = true
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		w.Close()
		b64 := stdbase64.StdEncoding.EncodeToString(data)
		var lines strings.Builder
		width := rapid.IntRange(1, 100).Draw(t, "width")
		for len(b64) > width && lines.Len() < 1<<18 {
			lines.WriteString(b64[:width] + rapid.SampledFrom([]string{"\n", "\r\n", " !\n"}).Draw(t, "end"))
			b64 = b64[width:]
		}
		for kind, src := range map[transfer]string{quoted: qp.String(), base64: lines.String() + b64} {
			got := decoded([]byte(src), kind)
			if !bytes.Equal(got, data) {
				t.Fatalf("%d: %d bytes, want %d", kind, len(got), len(data))
			}
			if n, damaged := size([]byte(src), kind); n != int64(len(data)) || damaged {
				t.Fatalf("%d: the size is %d of %d, damaged %v", kind, n, len(data), damaged)
			}
		}
	})
}

// TestLongQuoted: a line of quoted-printable that never ends is decoded in pieces that cut no escape.
func TestLongQuoted(t *testing.T) {
	for shift := range 6 {
		src := strings.Repeat("x", shift) + strings.Repeat("=C3=A4 ", 20_000)
		want := strings.Repeat("x", shift) + strings.TrimRight(strings.Repeat("ä ", 20_000), " ")
		if got := string(decoded([]byte(src), quoted)); got != want {
			t.Errorf("shift %d: %d bytes, want %d", shift, len(got), len(want))
		}
	}
}

// TestWords: encoded words of the standard library come back.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace(rapid.StringOf(rapid.RuneFrom([]rune("ab ?=_é漢😀\"<>,"))).Draw(t, "text"))
		if strings.Contains(text, "=?") {
			return // is a word itself
		}
		for _, e := range []mime.WordEncoder{mime.QEncoding, mime.BEncoding} {
			var h header
			if got := h.decodeText([]byte(e.Encode("utf-8", text))); got != text {
				t.Fatalf("%q: %q", e.Encode("utf-8", text), got)
			}
		}
	})
	for in, want := range map[string]string{
		"a =?utf-8?q?b?= c":                                  "a b c",
		"=?utf-8?q?a?= =?utf-8?q?b?=":                        "ab",
		"=?utf-8?q?a?=\r\n =?utf-8?q?b?=":                    "ab",
		"=?utf-8?q?a b?=":                                    "a b",
		"x=?utf-8?q?a?=y":                                    "xay",
		"=?utf-8?x?a?=":                                      "=?utf-8?x?a?=",
		"=?utf-8?q?a":                                        "=?utf-8?q?a",
		"=?utf-8*de?q?a?=":                                   "a",
		"=?iso-8859-1?q?=C3=A4?=":                            "ä", // UTF-8 that calls itself Latin
		"=?koi8-r?B?8NLJ18XU?=":                              "Привет",
		"=?no-such?q?Gr=FC=DFe?=":                            "Grüße",
		"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= ok":              "日本 ok",
		"=?utf-8?B?4oKs?= =?utf-8?B?4oI=?= =?utf-8?B?rA==?=": "€€",
		"Gr\xfc\xdfe aus M\xfcnchen":                         "Grüße aus München",
		"a\r\n\tb":                                           "a b",
	} {
		var h header
		if got := h.decodeText([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestParams: parameters of the standard library come back, and those that only mail programs write are understood.
func TestParams(t *testing.T) {
	get := func(value, name string) string {
		h := header{fields: []field{{"content-type", []byte(value)}}}
		s := h.structured("content-type")
		return s.get(name)
	}
	rapid.Check(t, func(t *rapid.T) {
		value := strings.TrimSpace(rapid.StringOf(rapid.RuneFrom([]rune(`ab ;="'\é漢%*`))).Draw(t, "value"))
		said := mime.FormatMediaType("text/plain", map[string]string{"name": value})
		if value == "" || strings.Contains(value, `=?`) {
			return
		}
		if got := get(said, "name"); got != value {
			t.Fatalf("%s: %q, want %q", said, got, value)
		}
	})
	for in, want := range map[string]string{
		`text/plain; name=a b.txt`:                            "a b.txt",
		`text/plain; name="a\"b"`:                             `a"b`,
		`text/plain; name="C:\dir\a.txt"`:                     `C:\dir\a.txt`,
		`text/plain; name="=?utf-8?q?=C3=A4.txt?="`:           "ä.txt",
		`text/plain; name*=iso-8859-1'de'%E4.txt; name=plain`: "ä.txt",
		`text/plain; name*1=b; name*0=a; name*2*=%63`:         "abc",
		`text/plain; name*0*=utf-8''%C3; name*1*=%A4`:         "ä",
		"text/plain;\r\n\tname=\"a\r\n b\"":                   "a b",
		`text/plain; junk; name=a`:                            "a",
		`text/plain; name="open`:                              "open",
		`text/plain;name=`:                                    "",
		`text/plain; name*x=a; name*99999=b`:                  "",
	} {
		if got := get(in, "name"); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestDates: dates that the standard library reads are the same here; those of mailboxes and of sloppy programs are read too.
func TestDates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone"))
		when := time.Date(rapid.IntRange(1950, 2100).Draw(t, "year"), 1, 1, 0, 0, rapid.IntRange(0, 366*24*3600).Draw(t, "second"), 0, zone)
		for _, layout := range []string{time.RFC1123Z, "2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 -0700 (XX(Y) Z)"} {
			said := when.Format(layout)
			std, err := stdmail.ParseDate(said)
			if err != nil {
				std = when
			}
			if got := ParseDate(said); got != std.Format(time.RFC3339) {
				t.Fatalf("%s: %s, want %s", said, got, std.Format(time.RFC3339))
			}
		}
	})
	for in, want := range map[string]string{
		"Tue Jul  1 10:52:37 2003":          "2003-07-01T10:52:37Z",
		"Tue Jul  1 10:52:37 CEST 2003":     "2003-07-01T10:52:37+02:00",
		"1 Jul 03 10:52 EST":                "2003-07-01T10:52:00-05:00",
		"Tue, 01-Jul-2003 10:52:37 GMT":     "2003-07-01T10:52:37Z",
		"1 Jul 103 10:52:37 -0000":          "2003-07-01T10:52:37Z",
		"31 Feb 2003 10:52:37 +0000":        "",
		"29 Feb 2004 25:52:37 +0000":        "",
		"yesterday":                         "",
		"":                                  "",
		"1 Jul 2003":                        "",
		"1 Jul 2003 10:52:37 nonsense":      "2003-07-01T10:52:37Z",
		strings.Repeat("(", 1000) + "1 Jul": "",
	} {
		if got := ParseDate(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// fromLine is what a mailbox quotes.
var fromLine = regexp.MustCompile(`(?m)^(>*From )`)

// TestSplit: messages that a mailbox was made of come back, wherever the borders of the window lie.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"From the sea", ">From x", "words", "", "From a@b Tue Jul  1 10:52:37 2003", strings.Repeat("long ", 20_000), "--"})
		var box strings.Builder
		var want []string
		for range rapid.IntRange(1, 8).Draw(t, "messages") {
			msg := "From: a@example.org\nSubject: x\n\n" + strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n") + "\n"
			want = append(want, msg)
			box.WriteString("From a@example.org Tue Jul  1 10:52:37 2003\n" + fromLine.ReplaceAllString(msg, ">$1") + "\n")
		}
		in := strings.NewReader(strings.TrimSuffix(box.String(), "\n"))
		var got []string
		err := Split(in, func(s Span) error {
			b := make([]byte, s.To-s.From)
			if _, err := in.ReadAt(b, s.From); err != nil {
				return err
			}
			got = append(got, string(Unquote(b)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d messages, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("message %d is %.200q, want %.200q", i+1, got[i], want[i])
			}
		}
	})
	for _, in := range []string{"", "Subject: x\n\n", "Fromage\n", "\n\n"} {
		if err := Split(strings.NewReader(in), func(Span) error { return nil }); err != ErrNotMailbox {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestTree: a mail that mime/multipart's rules make comes apart the same, and no part is read twice: the work is in line with the size.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		var want []string
		var build func(depth int) string
		build = func(depth int) string {
			if n++; depth == 0 || rapid.Bool().Draw(t, "leaf") {
				body := "leaf " + strings.Repeat("-", n%5) + "\n--x" + strings.Repeat("y", n)
				want = append(want, body)
				return "\n" + body
			}
			b := "b" + strings.Repeat("x", n%3) + string(rune('a'+depth)) // boundaries that begin as others do
			out := "Content-Type: multipart/mixed; boundary=" + b + "\n\npreamble\n"
			for range rapid.IntRange(1, 4).Draw(t, "parts") {
				out += "--" + b + "\n" + build(depth-1) + "\n"
			}
			return out + "--" + b + "--\nepilogue\n"
		}
		root := parse([]byte("From: a\n" + build(4)))
		var got []string
		var walk func(p *part)
		walk = func(p *part) {
			if p.open {
				t.Fatal("a part is open")
			}
			for _, kid := range p.parts {
				walk(kid)
			}
			if len(p.parts) == 0 {
				got = append(got, string(p.body))
			}
		}
		walk(root)
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
