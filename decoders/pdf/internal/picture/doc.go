// Package picture turns the images of a PDF into files that a decoder of pictures reads, and the images of a page into one picture of it.
//
//	p := picture.Of(&page.Images[0])
//	out, err := p.Encode(limits)
//
// JPEG data stay as they are: no pixel of them is decoded here. All else becomes TIFF, which holds what PDF holds (gray, RGB, CMYK, strips
// of JPEG) and is decoded behind the same wall by the decoder of pictures. ISO 32000-1, 8.9, says what images are; clauses without a name
// are of it.
package picture
