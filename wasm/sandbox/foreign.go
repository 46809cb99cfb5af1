package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// A foreign module is decoded, validated and compiled by a helper first, in a process with limits. What this process does afterwards with the
// same bytes, it does because that went well: load the machine code that came out, or lower the module for the interpreter.

// compileForeign fills wz, code and cache of a foreign module.
func (p *Program) compileForeign(ctx context.Context, m Module) error {
	entry, c, err := p.rt.foreign(ctx, m, false)
	switch {
	case err != nil:
		return err
	case p.rt.opts.Engine == Interpreter:
		return p.compileWith(ctx, ctx, m, nil)
	}
	err = loadOnly(ctx, m, p, entry, c.dir)
	if errors.Is(err, errPlace) && c == p.rt.cache { // it may only be read: the copy can lie elsewhere
		if c, err = p.rt.privateCache(); err == nil {
			err = loadOnly(ctx, m, p, entry, c.dir)
		}
	}
	return placed(err)
}

// errPlace says that machine code cannot be put where it should be: the disk is full, or may only be read. That is no fault of the module's.
var errPlace = errors.New("sandbox: there is no place for machine code")

func noPlace(err error) error { return errors.Join(errPlace, err) }

// placed is err, as an error of ours where it is errPlace.
func placed(err error) error {
	if errors.Is(err, errPlace) {
		return &readapi.Error{
			Code: readapi.CodeCapabilityUnavailable, Detail: "there is no place for machine code", Err: err,
			Hint: "The compile cache and the folder for temporary files are full, or may only be read.",
		}
	}
	return err
}

// foreign returns the entry of m, nothing for the interpreter, and its cache: the one that was asked for, or where that has no place, the
// runtime's own. kept says that the entry must lie there, for another process to find.
func (r *Runtime) foreign(ctx context.Context, m Module, kept bool) (entry []byte, c *compileCache, err error) {
	if c = r.cache; c != nil {
		if err = c.prepare(); err == nil {
			entry, err = c.foreign(ctx, r, m, kept)
		} else {
			err = noPlace(err)
		}
		if !errors.Is(err, errPlace) {
			return entry, c, err
		}
		r.opts.Log.Warn("the compile cache cannot be used", "error", err)
	}
	if c, err = r.privateCache(); err == nil {
		entry, err = c.foreign(ctx, r, m, kept)
	}
	return entry, c, placed(err)
}

// privateCache is a folder of this runtime's own, which Close removes.
func (r *Runtime) privateCache() (*compileCache, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.private == nil {
		dir, err := os.MkdirTemp("", "glovebox-") // 0700
		if err != nil {
			return nil, noPlace(err)
		}
		r.private = newCompileCache(dir, r.opts.Log)
	}
	return r.private, nil
}

// holding is the cache that seems to have m's machine code; nil: none has.
func (r *Runtime) holding(m Module) *compileCache {
	r.mu.Lock()
	private := r.private
	r.mu.Unlock()
	for _, c := range []*compileCache{r.cache, private} {
		if c != nil && c.prepare() == nil && c.has(m.Digest) {
			return c
		}
	}
	return nil
}

// forget removes what a program left in the runtime's own folder: nobody but it will look there.
func (r *Runtime) forget(digest string) {
	r.mu.Lock()
	private := r.private
	r.mu.Unlock()
	if private != nil {
		_ = os.RemoveAll(private.place(r.opts.Engine, digest))
	}
}

// place is the folder of a module: of its machine code, or of the proof that it can be lowered.
func (c *compileCache) place(engine Engine, digest string) string {
	if engine == Interpreter {
		return c.folder(digest) + "-lowered"
	}
	return c.folder(digest)
}

// foreign returns the entry of m, by a helper if there is none; nothing for the interpreter. The error is errPlace when there is no room here,
// and for one that is to be kept also when that fails.
func (c *compileCache) foreign(ctx context.Context, r *Runtime, m Module, kept bool) ([]byte, error) {
	folder := c.place(r.opts.Engine, m.Digest)
	find := func() ([]byte, error) {
		if r.opts.Engine == Interpreter {
			return nil, readProof(folder, m.Digest)
		}
		return readEntry(folder, m, r.opts.CompileLimits.MaxCodeBytes)
	}
	entry, err := find()
	if err == nil {
		return entry, nil
	}
	if len(r.opts.Helper) == 0 {
		return nil, noHelper()
	}
	unlock, lockErr := c.lock(ctx, filepath.Base(folder))
	if lockErr != nil {
		return nil, errClosed()
	}
	defer unlock()
	if entry, err = find(); err == nil { // another process made it meanwhile
		return entry, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("a compile cache entry is damaged and is made again", "module", m.Name, "error", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		c.log.Warn("a compile cache entry cannot be removed", "module", m.Name, "error", err)
	}
	c.sweep()
	if entry, err = c.ask(ctx, r, m); err != nil {
		return nil, err
	}
	if err := c.keep(folder, m, entry); err != nil {
		c.log.Warn("a compile cache entry cannot be kept", "module", m.Name, "error", err)
		if kept {
			return nil, noPlace(err)
		}
	}
	return entry, nil
}

// ask lets a helper compile m into a folder of its own, which is gone afterwards, and returns the entry that it made.
func (c *compileCache) ask(ctx context.Context, r *Runtime, m Module) ([]byte, error) {
	dir, err := os.MkdirTemp(c.dir, tempPattern) // 0700
	if err != nil {
		return nil, noPlace(err)
	}
	defer os.RemoveAll(dir)
	if err := r.ask(ctx, m, dir); err != nil {
		return nil, err
	}
	if r.opts.Engine == Interpreter {
		return nil, nil
	}
	entry, err := produced(dir, m, r.opts.CompileLimits.MaxCodeBytes)
	if err != nil {
		return nil, &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "the helper's answer is of no use", Hint: helperHint, Err: err}
	}
	return entry, nil
}

// keep makes the folder of an entry. Everything in it is written here: a helper writes neither a manifest nor into the cache.
func (c *compileCache) keep(folder string, m Module, entry []byte) error {
	temp, err := os.MkdirTemp(c.dir, tempPattern) // 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // what was renamed is gone from here
	list := manifest{Version: manifestVersion, Module: m.Digest}
	if entry != nil {
		rel := entryPath(m.Wasm)
		file := filepath.Join(temp, filepath.FromSlash(rel))
		if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, entry, 0o600); err != nil {
			return err
		}
		sum := sha256.Sum256(entry)
		list.Files = []manifestFile{{Path: rel, Size: int64(len(entry)), SHA256: hex.EncodeToString(sum[:])}}
	}
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temp, manifestName), b, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temp, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// readProof checks that folder says that a helper lowered the module. There is nothing in it but the manifest.
func readProof(folder, digest string) error {
	if err := verifyHead(folder); err != nil {
		return err
	}
	list, err := readManifest(folder)
	if err != nil {
		return notAbsent("its manifest", err)
	}
	if list.Module != digest || len(list.Files) != 0 {
		return errors.New("its manifest is of another module")
	}
	if err := list.names(folder); err != nil {
		return notAbsent("its files", err)
	}
	return nil
}

const helperHint = "The helper must be of the same version of glovebox and of wazero as this program, such as \"glovebox helper\"."

func noHelper() *readapi.Error {
	return &readapi.Error{
		Code: readapi.CodeModuleRefused, Detail: "nobody vouches for it, and there is no helper that could compile it",
		Hint: "Name a helper program, such as \"glovebox helper\".",
	}
}

func damaged(err error) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeCorrupt, Detail: "its machine code is not what was verified", Err: err}
}
