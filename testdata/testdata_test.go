package testdata

import (
	"io/fs"
	"testing"
)

func TestVectorsAreEmbedded(t *testing.T) {
	names, err := fs.Glob(Vectors(), "text/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("no text vector is embedded")
	}
	for _, name := range names {
		if b, err := fs.ReadFile(Vectors(), name); err != nil || len(b) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}
