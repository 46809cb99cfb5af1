// Command guest is a hostile decoder in Go, with Go's whole runtime: the first line of the input says what it does.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func main() {}

func init() {
	pdk.Serve(&pdk.Decoder{
		Name: "hostile-go", Version: "6.6.6", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: readapi.UnitLine,
		Samples: []pdk.Sample{{MediaType: "text/plain", Data: []byte("memo\na sample")}}, Decode: decode,
	})
}

func decode(in readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
	b := make([]byte, in.Size())
	if _, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
		return err
	}
	line, rest, _ := strings.Cut(string(b), "\n")
	verb, arg, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(arg)
	act := acts()[verb]
	if act == nil {
		return pdk.Malformed("there is no such attack")
	}
	return act(n, rest, w)
}

type act = func(n int, rest string, w *pdk.Writer) error

func acts() map[string]act {
	return map[string]act{
		"memo":  func(_ int, rest string, w *pdk.Writer) error { return memo(rest, w) },
		"world": func(_ int, _ string, w *pdk.Writer) error { return w.Text(1, world()) },
		"fail":  func(_ int, rest string, _ *pdk.Writer) error { return pdk.Malformed(rest) },
		"limit": func(_ int, rest string, _ *pdk.Writer) error {
			return pdk.OverLimit(readapi.CodeLimitPixels, rest, 1, 2)
		},
		"warn": func(_ int, rest string, w *pdk.Writer) error {
			if err := w.Warn(rest[:min(60, len(rest))], rest, 1); err != nil {
				return err
			}
			return w.Text(1, "warned")
		},
		"panic":  func(_ int, rest string, _ *pdk.Writer) error { panic(rest) },
		"exit":   func(n int, _ string, _ *pdk.Writer) error { os.Exit(n); return nil },
		"stdout": func(n int, rest string, w *pdk.Writer) error { return print(os.Stdout, n, rest, w) },
		"stderr": func(n int, rest string, w *pdk.Writer) error { return print(os.Stderr, n, rest, w) },
		"log": func(n int, rest string, w *pdk.Writer) error {
			for range n {
				pdk.Log(3, rest)
			}
			return w.Text(1, "logged")
		},
		"sleep":  sleep,
		"alloc":  alloc,
		"depth":  func(n int, _ string, w *pdk.Writer) error { return w.Text(1, strconv.Itoa(depth(n))) },
		"select": func(int, string, *pdk.Writer) error { select {} },
		"spin": func(n int, _ string, _ *pdk.Writer) error {
			for n = 0; ; n++ {
			}
		},
		"lines": func(n int, rest string, w *pdk.Writer) error {
			for k := range n {
				if err := w.Line(int64(k+1), rest+"\n"); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// What a decoder in Go may keep by mistake or on purpose: a variable, a map, a channel, the stack of a goroutine that waits.
var (
	kept   []string
	byName = map[string]string{}
	queue  = make(chan string, 1<<10)
	held   = make(chan chan string, 1<<10)
)

func memo(rest string, w *pdk.Writer) error {
	err := w.Text(1, rest)
	if err != nil {
		return err
	}
	var found []string
	found = append(found, kept...)
	for _, v := range byName {
		found = append(found, v)
	}
	for len(queue) > 0 {
		found = append(found, <-queue)
	}
	for len(held) > 0 {
		found = append(found, <-<-held)
	}
	rest = strings.Clone(rest)
	kept, byName[rest] = append(kept, rest), rest
	queue <- rest
	give := make(chan string)
	held <- give
	go func() { give <- rest }()
	time.Sleep(time.Millisecond) // the goroutine runs up to where it waits
	return w.Text(2, fmt.Sprint(len(found), " kept: ", strings.Join(found, " ")))
}

// world is everything that could differ from read to read, or tell of the machine.
func world() string {
	start := time.Now()
	time.Sleep(time.Hour)
	var b strings.Builder
	fmt.Fprintln(&b, start.UTC(), time.Since(start), os.Args, os.Environ(), os.Getpid())
	for _, name := range []string{"/", "/etc/passwd", "/proc/self/environ", ".", "/dev/urandom", "/tmp/x"} {
		_, err := os.ReadFile(name)
		fmt.Fprintln(&b, name, err)
	}
	err := os.WriteFile("/tmp/hostile", []byte("x"), 0o600)
	fmt.Fprintln(&b, "write", err)
	order := ""
	for k := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5} {
		order += k
	}
	host, err := os.Hostname()
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	fmt.Fprintf(&b, "%s %s %v %x %d\n", order, host, err != nil, random, mathrand.Int())
	return b.String()
}

func print(f *os.File, n int, text string, w *pdk.Writer) error {
	for range n {
		_, _ = f.WriteString(text)
	}
	return w.Text(1, "printed")
}

func sleep(n int, _ string, w *pdk.Writer) error {
	start := time.Now()
	for range n {
		time.Sleep(1000 * time.Hour)
	}
	return w.Text(1, fmt.Sprint(time.Since(start)))
}

func alloc(n int, _ string, w *pdk.Writer) error {
	var all [][]byte
	for range n {
		b := make([]byte, 1<<20)
		b[len(b)/2] = 1
		all = append(all, b)
	}
	return w.Text(1, strconv.Itoa(len(all)))
}

//go:noinline
func depth(n int) int {
	if n == 0 {
		return 0
	}
	return depth(n-1) + 1
}
