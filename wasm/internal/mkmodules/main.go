// Mkmodules builds the built-in decoders: it compiles each guest with the standard toolchain, admits and rewrites the module, asks it to
// describe itself behind the wall, and writes it compressed into wasm/modules with the index that names its digest.
//
//	go run ./wasm/internal/mkmodules          build and write (make wasm)
//	go run ./wasm/internal/mkmodules -check   build again and compare digests (make wasm-check)
//
// The originals stay in build/wasm. It runs from the repository's root.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/modules"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// notInlined are packages in which little time is spent: a call inlined there is only a larger module.
const notInlined = "decoders/pdf decoders/pdf/internal/picture/... decoders/pdf/internal/cipher wasm/abi plugins/pdk"

// guests are the built-in decoders, in the order in which they are asked.
var guests = []string{"pdf", "image", "text"}

func main() {
	check := flag.Bool("check", false, "compare with what is committed instead of writing")
	only := flag.String("only", "", "build only these, comma separated; the others stay as they are")
	flag.Parse()
	if err := run(*check, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mkmodules:", err)
		os.Exit(1)
	}
}

func run(check bool, only string) error {
	if err := toolchain(); err != nil {
		return err
	}
	var index modules.Index
	index.Version, index.Go = 1, runtime.Version()
	files := map[string][]byte{}
	for _, name := range guests {
		if only != "" && !strings.Contains(","+only+",", ","+name+",") {
			old, ok := committed(name)
			if !ok {
				return fmt.Errorf("%s is not built yet, so it cannot be left as it is", name)
			}
			index.Modules = append(index.Modules, old)
			continue
		}
		m, packed, err := build(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		index.Modules = append(index.Modules, m)
		files[m.File] = packed
		fmt.Printf("%-6s %8d bytes, %8d packed, sha256 %s\n", name, m.Bytes, len(packed), m.Digest)
	}
	if check {
		return compare(index)
	}
	return write(index, files)
}

// toolchain refuses another compiler than go.mod names: the digests are of bytes that only this one makes.
func toolchain() error {
	b, err := os.ReadFile("go.mod")
	if err != nil {
		return errors.New("run this from the repository's root")
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "go "); ok && runtime.Version() != "go"+v {
			return fmt.Errorf("the committed modules are built with go%s and this is %s: their bytes cannot be compared; install go%s or let GOTOOLCHAIN=auto fetch it", v, runtime.Version(), v)
		}
	}
	return nil
}

func committed(name string) (modules.Module, bool) {
	for _, m := range modules.All() {
		if m.Name == name {
			return m, true
		}
	}
	return modules.Module{}, false
}

func build(name string) (m modules.Module, packed []byte, err error) {
	out := filepath.Join("build", "wasm", name+".wasm")
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return m, nil, err
	}
	guest := "./decoders/" + name + "/guest"
	env := append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWASM=")
	dir, err := os.MkdirTemp("", "mkmodules")
	if err != nil {
		return m, nil, err
	}
	defer os.RemoveAll(dir)
	literals, err := overlay(dir, guest, env)
	if err != nil {
		return m, nil, err
	}
	args := []string{"build", "-trimpath", "-overlay=" + literals, "-buildvcs=false", "-ldflags", "-s -w", "-buildmode=c-shared", "-o", out}
	for _, cold := range strings.Fields(notInlined) {
		args = append(args, "-gcflags=github.com/glovebox-wasm/glovebox/"+cold+"=-l")
	}
	cmd := exec.Command("go", append(args, guest)...)
	cmd.Env = env
	if msg, err := cmd.CombinedOutput(); err != nil {
		return m, nil, fmt.Errorf("%w\n%s", err, msg)
	}
	original, err := os.ReadFile(out)
	if err != nil {
		return m, nil, err
	}
	wasm, err := binary.Rewrite(original, &binary.RewriteOptions{PackData: true})
	if err != nil {
		return m, nil, err
	}
	m = modules.Module{Name: name, File: name + ".wasm.gz", Bytes: int64(len(wasm)), Digest: digest(wasm), Original: digest(original)}
	if err := describe(&m, wasm); err != nil {
		return m, nil, err
	}
	packed, err = pack(wasm)
	return m, packed, err
}

// pack compresses without a time or a name, so that the same module packs to the same bytes.
func pack(wasm []byte) ([]byte, error) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return z.Bytes(), nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// describe runs the module once, on the interpreter (nothing to compile), and takes its description and samples.
func describe(m *modules.Module, wasm []byte) error {
	ctx := context.Background()
	rt, err := sandbox.New(&sandbox.Options{Engine: sandbox.Interpreter})
	if err != nil {
		return err
	}
	defer rt.Close(ctx)
	m.Description, m.Samples, err = rt.Describe(ctx, sandbox.Module{Name: m.Name, Wasm: wasm, Digest: m.Digest})
	if err == nil && m.Description.Name != m.Name {
		err = fmt.Errorf("it describes itself as %s", m.Description.Name)
	}
	return err
}

// compare reports every module whose digest is not the committed one.
func compare(built modules.Index) error {
	var bad []string
	for _, m := range built.Modules {
		old, ok := committed(m.Name)
		if !ok || old.Digest != m.Digest || old.Original != m.Original {
			bad = append(bad, m.Name)
		}
	}
	if len(bad) > 0 || len(modules.All()) != len(built.Modules) {
		return fmt.Errorf("the committed modules are not what the source builds (%s): run make wasm and commit the result", strings.Join(bad, ", "))
	}
	fmt.Println("the committed modules are what the source builds")
	return nil
}

func write(index modules.Index, files map[string][]byte) error {
	dir := filepath.Join("wasm", "modules", modules.Dir)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, modules.IndexFile), append(b, '\n'), 0o644)
}
