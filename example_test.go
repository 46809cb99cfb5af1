package glovebox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// printPages prints the first two pages of the file at path, whose bytes are parsed in the sandbox only.
func printPages(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	doc, err := glovebox.ReadFile(ctx, f, info.Size(), info.Name(), &glovebox.ReadOptions{Units: "1-2"})
	if err != nil {
		return err // errors.Is(err, readapi.CodeEncrypted), and so on
	}
	for part, err := range doc.Parts() {
		if err != nil {
			return err
		}
		fmt.Printf("%s %d: %s", part.Unit, part.At, part.Text)
	}
	return nil
}

func ExampleReadFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "letter.pdf")
	if err := os.WriteFile(path, samples.PDF([][]string{{"Dear reader,"}, {"Yours, the writer"}, {"P.S."}}), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	if err := printPages(context.Background(), path); err != nil {
		fmt.Println(err)
	}
	// Output:
	// page 1: Dear reader,
	// page 2: Yours, the writer
}
