package hostile

import (
	"bytes"
	"fmt"
)

const flate = "/Filter/FlateDecode"

// fonted is a document whose page says "Hello out there" in a font that is the objects' first.
func fonted(objects ...string) []byte {
	d := &document{objects: objects}
	return d.bytes(d.page(d.stream("", []byte("BT /G 12 Tf 72 700 Td (Hello out there) Tj ET")), "/Font<</G 1 0 R>>"))
}

// mapped is fonted with a font that has a ToUnicode map.
func mapped(cmap []byte, filter string) []byte {
	return fonted("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 2 0 R>>", fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", filter, len(cmap), cmap))
}

func pdfFontFiles() []File {
	return []File{
		pdf("pdf-tounicode-bomb", answers().or(limitFuel), func() []byte { return mapped(deflated("<00> <ff> <0041>\n", 200<<20), flate) }),
		pdf("pdf-tounicode-ranges", answers().or(limitFuel), func() []byte {
			return mapped(deflated("1 beginbfrange <0000> <ffffffff> <0041> endbfrange\n", 12<<20), flate)
		}),
		pdf("pdf-tounicode-long", answers(), func() []byte { // each character stands for a hundred thousand
			return mapped(deflate([]byte("1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <"+repeat("0041", 100_000)+"> endbfrange")), flate)
		}).or(limitOutput, limitFuel),
		pdf("pdf-tounicode-array", answers(), func() []byte {
			return mapped([]byte("1 beginbfrange <00> <ffffffff> ["+repeat("<0041>", 300_000)+"] endbfrange"), "")
		}),
		pdf("pdf-tounicode-surrogates", answers(), func() []byte { return mapped([]byte("1 beginbfrange <00> <ff> <d800> endbfrange"), "") }),
		pdf("pdf-tounicode-hidden", answers(), func() []byte {
			return mapped([]byte("1 beginbfrange <00> <ff> <202e> endbfrange 1 beginbfchar <48> <db40dc41> endbfchar"), "")
		}).lacking("\u202e"),
		pdf("pdf-tounicode-wraps", answers(), func() []byte { return mapped([]byte("1 beginbfrange <00> <ff> <dbffdfff> endbfrange"), "") }),
		pdf("pdf-tounicode-self", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type1/ToUnicode 1 0 R/Encoding 1 0 R/DescendantFonts 1 0 R/FontDescriptor 1 0 R>>")
		}),
		pdf("pdf-cmap-usecmap", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type0/Encoding 2 0 R/DescendantFonts[1 0 R]>>", "<</Type/CMap/CMapName/X/UseCMap 2 0 R/Length 9>>stream\n/X usecmap\nendstream")
		}),
		pdf("pdf-descendants-loop", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[2 0 R]>>", "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[1 0 R]>>")
		}),
		pdf("pdf-codespaces", answers(), func() []byte {
			return mapped([]byte("1 begincodespacerange "+repeat("<00000000> <ffffffff> ", 50_000)+"endcodespacerange"), "")
		}),
	}
}

func pdfWidthFiles() []File {
	return []File{
		pdf("pdf-widths-million", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type1/FirstChar -2147483648/LastChar 2147483647/Widths[" + repeat("1e308 ", 150_000) + "]>>")
		}),
		pdf("pdf-cid-widths", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[2 0 R]>>",
				"<</Type/Font/Subtype/CIDFontType2/DW 1e308/W["+repeat("0 2147483647 1 ", 60_000)+"]/W2[0 2147483647 1 1 1]>>")
		}),
		pdf("pdf-differences-million", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type1/Encoding<</Differences[-5 " + repeat("/A ", 300_000) + "]>>>>")
		}),
		pdf("pdf-glyph-names", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type1/Encoding<</Differences[32 " + repeat("/uniD800 /u10FFFF /u110000 /uni202E /"+repeat("A_", 1000)+" ", 40) + "]>>>>")
		}).lacking("\u202e"),
		pdf("pdf-font-program-bomb", answers(), func() []byte {
			z := deflated("\x00", 200<<20)
			return fonted("<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor<</FontFile2 2 0 R/FontFile 2 0 R/FontFile3 2 0 R>>>>",
				fmt.Sprintf("<</Filter/FlateDecode/Length1 4294967295/Length %d>>\nstream\n%s\nendstream", len(z), z))
		}),
		pdf("pdf-type3-self", answers(), func() []byte {
			return fonted("<</Type/Font/Subtype/Type3/FontMatrix[0 0 0 0 0 0]/CharProcs<</H 2 0 R>>/Encoding<</Differences[72/H]>>/Resources<</Font<</G 1 0 R>>>>>>",
				"<</Length 20>>stream\nBT /G 1 Tf (H) Tj ET\nendstream")
		}),
		pdf("pdf-fonts-5000", answers().or(limitFuel), func() []byte { // each page font is another one, with its own map
			d := &document{}
			cm := d.stream(flate, deflated("1 beginbfrange <00> <ff> <0041> endbfrange\n", 1<<20))
			var fonts, content bytes.Buffer
			for i := range 5000 {
				n := d.add("<</Type/Font/Subtype/Type1/ToUnicode %d 0 R>>", cm)
				fmt.Fprintf(&fonts, "/N%d %d 0 R", i, n)
				fmt.Fprintf(&content, "BT /N%d 1 Tf (A) Tj ET ", i)
			}
			return d.bytes(d.page(d.stream("", content.Bytes()), "/Font<<"+fonts.String()+">>"))
		}),
	}
}

// locked is a document that says that it is encrypted, so.
func locked(dict string) []byte {
	d := &document{trailer: "/ID[(0123456789abcdef)(0123456789abcdef)]/Encrypt " + dict}
	return d.bytes(d.page(d.stream("", []byte(hello)), ""))
}

func pdfCryptFiles() []File {
	keys := "/O(" + repeat("o", 48) + ")/U(" + repeat("u", 48) + ")/OE(" + repeat("o", 32) + ")/UE(" + repeat("u", 32) + ")/Perms(" + repeat("p", 16) + ")/P -4"
	crypt := func(name, dict string) File {
		return pdf(name, ends(encrypted, unsupported, malformed), func() []byte { return locked("<</Filter/Standard" + dict + keys + ">>") })
	}
	return []File{
		crypt("pdf-crypt-key-huge", "/V 2/R 3/Length 2147483647"),
		crypt("pdf-crypt-key-0", "/V 2/R 3/Length 0"),
		crypt("pdf-crypt-key-negative", "/V 2/R 3/Length -8"),
		crypt("pdf-crypt-key-7", "/V 2/R 3/Length 47"),
		crypt("pdf-crypt-version-99", "/V 99/R 99"),
		crypt("pdf-crypt-revision-6-rc4", "/V 2/R 6/Length 128"),
		crypt("pdf-crypt-revision-6", "/V 5/R 6/Length 256/StmF/S/StrF/S/CF<</S<</CFM/AESV3/Length 2147483647>>>>"),
		crypt("pdf-crypt-filter-loop", "/V 4/R 4/StmF/S/StrF/S/CF<</S 1 0 R/CFM 1 0 R>>"),
		crypt("pdf-crypt-filter-missing", "/V 4/R 4/StmF/NoSuch/StrF/NoSuch/CF<<>>"),
		pdf("pdf-crypt-itself", ends(encrypted, unsupported, malformed).or(""), func() []byte { return locked("1 0 R") }),
		pdf("pdf-crypt-short", ends(encrypted, unsupported, malformed), func() []byte { return locked("<</Filter/Standard/V 2/R 3/Length 128/O()/U()/P 0>>") }),
		pdf("pdf-crypt-long", ends(encrypted, unsupported, malformed).or(""), func() []byte {
			return locked("<</Filter/Standard/V 5/R 6/U(" + repeat("u", 1<<19) + ")/UE(" + repeat("u", 1<<18) + ")/O()/OE()/P 0>>")
		}),
		pdf("pdf-crypt-handler", ends(unsupported), func() []byte { return locked("<</Filter/Some#20Corp/V 1/R 2>>") }),
		pdf("pdf-crypt-identity", shows(said).or(encrypted), func() []byte {
			return locked("<</Filter/Standard/V 4/R 4/StmF/Identity/StrF/Identity" + keys + ">>")
		}),
	}
}

// pdfActiveFiles do something where a viewer obeys them. Here nothing is obeyed and nothing of it shows but the page.
func pdfActiveFiles() []File {
	return []File{
		pdf("pdf-javascript", shows(said), func() []byte {
			return with("/OpenAction<</S/JavaScript/JS(while\\(1\\){} SECRET)>>/AA<</WC<</S/JavaScript/JS(SECRET)>>>>")
		}).lacking("SECRET"),
		pdf("pdf-launch", shows(said), func() []byte { return with("/OpenAction<</S/Launch/F(/bin/SECRET)/Win<</F(cmd.exe)/P(/c SECRET)>>>>") }).lacking("SECRET"),
		pdf("pdf-uri", shows(said), func() []byte {
			return with("/URI<</Base(file:///etc/SECRET)>>/OpenAction<</S/URI/URI(http://169.254.169.254/SECRET)>>")
		}).lacking("SECRET"),
		pdf("pdf-goto-remote", shows(said), func() []byte { return with("/OpenAction<</S/GoToR/F(\\\\\\\\host\\\\SECRET)/D[0/Fit]>>") }).lacking("SECRET"),
		pdf("pdf-action-loop", shows(said), func() []byte { return with("/OpenAction 1 0 R", "<</S/GoTo/D[1 0 R/Fit]/Next[1 0 R 1 0 R]>>") }),
		pdf("pdf-external-stream", answers(), func() []byte {
			return filtered("/F(/etc/SECRET)/FFilter/FlateDecode/FS/URL", []byte(hello))
		}).lacking("SECRET"),
		pdf("pdf-xfa-entities", shows(said), func() []byte {
			x := "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'SECRET'><!ENTITY b '" + repeat("&a;", 1000) + "'>]><x>&b;</x>"
			return with("/AcroForm<</XFA 1 0 R>>", fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(x), x))
		}).lacking("SECRETSECRET"),
		pdf("pdf-rich-media", shows(said), func() []byte {
			return with("/Names<</EmbeddedFiles<</Names[(a.swf) 1 0 R]>>>>", "<</Type/Filespec/F(../../SECRET.swf)/EF<</F 1 0 R>>>>")
		}),
	}
}

func pdfMetaFiles() []File {
	info := func(name, dict string, lacks string) File {
		return pdf(name, shows(said), func() []byte {
			d := &document{objects: []string{dict}, trailer: "/Info 1 0 R"}
			return d.bytes(d.page(d.stream("", []byte(hello)), ""))
		}).lacking(lacks)
	}
	return []File{
		info("pdf-info-hidden", "<</Title<feff202e0041001b005b0032004a>/Author(\x1b]0;x\x07)/Subject<feffdb40dc41>>>", "\u202e"),
		info("pdf-info-1-mib", "<</Title("+repeat("A", 1<<19)+")/Author("+repeat("\\377", 1<<17)+")>>", "\x00"),
		info("pdf-info-self", "<</Title 1 0 R/Author[1 0 R]/CreationDate 1 0 R>>", "\x00"),
		info("pdf-info-dates", "<</CreationDate(D:99999999999999+99'99')/ModDate("+repeat("9", 10_000)+")>>", "\x00"),
		pdf("pdf-outlines-loop", shows(said), func() []byte {
			return with("/Outlines 1 0 R", "<</First 2 0 R/Last 2 0 R/Count 2147483647>>", "<</Title(x)/Next 2 0 R/Prev 2 0 R/First 1 0 R/Parent 2 0 R>>")
		}),
		pdf("pdf-outlines-deep", shows(said), func() []byte {
			var o []string
			for i := range 50_000 {
				o = append(o, fmt.Sprintf("<</Title(x)/First %d 0 R/Next %d 0 R/Count 1>>", i+2, i+2))
			}
			return with("/Outlines 1 0 R", o...)
		}),
		pdf("pdf-names-loop", shows(said), func() []byte {
			return with("/Names<</EmbeddedFiles 1 0 R/Dests 1 0 R>>/Dests 1 0 R", "<</Kids[1 0 R 1 0 R]/Limits[(a)(b)]>>")
		}),
		pdf("pdf-fields-loop", shows(said), func() []byte {
			return with("/AcroForm<</Fields[1 0 R]/DA(x)>>", "<</Kids[1 0 R 1 0 R]/Parent 1 0 R/T(x)/V 1 0 R>>")
		}),
		pdf("pdf-labels-loop", shows(said), func() []byte {
			return with("/PageLabels 1 0 R", "<</Nums[0 1 0 R 0 1 0 R]/Kids[1 0 R]/S/D/St 2147483647>>")
		}),
		pdf("pdf-structure-loop", shows(said), func() []byte {
			return with("/StructTreeRoot 1 0 R/MarkInfo<</Marked true>>", "<</K[1 0 R 1 0 R]/ParentTree 1 0 R/P 1 0 R>>")
		}),
		pdf("pdf-metadata-bomb", shows(said), func() []byte {
			z := deflated("<x>", 200<<20)
			return with("/Metadata 1 0 R", fmt.Sprintf("<</Type/Metadata/Subtype/XML/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(z), z))
		}),
		pdf("pdf-version-wild", shows(said), func() []byte {
			return with("/Version/9#00.9/Extensions<</ADBE<</BaseVersion/1.7/ExtensionLevel 2147483647>>>>")
		}),
	}
}
