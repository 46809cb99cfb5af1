// Command guest is a decoder for the sandbox's own tests: the request's name says what it does with the input.
package main

import (
	"fmt"
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
		Name: "sandbox-test", Version: "1.0.0", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: readapi.UnitLine,
		Samples: []pdk.Sample{{MediaType: "text/plain", Data: []byte("a sample\nof two lines\n")}},
		Decode:  decode,
	})
}

// kept outlives a read inside the guest; the host must put it back.
var kept []byte

func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	verb, arg, _ := strings.Cut(req.Name, " ")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "sum": // read everything in large pieces
		return sum(in, w, max(n, 64<<10))
	case "memo": // tell what is left of the last read
		err := w.Text(1, fmt.Sprintf("%d bytes left: %s", len(kept), kept))
		kept = make([]byte, in.Size())
		_, _ = in.ReadAt(kept, 0)
		return err
	case "depth":
		return w.Text(1, strconv.Itoa(depth(n)))
	case "alloc": // MiB
		return w.Text(1, strconv.Itoa(alloc(n)))
	case "panic":
		panic("as told")
	case "exit":
		fmt.Println("going, with status", n)
		os.Exit(n)
	case "world": // everything that the outside could tell
		return w.Text(1, world())
	case "spin":
		for n = 0; ; n++ {
		}
	}
	return lines(in, w)
}

func sum(in readapi.Input, w *pdk.Writer, piece int) error {
	buf := make([]byte, piece)
	var total, sum int64
	for total < in.Size() {
		k, err := in.ReadAt(buf, total)
		if k == 0 && err != nil {
			return err
		}
		sum += int64(buf[0])
		total += int64(k)
	}
	return w.Text(1, fmt.Sprint(total, " ", sum))
}

func lines(in readapi.Input, w *pdk.Writer) error {
	b := make([]byte, in.Size())
	if _, err := in.ReadAt(b, 0); err != nil && len(b) > 0 {
		return err
	}
	all := strings.SplitAfter(string(b), "\n")
	w.Total(int64(len(all)), false)
	for k, l := range all {
		if err := w.Line(int64(k+1), l); err != nil {
			return err
		}
	}
	return nil
}

//go:noinline
func depth(n int) int {
	if n == 0 {
		return 0
	}
	return depth(n-1) + 1
}

func alloc(mib int) int {
	var all [][]byte
	total := 0
	for range mib {
		b := make([]byte, 1<<20)
		b[len(b)/2] = 1
		all = append(all, b)
		total += len(all[len(all)-1])
	}
	return total
}

func world() string {
	start := time.Now()
	time.Sleep(time.Hour)
	dir, err := os.ReadDir("/")
	seed := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}
	order := ""
	for k := range seed {
		order += k
	}
	return fmt.Sprint(start.UTC(), time.Since(start), os.Args, os.Environ(), dir, err != nil, order)
}
