package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What a backup is made of: the names of a data directory, and a file that says what it is.
const (
	rowsFile = "glovebox.db"
	newRows  = "glovebox.db.partial" // until they are whole
	filesDir = "files"
	markFile = "backup.json"
)

// mark is what the file of a backup says.
type mark struct {
	Version  int       `json:"glovebox_backup"`
	Finished time.Time `json:"finished,omitzero"`
	Rows     string    `json:"rows,omitempty"` // digest of the database
	Next     string    `json:"next,omitempty"` // digest of the one that is taking its place
	Counts   *Counts   `json:"counts,omitempty"`
}

// place is where a backup is made.
type place struct {
	dir  string // where it will be
	work string // where it is made: dir itself where that is a backup, else dir.partial
	step func(name string) error
}

// openPlace looks what is at dir, and makes the place to work in. Nothing that is no backup is touched.
func openPlace(dir string, step func(string) error) (*place, error) {
	p := &place{dir: dir, work: dir, step: step}
	if step == nil {
		p.step = func(string) error { return nil }
	}
	names, err := readNames(dir)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		return p, unchanged(dir)
	}
	p.work = dir + ".partial"
	if names, err = readNames(p.work); err != nil {
		return nil, err
	}
	if _, err := readMark(p.work); len(names) > 0 && err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.work, 0o700); err != nil {
		return nil, store.PlaceError("", err)
	}
	return p, writeMark(p.work, mark{Version: 1})
}

// readNames returns what is in a folder; nothing, where there is none.
func readNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, store.PlaceError("", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

var errNoBackup = &readapi.Error{Code: readapi.CodeConflict, Final: true, Detail: "there is something else than a backup in its place",
	Hint: "Name a directory that is not there yet, or that a backup was made in."}

func readMark(dir string) (m mark, err error) {
	b, err := os.ReadFile(filepath.Join(dir, markFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, errNoBackup
	}
	if err != nil {
		return m, store.PlaceError("", err)
	}
	if json.Unmarshal(b, &m) != nil || m.Version != 1 {
		return m, errNoBackup
	}
	return m, nil
}

// unchanged fails where dir is no backup, or was used as a data directory: its rows would be lost.
func unchanged(dir string) error {
	m, err := readMark(dir)
	if err != nil {
		return err
	}
	rows, err := digestOf(filepath.Join(dir, rowsFile))
	if err != nil {
		return store.PlaceError("", err)
	}
	names, err := readNames(dir)
	if err != nil {
		return err
	}
	log, _ := os.Stat(filepath.Join(dir, rowsFile+"-wal"))
	inUse := slices.Contains(names, rowsFile+"-wal") && (log == nil || log.Size() > 0)
	if rows != m.Rows && rows != m.Next || inUse {
		return &readapi.Error{Code: readapi.CodeConflict, Final: true, Detail: "the backup was used as a data directory since it was made",
			Hint: "Make the backup in another directory."}
	}
	return nil
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// writeMark replaces the mark of a folder, durably.
func writeMark(dir string, m mark) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, markFile+".partial")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was interrupted; a link is not followed
		return store.PlaceError("", err)
	}
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return store.PlaceError("", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, markFile))
	}
	if err == nil {
		err = store.SyncFolderAt(dir)
	}
	return store.PlaceError("", err)
}

// clean removes the rows that a run which was interrupted has left.
func (p *place) clean() error {
	names, err := readNames(p.work)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, newRows) {
			if err := os.Remove(filepath.Join(p.work, name)); err != nil {
				return store.PlaceError("", err)
			}
		}
	}
	return nil
}

// finish gives new rows, which are closed and whose files are all there, their name, and a new backup its own. The mark knows the new rows
// before they have their name, so that a run which ends in between leaves a backup that is known as one.
func (p *place) finish(counts Counts) error {
	fresh := filepath.Join(p.work, newRows)
	if log, err := os.Stat(fresh + "-wal"); err == nil && log.Size() > 0 {
		return &readapi.Error{Code: readapi.CodeBusy, Detail: "somebody else has the rows of the backup open"} // closing them leaves no log
	}
	next, err := digestOf(fresh)
	if err != nil {
		return store.PlaceError("", err)
	}
	old, err := readMark(p.work)
	if err != nil {
		return err
	}
	old.Next = next
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"mark", func() error { return writeMark(p.work, old) }},
		{"sync", func() error { return syncFile(fresh) }},
		{"rows", func() error { return os.Rename(fresh, filepath.Join(p.work, rowsFile)) }},
		{"folder", func() error { return store.SyncFolderAt(p.work) }},
		{"marked", func() error {
			return writeMark(p.work, mark{Version: 1, Finished: time.Now().UTC().Truncate(time.Millisecond), Rows: next, Counts: &counts})
		}},
		{"clean", p.clean},
		{"name", p.rename},
	} {
		if err := p.step(s.name); err != nil {
			return err
		}
		if err := s.do(); err != nil {
			return store.PlaceError("", err)
		}
	}
	return nil
}

// rename gives a new backup its name.
func (p *place) rename() error {
	if p.work == p.dir {
		return nil
	}
	if err := os.Remove(p.dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder
		return err
	}
	if err := os.Rename(p.work, p.dir); err != nil {
		return err
	}
	return store.SyncFolderAt(filepath.Dir(p.dir))
}

// copyRows copies the database of a data directory that nobody uses, with its log.
func copyRows(dir, to string) error {
	for _, name := range []string{rowsFile, rowsFile + "-wal"} {
		err := copyFile(filepath.Join(dir, name), filepath.Join(to, name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == rowsFile:
			return &readapi.Error{Code: readapi.CodeNotFound, Detail: "there is no backup", Hint: "Name the directory that a backup was made in."}
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return store.PlaceError("", err)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
