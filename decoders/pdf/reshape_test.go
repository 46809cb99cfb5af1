package pdf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// A mutator that knows what a PDF is made of: it takes a file apart into its objects, changes those, and writes the file again with offsets
// and lengths that are right, so that what it did is met by the layers behind the parser.

var (
	objects    = regexp.MustCompile(`(?s)(\d+) 0 obj\n(.*?)\nendobj`)
	trailers   = regexp.MustCompile(`(?s)trailer\n<<(.*)>>\nstartxref`)
	rootEntry  = regexp.MustCompile(`/Root (\d+) 0 R`)
	plainEntry = regexp.MustCompile(`/(Size|Root|Prev|XRefStm) [\d]+( 0 R)?`)
	references = regexp.MustCompile(`\d+ 0 R`)
	names      = regexp.MustCompile(`/[A-Za-z0-9]+`)
	decimals   = regexp.MustCompile(`-?\d+(\.\d+)?`)
	entries    = regexp.MustCompile(`/[A-Za-z0-9]+ ?(\d+ 0 R|-?[\d.]+|/[A-Za-z0-9]+|\[[^\[\]]*\]|\([^()]*\)|<[0-9a-f]*>)`)
)

// takeApart returns the objects of a file that the generator wrote with a table; nil for any other.
func takeApart(data []byte) *pdftest.Writer {
	w := &pdftest.Writer{}
	trailer, root := trailers.FindSubmatch(data), rootEntry.FindSubmatch(data)
	if trailer == nil || root == nil {
		return nil
	}
	w.Root, _ = strconv.Atoi(string(root[1]))
	w.Extra = plainEntry.ReplaceAllString(string(trailer[1]), "")
	for _, m := range objects.FindAllSubmatch(data, 1000) {
		num, _ := strconv.Atoi(string(m[1]))
		if num > 1000 {
			continue
		}
		for len(w.Objects) < num {
			w.Objects = append(w.Objects, "null")
		}
		w.Objects[max(0, num-1)] = string(m[2])
	}
	if len(w.Objects) == 0 {
		return nil
	}
	return w
}

// oddNumbers stand where a number stood.
var oddNumbers = []string{"-1", "0", "1", "2", "0.5", "-0.0001", "7", "255", "65536", "2147483647", "4294967295", "-99999999999999999999", "1000000"}

// oddEntries are entries that change how the rest is read.
var oddEntries = []string{
	"/Filter/FlateDecode", "/Filter[/FlateDecode/FlateDecode]", "/Filter/LZWDecode", "/Filter[/ASCII85Decode/RunLengthDecode]", "/Filter/DCTDecode", "/Filter/Crypt",
	"/DecodeParms<</Predictor 15/Columns 3>>", "/DecodeParms<</Predictor 2/Colors 64/BitsPerComponent 16/Columns 1048576>>", "/F(file)",
	"/Type/Page", "/Type/Pages", "/Type/Catalog", "/Type/ObjStm/N 9/First 3", "/Type/XRef/W[1 2 1]", "/Type/Metadata", "/Type/Font/Subtype/Type0", "/Subtype/Form",
	"/Matrix[0 0 0 0 0 0]", "/BBox[0 0 0 0]", "/Rotate 91", "/MediaBox[1e9 0 -1e9 0]", "/W[1[2 3]4 999999 6]", "/Encoding/Identity-H", "/Differences[0/a 65000/b]",
}

// reshape returns a seed after some changes to its objects.
func reshape(rnd *rand.Rand, seeds [][]byte) []byte {
	w := takeApart(seeds[rnd.IntN(len(seeds))])
	for w == nil {
		w = takeApart(seeds[rnd.IntN(len(seeds))])
	}
	for range 1 + rnd.IntN(4) {
		i := rnd.IntN(len(w.Objects))
		w.Objects[i] = changed(rnd, w, i, seeds)
	}
	var out []byte
	switch rnd.IntN(4) {
	case 0:
		out = w.Packed(rnd.IntN(2) == 0)
	case 1:
		out = w.Linear(1 + rnd.IntN(len(w.Objects)))
	default:
		out = w.Table()
	}
	switch rnd.IntN(8) {
	case 0: // the download broke off
		out = out[:rnd.IntN(len(out)+1)]
	case 1: // nothing stands where the table says
		out = replaceLast(out, "startxref\n", "startxref\n1")
	case 2: // a newer version of an object
		i := rnd.IntN(len(w.Objects))
		out = append(out, fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, changed(rnd, w, i, seeds))...)
	}
	return out
}

// changed returns object i with one change.
func changed(rnd *rand.Rand, w *pdftest.Writer, i int, seeds [][]byte) string {
	dict, data, stream := strings.Cut(w.Objects[i], "stream\n")
	any := func(re *regexp.Regexp, with func(old string) string) {
		if all := re.FindAllStringIndex(dict, -1); len(all) > 0 {
			at := all[rnd.IntN(len(all))]
			dict = dict[:at[0]] + with(dict[at[0]:at[1]]) + dict[at[1]:]
		}
	}
	reference := func() string { return fmt.Sprintf("%d 0 R", rnd.IntN(len(w.Objects)+2)) }
	switch rnd.IntN(12) {
	case 0:
		any(references, func(string) string { return reference() })
	case 1: // a cycle
		any(references, func(string) string { return fmt.Sprintf("%d 0 R", i+1) })
	case 2:
		any(entries, func(string) string { return "" })
	case 3:
		any(entries, func(old string) string { return old + old })
	case 4:
		any(decimals, func(string) string { return oddNumbers[rnd.IntN(len(oddNumbers))] })
	case 5:
		any(names, func(old string) string { return old + oddEntries[rnd.IntN(len(oddEntries))] })
	case 6: // an entry more
		dict = strings.Replace(dict, "<<", "<<"+oddEntries[rnd.IntN(len(oddEntries))], 1)
	case 7: // a value that is a reference to another thing
		any(entries, func(old string) string { return names.FindString(old) + " " + reference() })
	case 8:
		any(references, func(old string) string {
			return strings.Repeat("[", 1+rnd.IntN(120)) + old + strings.Repeat("]", 1+rnd.IntN(120))
		})
	case 9: // another object, of this file or another one
		if other := takeApart(seeds[rnd.IntN(len(seeds))]); other != nil && rnd.IntN(2) == 0 {
			return other.Objects[rnd.IntN(len(other.Objects))]
		}
		return w.Objects[rnd.IntN(len(w.Objects))]
	case 10: // the data with a length that is right
		if stream {
			b := mutate(rnd, [][]byte{[]byte(data)})
			b = bytes.TrimSuffix(b, []byte("\nendstream"))
			dict = lengthRegexp.ReplaceAllString(dict, fmt.Sprintf("/Length %d", len(b)))
			data = string(b) + "\nendstream"
		}
	case 11:
		if cut := rnd.IntN(len(dict) + 1); rnd.IntN(3) == 0 {
			dict = dict[:cut]
		}
	}
	if !stream {
		return dict
	}
	return dict + "stream\n" + data
}
