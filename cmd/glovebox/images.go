package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// imageDir is the folder of --out. Nothing is ever written outside it, through a symbolic link in it, or over a file with other content.
type imageDir struct {
	root  *os.Root
	shown string // as typed
}

// openImageDir makes the folder if it is not there and tries whether it can be written, before any file is read.
func openImageDir(dir string) (*imageDir, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, outFailure(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, outFailure(dir, err)
	}
	d := &imageDir{root: root, shown: dir}
	name, err := d.temporary(bytes.NewReader(nil))
	if err == nil {
		err = root.Remove(name)
	}
	if err != nil {
		return nil, errors.Join(outFailure(dir, err), root.Close())
	}
	return d, nil
}

func outFailure(dir string, err error) *failure {
	f := environment("", "the folder of --out cannot be written", err)
	f.subject = dir
	return f
}

func (d *imageDir) close() error {
	if d == nil {
		return nil
	}
	return d.root.Close()
}

// save writes the pictures of doc, which was read from in, and puts their names, relative to the folder, in their File.
func (d *imageDir) save(in input, doc *readapi.Document) error {
	nth := map[int64]int{}
	for i := range doc.Parts {
		p := &doc.Parts[i]
		if p.Type != readapi.PartImage || p.Image == nil {
			continue
		}
		nth[p.At]++
		name := imageName(in, doc.Child, doc.Unit, p.At, nth[p.At], p.Image.MediaType)
		if err := d.write(name, p.Image.Bytes); err != nil {
			return d.failure(in, name, err)
		}
		p.Image.File = name
	}
	return nil
}

// errForeign says that a name is taken by other content.
var errForeign = errors.New("the name is taken by other content")

func (d *imageDir) failure(in input, name string, err error) *failure {
	if !errors.Is(err, errForeign) {
		return outFailure(d.shown, err)
	}
	f := failed(in.shown, readapi.CodeInvalidRequest, "--out has another file named "+name+" already", err)
	f.err.Hint = "Nothing is overwritten: remove that file or give another folder."
	return f
}

// write makes the file name with the content b, whole or not at all. A file that is there with the same content is left as it is.
func (d *imageDir) write(name string, b []byte) (err error) {
	if dir := path.Dir(name); dir != "." {
		if err := d.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return err
		}
	}
	tmp, err := d.temporary(bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.root.Remove(tmp)) }()
	name = filepath.FromSlash(name)
	err = d.root.Link(tmp, name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		if d.holds(name, b) {
			return nil
		}
		return errForeign
	}
	return d.writeUnlinked(name, b)
}

// writeUnlinked is write on a file system without hard links, where a name cannot be taken and filled in one step: it is taken first, so
// that nothing foreign is overwritten, and given up again if it cannot be filled.
func (d *imageDir) writeUnlinked(name string, b []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if d.holds(name, b) {
			return nil
		}
		return errForeign
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, d.root.Remove(name))
	}
	return nil
}

// temporary makes a new file with what r gives beside the others and returns its name.
func (d *imageDir) temporary(r io.Reader) (name string, err error) {
	name = ".glovebox-" + rand.Text()
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, d.root.Remove(name))
	}
	return name, nil
}

// holds reports whether name is a regular file with the content b.
func (d *imageDir) holds(name string, b []byte) bool {
	info, err := d.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(b)) {
		return false
	}
	have, err := d.root.ReadFile(name)
	return err == nil && bytes.Equal(have, b)
}

// imageName is the name of the nth picture of unit at of the file in: "photo.png-frame1.png", "d/report.pdf-page3-2.jpg"; of a file inside it
// "mail.eml-file2.1-frame1.png". It depends on nothing else, so the same read gives the same names.
func imageName(in input, child string, unit readapi.Unit, at int64, nth int, mt readapi.MediaType) string {
	name := "stdin"
	if !in.stdin {
		name = safeName(in.name)
	}
	suffix := fmt.Sprintf("-%s%d", safeName(string(unit)), at)
	if child != "" {
		suffix = "-file" + strings.ReplaceAll(child, "/", ".") + suffix
	}
	if nth > 1 {
		suffix += fmt.Sprintf("-%d", nth)
	}
	switch mt {
	case "image/png":
		suffix += ".png"
	case "image/jpeg":
		suffix += ".jpg"
	default:
		suffix += ".bin"
	}
	name += suffix
	if in.dir == "" || in.dir == "." {
		return name
	}
	var dirs []string
	for d := range strings.SplitSeq(filepath.ToSlash(in.dir), "/") {
		dirs = append(dirs, safeName(d))
	}
	return path.Join(path.Join(dirs...), name)
}

// longestName bounds what of a file's name goes into the name of a picture, in bytes: common file systems take 255.
const longestName = 180

// safeName makes one path element of s that every file system and terminal takes as it is. What it changes it marks with a piece of a
// digest, so that two names do not fall together.
func safeName(s string) string {
	out := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || readapi.Hidden(r) || !unicode.IsPrint(r) || strings.ContainsRune(`/\<>:"|?*`, r) {
			return '_'
		}
		return r
	}, s)
	if strings.HasPrefix(out, ".") || strings.HasPrefix(out, "-") {
		out = "_" + out[1:]
	}
	for len(out) > longestName {
		_, n := utf8.DecodeLastRuneInString(out)
		out = out[:len(out)-n]
	}
	if out == s && s != "" {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return out + "~" + hex.EncodeToString(sum[:4])
}
