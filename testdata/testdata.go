// Package testdata holds the vectors: small inputs, each with what a decoder has to make of it, made by this project's own generators.
//
// A vector is one file, vectors/KIND/NAME, where KIND is text, pdf or image. Its format and the suite that runs it are those of package
// decoders/decodertest, which reads them through Vectors:
//
//	names, err := fs.Glob(testdata.Vectors(), "text/*")
//
// Only tests and suites import this package.
package testdata

import (
	"embed"
	"io/fs"
)

//go:embed all:vectors
var files embed.FS

// Vectors returns the tree of vectors, with a folder for each kind at its root. It is read-only and safe for concurrent use.
func Vectors() fs.FS {
	sub, err := fs.Sub(files, "vectors")
	if err != nil {
		panic(err) // the embed pattern above names the folder
	}
	return sub
}
