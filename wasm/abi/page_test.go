package abi_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page for authors in other languages, the C header and the Rust file name the imports that admission takes, all of them and no other.
func TestPageImports(t *testing.T) {
	_, imports, _ := strings.Cut(page(t, "../../docs/abi.md"), "## Imports")
	imports, _, _ = strings.Cut(imports, "## Frames")
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(.*?)` \\|").FindAllStringSubmatch(imports, -1)
	funcs := binary.GloveboxFuncs()
	if len(rows) != len(funcs) {
		t.Fatalf("the page has %d imports, admission takes %d", len(rows), len(funcs))
	}
	header, rust := page(t, "../../plugins/pdk/c/glovebox.h"), page(t, "../../plugins/pdk/rust/glovebox.rs")
	if a, b := strings.Count(header, "\nGB__IMPORT("), strings.Count(rust, "        pub fn "); a != len(funcs) || b != len(funcs) {
		t.Errorf("%d imports in C, %d in Rust, want %d", a, b, len(funcs))
	}
	for i, f := range funcs {
		if want := signature(f); rows[i][1] != f.Name || rows[i][2] != want {
			t.Errorf("the page says %s %s, admission takes %s %s", rows[i][1], rows[i][2], f.Name, want)
		}
		if !strings.Contains(header, `GB__IMPORT("`+f.Name+`")`) || !strings.Contains(rust, "pub fn "+f.Name+"(") {
			t.Errorf("C or Rust lacks %s", f.Name)
		}
	}
}

func signature(f binary.HostFunc) string {
	list := func(types []binary.ValType) string {
		var out []string
		for _, v := range types {
			out = append(out, map[binary.ValType]string{binary.I32: "i32", binary.I64: "i64"}[v])
		}
		return strings.Join(out, " ")
	}
	s := "(" + list(f.Type.Params) + ")"
	if r := list(f.Type.Results); r != "" {
		s += " -> " + r
	}
	return s
}

// The page names the codes that a guest may report, all of them and no other.
func TestPageCodes(t *testing.T) {
	_, codes, _ := strings.Cut(page(t, "../../docs/abi.md"), "A decoder may report ")
	codes, _, _ = strings.Cut(codes, ". ")
	named := map[readapi.Code]bool{}
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(codes, -1) {
		if c := readapi.Code(m[1]); !abi.Reportable(c) {
			t.Errorf("the page lets a guest report %s", c)
		}
		named[readapi.Code(m[1])] = true
	}
	for _, c := range readapi.Codes() {
		if abi.Reportable(c) && !named[c] {
			t.Errorf("the page does not name %s", c)
		}
	}
}
