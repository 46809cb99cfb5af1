//go:build toolchains

package plugintest_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/plugins/plugintest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
)

// holder is what holder.c and holder.rs are, in Go.
var holder = pdk.Decoder{
	Name: "holder", Version: "1.0.0", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "file", Forms: []readapi.Form{readapi.FormImage}, Children: true,
	Decode: func(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
		data := make([]byte, in.Size())
		if _, err := in.ReadAt(data, 0); err != nil {
			return err
		}
		c := readapi.Child{N: 1, Name: `inner "1".txt`, MediaType: "text/plain", Bytes: in.Size()}
		if len(req.Child) > 0 {
			if req.Child[0] != 1 {
				return pdk.Invalid("there is no such file")
			}
			return w.File(0, c, data)
		}
		if err := w.Child(c); err != nil {
			return err
		}
		for at := range w.Units(2) {
			if err := w.Text(at, req.Password); err != nil {
				return err
			}
			if req.Form == readapi.FormImage {
				if err := w.File(at, readapi.Child{N: int(at), Name: "p.png", MediaType: "image/png", Bytes: in.Size()}, data); err != nil {
					return err
				}
			}
		}
		return nil
	},
}

// TestToolchainFiles holds the file frames, the password and the bounds of a decoder in C and in Rust to be those of the same in Go.
func TestToolchainFiles(t *testing.T) {
	native := decodertest.Native(&holder)
	for name, wasm := range map[string][]byte{
		"c":    toolchain.C(t, toolchain.Path(t, "testdata/toolchain/c/holder.c"), "-O2"),
		"rust": toolchain.Rust(t, toolchain.Path(t, "testdata/toolchain/rust/holder.rs"), "-O", "-C", "strip=symbols"),
	} {
		d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Trusted: true})
		if err != nil {
			t.Fatal(name, err)
		}
		decode := plugintest.Decode(t, d, plugintest.Options{})
		for _, size := range []int{1, 1 << 20, 1<<20 + 1} {
			data := bytes.Repeat([]byte("x"), size)
			for _, req := range []readapi.Request{
				{Child: []int{1}, MaxFileBytes: 8 << 20}, {Child: []int{1}, MaxFileBytes: int64(size)}, {Child: []int{1}, MaxFileBytes: int64(size) - 1}, {Child: []int{2}, MaxFileBytes: 8 << 20},
				{Form: readapi.FormImage, MaxFileBytes: 32 << 20, Password: "pässword"}, {Form: readapi.FormImage, MaxFileBytes: int64(size) + 1, Password: "p"},
				{Form: readapi.FormImage, MaxFileBytes: 32 << 20, MaxTokens: 2100}, {Form: readapi.FormImage, MaxFileBytes: 32 << 20, Start: readapi.Position{At: 1, Part: 1}},
				{Form: readapi.FormImage, MaxFileBytes: 32 << 20, Start: readapi.Position{At: 2}}, {},
			} {
				req.Version, req.MediaType = 1, "text/plain"
				if req.Form == "" {
					req.Form = readapi.FormAuto
				}
				want, err1 := native(bytes.NewReader(data), req)
				got, err2 := decode(bytes.NewReader(data), req)
				got.Usage, want.Usage, got.Decoder, want.Decoder = readapi.Usage{}, readapi.Usage{}, readapi.DecoderInfo{}, readapi.DecoderInfo{}
				got.Unit, want.Unit = "", ""
				if readapi.CodeOf(err1) != readapi.CodeOf(err2) || !reflect.DeepEqual(want, got) {
					t.Errorf("%s, %d bytes, %+v: %v and %d files, want %v and %d", name, size, req, err2, len(got.Files), err1, len(want.Files))
				}
			}
		}
	}
}
