package pdftest

import (
	"fmt"
	"strings"
)

// Trick is one page that hides words, or only seems to.
type Trick struct {
	Name   string
	Reason int // why a person does not see Secret: the number of a content.Hidden; 0: it is seen
	Data   []byte
}

// What the pages of tricks say.
const (
	Plainly = "plain words"
	Secret  = "smuggled"
)

// Numbers of the reasons, in the order of content.Hidden.
const (
	seen = iota
	invisible
	painted
	tiny
	offPage
	covered
	layer
)

// trick is a page with plain words and content that says the secret, with entries of resources and of the catalog. In content and resources
// SAY shows the secret at 72 500 in 12 points; %S is the secret.
type trick struct {
	name      string
	reason    int
	content   string
	resources string
	catalog   string
	objects   []string // from number 2 on
	annots    string
}

const (
	say     = "BT /F1 12 Tf 72 500 Td (smuggled) Tj ET"
	box     = "60 480 200 50 re"
	picture = "/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray"
	samples = "\x00\x40\x80\xc0"
)

func (t *trick) page() Trick {
	w := &Writer{}
	f := w.Add(Helvetica)
	w.Objects = append(w.Objects, t.objects...)
	plain := "q 0 g BT /F1 12 Tf 72 700 Td (plain words) Tj ET Q\n"
	content := w.Stream("", []byte(plain+strings.NewReplacer("SAY", say, "%S", Secret, "BOX", box).Replace(t.content)))
	tree := len(w.Objects) + 2
	page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>%s>>/Annots[%s]>>", tree, content, f, t.resources, t.annots)
	w.Add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R%s>>", tree, t.catalog)
	return Trick{t.name, t.reason, w.Table()}
}

// stream is the body of a stream object.
func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func form(dict, data string) string {
	return stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 1 0 R>>>>"+dict, strings.ReplaceAll(data, "SAY", say))
}

// Tricks are pages that say Secret so that a program reads it and a person does not see it.
func Tricks() []Trick { return pages(inks(), places(), covers(), layers(), disguises(), faint()) }

// Honest are pages that look like tricks to a program, and show Secret to a person.
func Honest() []Trick { return pages(honestInks(), honestPlaces()) }

func pages(lists ...[]trick) (out []Trick) {
	for _, list := range lists {
		for i := range list {
			out = append(out, list[i].page())
		}
	}
	return out
}

const (
	separation = "/ColorSpace<</CS[/Separation/Gold/DeviceCMYK<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0 0]/C1[0 .2 .6 .1]>>]>>"
	program    = "/ColorSpace<</CS[/DeviceN[/A/B]/DeviceRGB 2 0 R]>>"
	calculator = "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]"
	indexed    = "/ColorSpace<</CS[/Indexed/DeviceRGB 1<000000fffffe>]>>"
)

// inks hide by what the letters are painted with.
func inks() []trick {
	return []trick{
		{name: "mode-3", reason: invisible, content: "3 Tr SAY"},
		{name: "mode-7", reason: invisible, content: "q 7 Tr SAY Q"},
		{name: "mode-3-beside-a-picture", reason: invisible, content: "q 400 0 0 300 150 50 cm /Im Do Q 3 Tr SAY", resources: "/XObject<</Im 2 0 R>>",
			objects: []string{stream(picture, samples)}},
		{name: "mode-3-on-a-small-picture", reason: invisible, content: "q 200 0 0 100 60 470 cm /Im Do Q 3 Tr SAY", resources: "/XObject<</Im 2 0 R>>",
			objects: []string{stream(picture, samples)}},
		{name: "mode-3-on-a-slide", reason: invisible, resources: "/XObject<</Im 2 0 R>>", objects: []string{stream(picture, samples)},
			content: "q 612 0 0 792 0 0 cm /Im Do Q BT /F1 30 Tf 72 600 Td (a slide with a picture behind) Tj ET 3 Tr SAY"},
		{name: "white", reason: painted, content: "1 g SAY"},
		{name: "white-rgb", reason: painted, content: "1 1 1 rg SAY"},
		{name: "white-cmyk", reason: painted, content: "0 0 0 0 k SAY"},
		{name: "nearly-white", reason: painted, content: ".97 .97 .96 rg SAY"},
		{name: "white-by-space", reason: painted, content: "/DeviceRGB cs 1 1 1 sc SAY"},
		{name: "white-by-palette", reason: painted, content: "/CS cs 1 sc SAY", resources: indexed},
		{name: "white-by-icc", reason: painted, content: "/CS cs 1 1 1 scn SAY", resources: "/ColorSpace<</CS[/ICCBased 2 0 R]>>", objects: []string{stream("/N 3", "x")}},
		{name: "no-tint", reason: painted, content: "/CS cs 0 scn SAY", resources: separation},
		{name: "white-by-program", reason: painted, content: "/CS cs .5 .5 scn SAY", resources: program, objects: []string{stream(calculator, "{pop pop 1 dup dup}")}},
		{name: "colorant-none", reason: painted, content: "/CS cs 1 scn SAY", resources: "/ColorSpace<</CS[/Separation/None/DeviceGray<</FunctionType 2/Domain[0 1]/N 1>>]>>"},
		{name: "white-stroke", reason: painted, content: "1 Tr 1 G SAY"},
		{name: "white-both", reason: painted, content: "2 Tr 1 g 1 G SAY"},
		{name: "black-on-black", reason: painted, content: "BOX f SAY"},
		{name: "blue-on-blue", reason: painted, content: "0 0 .5 rg BOX f .02 0 .52 rg SAY"},
		{name: "red-on-a-red-disc", reason: painted, content: "1 0 0 rg 300 504 m 300 620 -100 620 -100 504 c -100 390 300 390 300 504 c f SAY"},
		{name: "mixed-behind", reason: painted, content: "/G gs 0 g BOX f /H gs .5 g SAY", resources: "/ExtGState<</G<</ca .5>>/H<</ca 1>>>>"},
		{name: "transparent", reason: painted, content: "/G gs SAY", resources: "/ExtGState<</G<</ca 0>>>>"},
		{name: "transparent-stroke", reason: painted, content: "/G gs 1 Tr SAY", resources: "/ExtGState<</G<</CA 0>>>>"},
		{name: "transparent-group", reason: painted, content: "/G gs /X Do", resources: "/ExtGState<</G<</ca 0>>>>/XObject<</X 2 0 R>>",
			objects: []string{form("/Group<</S/Transparency>>", "SAY")}},
		{name: "white-in-a-form", reason: painted, content: "1 g /X Do", resources: "/XObject<</X 2 0 R>>", objects: []string{form("", "SAY")}},
	}
}

// places hide by where and how large the letters are.
func places() []trick {
	return []trick{
		{name: "tiny", reason: tiny, content: "BT /F1 .5 Tf 72 500 Td (%S) Tj ET"},
		{name: "tiny-by-matrix", reason: tiny, content: "q .05 0 0 .05 72 500 cm BT /F1 12 Tf (%S) Tj ET Q"},
		{name: "tiny-by-width", reason: tiny, content: "BT /F1 12 Tf 2 Tz 72 500 Td (%S) Tj ET"},
		{name: "flat", reason: tiny, content: "BT /F1 12 Tf 1 0 0 0 72 500 Tm (%S) Tj ET"},
		{name: "no-size", reason: tiny, content: "BT /F1 0 Tf 72 500 Td (%S) Tj ET"},
		{name: "right-of-the-page", reason: offPage, content: "BT /F1 12 Tf 700 500 Td (%S) Tj ET"},
		{name: "below-the-page", reason: offPage, content: "BT /F1 12 Tf 72 -40 Td (%S) Tj ET"},
		{name: "just-left-of-the-page", reason: offPage, content: "BT /F1 12 Tf -60 500 Td (%S) Tj ET"},
		{name: "far-away", reason: offPage, content: "BT /F1 12 Tf 1 0 0 1 100000000000 500 Tm (%S) Tj ET"},
		{name: "raised-off", reason: offPage, content: "BT /F1 12 Tf 600 Ts 72 500 Td (%S) Tj ET"},
		{name: "clipped", reason: offPage, content: "q 300 0 100 100 re W n SAY Q"},
		{name: "clipped-to-nothing", reason: offPage, content: "q 0 0 0 0 re W n SAY Q"},
		{name: "clipped-by-two-corners", reason: offPage, content: "q 0 0 10 10 re 600 780 10 10 re W n SAY Q"},
		{name: "clipped-by-a-hole", reason: offPage, content: "q 0 0 612 792 re BOX W* n SAY Q"},
		{name: "clipped-by-a-triangle", reason: offPage, content: "q 0 0 m 612 0 l 612 792 l h W n BT /F1 12 Tf 20 700 Td (%S) Tj ET Q"},
		{name: "clipped-twice", reason: offPage, content: "q 0 0 300 792 re W n 300 0 300 792 re W n SAY Q"},
		{name: "outside-a-form", reason: offPage, content: "/X Do", resources: "/XObject<</X 2 0 R>>",
			objects: []string{stream("/Subtype/Form/BBox[0 0 50 50]/Resources<</Font<</F1 1 0 R>>>>", say)}},
		{name: "half-in-half-out", reason: offPage, content: "BT /F1 12 Tf 560 500 Td (a long enough %S) Tj ET"},
		{name: "outside-an-annotation", reason: offPage, annots: "<</Subtype/Stamp/Rect[72 400 200 420]/AP<</N 2 0 R>>>>",
			objects: []string{stream("/Subtype/Form/BBox[0 0 128 20]/Resources<</Font<</F1 1 0 R>>>>", "BT /F1 12 Tf 200 4 Td (smuggled) Tj ET")}},
	}
}

// covers hide by what is painted later.
func covers() []trick {
	return []trick{
		{name: "under-white", reason: covered, content: "SAY 1 g BOX f"},
		{name: "under-black", reason: covered, content: "SAY BOX f"},
		{name: "under-a-curve", reason: covered, content: "SAY 1 g 300 504 m 300 620 -100 620 -100 504 c -100 390 300 390 300 504 c f"},
		{name: "under-slices", reason: covered, content: "SAY 1 g " + bands(480, 530)},
		{name: "under-a-thick-line", reason: covered, content: "SAY 1 G 30 w 60 504 m 260 504 l S"},
		{name: "under-a-picture", reason: covered, content: "SAY q 200 0 0 100 60 470 cm /Im Do Q", resources: "/XObject<</Im 2 0 R>>", objects: []string{stream(picture, samples)}},
		{name: "under-an-inline-image", reason: covered, content: "SAY q 200 0 0 100 60 470 cm BI /W 2 /H 2 /BPC 8 /CS /G ID " + samples + " EI Q"},
		{name: "under-a-form", reason: covered, content: "SAY /X Do", resources: "/XObject<</X 2 0 R>>", objects: []string{form("", "1 g "+box+" f")}},
		{name: "under-a-pattern", reason: covered, content: "SAY /Pattern cs /P scn BOX f"},
		{name: "under-a-note", reason: covered, content: "SAY", annots: "<</Subtype/FreeText/Rect[60 480 260 530]/AP<</N 2 0 R>>>>",
			objects: []string{stream("/Subtype/Form/BBox[0 0 200 50]", "1 1 .8 rg 0 0 200 50 re f")}},
		{name: "half-covered", reason: covered, content: "BT /F1 12 Tf 72 500 Td (in front smuggled) Tj ET 1 g 110 480 100 50 re f"},
	}
}

// bands are strips a point high on top of each other.
func bands(from, to int) string {
	var b strings.Builder
	for y := from; y < to; y++ {
		fmt.Fprintf(&b, "60 %d 200 1 re f ", y)
	}
	return b.String()
}

// layers hide by optional content that is off.
func layers() []trick {
	const group, off = "<</Type/OCG/Name(Off)>>", "/OCProperties<</OCGs[2 0 R]/D<</OFF[2 0 R]>>>>"
	props := "/Properties<</L 2 0 R>>"
	member := func(s string) string { return "/Properties<</L<</Type/OCMD" + s + ">>>>" }
	return []trick{
		{name: "layer", reason: layer, content: "/OC /L BDC SAY EMC", resources: props, objects: []string{group}, catalog: off},
		{name: "layer-by-base-state", reason: layer, content: "/OC /L BDC SAY EMC", resources: props, objects: []string{group},
			catalog: "/OCProperties<</OCGs[2 0 R]/D<</BaseState/OFF>>>>"},
		{name: "layer-with-q", reason: layer, content: "q /OC /L BDC Q SAY EMC", resources: props, objects: []string{group}, catalog: off},
		{name: "layer-in-a-mark", reason: layer, content: "/OC /L BDC /P BMC SAY EMC EMC", resources: props, objects: []string{group}, catalog: off},
		{name: "layer-of-a-form", reason: layer, content: "/X Do", resources: "/XObject<</X 3 0 R>>", catalog: off, objects: []string{group, form("/OC 2 0 R", "SAY")}},
		{name: "layer-around-a-form", reason: layer, content: "/OC /L BDC /X Do EMC", resources: props + "/XObject<</X 3 0 R>>", catalog: off,
			objects: []string{group, form("", "SAY")}},
		{name: "membership", reason: layer, content: "/OC /L BDC SAY EMC", resources: member("/OCGs[2 0 R]"), objects: []string{group}, catalog: off},
		{name: "membership-all-on", reason: layer, content: "/OC /L BDC SAY EMC", resources: member("/OCGs[2 0 R 3 0 R]/P/AllOn"), objects: []string{group, group}, catalog: off},
		{name: "membership-not", reason: layer, content: "/OC /L BDC SAY EMC", resources: member("/VE[/Not 3 0 R]"), objects: []string{group, group}, catalog: off},
		{name: "layer-in-many-marks", reason: layer, content: strings.Repeat("/P BMC ", 300) + "/OC /L BDC SAY EMC", resources: props, objects: []string{group}, catalog: off},
		{name: "layer-by-usage", reason: layer, content: "/OC /L BDC SAY EMC", resources: props, objects: []string{"<</Type/OCG/Name(Off)/Usage<</View<</ViewState/OFF>>>>>>"},
			catalog: "/OCProperties<</OCGs[2 0 R]/D<</AS[<</Event/View/Category[/View]/OCGs[2 0 R]>>]>>>>"},
		{name: "membership-of-many", reason: layer, content: "/OC /L BDC SAY EMC", resources: member("/VE[/And " + strings.Repeat("3 0 R ", 20) + "2 0 R]"),
			objects: []string{group, group}, catalog: off},
		{name: "membership-and", reason: layer, content: "/OC /L BDC SAY EMC", resources: member("/VE[/And 3 0 R[/Or 2 0 R]]"), objects: []string{group, group}, catalog: off},
	}
}

const (
	type3 = "<</Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FontBBox[0 0 100 100]/FirstChar 97/LastChar 104/Widths[50 50 50 50 50 50 50 50]" +
		"/CharProcs<</s 3 0 R/m 3 0 R/u 3 0 R/g 3 0 R/l 3 0 R/e 3 0 R/d 3 0 R>>/Encoding<</Differences[97/s/m/u/g/g/l/e/d]>>>>"
	tile    = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9"
	shading = "<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 1 0]/Function<</FunctionType 2/Domain[0 1]/N 1/C0[1 1 1]/C1[1 1 .98]>>>>"
)

// disguises show something else than they say.
func disguises() []trick {
	return []trick{
		{name: "blank-glyphs", reason: invisible, content: "BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 d0")}},
		{name: "white-glyphs", reason: painted, content: "BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 d0 1 1 1 rg 0 0 40 60 re f")}},
		{name: "white-text-in-drawn-glyphs", reason: painted, content: "1 g BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 0 0 50 50 d1 0 0 40 60 re f")}},
		{name: "white-pattern", reason: painted, content: "/Pattern cs /P scn SAY", resources: "/Pattern<</P 2 0 R>>", objects: []string{stream(tile, "1 g 0 0 9 9 re f")}},
		{name: "empty-pattern", reason: painted, content: "/Pattern cs /P scn SAY", resources: "/Pattern<</P 2 0 R>>", objects: []string{stream(tile, "0 g")}},
		{name: "white-uncoloured-pattern", reason: painted, content: "/CS cs 1 1 1 /P scn SAY", resources: "/ColorSpace<</CS[/Pattern/DeviceRGB]>>/Pattern<</P 2 0 R>>",
			objects: []string{stream(strings.Replace(tile, "PaintType 1", "PaintType 2", 1), "0 0 9 9 re f")}},
		{name: "white-shading", reason: painted, content: "/Pattern cs /P scn SAY", resources: "/Pattern<</P<</PatternType 2/Shading " + shading + ">>>>"},
		{name: "white-on-a-white-shading", reason: painted, content: "q BOX W n /S sh Q 1 g SAY", resources: "/Shading<</S " + shading + ">>"},
		{name: "soft-mask", reason: painted, content: "/G gs SAY", resources: "/ExtGState<</G<</SMask<</S/Luminosity/G 2 0 R>>>>>>", objects: []string{form("/Group<</S/Transparency>>", "q Q")}},
		{name: "long-replacement", content: "/Span<</ActualText(" + strings.Repeat("smuggled ", 9) + ")>>BDC BT /F1 12 Tf 72 500 Td (ok) Tj ET EMC"},
	}
}

// honestInks are seen by what they are painted with or on.
func honestInks() []trick {
	im := "/XObject<</Im 2 0 R>>"
	objects := []string{stream(picture, samples)}
	return []trick{
		{name: "white-on-a-dark-box", content: "BOX f 1 g SAY"},
		{name: "white-on-a-dark-curve", content: "0 0 .4 rg 300 504 m 300 620 -100 620 -100 504 c -100 390 300 390 300 504 c f 1 g SAY"},
		{name: "white-on-a-thick-line", content: "30 w 60 504 m 260 504 l S 1 g SAY"},
		{name: "white-on-a-picture", content: "q 200 0 0 100 60 470 cm /Im Do Q 1 g SAY", resources: im, objects: objects},
		{name: "white-on-a-shading", content: "q BOX W n /S sh Q 1 g SAY", resources: "/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Function 9 0 R>>>>"},
		{name: "white-on-a-pattern", content: "/Pattern cs /P scn BOX f 1 g SAY"},
		{name: "white-on-a-form", content: "/X Do 1 g SAY", resources: "/XObject<</X 2 0 R>>", objects: []string{form("", "0 .3 .3 rg "+box+" f")}},
		{name: "white-on-a-mixed-box", content: "/G gs BOX f /H gs 1 g SAY", resources: "/ExtGState<</G<</ca .6>>/H<</ca 1>>>>"},
		{name: "white-on-a-multiplied-box", content: "/G gs .2 g BOX f /H gs 1 g SAY", resources: "/ExtGState<</G<</BM/Multiply>>/H<</BM/Normal>>>>"},
		{name: "white-with-an-outline", content: "2 Tr 1 g 0 G SAY"},
		{name: "outline-only", content: "1 Tr 1 g 0 G SAY"},
		{name: "gray-footnote", content: ".6 g SAY"},
		{name: "light-gray", content: ".85 g SAY"},
		{name: "yellow", content: "1 .9 0 rg SAY"},
		{name: "half-transparent", content: "/G gs SAY", resources: "/ExtGState<</G<</ca .4>>>>"},
		{name: "pattern-colour", content: "/Pattern cs /P scn SAY"},
		{name: "full-tint", content: "/CS cs 1 scn SAY", resources: separation},
		{name: "dark-by-program", content: "/CS cs .5 .5 scn SAY", resources: program, objects: []string{stream(calculator, "{add 1 exch sub dup dup}")}},
		{name: "white-again-black", content: "q 1 g SAY Q SAY"},
		{name: "scan", content: "q 612 0 0 792 0 0 cm /Im Do Q q 3 Tr SAY Q", resources: im, objects: objects},
		{name: "scan-drawn-after", content: "q 3 Tr SAY Q q 612 0 0 792 0 0 cm /Im Do Q", resources: im, objects: objects},
		{name: "scan-over-plain-text", content: "SAY q 612 0 0 792 0 0 cm /Im Do Q", resources: im, objects: objects},
		{name: "scan-in-strips", content: strips() + "q 3 Tr SAY Q", resources: im, objects: objects},
		{name: "letters-as-clip", content: "q 7 Tr SAY 0 g BOX f Q"},
		{name: "letters-as-clip-of-a-picture", content: "q BT 7 Tr /F1 12 Tf 72 500 Td (%S) Tj ET 200 0 0 50 60 480 cm /Im Do Q", resources: im, objects: objects},
		{name: "dark-pattern", content: "/Pattern cs /P scn SAY", resources: "/Pattern<</P 2 0 R>>", objects: []string{stream(tile, "1 g 0 0 9 9 re f 0 g 1 1 5 5 re f")}},
		{name: "dark-shading", content: "/Pattern cs /P scn SAY", resources: "/Pattern<</P<</PatternType 2/Shading " + strings.Replace(shading, "C1[1 1 .98]", "C1[0 0 1]", 1) + ">>>>"},
		{name: "soft-mask-that-lets-through", content: "/G gs SAY", resources: "/ExtGState<</G<</SMask<</S/Luminosity/G 2 0 R>>>>>>",
			objects: []string{form("/Group<</S/Transparency>>", "1 g 0 0 612 792 re f")}},
		{name: "stencil-glyphs-that-set-white", content: "BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 0 0 50 50 d1 1 1 1 rg 0 0 40 60 re f")}},
		{name: "drawn-glyphs", content: "BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 d0 0 0 40 60 re f")}},
	}
}

// strips are pictures that make up a page.
func strips() string {
	var b strings.Builder
	for y := 0; y < 792; y += 72 {
		fmt.Fprintf(&b, "q 612 0 0 72 0 %d cm /Im Do Q ", y)
	}
	return b.String()
}

// honestPlaces are seen by where they stand, and by what happens around them.
func honestPlaces() []trick {
	const group = "<</Type/OCG/Name(On)>>"
	props, on := "/Properties<</L 2 0 R>>", "/OCProperties<</OCGs[2 0 R]/D<</BaseState/OFF/ON[2 0 R]>>>>"
	return []trick{
		{name: "small-print", content: "BT /F1 4 Tf 72 500 Td (%S) Tj ET"},
		{name: "sized-by-matrix", content: "q 24 0 0 24 72 500 cm BT /F1 .5 Tf (%S) Tj ET Q"},
		{name: "narrow", content: "BT /F1 12 Tf 40 Tz 72 500 Td (%S) Tj ET"},
		{name: "upward", content: "BT /F1 12 Tf 0 1 -1 0 300 300 Tm (%S) Tj ET"},
		{name: "mirrored", content: "BT /F1 -12 Tf -1 0 0 -1 72 500 Tm (%S) Tj ET"},
		{name: "clipped-in-part", content: "q 60 480 200 24 re W n SAY Q"},
		{name: "clipped-by-a-frame-around", content: "q 50 470 m 400 470 l 300 600 l 50 600 l h W n SAY Q"},
		{name: "clip-is-over", content: "q 0 0 1 1 re W n Q SAY"},
		{name: "clipped-the-other-way", content: "q 0 0 612 792 re 300 0 100 100 re W* n SAY Q"},
		{name: "box-below-by-order", content: "1 g BOX f 0 g SAY"},
		{name: "box-beside", content: "SAY 1 g 60 520 200 50 re f"},
		{name: "underlined-and-struck", content: "SAY .5 w 60 499 m 260 499 l S 60 503.5 200 .8 re f"},
		{name: "table-lines-over", content: "SAY 60 480 200 40 re S 120 480 m 120 520 l S"},
		{name: "highlighted", content: "SAY /G gs 1 1 0 rg BOX f", resources: "/ExtGState<</G<</BM/Multiply>>>>"},
		{name: "highlighted-by-group", content: "SAY /G gs /X Do", resources: "/ExtGState<</G<</BM/Multiply>>>>/XObject<</X 2 0 R>>",
			objects: []string{form("/Group<</S/Transparency>>", "1 1 0 rg "+box+" f")}},
		{name: "tinted-over", content: "SAY /G gs 1 1 0 rg BOX f", resources: "/ExtGState<</G<</ca .3>>>>"},
		{name: "frame-over", content: "SAY 1 g 40 460 300 100 re 60 480 200 50 re f*"},
		{name: "watermark-over", content: "SAY q 200 0 0 100 60 470 cm /Im Do Q", resources: "/XObject<</Im 2 0 R>>", objects: []string{stream(picture+"/SMask 3 0 R", samples), stream(picture, samples)}},
		{name: "cover-that-is-clipped-away", content: "SAY q 0 0 9 9 re W n 1 g BOX f Q"},
		{name: "cover-that-is-clipped-to-a-shape", content: "SAY q 60 480 m 60 800 l 20 800 l h W n 1 g 0 0 612 792 re f Q"},
		{name: "cover-in-a-layer-that-is-off", content: "SAY /OC /L BDC 1 g BOX f EMC", resources: props, objects: []string{group},
			catalog: "/OCProperties<</OCGs[2 0 R]/D<</OFF[2 0 R]>>>>"},
		{name: "layer-on", content: "/OC /L BDC SAY EMC", resources: props, objects: []string{group}, catalog: on},
		{name: "after-a-layer", content: "/OC /L BDC EMC SAY", resources: props, objects: []string{group}, catalog: "/OCProperties<</OCGs[2 0 R]/D<</OFF[2 0 R]>>>>"},
		{name: "membership-any-on", content: "/OC /L BDC SAY EMC", resources: "/Properties<</L<</Type/OCMD/OCGs[2 0 R 3 0 R]>>>>", objects: []string{group, group},
			catalog: "/OCProperties<</OCGs[2 0 R 3 0 R]/D<</OFF[2 0 R]>>>>"},
		{name: "scaled-annotation", annots: "<</Subtype/Stamp/Rect[72 400 200 420]/AP<</N 2 0 R>>>>",
			objects: []string{stream("/Subtype/Form/BBox[1000 1000 11280 11600]/Resources<</Font<</F1 1 0 R>>>>", "BT /F1 960 Tf 1200 1400 Td (smuggled) Tj ET")}},
		{name: "scrolled-field", annots: "<</Subtype/Widget/FT/Tx/Rect[72 400 200 420]/AP<</N 2 0 R>>>>",
			objects: []string{stream("/Subtype/Form/BBox[0 0 128 20]/Resources<</Font<</F1 1 0 R>>>>", "/Tx BMC q 1 1 126 18 re W n BT /F1 12 Tf 2 6 Td (first) Tj 0 -20 Td (smuggled) Tj ET Q EMC")}},
		{name: "replacement-of-a-ligature", content: "/Span<</ActualText(smuggled)>>BDC BT /F1 12 Tf 72 500 Td (smug~ed) Tj ET EMC"},
	}
}
