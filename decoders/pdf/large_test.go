package pdf

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// largeFiles are documents of 1,000 pages and 100 MB, in the layouts that files have.
func largeFiles() map[string]pdftest.Large {
	out := map[string]pdftest.Large{}
	for _, layout := range []string{"table", "stream", "linear"} {
		out[layout] = pdftest.Large{Pages: 1000, Fat: 103 << 10, Layout: layout}
		out[layout+"-flat"] = pdftest.Large{Pages: 1000, Fat: 103 << 10, Layout: layout, Flat: true}
	}
	return out
}

// One page of a large file costs the end of the file, the cross-references, the way through the page tree and what the page needs: not its
// picture, and not other pages.
func TestPage900(t *testing.T) {
	for name, l := range largeFiles() {
		s := l.File()
		if s.Size() < 100<<20 {
			t.Fatalf("%s: %d bytes", name, s.Size())
		}
		for _, at := range []int64{1, 900, 1000} {
			s.Read, s.Reads = 0, 0
			res, err := pdk.Run(&Decoder, s, readapi.Request{Form: readapi.FormText, Units: []readapi.Range{{From: at, To: at}}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wantText(t, readapi.Result{Parts: res.Parts[:1]}, fmt.Sprintf("This is page %d\n", at))
			if res.Total != 1000 {
				t.Errorf("%s: %d pages", name, res.Total)
			}
			// A table of 5,023 entries has 100 kB, and the 20 nodes of the tree stand 5 MB apart.
			if most := int64(256 << 10); s.Read > most {
				t.Errorf("%s: page %d reads %d bytes in %d reads, want %d at most", name, at, s.Read, s.Reads, most)
			}
		}
	}
}

// What one page of a large file takes in memory is bounded by what is read of it.
func TestPage900Memory(t *testing.T) {
	for name, l := range largeFiles() {
		s := l.File()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := pdk.Run(&Decoder, s, readapi.Request{Form: readapi.FormText, Units: []readapi.Range{{From: 900, To: 900}}}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > 4<<20 {
			t.Errorf("%s: %d KiB are allocated", name, all>>10)
		} else {
			t.Logf("%s: %d KiB are allocated", name, all>>10)
		}
	}
}

func BenchmarkPage900(b *testing.B) {
	for _, name := range []string{"table", "stream", "linear", "table-flat"} {
		s := largeFiles()[name].File()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s.Read, s.Reads = 0, 0
			n := 0
			for b.Loop() {
				n++
				if _, err := pdk.Run(&Decoder, s, readapi.Request{Form: readapi.FormText, Units: []readapi.Range{{From: 900, To: 900}}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Read)/float64(n), "read-B/op")
			b.ReportMetric(float64(s.Reads)/float64(n), "reads/op")
			b.ReportMetric(float64(s.Size()), "file-B")
		})
	}
}
