package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// Build names what machine code depends on: two programs whose Build is the same can use each other's.
func Build() string {
	return fmt.Sprintf("wazero %s %s/%s %d rewriter %d", wazeroVersion(), runtime.GOOS, runtime.GOARCH, cpuFeatures(), binary.RewriterVersion)
}

// ErrCodeSize is the error of Produce when the machine code is over its limit.
var ErrCodeSize = errors.New("the machine code is too large")

// Produce is what a helper does for a Runtime: it compiles m in this process, which has limits of its own, and leaves the machine code in dir,
// an empty folder. With the interpreter it lowers m and leaves nothing. The Runtime checks what is there.
//
// Errors: ErrCodeSize when there are more than maxCode bytes of machine code, fs.PathError for a folder that cannot be written to; all others are
// about the module.
func Produce(ctx context.Context, m Module, engine Engine, dir string, maxCode int64) error {
	state, err := binary.ReadState(m.Wasm)
	if err != nil {
		return err
	}
	var cache wazero.CompilationCache
	if engine == Compiler {
		if cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil { // it does not keep what kind of error that was
			return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
		}
		defer cache.Close(ctx)
	}
	wz := wazero.NewRuntimeWithConfig(ctx, wazeroConfig(engine, state, cache))
	defer wz.Close(ctx)
	if _, err := wz.CompileModule(withWorkers(ctx), m.Wasm); err != nil {
		return err
	}
	if engine != Compiler {
		return nil
	}
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(entryPath(m.Wasm))))
	if err == nil && info.Size() > maxEntryBytes(m.Wasm, maxCode) {
		err = ErrCodeSize
	}
	return err
}

// produced is the entry that a helper left in dir: one file of the right name in one folder, and nothing else.
func produced(dir string, m Module, maxCode int64) ([]byte, error) {
	want := entryPath(m.Wasm)
	found := false
	err := eachFile(dir, func(rel string, _ int64) error {
		if rel != want {
			return errors.New("the helper left something else")
		}
		found = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("the helper left nothing")
	}
	b, err := readPlain(filepath.Join(dir, filepath.FromSlash(want)), maxEntryBytes(m.Wasm, maxCode))
	if err != nil {
		return nil, err
	}
	return b, checkEntry(b, m.Wasm)
}

// loadOnly compiles m into p from entry, which was verified, and from nothing else. Neither a folder that somebody changes meanwhile nor an
// error of ours about what wazero looks for can make it compile here:
//
//   - wazero reads a copy that was made just now from the verified bytes, in a folder that only this user can look into;
//   - the context that it gets is over. wazero does not ask it when it finds an entry, and compiles no function when it does not;
//   - afterwards the folder must hold the same bytes, and nothing else.
func loadOnly(ctx context.Context, m Module, p *Program, entry []byte, parent string) (err error) {
	dir, err := os.MkdirTemp(parent, tempPattern) // 0700
	if err != nil {
		return noPlace(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, filepath.FromSlash(entryPath(m.Wasm)))
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		return noPlace(err)
	}
	if err := os.WriteFile(file, entry, 0o600); err != nil {
		return noPlace(err)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	p.rt.beforeLoad(file)
	over, cancel := context.WithCancel(ctx)
	if cancel(); p.rt.loadMayCompile { // only a test does that, to see what would happen
		over = ctx
	}
	err = p.compileWith(ctx, over, m, cache)
	p.rt.afterLoad()
	if err != nil {
		return damaged(err)
	}
	if b, err := produced(dir, m, int64(len(entry))); err != nil || !bytes.Equal(b, entry) {
		_ = p.closeEngine(ctx)
		return damaged(errors.Join(errors.New("its machine code changed"), err))
	}
	return nil
}
