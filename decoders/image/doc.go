// Package image is the decoder of still and moving pictures: PNG and APNG, JPEG, GIF, BMP, TIFF, WebP and ICO. Its unit is the frame; it
// answers each as a PNG or JPEG that is upright, fits the request's longer side and byte budget, and carries no metadata.
//
//	res, err := pdk.Run(&image.Decoder, bytes.NewReader(photo), readapi.Request{Version: 1, MediaType: "image/jpeg", Form: readapi.FormAuto})
//
// A read goes through small steps, each in a file of its own:
//
//	header_*.go  what the file says of itself, without a pixel: size, frames, orientation, depth
//	budget.go    whether that may be decoded at all; nothing is allocated for pixels before
//	decode_*.go  the frame asked for, as a raster: rows of pixels, pulled from the top
//	resize.go    rows into a smaller picture, in one pass, so that a large source is never held twice
//	orient.go    turned as its orientation says
//	encode.go    the encoding, within the byte budget
//
// The rule for what a file holds is: the right pixels, or a typed refusal; never wrong ones. What is missing from a damaged file is
// said with the warning partial.
//
// guest/ is the same function as a WebAssembly module; package plugins/pdk says how the two meet.
package image
