// Command gen packs the CMap resources in source into tables.bin.
//
// With -from it first makes source/cmaps.zip anew from a folder of Adobe's cmap-resources and mapping-resources-pdf, one folder below it for
// each collection. Comments, which are all the licence of source/LICENSE, are left out.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	from := flag.String("from", "", "folder of CMap resources to make source/cmaps.zip of")
	dir := flag.String("dir", "", "folder of the package cjk; by default the current one, or where it lies in the module")
	flag.Parse()
	if *dir == "" {
		*dir = "."
		if _, err := os.Stat("source"); err != nil {
			*dir = filepath.FromSlash("decoders/pdf/internal/cjk")
		}
	}
	if err := generate(*dir, *from); err != nil {
		log.Fatal(err)
	}
}

func generate(dir, from string) error {
	archive := filepath.Join(dir, "source", "cmaps.zip")
	if from != "" {
		if err := collect(archive, from); err != nil {
			return err
		}
	}
	tables, err := Tables(archive)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tables.bin"), tables, 0o644)
}
