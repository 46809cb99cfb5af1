package fileblob_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
)

func TestSmoke(t *testing.T) {
	d, err := fileblob.Open(t.TempDir()+"/a/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := store.NewBlobs(d, nil)
	defer b.Close()
	blob, head, err := b.Put(t.Context(), strings.NewReader("hello"), 5, 3)
	if err != nil || string(head) != "hel" {
		t.Fatal(err)
	}
	o, err := b.Open(t.Context(), blob)
	if err != nil || o.Size() != 5 {
		t.Fatal(err)
	}
	for i, err := range d.List(t.Context()) {
		t.Log(i, err)
	}
}
