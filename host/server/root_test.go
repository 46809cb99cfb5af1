//go:build unix

package server

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestRoot: only regular files of the folder can be attached, by whatever path.
func TestRoot(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	for path, text := range map[string]string{secret: "secret", filepath.Join(dir, "a.txt"): "abc", filepath.Join(dir, "sub", "b.txt"): "b", filepath.Join(dir, "empty"): ""} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"inside": "sub/b.txt", "outside": secret, "up": "../" + filepath.Base(outside) + "/secret.txt", "dirlink": outside, "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	open := filesBelow(root)
	for name, want := range map[string]struct {
		text string
		code readapi.Code
	}{
		"a.txt": {text: "abc"}, "sub/b.txt": {text: "b"}, "sub/../a.txt": {text: "abc"}, "./a.txt": {text: "abc"}, "empty": {}, "inside": {text: "b"},
		"../" + filepath.Base(outside) + "/secret.txt": {code: readapi.CodeInvalidRequest},
		secret: {code: readapi.CodeInvalidRequest}, "/etc/passwd": {code: readapi.CodeInvalidRequest},
		"outside": {code: readapi.CodeInvalidRequest}, "up": {code: readapi.CodeInvalidRequest}, "dirlink/secret.txt": {code: readapi.CodeInvalidRequest},
		"loop": {code: readapi.CodeInvalidRequest}, "sub": {code: readapi.CodeInvalidRequest}, ".": {code: readapi.CodeInvalidRequest}, "": {code: readapi.CodeInvalidRequest},
		"fifo": {code: readapi.CodeInvalidRequest}, "none": {code: readapi.CodeNotFound}, "a.txt/x": {code: readapi.CodeNotFound}, "a\x00b": {code: readapi.CodeInvalidRequest},
		strings.Repeat("x", 300): {code: readapi.CodeInvalidRequest},
	} {
		file, err := open(t.Context(), name)
		if readapi.CodeOf(err) != want.code {
			t.Errorf("%.40q: %v, want %q", name, err, want.code)
		}
		if err != nil {
			e, ok := err.(*readapi.Error)
			b, _ := json.Marshal(err)
			if !ok || strings.Contains(string(b), dir) || strings.Contains(string(b), "secret") {
				t.Errorf("%.40q: %s", name, b)
			}
			if e.Code == readapi.CodeNotFound && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("%q: the cause is lost", name)
			}
			continue
		}
		text, err := io.ReadAll(file.Content)
		if err != nil || string(text) != want.text || file.Size != int64(len(text)) || !file.SizeKnown || file.Name != filepath.Base(name) {
			t.Errorf("%q: %q, %v, %+v", name, text, err, file)
		}
		if err := file.Content.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}
