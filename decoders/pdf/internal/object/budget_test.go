package object

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// fileOf is a file of the given objects, from number 1, with no cross-references.
func fileOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return b.Bytes()
}

// catalog and tree are what a file needs to be opened, as objects 1 and 2.
const catalog, tree = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"

func open(t *testing.T, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A file whose table promises more than it has, or whose object numbers are far apart, costs what it has.
func TestTablesAreAsLargeAsTheFile(t *testing.T) {
	body := fileOf(catalog, tree)
	for name, table := range map[string]string{
		"size":  "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Root 1 0 R/Size 8388607>>",
		"first": "xref\n1 1\n0000000009 00000 n \n8000000 1\n0000000009 00000 n \n4000000 1\n0000000009 00000 n \ntrailer\n<</Root 1 0 R>>",
		"count": "xref\n0 8388607\n0000000000 65535 f \ntrailer\n<</Root 1 0 R>>",
	} {
		data := fmt.Appendf(bytes.Clone(body), "%s\nstartxref\n%d\n%%%%EOF", table, len(body))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		open(t, data)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d KiB for %d bytes", name, n>>10, len(data))
		}
	}
}

// Numbers that are far apart are kept beside the table; there is a bound to how many.
func TestSparseEntries(t *testing.T) {
	f := &File{in: bytes.NewReader(nil)}
	f.put(8_000_000, entry{kind: entryPlain, off: 1})
	f.put(10, entry{kind: entryPlain, off: 2})
	f.put(maxObjects+1, entry{kind: entryPlain, off: 3})
	f.put(-1, entry{kind: entryPlain, off: 3})
	for num, off := range map[int]int64{8_000_000: 1, 10: 2} {
		if e := f.entry(num); e == nil || e.off != off {
			t.Errorf("%d is %v", num, e)
		}
	}
	for _, num := range []int{-1, 0, 9, 11, maxObjects + 1} {
		if e := f.entry(num); e != nil {
			t.Errorf("%d is %v", num, e)
		}
	}
	// One that was kept beside the table stays when the table reaches its number.
	f.put(5000, entry{kind: entryPlain, off: 4})
	f.put(4000, entry{kind: entryPlain, off: 5})
	f.put(5001, entry{kind: entryPlain, off: 6})
	if e := f.entry(5000); e == nil || e.off != 4 {
		t.Errorf("5000 is %v", e)
	}
	for i := range maxSparse + 100 {
		f.put(3_000_000+i*2, entry{kind: entryPlain, off: 7})
	}
	if len(f.sparse) > maxSparse || len(f.entries) > maxEntries {
		t.Errorf("%d entries and %d beside them", len(f.entries), len(f.sparse))
	}
}

// What is kept of parsed objects is bounded, and counted as what it takes.
func TestKeptObjects(t *testing.T) {
	const n, items = 300, 2000
	objects := []string{catalog, tree}
	for range n {
		objects = append(objects, "["+strings.Repeat("1 (ab) /N ", items)+"]")
	}
	f := open(t, fileOf(objects...))
	var before, after runtime.MemStats
	f.forget()
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := 0
	for i := range n {
		if f.Object(3+i).Len() != 3*items {
			t.Fatalf("object %d is lost", 3+i)
		}
		most = max(most, len(f.loads))
		if i%10 == 9 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 2*maxKeptBytes {
				t.Fatalf("%d objects take %d MiB", most, used>>20)
			}
		}
	}
	if most == n || f.loadSize > maxKeptBytes {
		t.Errorf("all %d objects are kept, %d bytes", most, f.loadSize)
	}
}

// An object that is larger than the limit is none, and costs no more than the limit.
func TestObjectBytes(t *testing.T) {
	long := "(" + strings.Repeat("x", maxObjectBytes) + ")"
	f := open(t, fileOf(catalog, tree, long, "("+long[len(long)/2:]))
	if !f.Object(3).Null() || len(f.Object(4).Raw()) < maxObjectBytes/2 {
		t.Errorf("%v, %d bytes", f.Object(3).Kind(), len(f.Object(4).Raw()))
	}
}

func TestNesting(t *testing.T) {
	f := open(t, fileOf(catalog, tree, strings.Repeat("[", 100_000)+"1", "<<"+strings.Repeat("/A<<", 100_000)))
	depth := 0
	for n := f.Object(3); n.Is(Array); n = n.Index(0) {
		depth++
	}
	if depth == 0 || depth > maxNesting {
		t.Errorf("%d arrays in each other", depth)
	}
	if !f.Object(4).Is(Dict) {
		t.Error("the dictionary is lost")
	}
}

func TestItems(t *testing.T) {
	p := newParser([]byte("[" + strings.Repeat("1 ", maxItems+100) + "]/End"))
	if o := p.object(0); len(o.kids) != maxItems {
		t.Errorf("%d elements", len(o.kids))
	}
	if end := p.object(0); !end.isName("End") {
		t.Error("what is over the limit is not read past")
	}
}

// References that lead in a circle lead nowhere, whatever the way.
func TestCycles(t *testing.T) {
	f := open(t, fileOf(catalog, tree, "4 0 R", "3 0 R", "5 0 R",
		"<</Length 6 0 R>>\nstream\nx\nendstream", "<</Length 8 0 R>>\nstream\ny\nendstream", "<</Length 7 0 R>>\nstream\nz\nendstream",
		"<</Type/ObjStm/N 1/First 5/Length 10 0 R/Extends 9 0 R>>\nstream\n10 0 9\nendstream"))
	for num := 3; num <= 5; num++ {
		if !f.Object(num).Null() {
			t.Errorf("object %d is %v", num, f.Object(num).Kind())
		}
	}
	for num, want := range map[int]string{6: "x", 7: "y", 8: "z"} {
		if b, err := f.Object(num).Data(10); err != nil || string(b) != want {
			t.Errorf("object %d: %q, %v", num, b, err)
		}
	}
	if n := f.Object(10).Int(); n != 9 {
		t.Errorf("the object in the stream whose length it is: %d", n)
	}
}

// A search is paid for, and a file that makes it long ends with a limit.
func TestSearchIsPaidFor(t *testing.T) {
	old := MaxReadWork
	defer func() { MaxReadWork = old }()
	MaxReadWork = 20_000
	data := append(fileOf(catalog, tree), strings.Repeat("9 0 obj(", 10_000)...)
	err := func() (err error) {
		defer func() {
			if s, ok := recover().(Stop); ok {
				err = s.Err
			}
		}()
		_, err = Open(bytes.NewReader(data), "")
		return err
	}()
	if readapi.CodeOf(err) != readapi.CodeLimitFuel {
		t.Errorf("%v, want limit_fuel", err)
	}
}

// Of many trailers the newest are looked at.
func TestTrailers(t *testing.T) {
	data := fileOf(catalog, tree)
	data = append(data, strings.Repeat("trailer<</Root 2 0 R>>\n", 5000)...)
	data = append(data, "trailer<</Root 1 0 R/Info 2 0 R>>\n"...)
	data = append(data, strings.Repeat("trailer<</Root 7 0 R>>\n", maxTrailers-1)...)
	var s scan
	f := &File{in: bytes.NewReader(data)}
	s.run(f)
	if len(s.trailers) != maxTrailers {
		t.Errorf("%d trailers", len(s.trailers))
	}
	if got := open(t, data).Trailer(); got.Ref("Root") != 1 || got.Ref("Info") != 2 {
		t.Errorf("%v", got.Keys())
	}
}
