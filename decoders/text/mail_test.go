package text

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	mailType = readapi.MediaType("message/rfc822")
	mboxType = readapi.MediaType("application/mbox")
)

// crlf is a mail as it travels.
func netLines(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// letterhead is the header of the mails of these tests, without what says what follows.
const letterhead = "From: Ada <ada@example.org>\nTo: Grace <grace@example.org>\nDate: Tue, 1 Jul 2003 10:52:37 +0200\nSubject: The engine\n"

// shownHead is how it is shown.
const shownHead = "From: Ada <ada@example.org>\nTo: Grace <grace@example.org>\nDate: Tue, 1 Jul 2003 10:52:37 +0200\nSubject: The engine\n"

// mixed is a mail of two texts, one of them in two forms, and two files.
var mixed = letterhead + `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="a b"

for old programs
--a b
Content-Type: multipart/alternative; boundary="a b--c"

--a b--c
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe, and a long line that =
goes on   
--a b--c
Content-Type: text/html; charset=utf-8

<p>not shown</p>
--a b--c--
--a b
Content-Type: application/octet-stream; name="plan.csv"
Content-Disposition: attachment; filename*0*=UTF-8''pl%C3%A4; filename*1="ne.csv"
Content-Transfer-Encoding: base64

YTti
CjE7Mgo=
--a b
Content-Type: message/rfc822

Subject: inner
From: x@example.org

inner text
--a b
Content-Type: text/plain

the second text
--a b--
behind
`

const wholeMail = shownHead + "\nGrüße, and a long line that goes on\n\nthe second text\n\nFiles in this mail:\n" +
	"file 1: alternative-1.html (text/html, 16 bytes, alternative)\nfile 2: pläne.csv (text/csv, 8 bytes)\nfile 3: inner.eml (message/rfc822, 46 bytes)\n"

func TestMail(t *testing.T) {
	want := wholeMail
	for name, in := range map[string]string{"lf": mixed, "crlf": netLines(mixed), "cr": strings.ReplaceAll(mixed, "\n", "\r")} {
		res := read(t, in, as(mailType))
		got := textOf(res)
		if name == "crlf" {
			got = strings.Replace(got, "49 bytes", "46 bytes", 1) // the inner one has its own line ends
		}
		if got != want || len(res.Warnings) > 0 {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, res.Warnings, got, want)
		}
	}
	res := read(t, mixed, as(mailType))
	if res.Meta["subject"] != "The engine" || res.Meta["date"] != "2003-07-01T10:52:37+02:00" || res.Meta["attachments"] != float64(2) || res.Meta["charset"] != "windows-1252" {
		t.Errorf("meta is %v", res.Meta)
	}
	for n, want := range map[int]string{1: "<p>not shown</p>", 2: "a;b\n1;2\n", 3: "Subject: inner\nFrom: x@example.org\n\ninner text"} {
		file, err := childOf(mixed, mailType, n)
		if err != nil || string(file.Bytes) != want || file.Child.N != n {
			t.Errorf("file %d is %q (%v), want %q", n, file.Bytes, err, want)
		}
	}
	source := read(t, mixed, func(req *readapi.Request) { req.MediaType, req.Form = mailType, readapi.FormSource })
	if textOf(source) != mixed {
		t.Error("the source is not the file")
	}
}

// TestMailCharsets: a text is read by its label, and without one, or with a wrong one, by what it is.
func TestMailCharsets(t *testing.T) {
	body := func(head, text string) string { return letterhead + head + "\n" + text }
	for _, l := range charsettest.Languages {
		for label := range strings.FieldsSeq(l.Charsets) {
			encoded := charsettest.Encode(t, l.Text, label)
			declared := body("Content-Type: text/plain; charset=\""+label+"\"\nContent-Transfer-Encoding: base64\n", base64.StdEncoding.EncodeToString([]byte(encoded)))
			want := shownHead + "\n" + l.Text
			if got := textOf(read(t, declared, as(mailType))); got != want {
				t.Errorf("%s in %s, declared: %.200q", l.Name, label, got)
			}
			if got := textOf(read(t, body("", encoded), as(mailType))); got != want {
				t.Errorf("%s in %s, not declared: %.200q", l.Name, label, got)
			}
			if got := textOf(read(t, body("Content-Type: text/plain; charset=us-ascii\n", encoded), as(mailType))); got != want {
				t.Errorf("%s in %s, declared as ASCII: %.200q", l.Name, label, got)
			}
			word := charsettest.Encode(t, string([]rune(l.Text)[:6]), label)
			subject := "From: a@example.org\nSubject: =?" + label + "?B?" + base64.StdEncoding.EncodeToString([]byte(word)) + "?=\n\n"
			if res := read(t, subject, as(mailType)); res.Meta["subject"] != strings.TrimSpace(string([]rune(l.Text)[:6])) {
				t.Errorf("%s in %s: the subject is %q", l.Name, label, res.Meta["subject"])
			}
		}
	}
}

// TestMailDamaged: what is there is shown, and what is missing is said.
func TestMailDamaged(t *testing.T) {
	multi := letterhead + "Content-Type: multipart/mixed; boundary=x\n\n"
	for _, c := range []struct {
		name, in, want string
		partial        bool
	}{
		{"no last boundary", multi + "--x\n\none\n--x\n\ntwo\n", "\none\n\ntwo\n", true},
		{"no boundary at all", multi + "just text\n", "\njust text\n", true},
		{"another boundary", multi + "--y\nContent-Type: text/plain\n\none\n--y--\n", "\none\n", false},
		{"ended by the one around", multi + "--x\nContent-Type: multipart/mixed; boundary=in\n\n--in\n\none\n--x\n\ntwo\n--x--\n", "\none\n\ntwo\n", true},
		{"no blank line", letterhead + "Hello, this is no field\nmore\n", "\nHello, this is no field\nmore\n", false},
		{"cut base64", letterhead + "Content-Transfer-Encoding: base64\n\naGVsbG8g!d29ybGQg\naGVsb", "\nhello world hel\n", true},
		{"a list's footer", letterhead + "Content-Transfer-Encoding: base64\n\naGVsbG8=\n_______________________\nlist mailing list\n", "\nhello\n", false},
		{"bad escapes", letterhead + "Content-Transfer-Encoding: quoted-printable\n\n1=2 =ZZ =3d =\t \n=E4=", "\n1=2 =ZZ = ä\n", false},
		{"a fold without its blank", "From: Ada <ada@example.org>\nSubject: The\nengine\nTo: Grace <grace@example.org>\n\nx", "", false},
	} {
		res := read(t, c.in, as(mailType))
		partial := false
		for _, w := range res.Warnings {
			partial = partial || w.Code == readapi.WarnPartial
		}
		want := shownHead + c.want
		if c.want == "" {
			want = "From: Ada <ada@example.org>\nTo: Grace <grace@example.org>\nSubject: The engine\n\nx\n"
		}
		if got := textOf(res); got != want || partial != c.partial {
			t.Errorf("%s: partial %v\n%q, want\n%q", c.name, partial, got, want)
		}
	}
	if got := textOf(read(t, "not: a mail\n\nat all\n", as(mailType))); got != "not: a mail\n\nat all\n" {
		t.Errorf("a text without fields of a mail is shown as %q", got)
	}
}

// TestMailForms: which part is the text, and which is a file.
func TestMailForms(t *testing.T) {
	part := func(fields, text string) string { return "--x\n" + fields + "\n" + text + "\n" }
	multi := func(kind string, parts ...string) string {
		return letterhead + "Content-Type: multipart/" + kind + "; boundary=x\n\n" + strings.Join(parts, "") + "--x--\n"
	}
	plain, html := part("", "plain"), part("Content-Type: text/html\n", "<p>page</p>")
	png := part("Content-Type: image/png\nContent-ID: <1@x>\nContent-Location: http://example.org/a/b.png?c\nContent-Transfer-Encoding: base64\n", "iVBORw0KGgo=")
	for name, c := range map[string]struct {
		in, text, files string
	}{
		"plain first":      {multi("alternative", plain, html), "plain", "alternative-1.html"},
		"plain last":       {multi("alternative", html, plain), "plain", "alternative-1.html"},
		"blank plain":      {multi("alternative", part("", "  "), html), "page", "alternative-1.txt"},
		"page with files":  {multi("related", html, png), "page", "b.png"},
		"start of related": {strings.Replace(multi("related", png, strings.Replace(html, "\n\n", "\nContent-ID: <m>\n\n", 1)), "boundary=x", "start=\"<m>\"; boundary=x", 1), "page", "b.png"},
		"signed":           {multi("signed", plain, part("Content-Type: application/pgp-signature\n", "-----BEGIN")), "plain", "part-1.asc"},
		"digest":           {multi("digest", part("", "Subject: one\n\n1"), part("", "Subject: two\n\n2")), "", "one.eml two.eml"},
		"bounce":           {multi("report", plain, part("Content-Type: message/delivery-status\n", "Status: 5.0.0"), part("Content-Type: text/rfc822-headers\n", "Subject: x")), "plain\n\nStatus: 5.0.0", "part-1"},
		"a text attached":  {multi("mixed", plain, part("Content-Disposition: attachment; filename=\"C:\\dir\\a.txt\"\n", "attached")), "plain", "a.txt"},
		"an invitation":    {multi("alternative", plain, part("Content-Type: text/calendar\n", "BEGIN:VCALENDAR")), "plain", "alternative-1.ics"},
		"secret":           {letterhead + "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIIB\n", "", "smime.p7m"},
		"uuencoded":        {letterhead + "\nsee\nbegin 644 a.txt\n#0V%T\n`\nend\nbegin now\n", "see\nbegin now", "a.txt"},
	} {
		res := read(t, c.in, as(mailType))
		body, _, _ := strings.Cut(strings.TrimPrefix(textOf(res), shownHead), "\nFiles in this mail:\n")
		var files []string
		for _, f := range res.Children {
			files = append(files, f.Name)
		}
		if got := strings.TrimSpace(body); got != c.text || strings.Join(files, " ") != c.files {
			t.Errorf("%s: %q and %v, want %q and %s", name, got, files, c.text, c.files)
		}
	}
	file, err := childOf(letterhead+"\nbegin 644 a.txt\n#0V%T\n`\nend\n", mailType, 1)
	if err != nil || string(file.Bytes) != "Cat" {
		t.Errorf("an uuencoded file is %q, %v", file.Bytes, err)
	}
}

// TestMailAddresses: a name that looks like an address is told from one.
func TestMailAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"ada@example.org":                   "ada@example.org",
		"<ada@example.org>":                 "ada@example.org",
		"ada@example.org (Ada)":             "Ada <ada@example.org>",
		`"Lovelace, Ada" <ada@example.org>`: `"Lovelace, Ada" <ada@example.org>`,
		"=?utf-8?q?Bank_=3Chelp=40bank.example=3E?= <x@evil.example>": `"Bank <help@bank.example>" <x@evil.example>`,
		`"help@bank.example" <x@evil.example>`:                        `"help@bank.example" <x@evil.example>`,
		"Help <help@bank.example> <x@evil.example>":                   `"Help <help@bank.example>" <x@evil.example>`,
		"team: a@example.org, B <b@example.org>;":                     "team: a@example.org, B <b@example.org>",
		"=?utf-8?q?a=0Ab?= <a@example.org>":                           "a b <a@example.org>",
		"undisclosed-recipients:;":                                    "undisclosed-recipients:",
		"Gr\xfc\xdfe <a@example.org>":                                 "Grüße <a@example.org>",
	} {
		got := textOf(read(t, "Subject: x\nFrom: "+in+"\n\n", as(mailType)))
		if want := "From: " + want + "\nSubject: x\n"; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestFlowed(t *testing.T) {
	head := letterhead + "Content-Type: text/plain; format=flowed; delsp="
	text := "one \ntwo\n> quoted \n> on\n>> deeper\n from\n-- \nsig \n"
	if got := textOf(read(t, head+"no\n\n"+text, as(mailType))); got != shownHead+"\none two\n> quoted on\n>> deeper\nfrom\n-- \nsig \n" {
		t.Errorf("flowed: %q", got)
	}
	if got := textOf(read(t, head+"yes\n\n"+"中 \n文\n", as(mailType))); got != shownHead+"\n中文\n" {
		t.Errorf("delsp: %q", got)
	}
}

const mailbox = "From ada@example.org Tue Jul  1 10:52:37 2003\n" + letterhead + "\nFrom here on it is easy.\n>From the first line\n>>From\nFrom: x\n\n" +
	"From MAILER-DAEMON Wed Jul  2 10:52:37 2003\nContent-Length: 9999\nFrom: b@example.org\nSubject: second\n\nFrom 10:30 on\nnothing\n"

const shownMailbox = "1. 2003-07-01T10:52:37+02:00 | Ada <ada@example.org> | The engine (177 bytes)\n2. b@example.org | second (80 bytes)\n" +
	"\n===== message 1 =====\n" + shownHead + "\nFrom here on it is easy.\nFrom the first line\n>>From\nFrom: x\n" +
	"\n===== message 2 =====\nFrom: b@example.org\nSubject: second\n\nFrom 10:30 on\nnothing\n"

func TestMailbox(t *testing.T) {
	res := read(t, mailbox, as(mboxType))
	if got := textOf(res); got != shownMailbox || len(res.Children) != 2 || res.Meta["messages"] != float64(2) {
		t.Errorf("%+v\n%s\nwant\n%s", res.Children, got, shownMailbox)
	}
	file, err := childOf(mailbox, mboxType, 1)
	if want := letterhead + "\nFrom here on it is easy.\nFrom the first line\n>>From\nFrom: x\n"; err != nil || string(file.Bytes) != want || file.Child.MediaType != mailType {
		t.Errorf("message 1 is %q (%v), want %q", file.Bytes, err, want)
	}
	if got := textOf(read(t, letterhead+"\nx\n", as(mboxType))); got != letterhead+"\nx\n" {
		t.Errorf("what is no mailbox is shown as %q", got)
	}
}

// TestLargeMailbox: a mailbox of 12 MB is listed, whose messages lie over the borders of what is looked at at a time.
func TestLargeMailbox(t *testing.T) {
	var b strings.Builder
	const n = 3000
	for i := range n {
		b.WriteString("From x@example.org Tue Jul  1 10:52:37 2003\n" + letterhead + "\n" + strings.Repeat("words of a letter\n", i%450) + "\n")
	}
	res := read(t, b.String(), as(mboxType))
	if res.Total != n || res.Meta["messages"] != float64(n) || len(res.Children) != maxBoxChildren {
		t.Errorf("%d lines, meta %v, %d children", res.Total, res.Meta["messages"], len(res.Children))
	}
	file, err := childOf(b.String(), mboxType, n-1)
	if want := letterhead + "\n" + strings.Repeat("words of a letter\n", (n-2)%450); err != nil || string(file.Bytes) != want {
		t.Errorf("the last but one is %d bytes, %v, want %d", len(file.Bytes), err, len(want))
	}
}

var (
	mailSeeds = []string{
		mixed, netLines(mixed), letterhead + "Content-Type: text/plain; format=flowed\n\na \nb\n", letterhead + "\nbegin 644 a.txt\n#0V%T\n`\nend\n",
		"From: =?utf-8?q?a=0Ab?= <a@example.org>\nSubject: =?gbk?b?1tDOxA==?= =?x\n\n",
	}
	mailboxSeeds = []string{mailbox, netLines(mailbox)}
)

func FuzzMail(f *testing.F) {
	seedAs(f, mailType)
	fuzzAs(f, mailType)
}

func FuzzMailbox(f *testing.F) {
	seedAs(f, mboxType)
	fuzzAs(f, mboxType)
}
