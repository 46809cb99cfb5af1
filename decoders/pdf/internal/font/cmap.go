package font

import (
	"cmp"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// cmapFile is what the stream of a CMap holds: one that takes codes to identifiers (ISO 32000-1, 9.7.5) fills codes, a ToUnicode map
// (9.10.3) the texts. Ranges stay ranges, so that what a file says costs what it takes to say it.
type cmapFile struct {
	codes   cjk.CMap
	notdef  []cjk.Range
	texts   textMap
	use     string // the name of a map that it uses
	entries int    // of all kinds
}

// maxRanges bounds the ranges of one CMap, and the operands of one of its operators; 65,536 codes of two bytes can each have a range.
const maxRanges = 1 << 17

// parseCMap reads a CMap file. What it does not understand it skips.
func parseCMap(data []byte) *cmapFile {
	c := &cmapFile{}
	l := object.Lexer{B: data}
	var args []object.Token
	for {
		t := l.Next()
		if t.Kind == object.TokEOF {
			break
		}
		if t.Kind != object.TokKeyword {
			if len(args) < maxRanges {
				args = append(args, t)
			}
			continue
		}
		c.section(string(t.S), args)
		args = args[:0]
	}
	c.texts.sort()
	order.By(c.codes.Ranges, func(a, b cjk.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	c.codes.NotDef = c.notdef
	return c
}

// section takes the operands of an operator.
func (c *cmapFile) section(operator string, args []object.Token) {
	switch operator {
	case "endcodespacerange":
		c.codeSpaces(args)
	case "endbfchar":
		c.chars(args)
	case "endbfrange":
		c.ranges(args)
	case "endcidchar":
		for ; len(args) >= 2; args = args[2:] {
			c.cid(&c.codes.Ranges, args[0].S, args[0].S, args[1].Num)
		}
	case "endcidrange":
		for ; len(args) >= 3; args = args[3:] {
			c.cid(&c.codes.Ranges, args[0].S, args[1].S, args[2].Num)
		}
	case "endnotdefchar", "endnotdefrange":
		c.notDefined(operator, args)
	case "usecmap":
		if n := len(args); n > 0 && args[n-1].Kind == object.TokName {
			c.use = string(args[n-1].S)
		}
	case "def":
		if n := len(args); n >= 2 && args[n-2].Kind == object.TokName && string(args[n-2].S) == "WMode" {
			c.codes.Vertical = args[n-1].Num == 1
		}
	}
}

// notDefined takes what to show for codes that nothing else is said of.
func (c *cmapFile) notDefined(operator string, args []object.Token) {
	n := 3
	if operator == "endnotdefchar" {
		n = 2
	}
	for ; len(args) >= n && len(c.notdef) < maxNotDefined; args = args[n:] {
		c.cid(&c.notdef, args[0].S, args[n-2].S, args[n-1].Num)
	}
}

// maxSpaces and maxNotDefined bound parts of a CMap that are tried one by one for each code.
const (
	maxSpaces     = 64
	maxNotDefined = 256
)

func (c *cmapFile) codeSpaces(args []object.Token) {
	for ; len(args) >= 2 && len(c.codes.Spaces) < maxSpaces; args = args[2:] {
		if n := len(args[0].S); n >= 1 && n <= 4 && n == len(args[1].S) {
			c.codes.Spaces = append(c.codes.Spaces, cjk.Space{N: n, Lo: cjk.Code(args[0].S), Hi: cjk.Code(args[1].S)})
		}
	}
}

func (c *cmapFile) cid(to *[]cjk.Range, lo, hi []byte, cid float64) {
	l, h := cjk.Code(lo), cjk.Code(hi)
	if l > h || cid < 0 || cid > 0xffff || c.entries >= maxRanges {
		return
	}
	c.entries++
	*to = append(*to, cjk.Range{Lo: l, Hi: h, CID: uint32(cid)})
}

func (c *cmapFile) chars(args []object.Token) {
	for ; len(args) >= 2; args = args[2:] {
		lo := cjk.Code(args[0].S)
		c.text(lo, lo, args[1])
	}
}

// ranges reads "<lo> <hi> <text>" and "<lo> <hi> [<text> …]".
func (c *cmapFile) ranges(args []object.Token) {
	for len(args) >= 3 {
		lo, hi, dst := cjk.Code(args[0].S), cjk.Code(args[1].S), args[2]
		args = args[3:]
		if dst.Kind != object.TokArrayOpen {
			c.text(lo, hi, dst)
			continue
		}
		for at := lo; len(args) > 0; at++ {
			dst, args = args[0], args[1:]
			if dst.Kind == object.TokArrayClose {
				break
			}
			if at <= hi {
				c.text(at, at, dst)
			}
		}
	}
}

func (c *cmapFile) text(lo, hi uint32, t object.Token) {
	if hi < lo || c.entries >= maxRanges {
		return
	}
	c.entries++
	var text []byte
	switch t.Kind {
	case object.TokName: // some writers give the glyph's name
		text = []byte(glyphText(string(t.S)))
	case object.TokNumber: // and some a number
		text = appendUTF16(nil, []byte{byte(int(t.Num) >> 8), byte(int(t.Num))})
	default:
		text = appendUTF16(nil, t.S)
	}
	if len(text) > 0 || t.Kind == object.TokString && len(t.S) == 0 { // else it says nothing, not even that there is none
		c.texts.add(lo, hi, text)
	}
}

// predefined returns the CMap with a name (9.7.5.2), nil if it is not known. Identity is a map like the others where one uses it.
func predefined(name string) *cjk.CMap {
	switch {
	case strings.HasPrefix(name, "Identity"):
		return &cjk.CMap{
			Vertical: strings.HasSuffix(name, "V"), Spaces: []cjk.Space{{N: 2, Lo: 0, Hi: 0xffff}}, Ranges: []cjk.Range{{Lo: 0, Hi: 0xffff, CID: 0}},
		}
	case strings.HasPrefix(name, "OneByteIdentity"):
		return &cjk.CMap{
			Vertical: strings.HasSuffix(name, "V"), Spaces: []cjk.Space{{N: 1, Lo: 0, Hi: 0xff}}, Ranges: []cjk.Range{{Lo: 0, Hi: 0xff, CID: 0}},
		}
	}
	if m := cjk.Load(name); m != nil {
		return m
	}
	return cjk.Load(name + "-H") // some leave that out
}

// maxUse bounds how many CMaps may use each other.
const maxUse = 4

// loadTexts reads the CMap that a stream holds, for its texts; nil when it is empty. Fonts may share a stream, and each pays for it.
func loadTexts(n object.Node) *cmapFile {
	data, _ := n.Data(maxFontBytes)
	if len(data) == 0 {
		return nil
	}
	n.File().Parsed(len(data))
	return parseCMap(data)
}

// loadCMap reads the CMap that a stream holds, for its codes, with those that it uses.
func loadCMap(n object.Node, cache *Cache, depth int) *cmapFile {
	c := loadTexts(n)
	if c == nil {
		return nil
	}
	if mode := n.Key("WMode"); !mode.Null() {
		c.codes.Vertical = mode.Int() == 1
	}
	used := n.Key("UseCMap")
	switch {
	case used.Is(object.Stream) && depth > 1:
		if u := loadCMap(used, cache, depth-1); u != nil {
			c.useMap(&u.codes)
		}
	case used.Is(object.Name):
		c.useMap(cache.predefined(n.File(), used.Name()))
	case c.use != "":
		c.useMap(cache.predefined(n.File(), c.use))
	}
	return c
}

func (c *cmapFile) useMap(u *cjk.CMap) {
	if u == nil {
		return
	}
	c.codes.Use = u
	c.codes.Spaces = append(c.codes.Spaces, u.Spaces...)
	if c.codes.Collection == "" {
		c.codes.Collection = u.Collection
	}
}
