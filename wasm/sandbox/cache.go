package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
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
	manifestName    = "manifest.json"
	manifestVersion = 1
	tempPattern     = "tmp-*"
	tempLifetime    = time.Hour // after which an unfinished folder belongs to a process that died
)

type manifest struct {
	Version int            `json:"version"`
	Module  string         `json:"module"` // digest
	Files   []manifestFile `json:"files"`
}

type manifestFile struct {
	Path   string `json:"path"` // slashes, relative to the folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

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
	if err := os.RemoveAll(folder); err != nil {
		c.log.Warn("a compile cache entry cannot be removed", "module", m.Name, "error", err)
		return err
	}
	return c.fill(ctx, m, p, folder)
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
	if err := p.compileWith(ctx, m, cache); err != nil {
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
	if err := p.compileWith(ctx, m, cache); err != nil {
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

func writeManifest(folder, digest string) error {
	m := manifest{Version: manifestVersion, Module: digest}
	err := eachFile(folder, func(rel string, size int64) error {
		sum, err := digestFile(filepath.Join(folder, filepath.FromSlash(rel)))
		m.Files = append(m.Files, manifestFile{Path: rel, Size: size, SHA256: sum})
		return err
	})
	if err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, manifestName), b, 0o600)
}

// verifyFolder checks that folder holds exactly what its manifest says. The error is fs.ErrNotExist only when there is no folder.
func verifyFolder(folder, digest string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is not a folder")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return errors.New("others may look into it")
	}
	m, err := readManifest(folder)
	if err != nil {
		return fmt.Errorf("its manifest: %v", err)
	}
	if m.Module != digest || len(m.Files) == 0 {
		return errors.New("its manifest is of another module")
	}
	if err := m.names(folder); err != nil {
		return err
	}
	for _, f := range m.Files {
		sum, err := digestFile(filepath.Join(folder, filepath.FromSlash(f.Path)))
		if err != nil {
			return fmt.Errorf("%s: %v", f.Path, err)
		}
		if sum != f.SHA256 {
			return fmt.Errorf("%s has another digest", f.Path)
		}
	}
	return nil
}

// verifyNames checks the names and sizes of the files only.
func verifyNames(folder string) error {
	m, err := readManifest(folder)
	if err != nil {
		return err
	}
	return m.names(folder)
}

func readManifest(folder string) (*manifest, error) {
	path := filepath.Join(folder, manifestName)
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m.Version != manifestVersion {
		return nil, errors.New("version " + strconv.Itoa(m.Version))
	}
	return &m, nil
}

// names checks that the folder's regular files are those of the manifest, in name and size.
func (m *manifest) names(folder string) error {
	want := map[string]int64{}
	for _, f := range m.Files {
		want[f.Path] = f.Size
	}
	err := eachFile(folder, func(rel string, size int64) error {
		if listed, ok := want[rel]; !ok || listed != size {
			return fmt.Errorf("%s is not what the manifest says", rel)
		}
		delete(want, rel)
		return nil
	})
	if err == nil && len(want) > 0 {
		err = errors.New("a file is missing")
	}
	return err
}

// eachFile calls fn for every file in folder but the manifest. Anything that is neither a folder nor a regular file is an error.
func eachFile(folder string, fn func(rel string, size int64) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", rel)
		}
		if rel == manifestName {
			return nil
		}
		return fn(strings.ReplaceAll(rel, string(filepath.Separator), "/"), info.Size())
	})
}

func digestFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
