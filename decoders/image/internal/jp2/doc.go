// Package jp2 decodes JPEG 2000 codestreams (ISO/IEC 15444-1, to which the annexes and tables in its comments belong). What is around a
// codestream in a file, boxes and colours, is its caller's.
//
//	c, err := jp2.Open(in, size)                  // headers only
//	planes, partial, err := c.Decode(reduce, 3)   // the first three components, at 1/2^reduce of the size
//
// Every number comes from the file: what would be allocated by them is counted first. A tile is decoded at a time.
package jp2
