package plugins_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func decoder(name, digest string, types ...readapi.MediaType) plugins.Decoder {
	return plugins.Decoder{
		Name: name, Version: "1", Digest: digest, MediaTypes: types, Unit: "line",
		Load: func() ([]byte, error) { return nil, errors.New("no module") },
	}
}

func registry(t *testing.T, decoders ...plugins.Decoder) *plugins.Registry {
	t.Helper()
	r, err := plugins.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	for _, d := range decoders {
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func names(infos []readapi.DecoderInfo) (out []string) {
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return out
}

func TestAccepts(t *testing.T) {
	r := registry(t, decoder("a", "1", "text/plain", "text/html"), decoder("b", "2", "text/plain"), decoder("c", "3", "image/png"))
	check := func(m readapi.MediaType, want ...string) {
		t.Helper()
		if got := names(r.Accepts(m)); !slices.Equal(got, want) {
			t.Errorf("Accepts(%s) = %v, want %v", m, got, want)
		}
	}
	check("text/plain", "a", "b")
	check("text/html", "a")
	check("text/x-none")
	if err := r.Order("b"); err != nil {
		t.Fatal(err)
	}
	check("text/plain", "b", "a")
	if err := r.Enable("b", false); err != nil {
		t.Fatal(err)
	}
	check("text/plain", "a")
	if err := r.Enable("b", true); err != nil {
		t.Fatal(err)
	}
	check("text/plain", "b", "a")
	if err := r.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	check("text/plain", "b")
	check("text/html")
}

func TestRegistryErrors(t *testing.T) {
	r := registry(t, decoder("a", "1", "text/plain"))
	for name, c := range map[string]struct {
		err  error
		want readapi.Code
	}{
		"second of a name":    {r.Add(decoder("a", "9", "text/plain")), readapi.CodeConflict},
		"no media type":       {r.Add(decoder("x", "9")), readapi.CodeInvalidRequest},
		"wild media type":     {r.Add(decoder("x", "9", "Text/Plain")), readapi.CodeInvalidRequest},
		"enable unknown":      {r.Enable("x", true), readapi.CodeNotFound},
		"remove unknown":      {r.Remove(t.Context(), "x"), readapi.CodeNotFound},
		"order unknown":       {r.Order("x"), readapi.CodeNotFound},
		"order names a twice": {r.Order("a", "a"), readapi.CodeInvalidRequest},
	} {
		if readapi.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	for k, o := range []plugins.Options{{MaxInstances: -1}, {MaxTotalMemoryBytes: -1}, {MaxQueue: -1}, {MaxQueuePerParty: -1}, {RestAfter: -1}, {CrossCheck: -1}} {
		if _, err := plugins.New(&o); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("negative option %d: %v", k, err)
		}
	}
}

// A decoder that was swapped since Accepts is not run in the other's place.
func TestDecodeByDigest(t *testing.T) {
	r := registry(t, decoder("a", "1", "text/plain"))
	info := r.Accepts("text/plain")[0]
	info.Digest = "2"
	if _, err := r.Decode(t.Context(), info, readapi.Decoding{Input: nil, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("got %v, want not_found", err)
	}
	// A module that cannot be loaded is the host's fault, not the file's.
	if _, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: nil, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("got %v, want corrupt", err)
	}
}

// TestNames: a type that a decoder names is none that it accepts; one that is off names nothing.
func TestNames(t *testing.T) {
	one := decoder("one", "1", "image/png")
	one.Names = []readapi.MediaType{"image/heif"}
	r := registry(t, decoder("two", "2", "image/jxl"), one)
	check := func(want ...string) {
		t.Helper()
		if got := names(r.Names("image/heif")); !slices.Equal(got, want) {
			t.Errorf("Names are %v, want %v", got, want)
		}
	}
	check("one")
	if len(r.Accepts("image/heif"))+len(r.Names("image/png"))+len(r.Names("image/jxl")) > 0 {
		t.Error("what is named and what is accepted are mixed up")
	}
	if err := r.Enable("one", false); err != nil {
		t.Fatal(err)
	}
	check()
	bad := decoder("bad", "3", "image/png")
	bad.Names = []readapi.MediaType{"Image/HEIF"}
	if err := r.Add(bad); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a name that is not canonical: %v", err)
	}
}
