package glovebox_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// What hangs on a mail, or lies in a mailbox, a notebook or RTF, is read behind the wall by the decoder of its own type, down to a mail in a
// mail in a mailbox.
func TestInsideTexts(t *testing.T) {
	picture, err := samples.PNG(40, 30)
	if err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString(picture)
	inner := "From: b@example.org\nSubject: inner\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\ninner text\n--y\nContent-Type: text/csv; name=t.csv\n\na;b\n1;2\n--y--\n"
	mail := "From: a@example.org\nSubject: outer\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nouter text\n" +
		"--x\nContent-Type: image/png; name=p.png\nContent-Transfer-Encoding: base64\n\n" + encoded + "\n--x\nContent-Type: message/rfc822\n\n" + inner + "--x--\n"
	box := "From a@example.org Tue Jul  1 10:52:37 2003\n" + mail + "\n"
	book := `{"cells":[{"cell_type":"code","source":"x","outputs":[{"output_type":"display_data","data":{"image/png":"` + encoded + `"}}]}],"nbformat":4}`
	rtf := `{\rtf1 before {\pict\pngblip ` + hex.EncodeToString(picture) + `} after}`
	r := newReader(t, glovebox.Options{})
	for _, c := range []struct{ name, data, child, text string }{
		{"a.eml", mail, "", "outer text\n"}, {"a.eml", mail, "1", ""}, {"a.eml", mail, "2", "inner text\n"}, {"a.eml", mail, "2/1", "a;b\n1;2"},
		{"a.mbox", box, "", "inner.eml"}, {"a.mbox", box, "1", "outer text\n"}, {"a.mbox", box, "1/2/1", "a;b\n1;2"}, {"a.mbox", box, "1/1", ""},
		{"a.ipynb", book, "", "cell-1-output-1.png"}, {"a.ipynb", book, "1", ""},
		{"a.rtf", rtf, "", "before [image: picture-1.png"}, {"a.rtf", rtf, "1", ""},
	} {
		doc, err := readBytes(t, r, []byte(c.data), c.name, &glovebox.ReadOptions{Child: c.child})
		if err != nil {
			t.Errorf("%s, file %q: %v", c.name, c.child, err)
			continue
		}
		text, images := "", 0
		for _, p := range doc.Document.Parts {
			text += p.Text
			if p.Type == readapi.PartImage {
				images++
			}
		}
		if c.text != "" && !strings.Contains(text, c.text) || c.text == "" && images != 1 {
			t.Errorf("%s, file %q: %q and %d pictures", c.name, c.child, text, images)
		}
	}
	for _, path := range []string{"3", "2/2", "1/1/1"} {
		if _, err := readBytes(t, r, []byte(mail), "a.eml", &glovebox.ReadOptions{Child: path}); err == nil {
			t.Errorf("file %s, which is not there, is read", path)
		}
	}
}
