package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sys/cpu"
)

// compileCache keeps machine code on disk, one folder per module, around wazero's own cache. wazero trusts what it finds: an entry that
// was cut short makes every later compilation fail, and a flipped function offset goes straight through its checksum. So each folder
// carries a manifest of its files' digests. A folder that does not match is removed and made again; a folder is made under another
// name and renamed when it is complete, so that no reader ever sees half of one.
//
// The digests guard against damage, not against a person who may write to the folder: folders are 0700, and a cache that others can write
// to is not used.
type compileCache struct {
	dir string
	log *slog.Logger
}

const (
	tempPattern  = "tmp-*"
	tempLifetime = time.Hour // after which an unfinished folder belongs to a process that died
)

func newCompileCache(dir string, log *slog.Logger) *compileCache {
	return &compileCache{dir: dir, log: log}
}

// folder is the module's: named by all that its machine code depends on.
func (c *compileCache) folder(digest string) string {
	return filepath.Join(c.dir, fmt.Sprintf("%s-wazero-%s-%s-%s-%d", digest, wazeroVersion(), runtime.GOOS, runtime.GOARCH, cpuFeatures()))
}

// wazeroVersion is the version that wazero marks its entries with (its internal/version): "dev" where the build does not say.
func wazeroVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/tetratelabs/wazero" && dep.Version != "" && dep.Version != "(devel)" {
			return dep.Version
		}
	}
	return "dev"
}

// cpuFeatures are the features of this CPU that wazero generates code for (its internal/platform/cpuid_*.go).
func cpuFeatures() (bits int) {
	for i, has := range []bool{
		cpu.X86.HasSSE41, cpu.X86.HasBMI1, cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT, cpu.ARM64.HasATOMICS,
	} {
		if has {
			bits |= 1 << i
		}
	}
	return bits
}

// has reports whether there seems to be a folder for the module.
func (c *compileCache) has(digest string) bool {
	if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size {
		return false
	}
	info, err := os.Lstat(filepath.Join(c.folder(digest), manifestName))
	return err == nil && info.Mode().IsRegular()
}

// compile compiles m into p, from its folder if that is sound, else anew. An error means that the cache cannot be used just now, or that
// the module does not compile; compiling without a cache tells which.
func (c *compileCache) compile(ctx context.Context, m Module, p *Program) error {
	if err := c.prepare(); err != nil {
		c.log.Warn("the compile cache cannot be used", "error", err)
		return err
	}
	folder := c.folder(m.Digest)
	err := verifyFolder(folder, m.Digest)
	if err == nil {
		err = c.load(ctx, m, p, folder)
		if err == nil {
			return nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("a compile cache entry is damaged and is made again", "module", m.Name, "error", err)
	}
	unlock, err := c.lock(ctx, m.Digest)
	if err != nil {
		return err
	}
	defer unlock()
	if verifyFolder(folder, m.Digest) == nil && c.load(ctx, m, p, folder) == nil { // another process made it meanwhile
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		c.log.Warn("a compile cache entry cannot be removed", "module", m.Name, "error", err)
		return err
	}
	return c.fill(ctx, m, p, folder)
}

// lock makes sure that one process at a time compiles a module; see lockFile.
func (c *compileCache) lock(ctx context.Context, digest string) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(c.dir, "lock-"+digest))
}

// prepare makes the cache's folder and checks that nobody else can write to it.
func (c *compileCache) prepare() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(c.dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is not a folder")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

func (c *compileCache) load(ctx context.Context, m Module, p *Program, folder string) error {
	cache, err := wazero.NewCompilationCacheWithDir(folder)
	if err != nil {
		return err
	}
	if err := p.compileWith(ctx, ctx, m, cache); err != nil {
		return err
	}
	// wazero adds an entry when it does not find its own. The program is good then, but the folder is no longer what its manifest says.
	if err := verifyNames(folder); err != nil {
		c.log.Warn("a compile cache entry was not used", "module", m.Name, "error", err)
		_ = os.RemoveAll(folder)
	}
	return nil
}

// fill compiles m into a new folder. Once the program is compiled, a folder that cannot be finished is only reported.
func (c *compileCache) fill(ctx context.Context, m Module, p *Program, folder string) error {
	c.sweep()
	temp, err := os.MkdirTemp(c.dir, tempPattern) // 0700
	if err != nil {
		c.log.Warn("the compile cache cannot be used", "error", err)
		return err
	}
	defer os.RemoveAll(temp) // what was renamed is gone from here
	cache, err := wazero.NewCompilationCacheWithDir(temp)
	if err != nil {
		return err
	}
	if err := p.compileWith(ctx, ctx, m, cache); err != nil {
		return err
	}
	err = writeManifest(temp, m.Digest)
	if err == nil {
		err = os.Rename(temp, folder)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // another process was first: its folder is as good
		c.log.Warn("a compile cache entry cannot be kept", "module", m.Name, "error", err)
	}
	return nil
}

// sweep removes what processes that died have left.
func (c *compileCache) sweep() {
	old, _ := filepath.Glob(filepath.Join(c.dir, tempPattern))
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > tempLifetime {
			_ = os.RemoveAll(path)
		}
	}
}
