// Samples writes the files that make demo reads into a folder.
//
//	go run ./cmd/internal/samples DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: samples DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := samples.Demo()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Bytes, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", path, f.About)
	}
	return nil
}
