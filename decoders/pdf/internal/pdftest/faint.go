package pdftest

import "strings"

// faint hides by colours that take some work to find out, and by places where nothing is.
func faint() []trick {
	ps := func(b string) []string { return []string{stream(calculator, b)} }
	lab := "/ColorSpace<</CS[/Lab<</WhitePoint[.9505 1 1.089]/Range[-100 100 -100 100]>>]>>"
	nine := "/ColorSpace<</CS[/DeviceN[/A/B/C/D/E/F/G/H/I]/DeviceRGB 2 0 R]>>"
	const tinted = "/CS cs .5 .5 scn SAY"
	return []trick{
		{name: "lab-on-lab", reason: painted, content: "/CS cs 50 60 60 scn BOX f SAY", resources: lab},
		{name: "white-by-lab-palette", reason: painted, content: "/CS cs 0 scn SAY",
			resources: "/ColorSpace<</CS[/Indexed[/Lab<</WhitePoint[.95 1 1.08]/Range[-100 100 -100 100]>>]0<ff8080>]>>"},
		{name: "white-by-cosine", reason: painted, content: tinted, resources: program, objects: ps("{pop pop 0 cos dup dup}")},
		{name: "white-by-sine-and-angle", reason: painted, content: tinted, resources: program, objects: ps("{pop pop 1 0 atan sin dup dup}")},
		{name: "white-by-logarithms", reason: painted, content: tinted, resources: program, objects: ps("{pop pop 10 log dup 2.718281828 ln exch}")},
		{name: "white-by-division", reason: painted, content: tinted, resources: program, objects: ps("{pop pop 3 2 idiv 3 2 mod dup}")},
		{name: "white-by-bits", reason: painted, content: tinted, resources: program, objects: ps("{pop pop 3 2 xor 2 -1 bitshift 5 3 and}")},
		{name: "white-by-samples-of-4-bits", reason: painted, content: tinted, resources: program,
			objects: []string{stream("/FunctionType 0/Domain[0 1 0 1]/Range[0 1 0 1 0 1]/Size[2 2]/BitsPerSample 4", strings.Repeat("\xff", 6))}},
		{name: "an-ink-on-itself", reason: painted, content: "/CS cs .5 .5 scn BOX f SAY", resources: program, objects: ps("{pop pop nonsense}")},
		{name: "white-of-nine-inks", reason: painted, content: "/CS cs 0 0 0 0 0 0 0 0 0 scn SAY", resources: nine,
			objects: []string{stream("/FunctionType 4/Domain["+strings.Repeat("0 1 ", 9)+"]/Range[0 1 0 1 0 1]", "{"+strings.Repeat("pop ", 9)+"1 1 1}")}},
		{name: "white-by-place", reason: painted, content: "/Pattern cs /P scn SAY", objects: ps("{pop pop 1 1 1}"),
			resources: "/Pattern<</P<</PatternType 2/Shading<</ShadingType 1/ColorSpace/DeviceRGB/Matrix[612 0 0 792 0 0]/Function 2 0 R>>>>>>"},
		{name: "under-a-gradient", reason: covered, content: "SAY q BOX W n /S sh Q",
			resources: "/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Extend[true true]/Coords[0 0 612 0]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>"},
		{name: "nearly-transparent", reason: painted, content: "/G gs SAY", resources: "/ExtGState<</G<</ca .06>>>>"},
		{name: "gray-and-transparent", reason: painted, content: "/G gs .8 g SAY", resources: "/ExtGState<</G<</ca .1>>>>"},
		{name: "glyphs-of-no-area", reason: invisible, content: "BT /T3 12 Tf 72 500 Td (abcdefgh) Tj ET", resources: "/Font<</F1 1 0 R/T3 2 0 R>>",
			objects: []string{type3, stream("", "50 0 d0 f 9 9 0 0 re f 9 9 m f")}},
		{name: "leaning-flat", reason: tiny, content: "BT /F1 12 Tf 1 1 1 1.0001 72 500 Tm (%S) Tj ET"},
		{name: "replacement-of-blanks", content: "/Span<</ActualText(smuggled)>>BDC BT /F1 12 Tf 72 500 Td (        ) Tj ET EMC"},
	}
}
