package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
)

// job is what a bad helper was asked for.
type job struct {
	hello.CompileArgs
	wasm []byte
}

func readJob() (j job) {
	var req hello.Request
	err := hello.Read(os.Stdin, &req)
	if err == nil {
		err = json.Unmarshal(req.Args, &j.CompileArgs)
	}
	if err == nil {
		j.wasm = make([]byte, j.Bytes)
		_, err = io.ReadFull(os.Stdin, j.wasm)
	}
	if err != nil {
		panic(err)
	}
	return j
}

// entry makes a sound entry in the job's folder and returns its path.
func (j job) entry() string {
	if err := Produce(context.Background(), Module{Wasm: j.wasm}, Compiler, j.Dir, 1<<30); err != nil {
		panic(err)
	}
	return filepath.Join(j.Dir, filepath.FromSlash(entryPath(j.wasm)))
}

// change makes a sound entry and changes it.
func (j job) change(f func(b []byte) []byte) {
	file := j.entry()
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, f(b), 0o600)
	}
	if err != nil {
		panic(err)
	}
}

func done() int {
	_ = hello.Write(os.Stdout, hello.Reply{Version: hello.Version, Result: hello.Done})
	return 0
}

// badHelpers are helpers that were taken over, or are broken, each in its way. They apply no limits.
var badHelpers = map[string]func() int{
	"deaf":         func() int { select {} },
	"slow":         func() int { readJob(); select {} },
	"dies":         func() int { readJob(); return 7 },
	"dies at once": func() int { return 0 },
	"silent":       func() int { readJob(); return 0 },
	"hog": func() int {
		readJob()
		var all [][]byte
		for range 16 << 10 { // at most 1 GiB
			all = append(all, bytes.Repeat([]byte{1}, 64<<10))
		}
		_ = all
		select {}
	},
	"floods": func() int {
		readJob()
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return 1
			}
		}
	},
	"floods the log": func() int {
		readJob()
		for {
			if _, err := os.Stderr.Write(bytes.Repeat([]byte("\x1b[2J\n"), 1<<20)); err != nil {
				return 1
			}
		}
	},
	"garbage": func() int {
		readJob()
		os.Stdout.Write(binary.LittleEndian.AppendUint32(nil, 1<<32-1))
		return 0
	},
	"not JSON": func() int { readJob(); os.Stdout.Write([]byte{2, 0, 0, 0, 'x', 'y'}); return 0 },
	"tells": func() int {
		told := "told: " + strings.Join(os.Environ(), " ")
		all, _ := os.ReadDir("/proc/self/fd")
		for _, fd := range all {
			to, _ := os.Readlink("/proc/self/fd/" + fd.Name())
			told += " " + to
		}
		os.Stderr.WriteString(told)
		return 1
	},
	"talks on":    func() int { readJob().entry(); done(); os.Stdout.Write([]byte{0}); return 0 },
	"fails after": func() int { readJob().entry(); done(); return 1 },
	"another version": func() int {
		_ = hello.Write(os.Stdout, hello.Reply{Version: hello.Version + 1, Result: hello.OtherVersion, Detail: "\x1b]0;owned\a"})
		return 0
	},
	"another build": func() int { _ = hello.Write(os.Stdout, hello.Reply{Result: hello.OtherBuild}); return 0 },
	"unknown word":  func() int { _ = hello.Write(os.Stdout, hello.Reply{Result: "\x1b[2J"}); return 0 },
	"nothing left":  func() int { readJob(); return done() },
	"a symlink": func() int {
		j := readJob()
		file := j.entry()
		moved := filepath.Join(j.Dir, "..", "tmp-moved")
		_, _ = os.Rename(file, moved), os.Symlink(moved, file)
		return done()
	},
	"another name": func() int {
		j := readJob()
		_ = os.Link(j.entry(), filepath.Join(j.Dir, "..", "tmp-link"))
		return done()
	},
	"a FIFO": func() int {
		j := readJob()
		file := j.entry()
		_ = os.Remove(file)
		if err := mkfifo(file); err != nil {
			panic(err)
		}
		return done()
	},
	"a folder":    func() int { j := readJob(); f := j.entry(); _, _ = os.Remove(f), os.Mkdir(f, 0o700); return done() },
	"open to all": func() int { j := readJob(); _ = os.Chmod(j.entry(), 0o666); return done() },
	"more files": func() int {
		j := readJob()
		j.entry()
		_ = os.WriteFile(filepath.Join(j.Dir, "more"), nil, 0o600)
		return done()
	},
	"own manifest": func() int {
		j := readJob()
		j.entry()
		_ = os.WriteFile(filepath.Join(j.Dir, manifestName), []byte("{}"), 0o600)
		return done()
	},
	"count bomb": func() int {
		readJob().change(func(b []byte) []byte { copy(b[7+b[6]:], "\xff\xff\xff\xff"); return b })
		return done()
	},
	"makes compile": func() int { readJob().change(func(b []byte) []byte { return b[:len(b)-4] }); return done() },
	"old version":   func() int { readJob().change(func(b []byte) []byte { b[8]++; return b }); return done() },
	"too much": func() int {
		readJob().change(func(b []byte) []byte { return append(b, make([]byte, 2<<20)...) })
		return done()
	},
}

// BadHelper is one of them.
func BadHelper(name string) int { return badHelpers[name]() }

// Many compiles the module in file from eight goroutines, and says nothing when all of them could. It is one process of many.
func Many(dir, count, file string) int {
	wasm, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	rt, err := New(&Options{CacheDir: dir, Helper: []string{exe, "counted", count}})
	if err != nil {
		panic(err)
	}
	m := module("many", wasm)
	m.Foreign = true
	_, _ = io.ReadAll(os.Stdin) // all processes begin at once
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p, err := rt.Compile(context.Background(), m)
			if err != nil {
				panic(err)
			}
			if err := p.Close(context.Background()); err != nil {
				panic(err)
			}
		})
	}
	wg.Wait()
	if err := rt.Close(context.Background()); err != nil {
		panic(err)
	}
	return 0
}
