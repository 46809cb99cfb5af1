package main

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// input is one file or address that is to be read, or the reason why a name gives none.
type input struct {
	shown string // as typed, or as found below a folder that was typed
	stdin bool   // standard input; there is no path then
	uri   string // an address; there is no path then
	path  string // what to open
	name  string // the file's own name, "" for standard input
	dir   string // folder below the one that was typed, "" else
	fail  error  // set: nothing to open
}

const stdinName = "-"

// oneStdin is the failure of arguments that name standard input twice.
func oneStdin(args []string) error {
	stdin := 0
	for _, arg := range args {
		if arg == stdinName {
			stdin++
		}
	}
	if stdin > 1 {
		return usage(`standard input ("-") can be read once`, "")
	}
	return nil
}

// firstAddress is the first argument that is an address, "" when none is.
func firstAddress(args []string) string {
	for _, arg := range args {
		if readapi.IsURI(arg) {
			return arg
		}
	}
	return ""
}

// onlyAddresses reports whether no argument is a file.
func onlyAddresses(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool { return !readapi.IsURI(arg) })
}

// severalInputs reports whether args may name more than one file: then answers are labelled with their files.
func severalInputs(args []string) bool {
	if len(args) > 1 {
		return true
	}
	info, err := os.Stat(args[0])
	return err == nil && info.IsDir() && args[0] != stdinName && !readapi.IsURI(args[0])
}

// inputs yields the files that args name, in order, folders walked. It ends when ctx does.
func inputs(ctx context.Context, args []string) iter.Seq[input] {
	return func(yield func(input) bool) {
		for _, arg := range args {
			if arg == stdinName || readapi.IsURI(arg) {
				in := input{shown: arg, stdin: true}
				if arg != stdinName {
					in = input{shown: arg, uri: arg}
				}
				if !yield(in) {
					return
				}
				continue
			}
			if info, err := os.Stat(arg); err == nil && info.IsDir() {
				if !walk(ctx, arg, yield) {
					return
				}
				continue
			}
			if !yield(input{shown: arg, path: arg, name: filepath.Base(arg)}) {
				return
			}
		}
	}
}

// walk yields the regular files below the folder root, in order of name. Names that begin with a dot and symbolic links are left out: the
// first are a program's own, the second lead out of what was named. A folder that cannot be listed is an input that fails, and so is
// root when it has no file at all.
func walk(ctx context.Context, root string, yield func(input) bool) bool {
	found, goOn := false, true
	top, err := filepath.EvalSymlinks(root) // the name that was typed may be a link; WalkDir follows none
	if err != nil {
		return yield(input{shown: root, fail: fileFailure(root, err)})
	}
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		rel, relErr := filepath.Rel(top, path)
		in := input{shown: filepath.Join(root, rel), path: path, name: filepath.Base(path), dir: filepath.Dir(rel)}
		switch {
		case err != nil || relErr != nil:
			in.fail = fileFailure(in.shown, errors.Join(err, relErr))
		case path != top && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		found = true
		if goOn = yield(in); !goOn {
			return fs.SkipAll
		}
		return nil
	})
	if !found && ctx.Err() == nil {
		fail := failed(root, readapi.CodeInvalidRequest, "the folder has no file to read", nil)
		fail.err.Hint = "Names that begin with a dot and symbolic links are left out inside a folder."
		goOn = yield(input{shown: root, fail: fail})
	}
	return goOn && ctx.Err() == nil
}
