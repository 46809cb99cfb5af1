// Package charset finds the charset of a text and has the decoders for them.
//
// Detect is a pure function: byte order mark, UTF-16/32 pattern, valid UTF-8, what the text declares of itself, statistics, in this order.
package charset

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// SampleBytes is how much text Detect looks at; more tells it nothing.
const SampleBytes = 8 << 10

// How a charset was found, meta's charset_source.
const (
	SourceBOM         = "bom"
	SourcePattern     = "pattern" // NULs of UTF-16/32, escapes of ISO-2022 and HZ
	SourceUTF8        = "utf-8"   // the bytes are valid UTF-8, or nearly
	SourceDeclared    = "declared"
	SourceStatistical = "statistical"
	SourceDefault     = "default"
)

// Charset is the answer of Detect.
type Charset struct {
	Label   string // WHATWG, lower case; utf-32le, utf-32be and hz-gb-2312, which WHATWG does not have, by their IANA names
	Source  string
	Percent int // confidence, 0 to 100
}

// Doubtful is the confidence below which an answer carries a warning.
const Doubtful = 50

// Sample is what Detect decides from.
type Sample struct {
	Head  []byte // the file's first readapi.TextPrefixBytes, or all of a smaller file
	Body  []byte // SampleBytes from just before the first byte above ASCII; Head when there is none
	Whole bool   // Head is the whole file
}

// Detect finds the charset of a text. It is a pure function: the same sample gives the same answer on every machine. It never fails; a
// guess has a low confidence. The label may be one that Encoding does not know.
func Detect(s Sample) Charset {
	class := readapi.ClassifyText(s.Head, s.Whole)
	switch {
	case class.BOM > 0:
		return Charset{class.Charset, SourceBOM, 100}
	case class.Charset != "" && class.Charset != "utf-8":
		return Charset{class.Charset, SourcePattern, 95}
	}
	body := s.Body[:min(len(s.Body), SampleBytes)]
	if label := SevenBit(body); label != "" {
		return Charset{label, SourcePattern, 95}
	}
	good, bad := multibyteUTF8(body)
	if bad == 0 && (good > 0 || ASCIIPrefix(body) == len(body)) {
		return Charset{"utf-8", SourceUTF8, 100}
	}
	// In legacy text a valid sequence is rare luck; in damaged UTF-8 the damage is. Between the two the other readings have a say.
	damaged := Charset{"utf-8", SourceUTF8, 100 * good / max(good+bad, 1)}
	if good > 0 && good >= 4*bad {
		return damaged
	}
	t := sampleOf(body)
	guess := statistical(t)
	if good > 0 && good >= bad && guess.score < fluent {
		return damaged
	}
	if label := Canonical(declared(s.Head)); label != "" && label != "utf-8" {
		if score, valid := scoreOf(label, t); valid && score >= guess.score-declaredLead-400*scale/t.high {
			return Charset{label, SourceDeclared, 95}
		}
	}
	if guess.score < fluent {
		if label := undecoded(body); label != "" {
			return Charset{label, SourceStatistical, Doubtful}
		}
	}
	if guess.label == "" {
		return Charset{"windows-1252", SourceDefault, 30}
	}
	return Charset{guess.label, SourceStatistical, guess.percent}
}

// fluent is the plausibility of a reading that is hardly an accident.
const fluent = 60 * scale

// declaredLead is by how many points another charset must be more plausible than a valid declared one, and more where there are few
// characters to judge by: pages that lie about themselves say iso-8859-1 or the like, and read so they are full of rare letters.
const declaredLead = 30 * scale

// multibyteUTF8 counts characters above ASCII that are UTF-8 and sequences that are not. One that the sample's end cuts is neither.
func multibyteUTF8(b []byte) (good, bad int) {
	b = b[:len(b)-CutTail(b)]
	for len(b) > 0 {
		n := ValidPrefix(b)
		for _, c := range b[:n] {
			if c >= 0xc0 {
				good++
			}
		}
		if b = b[n:]; len(b) > 0 {
			bad++
			b = b[subpart(b):]
		}
	}
	return good, bad
}

// SevenBit recognises charsets that hide behind ASCII: ISO-2022 by its escapes, HZ by balanced runs of level-1 characters (RFC 1843), and
// UTF-7 by its signature or by runs of base64 that are common characters (RFC 2152).
func SevenBit(b []byte) string {
	if label := ISO2022(b); label != "" {
		return label
	}
	switch {
	case ASCIIPrefix(b) < len(b):
	case hz(b):
		return "hz-gb-2312"
	case utf7(b):
		return "utf-7"
	}
	return ""
}

// ISO2022 finds the escapes of ISO-2022 (RFC 1468, 1557, 1922), which are not those of terminals.
func ISO2022(b []byte) string {
	for {
		_, after, found := bytes.Cut(b, []byte{0x1b})
		if !found {
			return ""
		}
		for _, e := range []struct{ escape, label string }{
			{"$@", "iso-2022-jp"}, {"$B", "iso-2022-jp"}, {"(J", "iso-2022-jp"}, {"(I", "iso-2022-jp"}, {"$(D", "iso-2022-jp"},
			{"$)C", "iso-2022-kr"}, {"$)A", "iso-2022-cn"}, {"$)G", "iso-2022-cn"},
		} {
			if bytes.HasPrefix(after, []byte(e.escape)) {
				return e.label
			}
		}
		b = after
	}
}

// utf7 wants more than chance gives: all runs that could be characters are, and there are three of them, or the file begins with its mark.
func utf7(b []byte) bool {
	if bytes.HasPrefix(b, []byte("+/v8")) || bytes.HasPrefix(b, []byte("+/v9")) || bytes.HasPrefix(b, []byte("+/v+")) || bytes.HasPrefix(b, []byte("+/v/")) {
		return true
	}
	const least, longest = 3, 64
	runs := 0
	for {
		_, after, found := bytes.Cut(b, []byte{'+'})
		if !found {
			return runs >= least
		}
		n := 0
		for n < len(after) && n < longest && base64Digit(after[n]) >= 0 {
			n++
		}
		b = after[n:]
		switch {
		case n == 0, n == longest:
			continue
		case n < 3, n*6%16 >= 6, n == len(after), after[n] != '-', !utf7Run(after[:n]):
			return false
		}
		runs++
	}
}

// utf7Run reports whether a run is made of characters that everyday texts have.
func utf7Run(run []byte) bool {
	bits, have := uint32(0), 0
	for _, c := range run {
		bits, have = bits<<6|uint32(base64Digit(c)), have+6
		if have >= 16 {
			have -= 16
			if r := bits >> have & 0xffff; !everyday(r) {
				return false
			}
		}
	}
	return bits&(1<<have-1) == 0
}

// everyday reports whether r lies in a block that most texts above ASCII are made of.
func everyday(r uint32) bool {
	return r == '+' || 0xa0 <= r && r < 0x180 || 0x370 <= r && r < 0x530 || 0x590 <= r && r < 0x700 || 0xe00 <= r && r < 0xe80 || 0x2010 <= r && r < 0x2040 ||
		0x3000 <= r && r < 0x3100 || 0x4e00 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4
}

func base64Digit(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return int(c - 'A')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 26
	case '0' <= c && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

func hz(b []byte) bool {
	chars, common := 0, 0
	for {
		_, after, found := bytes.Cut(b, []byte("~{"))
		if !found {
			break
		}
		for len(after) >= 2 && 0x21 <= after[0] && after[0] <= 0x77 && 0x21 <= after[1] && after[1] <= 0x7e {
			chars++
			if 0x30 <= after[0] && after[0] <= 0x57 {
				common++
			}
			after = after[2:]
		}
		if len(after) >= 2 && !bytes.HasPrefix(after, []byte("~}")) && after[0] != '\n' {
			return false
		}
		b = after
	}
	return chars > 1 && common*2 > chars
}
