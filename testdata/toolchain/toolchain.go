// Package toolchain builds wasm modules with the compilers of other languages, for tests with the build tag toolchains:
//
//	wasm := toolchain.C(t, toolchain.Path(t, "plugins/pdk/examples/vcard/c/vcard.c"), "-O2")
//
// A compiler that is not there ends the test with the name of the Debian package to install; it never skips. The sources of this folder
// are modules for the rewriter (c, rust, as) and hostile decoders (as); they speak the ABI as a decoder does.
package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The compilers, and what they need, as Debian 12 names it.
const (
	clang = "clang-14"
	rustc = "/usr/bin/rustc" // Debian's: another one may come first in PATH, without the wasm targets
)

// Path returns the absolute path of a file of this module, named from its root.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, filepath.FromSlash(name))
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("toolchain: the tests do not run inside the module")
		}
		dir = up
	}
}

// C builds a freestanding decoder, as plugins/pdk/c/glovebox.h says. flags come last.
func C(t testing.TB, file string, flags ...string) []byte {
	t.Helper()
	need(t, clang, "clang-14")
	need(t, "wasm-ld-14", "lld-14")
	args := []string{
		"--target=wasm32", "-std=c99", "-Wall", "-Wextra", "-Werror", "-mbulk-memory", "-ffreestanding", "-nostdlib", "-Wl,--no-entry,--stack-first",
		"-I", Path(t, "plugins/pdk/c"),
	}
	return build(t, clang, args, file, flags)
}

// CLibc builds a reactor with wasi-libc.
func CLibc(t testing.TB, file string, flags ...string) []byte {
	t.Helper()
	need(t, clang, "clang-14")
	need(t, "wasm-ld-14", "lld-14")
	needFile(t, "/usr/include/wasm32-wasi/stdlib.h", "wasi-libc")
	needFile(t, "/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a", "libclang-rt-14-dev-wasm32")
	args := []string{"--target=wasm32-wasi", "-mexec-model=reactor", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", Path(t, "plugins/pdk/c")}
	return build(t, clang, args, file, flags)
}

// Rust builds a decoder for wasm32-unknown-unknown, as plugins/pdk/rust/glovebox.rs says. flags come last.
func Rust(t testing.TB, file string, flags ...string) []byte {
	t.Helper()
	need(t, rustc, "rustc")
	dir, err := exec.CommandContext(t.Context(), rustc, "--print", "target-libdir", "--target", "wasm32-unknown-unknown").Output()
	if err != nil {
		t.Fatalf("toolchain: rustc: %v", err)
	}
	needFile(t, strings.TrimSpace(string(dir)), "libstd-rust-dev-wasm32")
	return build(t, rustc, []string{"--edition", "2021", "--target", "wasm32-unknown-unknown", "--crate-type", "cdylib", "-D", "warnings"}, file, flags)
}

// AssemblyScript builds a decoder with the compiler that `make toolchains` puts into build/. A decoder imports nothing but the ABI:
// --use abort= takes out the import that the compiler adds of its own accord. It is built without -O: the optimizer of 0.28.20 does not come
// to an end on the hostile ones.
func AssemblyScript(t testing.TB, file string, flags ...string) []byte {
	t.Helper()
	need(t, "node", "nodejs")
	asc := Path(t, "build/assemblyscript/node_modules/assemblyscript/bin/asc.js")
	if _, err := os.Stat(asc); err != nil {
		t.Fatalf("toolchain: the AssemblyScript compiler is missing: run make toolchains (it needs the Debian packages nodejs and npm): %v", err)
	}
	return build(t, "node", []string{asc, "--runtime", "stub"}, file, flags)
}

// Go builds a decoder as an author in Go does; pkg is a package of this module, named from its root.
func Go(t testing.TB, pkg string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-buildmode=c-shared", "-o", out, Path(t, pkg))
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	return run(t, cmd, out)
}

func build(t testing.TB, compiler string, args []string, file string, flags []string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	args = append(args, "-o", out)
	args = append(append(args, flags...), filepath.Base(file))
	cmd := exec.CommandContext(t.Context(), compiler, args...)
	cmd.Dir = filepath.Dir(file) // from where AssemblyScript names what --use puts in
	return run(t, cmd, out)
}

func run(t testing.TB, cmd *exec.Cmd, out string) []byte {
	t.Helper()
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("toolchain: %v: %v\n%s", cmd.Args, err, msg)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func need(t testing.TB, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("toolchain: %s is missing: apt-get install %s", program, debian)
	}
}

func needFile(t testing.TB, name, debian string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		t.Fatalf("toolchain: %s is missing: apt-get install %s", name, debian)
	}
}
