package glovebox_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file holds the rules of the code base that a program can check: who may import whom (DESIGN 2), sizes, doc comments, no cgo. It
// reads every non-test Go file, whatever its build constraints.

const module = "github.com/glovebox-wasm/glovebox"

// A rule says what the packages below a folder may import. The first rule whose folder holds a package is the package's rule; a package
// without one fails. "X/..." is X and what lies below it.
type rule struct {
	folder   string
	module   []string // of this module
	external []string // modules of others; golang.org/x/sys and the like are named as any other
}

var rules = []rule{
	{"readapi", nil, nil},
	{"testdata/...", nil, words("golang.org/x/text")},

	{"decoders/decodertest/...", words("readapi plugins/pdk testdata/..."), words("github.com/google/go-cmp")},
	{"decoders/pdf/guest", words("decoders/pdf plugins/pdk"), nil},
	{"decoders/image/guest", words("decoders/image plugins/pdk"), nil},
	{"decoders/text/guest", words("decoders/text plugins/pdk"), nil},
	{"decoders/pdf/internal/pdftest", words("readapi"), nil},
	{"decoders/pdf/internal/cipher", nil, nil},
	{"decoders/pdf/internal/order", nil, nil},
	{"decoders/pdf/internal/inflate", nil, nil},
	{"decoders/pdf/internal/object", words("readapi plugins/pdk decoders/pdf/internal/cipher decoders/pdf/internal/inflate decoders/pdf/internal/order"), nil},
	{"decoders/pdf/internal/font", words("decoders/pdf/internal/object decoders/pdf/internal/cjk decoders/pdf/internal/inflate decoders/pdf/internal/order"), nil},
	{"decoders/pdf/internal/font/forms/gen", nil, words("golang.org/x/text")},
	{"decoders/pdf/internal/cjk/...", words("decoders/pdf/internal/inflate"), nil},
	{"decoders/pdf/internal/content", words("decoders/pdf/internal/object decoders/pdf/internal/font decoders/pdf/internal/order"), nil},
	{"decoders/pdf/internal/layout", words("decoders/pdf/internal/font decoders/pdf/internal/content decoders/pdf/internal/order"), nil},
	{"decoders/internal/ccitt", nil, nil},
	{"decoders/pdf/internal/picture/...", words("readapi plugins/pdk decoders/internal/ccitt decoders/pdf/internal/object decoders/pdf/internal/content decoders/pdf/internal/order decoders/pdf/internal/picture/..."), words("golang.org/x/image")},
	{"decoders/pdf", words("readapi plugins/pdk decoders/pdf/internal/..."), nil},
	{"decoders/image/...", words("readapi plugins/pdk decoders/image/... decoders/internal/ccitt"), words("golang.org/x/image")},
	{"decoders/text/...", words("readapi plugins/pdk decoders/text/..."), words("golang.org/x/text golang.org/x/net github.com/rivo/uniseg")},

	{"wasm/abi", words("readapi"), nil},
	{"wasm/binary/difftest", words("wasm/binary/..."), words("github.com/tetratelabs/wazero")},
	{"wasm/binary/...", words("readapi wasm/binary/..."), nil},
	{"wasm/modules", words("readapi wasm/abi"), nil},
	{"wasm/sandbox/...", words("readapi wasm/abi wasm/binary wasm/internal/..."), words("github.com/tetratelabs/wazero golang.org/x/sys golang.org/x/sync")},
	{"wasm/confine", nil, words("golang.org/x/sys github.com/elastic/go-seccomp-bpf github.com/landlock-lsm/go-landlock")},
	{"wasm/ring", words("readapi wasm/abi wasm/sandbox wasm/internal/..."), words("golang.org/x/sys golang.org/x/sync")},
	{"wasm/helper", words("readapi wasm/abi wasm/sandbox wasm/confine wasm/internal/..."), words("golang.org/x/sys")},
	{"wasm/...", words("readapi wasm/..."), nil},

	{"plugins/pdk", words("readapi wasm/abi"), words("github.com/rivo/uniseg")},
	{"plugins/plugintest", words("readapi wasm/... plugins/... decoders/decodertest testdata/..."), nil},
	{"plugins/...", words("readapi wasm/... plugins/..."), words("golang.org/x/sync")},

	{"host/profile", words("readapi"), nil},
	{"host/sniff", words("readapi"), words("github.com/gabriel-vasile/mimetype golang.org/x/text")},
	{"host/store/sqliteindex", words("readapi host/store"), words("modernc.org/sqlite github.com/pressly/goose/v3 golang.org/x/sys")},
	{"host/store/pgindex/pgtest", nil, words("github.com/jackc/pgx/v5")},
	{"host/store/pgindex", words("readapi host/store"), words("github.com/jackc/pgx/v5 github.com/pressly/goose/v3")},
	{"host/store/s3blob/s3test", nil, words("github.com/johannesboyne/gofakes3")},
	{"host/store/s3blob", words("readapi host/store"), words("github.com/minio/minio-go/v7 golang.org/x/sync")},
	{"host/store/storetest", words("readapi host/store host/store/memindex"), words("github.com/google/go-cmp pgregory.net/rapid")},
	{"host/store/...", words("readapi host/store/..."), words("golang.org/x/sys")},
	{"host/ledger", words("readapi host/store"), nil},
	{"host/redact", nil, nil},
	{"host/retain", words("readapi host/store host/ledger"), nil},
	{"host/recall", words("readapi host/ledger host/redact host/store"), words("golang.org/x/text")},
	{"host/tools", words("readapi host host/ledger host/recall"), nil},
	{"host/server/...", words("readapi host/..."), words("github.com/modelcontextprotocol/go-sdk golang.org/x/sync")},
	{"host/transfer", words("readapi host/store host/store/fileblob host/store/sqliteindex"), nil},
	{"host", words("readapi host/profile host/sniff host/store host/ledger host/recall host/redact host/retain"), words("github.com/maypok86/otter/v2 golang.org/x/sync")},

	{"cmd/...", words("..."), words("github.com/spf13/cobra github.com/spf13/pflag github.com/vbauerster/mpb/v8 github.com/adrg/xdg " +
		"github.com/pelletier/go-toml/v2 golang.org/x/term golang.org/x/sys golang.org/x/text")},
	{".", words("readapi wasm/... plugins/... host/... decoders/..."), nil},
}

// inFront are the modules of others that the root package depends on, at any distance: what an embedder carries. A module that is not
// here fails, and so does one that is here and not needed. No command line, MCP, HTTP framework, cloud client or telemetry.
var inFront = words("github.com/dustin/go-humanize github.com/gabriel-vasile/mimetype github.com/google/uuid github.com/maypok86/otter/v2 " +
	"github.com/mfridman/interpolate github.com/pressly/goose/v3 github.com/remyoudompheng/bigfft github.com/sethvargo/go-retry " +
	"github.com/tetratelabs/wazero go.uber.org/multierr golang.org/x/sync golang.org/x/sys golang.org/x/text modernc.org/libc modernc.org/mathutil " +
	"modernc.org/memory modernc.org/sqlite")

// longFiles and longFunctions may be longer than the house allows (500 and 60 lines), each for the reason that stands beside it.
var (
	longFiles     = map[string]string{}
	longFunctions = map[string]string{}
)

const (
	maxFileLines     = 500
	maxFunctionLines = 60
)

func words(s string) []string { return strings.Fields(s) }

// under reports whether the slash-separated name is pattern, or lies below it when that ends in "/...".
func under(name, pattern string) bool {
	if pattern == "..." {
		return true
	}
	dir, tree := strings.CutSuffix(pattern, "/...")
	return name == dir || tree && strings.HasPrefix(name, dir+"/")
}

func underAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return under(name, p) })
}

// source is one non-test Go file of the module.
type source struct {
	path string // from the root, with slashes
	dir  string // the same of its folder, "." for the root
	text []byte
	file *ast.File
}

// sources parses every non-test Go file below the root.
func sources(t *testing.T, fset *token.FileSet) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "build" || base == "testdata" && filepath.Dir(name) != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		out = append(out, source{name, path.Dir(name), text, f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found: this test does not see the module", len(out))
	}
	return out
}

func TestImports(t *testing.T) {
	for _, src := range sources(t, token.NewFileSet()) {
		i := slices.IndexFunc(rules, func(r rule) bool { return under(src.dir, r.folder) })
		if i < 0 {
			t.Errorf("%s: no rule names the package %s; DESIGN 2 says where code lives", src.path, src.dir)
			continue
		}
		for _, spec := range src.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := forbidden(rules[i], src.dir, imported); why != "" {
				t.Errorf("%s imports %s: %s", src.path, imported, why)
			}
		}
	}
}

// forbidden says why a package in dir may not import imported under r, "" when it may.
func forbidden(r rule, dir, imported string) string {
	local, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case imported == "C":
		return "there is no cgo here"
	case imported == module:
		if !underAny(".", r.module) {
			return "the front door is for embedders and for cmd"
		}
	case ours && (local == "host/store/pgindex/pgtest" || local == "host/store/s3blob/s3test"):
		return "a package that starts a server is imported by tests alone"
	case ours && local == "host/store/storefault":
		return "a package that makes a store fail is imported by tests alone"
	case ours && (strings.HasSuffix(path.Base(local), "test") || local == "testdata") && !underAny(local, r.module):
		return "a test package is imported by tests and other suites"
	case ours && !underAny(local, r.module):
		return "the rule for " + r.folder + " does not allow it"
	case ours, !strings.Contains(first, "."): // the standard library has no dot in its first element
		return ""
	case !slices.ContainsFunc(r.external, func(m string) bool { return under(imported, m+"/...") }):
		return "the rule for " + r.folder + " does not name that module"
	}
	return ""
}

// TestForbidden is the ablation of TestImports: each of these must be caught.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		dir, imported string
		ok            bool
	}{
		{"readapi", "strings", true},
		{"readapi", module + "/wasm/abi", false},
		{"readapi", "golang.org/x/text/language", false},
		{"host", module + "/plugins", false},
		{"host", module + "/wasm/sandbox", false},
		{"host", module + "/host/sniff", true},
		{"host/store", module + "/host", false},
		{"host/ledger", module + "/host/recall", false},
		{"host/recall", module + "/host", false},
		{"host", module + "/host/server", false},
		{"host", "modernc.org/sqlite", false},
		{"host/store/sqliteindex", "modernc.org/sqlite", true},
		{"host/store/pgindex", "github.com/jackc/pgx/v5/pgxpool", true},
		{"host/store", "github.com/jackc/pgx/v5", false},
		{"cmd/glovebox", module + "/host/store/pgindex", true},
		{"cmd/glovebox", module + "/host/store/pgindex/pgtest", false},
		{"cmd/glovebox", module + "/host/store/s3blob/s3test", false},
		{"cmd/glovebox", module + "/host/store/storefault", false},
		{"host/store/s3blob", "github.com/minio/minio-go/v7", true},
		{"host/store", "github.com/minio/minio-go/v7", false},
		{"host", "github.com/minio/minio-go/v7", false},
		{"host", "github.com/tetratelabs/wazero", false},
		{"plugins", "github.com/tetratelabs/wazero/api", false},
		{"plugins/pdk", module + "/wasm/sandbox", false},
		{"wasm/sandbox", "github.com/tetratelabs/wazero/api", true},
		{"wasm/binary", "github.com/tetratelabs/wazero", false},
		{"wasm/binary/binarytest", "github.com/tetratelabs/wazero", false},
		{"wasm/binary/difftest", "github.com/tetratelabs/wazero", true},
		{"wasm/sandbox", module + "/wasm/binary/difftest", false},
		{"wasm/abi", module + "/wasm/sandbox", false},
		{"decoders/pdf", module + "/decoders/text", false},
		{"decoders/pdf", module + "/host", false},
		{".", module + "/cmd/glovebox", false},
		{".", "github.com/spf13/cobra", false},
		{"plugins", module, false},
		{"cmd/glovebox", module, true},
		{"cmd/glovebox", "C", false},
	} {
		i := slices.IndexFunc(rules, func(r rule) bool { return under(c.dir, r.folder) })
		if i < 0 {
			t.Errorf("no rule for %s", c.dir)
			continue
		}
		if why := forbidden(rules[i], c.dir, c.imported); (why == "") != c.ok {
			t.Errorf("%s importing %s: %q, want allowed %v", c.dir, c.imported, why, c.ok)
		}
	}
	if slices.ContainsFunc(rules, func(r rule) bool { return under("util", r.folder) }) {
		t.Error("a new top-level folder has a rule")
	}
}

// TestFrontDoor holds what an embedder carries.
func TestFrontDoor(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,CgoFiles,Module", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen, needed := 0, map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); seen++ {
		var p struct {
			ImportPath string
			CgoFiles   []string
			Module     *struct{ Path string }
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && p.Module.Path != module && !needed[p.Module.Path] {
			needed[p.Module.Path] = true
			if !slices.Contains(inFront, p.Module.Path) {
				t.Errorf("the root package depends on %s, which every embedder would carry", p.Module.Path)
			}
		}
		if strings.Contains(p.ImportPath, ".") && len(p.CgoFiles) > 0 {
			t.Errorf("%s uses cgo", p.ImportPath)
		}
	}
	if seen < 20 {
		t.Fatalf("go list named only %d packages", seen)
	}
	for _, m := range inFront {
		if !needed[m] {
			t.Errorf("the root package does not depend on %s: take it off the list", m)
		}
	}
}

func TestSizes(t *testing.T) {
	fset := token.NewFileSet()
	used := map[string]bool{}
	for _, src := range sources(t, fset) {
		if lines := strings.Count(string(src.text), "\n"); lines > maxFileLines {
			used[src.path] = true
			if longFiles[src.path] == "" {
				t.Errorf("%s has %d lines, the house allows %d; split it by noun", src.path, lines, maxFileLines)
			}
		}
		for _, d := range src.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := src.dir + "." + funcName(f)
			if lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; lines > maxFunctionLines {
				used[name] = true
				if longFunctions[name] == "" {
					t.Errorf("%s: %s has %d lines, the house allows %d", src.path, name, lines, maxFunctionLines)
				}
			}
		}
	}
	for name := range longFiles {
		if !used[name] {
			t.Errorf("longFiles names %s, which is not long any more", name)
		}
	}
	for name := range longFunctions {
		if !used[name] {
			t.Errorf("longFunctions names %s, which is not long any more", name)
		}
	}
}

func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return "(" + receiver(f) + ")." + f.Name.Name
}

// receiver is the name of the type of f's receiver, without pointer and type parameters.
func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return fmt.Sprintf("%T", e)
}

// TestDocs wants a comment on every package and every exported name.
func TestDocs(t *testing.T) {
	fset := token.NewFileSet()
	documented := map[string]bool{}
	packages := map[string]bool{}
	for _, src := range sources(t, fset) {
		packages[src.dir] = true
		if src.file.Doc != nil {
			documented[src.dir] = true
		}
		for _, name := range undocumented(src.file) {
			t.Errorf("%s: %s is exported and has no comment", src.path, name)
		}
	}
	for dir := range packages {
		if !documented[dir] {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

// undocumented lists the exported names of f that have no comment of their own. A comment above a group covers its constants and variables.
func undocumented(f *ast.File) []string {
	var out []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			exported := d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d)))
			if exported && d.Doc == nil {
				out = append(out, funcName(d))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || len(d.Specs) > 1) {
						out = append(out, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							out = append(out, n.Name)
						}
					}
				}
			}
		}
	}
	return out
}

// TestHabits holds the small rules of STYLE.
func TestHabits(t *testing.T) {
	fset := token.NewFileSet()
	for _, src := range sources(t, fset) {
		if base := path.Base(src.dir); slices.Contains(words("util utils common helpers types misc"), base) {
			t.Errorf("%s: a package is named for what it holds, not %s", src.path, base)
		}
		guest := path.Base(src.dir) == "guest"
		program := src.file.Name.Name == "main"
		ast.Inspect(src.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil && !guest {
					t.Errorf("%s: an init function; registries are values", src.path)
				}
			case *ast.SelectorExpr:
				id, ok := n.X.(*ast.Ident)
				if ok && !program && (id.Name == "os" && (n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr") || id.Name == "fmt" && strings.HasPrefix(n.Sel.Name, "Print")) {
					t.Errorf("%s prints; libraries do not", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}
