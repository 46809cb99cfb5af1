package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const (
	manifestName     = "manifest.json"
	manifestVersion  = 1
	maxManifestBytes = 64 << 10
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

// writeManifest lists what is in folder. The error of a folder that is not to be trusted is that of eachFile.
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
	if err := verifyHead(folder); err != nil {
		return err
	}
	m, err := readManifest(folder)
	if err != nil {
		return notAbsent("its manifest", err)
	}
	if m.Module != digest || len(m.Files) == 0 {
		return errors.New("its manifest is of another module")
	}
	if err := m.names(folder); err != nil {
		return notAbsent("its files", err)
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

// verifyHead checks the folder itself.
func verifyHead(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is not a folder")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return errors.New("others may look into it")
	}
	return ownOnly(info)
}

// notAbsent is err without what makes it fs.ErrNotExist: a folder that lacks something is damaged, not absent.
func notAbsent(what string, err error) error { return fmt.Errorf("%s: %v", what, err) }

// verifyNames checks the names and sizes of the files only.
func verifyNames(folder string) error {
	m, err := readManifest(folder)
	if err != nil {
		return err
	}
	return m.names(folder)
}

func readManifest(folder string) (*manifest, error) {
	b, err := readPlain(filepath.Join(folder, manifestName), maxManifestBytes)
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

// readPlain reads a regular file of ours that has no other name, of at most limit bytes. It never waits, as opening a FIFO would.
func readPlain(path string, limit int64) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := plain(info); err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, errors.New("it is too large")
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		return nil, errors.New("it grew while it was read")
	}
	return b, nil
}

// plain checks that a file is regular, and ours alone.
func plain(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	return ownOnly(info)
}

// names checks that the folder's regular files are those of the manifest, in name and size.
func (m *manifest) names(folder string) error {
	want := map[string]int64{}
	for _, f := range m.Files {
		want[f.Path] = f.Size
	}
	err := eachFile(folder, func(rel string, size int64) error {
		if rel == manifestName {
			return nil
		}
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

// eachFile calls fn for every file in folder. Anything that is neither a folder nor a regular file of ours alone is an error.
func eachFile(folder string, fn func(rel string, size int64) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && d.IsDir() {
			return ownOnly(info)
		}
		if err == nil {
			err = plain(info)
		}
		if err != nil {
			return fmt.Errorf("%s: %v", rel, err)
		}
		return fn(strings.ReplaceAll(rel, string(filepath.Separator), "/"), info.Size())
	})
}

func digestFile(path string) (string, error) {
	f, err := openPlain(path)
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
