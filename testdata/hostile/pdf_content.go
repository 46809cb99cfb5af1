package hostile

import (
	"bytes"
	"compress/lzw"
	"fmt"
)

// filtered is a document of one page whose content is data behind filters.
func filtered(dict string, data []byte) []byte {
	d := &document{}
	return d.bytes(d.page(d.stream(dict, data), ""))
}

func pdfFilterFiles() []File {
	nest := func(b []byte, n int) []byte {
		for range n {
			b = deflate(b)
		}
		return b
	}
	return []File{
		pdf("pdf-flate-20", answers(partial).or(malformed), func() []byte { // a terabyte, if it were decoded
			return filtered("/Filter["+repeat("/FlateDecode ", 20)+"]", nest(deflated(" ", 64<<20), 18))
		}),
		pdf("pdf-flate-3", answers(partial), func() []byte {
			return filtered("/Filter[/FlateDecode/FlateDecode/FlateDecode]", nest(deflated(" ", 512<<20), 2))
		}),
		pdf("pdf-flate-bomb", answers(partial), func() []byte { return filtered("/Filter/FlateDecode", deflated(" ", 256<<20)) }),
		pdf("pdf-flate-bomb-shown", Want{Codes: []string{""}, Text: said, Next: true}.or(limitFuel), func() []byte { return filtered("/Filter/FlateDecode", deflated(hello, 256<<20)) }),
		pdf("pdf-filters-1000", answers(), func() []byte { return filtered("/Filter["+repeat("/AHx ", 1000)+"]", []byte(hello)) }),
		pdf("pdf-filters-array-loop", answers(), func() []byte { return filtered("/Filter 1 0 R/DecodeParms 1 0 R", []byte(hello)) }),
		pdf("pdf-filter-unknown", answers(partial), func() []byte { return filtered("/Filter/NoSuchDecode", []byte(hello)) }),
		pdf("pdf-filter-pictures", answers(partial), func() []byte {
			return filtered("/Filter[/JBIG2Decode/JPXDecode/DCTDecode/CCITTFaxDecode]", []byte(repeat("\xff", 4096)))
		}),
		pdf("pdf-lzw-bomb", answers(partial), func() []byte {
			var b bytes.Buffer
			w := lzw.NewWriter(&b, lzw.MSB, 8)
			_, _ = w.Write([]byte(repeat(" ", 64<<20))) // a bytes.Buffer takes everything
			_ = w.Close()
			return filtered("/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", b.Bytes())
		}),
		pdf("pdf-run-length-bomb", answers(partial), func() []byte {
			return filtered("/Filter[/RunLengthDecode/RunLengthDecode]", []byte(repeat("\x81\x81\x81 ", 1<<18)))
		}),
		pdf("pdf-ascii85-z", answers(), func() []byte { return filtered("/Filter/ASCII85Decode", []byte(repeat("z", 8<<20))) }),
		pdf("pdf-predictor-wide", answers(), func() []byte {
			return filtered("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 1048576/Colors 64/BitsPerComponent 16>>", deflated("\x04", 10<<20))
		}),
		pdf("pdf-predictor-narrow", answers(), func() []byte {
			return filtered("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 1>>", deflated("\x03 ", 10<<20))
		}),
		pdf("pdf-predictor-0", shows(said), func() []byte {
			return filtered("/Filter/FlateDecode/DecodeParms<</Predictor 0/Columns 0/Colors 0>>", deflate([]byte(hello)))
		}),
	}
}

func pdfLengthFiles() []File {
	return []File{
		pdf("pdf-length-self", shows(said), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Contents 3 0 R/Resources<</Font<</F1 "+helvetica+">>>>>>",
				"<</Length 3 0 R>>stream\n"+hello+"endstream")
		}),
		pdf("pdf-length-ring", shows(said), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Contents 3 0 R/Resources<</Font<</F1 "+helvetica+">>>>>>",
				"<</Length 4 0 R>>stream\n"+hello+"endstream", "5 0 R", "4 0 R")
		}),
		pdf("pdf-length-2-63", shows(said), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Contents 3 0 R/Resources<</Font<</F1 "+helvetica+">>>>>>",
				"<</Length 9223372036854775807>>stream\n"+hello+"endstream")
		}),
		pdf("pdf-length-negative", shows(said), func() []byte {
			return treeOf("<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Contents 3 0 R/Resources<</Font<</F1 "+helvetica+">>>>>>",
				"<</Length -1>>stream\n"+hello+"endstream")
		}),
		pdf("pdf-contents-30000", shows(said).or(limitFuel, ""), func() []byte { // one stream, thirty thousand times
			d := &document{}
			c := d.stream("/Filter/FlateDecode", deflated(hello, 4<<10))
			return d.bytes(d.page(d.add("[%s]", repeat(fmt.Sprintf("%d 0 R ", c), 30_000)), ""))
		}),
		pdf("pdf-contents-itself", answers(), func() []byte { d := &document{}; return d.bytes(d.page(d.add("[1 0 R 1 0 R [1 0 R]]"), "")) }),
	}
}

func pdfContentFiles() []File {
	shown := func(name string, want Want, content func() string) File {
		return pdf(name, want, func() []byte { return showing(content()) })
	}
	return []File{
		shown("pdf-operators-5-million", answers(partial).or(limitFuel), func() string { return repeat("q Q ", 2_500_000) }),
		shown("pdf-glyphs-3-million", answers().or(limitFuel), func() string { return "BT /F1 1 Tf (" + repeat("A", 3<<20) + ") Tj ET" }),
		shown("pdf-glyphs-one-place", answers().or(limitFuel), func() string { return "BT /F1 1 Tf " + repeat("1 0 0 1 9 9 Tm (A) Tj ", 150_000) + "ET" }),
		shown("pdf-glyphs-columns", answers().or(limitFuel), func() string { // every line lies above the one before
			var b bytes.Buffer
			for i := range 100_000 {
				fmt.Fprintf(&b, "BT /F1 1 Tf 1 0 0 1 %d %d Tm (A) Tj ET ", i*7919%500, i*104729%700)
			}
			return b.String()
		}),
		shown("pdf-save-million", shows(said), func() string { return repeat("q ", 1_000_000) + hello }),
		shown("pdf-restore-million", shows(said), func() string { return repeat("Q ", 1_000_000) + hello }),
		shown("pdf-operands-million", shows(said), func() string { return repeat("0 ", 1_000_000) + "Tj " + hello }),
		shown("pdf-arrays-unclosed", shows(said).or(""), func() string { return repeat("[ ", 500_000) + hello }),
		shown("pdf-dicts-unclosed", shows(said).or(""), func() string { return repeat("<</A ", 200_000) + hello }),
		shown("pdf-string-unclosed", answers(), func() string { return "BT /F1 12 Tf (" + repeat("\\", 1<<20) }),
		shown("pdf-numbers-infinite", answers(), func() string {
			return "BT /F1 1e999 Tf 1e308 1e308 1e308 1e308 1e308 1e308 cm 1e308 1e308 Td (Hello) Tj 99999999999999999999999999 Tz 1e308 Tc (out) Tj 0 0 0 0 0 0 Tm (there) Tj ET"
		}),
		shown("pdf-numbers-tiny", answers(), func() string { return "BT /F1 0.0000000000000000000001 Tf 0 0 0 0 0 0 cm (Hello) Tj ET" }),
		shown("pdf-kerning-flood", answers().or(partial, limitFuel), func() string { return "BT /F1 12 Tf [" + repeat("(A)-9999999999 ", 200_000) + "] TJ ET" }),
		shown("pdf-font-switches", answers().or(limitFuel), func() string { return "BT " + repeat("/F1 12 Tf (A) Tj /NoSuch 1 Tf (B) Tj ", 40_000) + "ET" }),
		shown("pdf-font-names", answers().or(limitFuel), func() string {
			var b bytes.Buffer
			for i := range 50_000 {
				fmt.Fprintf(&b, "/N%d 1 Tf /X%d Do /G%d gs ", i, i, i)
			}
			return b.String() + hello
		}),
		shown("pdf-inline-image-endless", answers(), func() string { return hello + "BI /W 9 /H 9 ID " + repeat("EI", 1<<20) }),
		shown("pdf-inline-images", shows(said), func() string { return repeat("BI /W 1 ID x EI ", 100_000) + hello }),
		shown("pdf-inline-image-hides", shows(said), func() string { return "BI /W 1 ID \x00\xff EI \x01\x02\x03 EI\n" + hello }),
		shown("pdf-inline-image-unbegun", answers(), func() string { return repeat("ID EI BI ", 100_000) + hello }),
		shown("pdf-white-space-16-mib", shows(said), func() string { return repeat(" \r\n\x00\t\f", 3<<20) + hello }),
		shown("pdf-marked-content", answers(), func() string { return repeat("/Span<</ActualText(x)>>BDC ", 100_000) + hello + repeat("EMC ", 100_000) }),
		shown("pdf-type3-endless", answers().or(limitFuel), func() string { return repeat("d0 d1 BX EX sh ", 100_000) }),
		shown("pdf-hidden-text", Want{Codes: []string{""}, Lacks: "\u202e", Warnings: []string{}}, func() string { return "BT /F1 12 Tf 72 700 Td (a\x1b[2J\x07\x00b) Tj ET" }).lacking("\x1b"),
	}
}

func pdfFormFiles() []File {
	// forms is a document whose page draws object 1 as X.
	forms := func(objects ...string) []byte {
		d := &document{objects: objects}
		return d.bytes(d.page(d.stream("", []byte("/X Do "+hello)), "/XObject<</X 1 0 R>>"))
	}
	form := func(resources, content string) string {
		return fmt.Sprintf("<</Subtype/Form/BBox[0 0 9 9]/Resources<<%s>>/Length %d>>\nstream\n%s\nendstream", resources, len(content), content)
	}
	return []File{
		pdf("pdf-form-self", answers(partial), func() []byte { return forms(form("/XObject<</X 1 0 R>>", "/X Do")) }),
		pdf("pdf-form-fan", answers(partial), func() []byte { return forms(form("/XObject<</X 1 0 R>>", repeat("/X Do ", 100))) }),
		pdf("pdf-form-doubling", answers(partial), func() []byte { // two to the fifteenth
			var o []string
			for i := range 15 {
				o = append(o, form(fmt.Sprintf("/XObject<</X %d 0 R>>", i+2), "/X Do /X Do"))
			}
			return forms(append(o, form("", "0 0 m"))...)
		}),
		pdf("pdf-form-big-often", answers(partial).or(limitFuel), func() []byte { // thirty megabytes, five thousand times
			d := &document{}
			d.stream("/Subtype/Form/Filter/FlateDecode", deflated(" ", 30<<20))
			return d.bytes(d.page(d.stream("", []byte(repeat("/X Do ", 5000))), "/XObject<</X 1 0 R>>"))
		}),
		pdf("pdf-form-inherits", answers(partial), func() []byte { return forms("<</Subtype/Form/Length 6>>stream\n/X Do \nendstream") }),
		pdf("pdf-annotations-100000", shows(said).or(limitFuel), func() []byte {
			d := &document{}
			a := d.add("<</Type/Annot/Subtype/FreeText/Rect[0 0 9 9]/AP<</N 2 0 R>>>>")
			d.objects = append(d.objects, form("", "q Q"))
			root := d.page(d.stream("", []byte(hello)), "")
			return bytes.Replace(d.bytes(root), []byte("/MediaBox"), []byte("/Annots["+repeat(fmt.Sprintf("%d 0 R ", a), 100_000)+"]/MediaBox"), 1)
		}),
		pdf("pdf-appearance-loop", shows(said), func() []byte {
			d := &document{}
			d.add("<</Type/Annot/Subtype/Widget/Parent 1 0 R/Kids[1 0 R]/AP<</N<</A 1 0 R/B 2 0 R>>>>/AS/A>>")
			d.add("<</Subtype/Form/Resources<</XObject<</Y 2 0 R>>>>/Length 6>>stream\n/Y Do \nendstream")
			root := d.page(d.stream("", []byte(hello)), "")
			return bytes.Replace(d.bytes(root), []byte("/MediaBox"), []byte("/Annots[1 0 R 1 0 R]/MediaBox"), 1)
		}),
	}
}
