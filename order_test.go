package glovebox_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// mineOf is a decoder of texts that an embedder brings along.
func mineOf(t *testing.T) plugins.Decoder {
	t.Helper()
	d, err := plugins.FromModule(t.Context(), hostiletest.PuppetNamed("mine"), &plugins.ModuleOptions{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOrder: decoders of the embedder's own stand behind the built-in ones, or where Order puts them, in a Reader and in a Host's store.
func TestOrder(t *testing.T) {
	mine := mineOf(t)
	for want, order := range map[string][]string{"pdf image text mine": nil, "mine image pdf text": {"mine", "image"}} {
		r := newReader(t, glovebox.Options{Decoders: []plugins.Decoder{mine}, Order: order})
		var names []string
		for _, d := range r.Decoders() {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("order %v: %s, want %s", order, got, want)
		}
		// Mine cannot read a text that is no script, so its failure shows that it was asked.
		doc, err := r.ReadFile(t.Context(), strings.NewReader("a text\n"), 7, "a.txt", nil)
		if order == nil && (err != nil || doc.Decoder.Name != "text") || order != nil && !errors.Is(err, readapi.CodeBadOutput) {
			t.Errorf("order %v: %v", order, err)
		}
	}
	if _, err := glovebox.NewReader(&glovebox.Options{Order: []string{"zip"}}); !errors.Is(err, readapi.CodeNotFound) {
		t.Errorf("an order of what is not there: %v", err)
	}
	dir := t.TempDir()
	for _, order := range [][]string{{"mine"}, nil} { // the store keeps it
		h, err := glovebox.Open(t.Context(), dir, &glovebox.Options{CacheDir: testCache(t), Decoders: []plugins.Decoder{mine}, Order: order})
		if err != nil {
			t.Fatal(err)
		}
		all, err := h.Decoders(t.Context())
		if err != nil || len(all) != 4 || all[0].Name != "mine" {
			t.Errorf("order %v: %+v, %v", order, all, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestEnable: a Reader's decoder is switched off and on; a Host's is too, also one that only the store names.
func TestEnable(t *testing.T) {
	mine := mineOf(t)
	r := newReader(t, glovebox.Options{})
	for _, on := range []bool{false, true} {
		if err := r.EnableDecoder("text", on); err != nil {
			t.Fatal(err)
		}
		_, err := r.ReadFile(t.Context(), strings.NewReader("a text\n"), 7, "a.txt", nil)
		if want := map[bool]readapi.Code{true: "", false: readapi.CodeUnsupportedKind}[on]; readapi.CodeOf(err) != want {
			t.Errorf("on %v: %v", on, err)
		}
	}
	if err := r.EnableDecoder("zip", true); !errors.Is(err, readapi.CodeNotFound) {
		t.Error(err)
	}
	dir := t.TempDir()
	for _, decoders := range [][]plugins.Decoder{{mine}, nil} {
		h, err := glovebox.Open(t.Context(), dir, &glovebox.Options{CacheDir: testCache(t), Decoders: decoders})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.EnableDecoder(context.WithoutCancel(t.Context()), "mine", true); err != nil {
			t.Errorf("with %d decoders: %v", len(decoders), err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
