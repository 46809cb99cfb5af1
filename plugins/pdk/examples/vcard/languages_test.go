//go:build toolchains

package vcard_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/pdk/examples/vcard"
	"github.com/glovebox-wasm/glovebox/plugins/plugintest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

const dir = "plugins/pdk/examples/vcard/"

// languages builds the decoder in every language and at the levels that make other code of it.
func languages(t testing.TB) map[string][]byte {
	t.Helper()
	c, rust := toolchain.Path(t, dir+"c/vcard.c"), toolchain.Path(t, dir+"rust/vcard.rs")
	return map[string][]byte{
		"go":         toolchain.Go(t, dir+"guest"),
		"c -O0":      toolchain.C(t, c, "-O0"),
		"c -O2":      toolchain.C(t, c, "-O2"),
		"c libc":     toolchain.CLibc(t, c, "-Os", "-DGB_MALLOC=malloc", "-include", "stdlib.h"),
		"rust -O":    toolchain.Rust(t, rust, "-O", "-C", "strip=symbols"),
		"rust debug": toolchain.Rust(t, rust, "-C", "strip=symbols"),
	}
}

// TestToolchainVectors runs one set of vectors through the decoder in every language, on both engines. The interpreter runs what the
// languages' own compilers optimize: of the rest it would make minutes.
func TestToolchainVectors(t *testing.T) {
	for name, wasm := range languages(t) {
		for _, engine := range []sandbox.Engine{sandbox.Compiler, sandbox.Interpreter} {
			if engine == sandbox.Interpreter && name != "c -O2" && name != "rust -O" {
				continue
			}
			t.Run(name+"/"+engine.String(), func(t *testing.T) {
				plugintest.Run(t, wasm, "vcard", plugintest.Options{Engine: engine, CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE"), Vectors: vectors()})
			})
		}
	}
}

// TestToolchainSame holds the answers of every language to be the same byte for byte as those of the Go function: parts with their
// offsets, warnings, totals, where the next answer begins, codes and the words of errors.
func TestToolchainSame(t *testing.T) {
	native := decodertest.Native(&vcard.Decoder)
	for name, wasm := range languages(t) {
		t.Run(name, func(t *testing.T) {
			d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Trusted: true})
			if err != nil {
				t.Fatal(err)
			}
			decode := plugintest.Decode(t, d, plugintest.Options{CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE")})
			compared := 0
			for _, v := range vectors() {
				if v.Form == readapi.FormImage {
					continue // the host refuses it in words of its own
				}
				for _, req := range requests(v) {
					same(t, v.Data, req, native, decode)
					compared++
				}
			}
			if compared < 500 {
				t.Errorf("only %d answers were compared", compared)
			}
			rapid.Check(t, func(rt *rapid.T) { same(rt, file(rt), request(rt), native, decode) })
		})
	}
}

// same compares one answer, and those that its cursors lead to.
func same(t interface{ Fatalf(string, ...any) }, data []byte, req readapi.Request, want, got decodertest.Decode) {
	for range 50 {
		a, err1 := want(bytes.NewReader(data), req)
		b, err2 := got(bytes.NewReader(data), req)
		a.Unit, b.Unit = cmp.Or(a.Unit, "card"), cmp.Or(b.Unit, "card") // an error names none
		a.Usage, b.Usage, a.Decoder, b.Decoder = readapi.Usage{}, readapi.Usage{}, readapi.DecoderInfo{}, readapi.DecoderInfo{}
		if x, y := outcome(err1), outcome(err2); x != y || !reflect.DeepEqual(a, b) {
			t.Fatalf("%.200q, %+v:\n%s %+v\n%s %+v", data, req, y, b, x, a)
		}
		if err1 != nil || a.Next == nil {
			return
		}
		req.Start = *a.Next
	}
}

func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		return err.Error()
	}
	if e.Limit != nil {
		return fmt.Sprintf("%s %s %+v", e.Code, e.Detail, *e.Limit)
	}
	return fmt.Sprintf("%s %s", e.Code, e.Detail)
}

// requests are those of a vector with budgets and starts.
func requests(v decodertest.Vector) (out []readapi.Request) {
	base := v.Request("vcard")
	base.Name = "cards \"of\" \\ 王\u2028\x01.vcf"
	add := func(change func(*readapi.Request)) {
		req := base
		change(&req)
		out = append(out, req)
	}
	for _, tokens := range []int64{0, 1, 3, 50, 1 << 40} {
		for _, size := range []int64{0, 1, 7, 300} {
			add(func(q *readapi.Request) { q.MaxTokens, q.MaxBytes = tokens, size })
		}
	}
	for _, start := range []readapi.Position{{At: 1, Offset: 3}, {At: 1, Offset: 7}, {At: 1, Part: 1}, {At: 1, Part: 1, Offset: 2}, {At: 2}, {At: 99}, {At: 1, Offset: 1 << 40}} {
		add(func(q *readapi.Request) { q.Start = start })
	}
	add(func(q *readapi.Request) { q.Unescaped, q.MaxBytes, q.Form = true, 20, readapi.FormText })
	return out
}

func request(t *rapid.T) readapi.Request {
	q := readapi.Request{Version: 1, MediaType: "text/vcard", Form: readapi.FormAuto}
	q.MaxTokens, q.MaxBytes = rapid.Int64Range(0, 12).Draw(t, "tokens"), rapid.Int64Range(0, 30).Draw(t, "bytes")
	q.Unescaped = rapid.Bool().Draw(t, "unescaped")
	q.Name = rapid.String().Draw(t, "name")
	if rapid.Bool().Draw(t, "select") {
		from := rapid.Int64Range(1, 3).Draw(t, "from")
		q.Units = []readapi.Range{{From: from, To: rapid.SampledFrom([]int64{0, from, from + 1}).Draw(t, "to")}}
	}
	return q
}

// file is made of pieces of cards, whole and broken.
func file(t *rapid.T) []byte {
	piece := rapid.SampledFrom([]string{
		"BEGIN:VCARD\r\n", "END:VCARD\r\n", "BEGIN:VCARD\nFN:A\u0301 B\nEND:VCARD\n", "NOTE:", "FN;TYPE=a,\"B\":", "N:;a;;b\\;c;\r\n", "\r\n", "\n ", "=", "=C3=A4",
		"TEL;QUOTED-PRINTABLE:x=\n y=3d", "PHOTO:x\n", "\\n", "\\", ";", ":", "\"", "\xff", "流", "\u202e", "\u200d", "👩", "\ufe0f", "\u00ad", "\u200c", "\u200e", "ا", "🏴", "\U000e0067", "\U000e0062", "🇩", "각", "ᆨ", "e\u0323", "\U000e0100", " ", "x.y.z:1\n", "\x00", "\ufeff", "a\n",
	})
	var out []byte
	for _, s := range rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces") {
		out = append(out, s...)
	}
	if rapid.Bool().Draw(t, "whole") {
		out = append([]byte("BEGIN:VCARD\n"), append(out, "\nEND:VCARD\n"...)...)
	}
	return out
}
