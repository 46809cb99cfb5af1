package hostile

import (
	"slices"
	"strings"
)

// heavy are the files on which a decoder works for a quarter of a second to many: what is attacked there is its patience. Test runs that
// have little time leave them to longer ones.
const heavy = `
apng-100000-last apng-canvas-flood bmp-rle-bomb bmp-rle-empty-runs gif-100000-frames-late gif-canvas-flood gif-clear-flood gif-lzw-bomb
jpeg-bomb jpeg-exif-64k line-30-mib line-last-of-many pdf-300000-numbers pdf-annotations-100000 pdf-ascii85-z pdf-catalog-deep
pdf-cid-widths pdf-contents-30000 pdf-count-agrees-all pdf-differences-million pdf-flate-3 pdf-flate-bomb pdf-flate-bomb-shown
pdf-font-names pdf-fonts-5000 pdf-form-big-often pdf-glyphs-columns pdf-glyphs-one-place pdf-kids-100000-deep pdf-kids-dag-trusted
pdf-kids-null pdf-lzw-bomb pdf-million-objects pdf-operators-5-million pdf-predictor-narrow pdf-predictor-wide pdf-prev-chain
pdf-run-length-bomb pdf-tounicode-array pdf-tounicode-bomb pdf-widths-million pdf-xref-300000 pdf-xref-stream-bomb pdf-xref-stream-index
png-adam7-bomb png-paeth-bomb png-promised-area png-true-bomb spaces tiff-deflate-bomb tiff-fax-bomb tiff-packbits-bomb tiff-pages-share
tiff-pages-share-all tiff-strips-share webp-alpha-bomb webp-frames-flood webp-one-colour
`

// Heavy reports whether reading f takes much work.
func (f File) Heavy() bool { return slices.Contains(strings.Fields(heavy), f.Name) }
