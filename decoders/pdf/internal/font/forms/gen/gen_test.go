package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated holds that forms.bin is what gen makes.
func TestGenerated(t *testing.T) {
	want, err := pack()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../forms.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("forms.bin is stale: %d bytes, gen makes %d", len(got), len(want))
	}
}
