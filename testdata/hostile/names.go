package hostile

// named is a small text under a name that a sender made up.
func named(name, as string) File {
	return File{Name: name, Kind: "text", As: as, Make: of(func() []byte { return []byte("Hello out there.\n") }), Want: shows(said)}
}

func nameFiles() []File {
	return []File{
		named("name-escape", "a\x1b[2J\x1b[Hb.txt"),
		named("name-bell", "a\x07\x08\x7fb.txt"),
		named("name-lines", "a\r\nSet-Cookie: x=1\r\n\r\nb.txt"),
		named("name-bidi", "photo\u202egpj.txt"),
		named("name-zero-width", "a\u200b\u200d\ufeffb.txt"),
		named("name-tags", "a"+tagged(order)+".txt"),
		named("name-4-kib", repeat("n", 4096)+".txt"),
		named("name-1-mib", repeat("n/", 1<<19)+".txt"),
		named("name-up", "../../../../etc/passwd"),
		named("name-up-windows", `..\..\..\windows\system32\drivers\etc\hosts.txt`),
		named("name-root", "/etc/shadow.txt"),
		named("name-device", "CON.txt"),
		named("name-stream", "a.txt:$DATA"),
		named("name-nul", "a.txt\x00.pdf"),
		named("name-utf8-invalid", "a\xff\xfe\xc0\xaf.txt"),
		named("name-none", ""),
		named("name-dots", "...."),
		named("name-percent", "%2e%2e%2f%00%n%s%x.txt"),
		named("name-html", `"><script>alert(1)</script>.txt`),
		named("name-shell", "$(rm -rf ~);`id`|x&.txt"),
		named("name-surrogates", "a\xed\xa0\x80b.txt"),
	}
}

// disguiseFiles are one thing under the name of another, or two at once.
func disguiseFiles() []File {
	as := func(name string, f File) File {
		f.As = name
		return f
	}
	const zip = "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00a.txt"
	return []File{
		as("invoice.pdf", image("png-as-pdf", "png", answers(mismatch), func() []byte { return tiny() })),
		as("photo.jpg", image("png-as-jpg", "png", answers(mismatch), func() []byte { return tiny() })),
		as("photo.png", pdf("pdf-as-png", shows(said, mismatch), func() []byte { return showing(hello) })),
		as("photo.png", text("text-as-png", "txt", shows("no picture", mismatch), func() []byte { return []byte(repeat("no picture at all\n", 20)) })),
		as("doc.pdf", text("html-as-pdf", "html", shows("no document", mismatch), func() []byte { return []byte("<!doctype html><html><script>SECRET()</script><p>no document</html>") }).lacking("SECRET")),
		as("doc.pdf", text("text-as-pdf", "txt", shows("no document", mismatch), func() []byte { return []byte(repeat("no document at all\n", 20)) })),
		as("setup.txt", File{Name: "exe-as-text", Kind: "text", Make: of(func() []byte { return join("MZ\x90\x00\x03\x00\x00\x00", make([]byte, 4096), "PE\x00\x00") }), Want: ends(noDecoder)}),
		as("run.png", File{Name: "elf-as-png", Kind: "image", Make: of(func() []byte { return join("\x7fELF\x02\x01\x01", make([]byte, 4096)) }), Want: ends(noDecoder)}),
		as("module.txt", File{Name: "wasm-as-text", Kind: "text", Make: of(func() []byte { return []byte("\x00asm\x01\x00\x00\x00\x03\x05\xff\xff\xff\xff\x0f") }), Want: ends(noDecoder)}),
		as("a.pdf", pdf("pdf-and-zip", shows(said), func() []byte { return join(showing(hello), zip, "PK\x05\x06", make([]byte, 18)) })),
		as("a.zip", pdf("zip-and-pdf", ends("", noDecoder, malformed), func() []byte { return join(zip, showing(hello)) })),
		as("a.pdf", pdf("png-and-pdf", shows(said), func() []byte { return join(tiny(chunk("tEXt", "x\x00", showing(hello)))) })),
		as("a.gif", image("gif-and-script", "gif", answers(), func() []byte {
			return join("GIF89a", le16(8), le16(8), "\x80\x00\x00\x10\x20\x30\xf0\xe0\xd0", "!\xfe\x0c/*<script>*/\x00", frame(0, 0, 8, 8, 0, pixels(64)), ";alert(1)")
		})),
		as("a.jpg", image("jpeg-and-zip", "jpg", answers(), func() []byte { return join(baseline(16, 16), zip, "PK\x05\x06", make([]byte, 18)) })),
		as("a.html", pdf("html-and-pdf", ends("", malformed), func() []byte { return join("<html><!--\n", showing(hello), "-->") })),
		as("a.bmp", text("bm-prose", "txt", shows("BM is"), func() []byte { return []byte("BM is how a bitmap begins, and this is no bitmap but prose about it.\n") })),
		as("a.gif", text("gif-prose", "txt", shows("GIF89a is"), func() []byte { return []byte("GIF89a is a format, and this is prose about it.\n") })),
		as("a.txt", text("pdf-prose", "txt", shows("%PDF-1.4 is"), func() []byte { return []byte("Every such file begins with %PDF-1.4 is what they say.\n") })),
		as("a.png", File{Name: "png-magic-alone", Kind: "image", Make: of(func() []byte { return []byte(pngMagic) }), Want: ends(malformed, noDecoder)}),
		as("a.jpg", File{Name: "jpeg-magic-alone", Kind: "image", Make: of(func() []byte { return []byte("\xff\xd8\xff") }), Want: answers(mismatch).or(malformed, noDecoder)}),
		as("a.webp", File{Name: "webp-magic-alone", Kind: "image", Make: of(func() []byte { return []byte("RIFF\x00\x00\x00\x00WEBP") }), Want: ends(malformed, noDecoder)}),
		as("a.tif", File{Name: "tiff-magic-alone", Kind: "image", Make: of(func() []byte { return []byte("MM\x00\x2a") }), Want: answers(mismatch).or(malformed, noDecoder)}),
	}
}

// plainFiles have nothing in them, or the same thing everywhere.
func plainFiles() []File {
	same := func(name, as, kind string, c string, n int64, want Want) File {
		return File{Name: name, Kind: kind, As: as, Make: lazy("", c, "", n), Want: want}
	}
	return []File{
		same("empty-text", "a.txt", "text", "x", 0, answers()),
		same("empty-pdf", "a.pdf", "pdf", "x", 0, ends(malformed)),
		same("empty-png", "a.png", "image", "x", 0, ends(malformed)),
		same("empty-nameless", "", "text", "x", 0, ends(malformed)),
		same("one-byte-text", "a.txt", "text", "x", 1, shows("x")),
		same("one-byte-pdf", "a.pdf", "pdf", "%", 1, ends("", malformed, noDecoder)),
		same("one-byte-nul", "a.txt", "text", "\x00", 1, ends(noDecoder, malformed)),
		same("one-byte-ff", "a.png", "image", "\xff", 1, ends("", noDecoder, malformed)),
		same("zeros", "a.pdf", "pdf", "\x00", 64<<20, ends(noDecoder, malformed)),
		same("zeros-png", "a.png", "image", "\x00", 31<<20, ends(noDecoder, malformed)),
		same("ones", "a.bin", "image", "\xff", 16<<20, ends(noDecoder)),
		same("ones-text", "a.txt", "text", "\xff", 16<<20, ends(noDecoder)),
		same("spaces", "a.txt", "text", " ", 16<<20, answers().or(limitOutput)),
		same("image-too-large", "a.bmp", "image", "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00", 40<<20, hits(tooLarge, "max_image_input_bytes")),
		same("pdf-too-large", "a.pdf", "pdf", "%PDF-1.7\n1 0 obj\n", 120<<20, hits(tooLarge, "max_input_bytes")),
	}
}
