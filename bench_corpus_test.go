package glovebox_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/decoders/pdf"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// corpusPDF is a file of BenchmarkPDFCorpus and the times of its rounds.
type corpusPDF struct {
	sampleFile
	path                    string
	pages                   int64
	fuel, memory            int64
	wall, native, pdftotext []time.Duration
}

// The text of all PDFs of three pages and more of GLOVEBOX_CORPUS, a folder, by this project and, where poppler is there, by pdftotext, in
// turns. Ours is the decode alone, through the wall, in one warm process: from the bytes in memory to the checked answer, the instance put
// back to its snapshot each time. Of pdftotext's time, a whole process, that for a file of one line is taken off: its start. "native" is the
// same decoder without the wall. Of the rounds the fastest counts, on each side: what else the machine does only adds. Without a corpus the files are ones that this project makes. make bench-pdf prints it.
func BenchmarkPDFCorpus(b *testing.B) {
	tiny, files := corpusPDFs(b)
	reg := newRegistry(b, plugins.Options{MaxInstances: 1})
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		tool = ""
		b.Log("pdftotext is missing: there is nothing to compare with (apt-get install poppler-utils)")
	}
	b.ResetTimer()
	for b.Loop() {
		for _, f := range append([]*corpusPDF{tiny}, files...) {
			f.round(b, reg, tool)
		}
	}
	start := slices.Min(tiny.pdftotext)
	var ours, theirs time.Duration
	fmt.Fprintf(os.Stderr, "%7s %10s %10s %10s %10s %6s %s\n", "pages", "wall ms", "native ms", "poppler ms", "fuel", "MiB", "file")
	for _, f := range files {
		wall, other := slices.Min(f.wall), max(slices.Min(f.pdftotext)-start, 0)
		ours += wall
		theirs += other
		fmt.Fprintf(os.Stderr, "%7d %10.2f %10.2f %10.2f %10d %6.1f %s\n", f.pages, ms(wall), ms(slices.Min(f.native)), ms(other), f.fuel, float64(f.memory)/(1<<20), filepath.Base(f.path))
	}
	b.ReportMetric(ms(ours), "ms-ours")
	if tool != "" {
		b.ReportMetric(ms(start), "ms-poppler-start")
		b.ReportMetric(ms(theirs), "ms-poppler")
		b.ReportMetric(math.Round(float64(ours)/float64(max(theirs, 1))*100)/100, "ratio")
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// corpusPDFs returns a file of one line, and those that are measured.
func corpusPDFs(b *testing.B) (tiny *corpusPDF, files []*corpusPDF) {
	dir := b.TempDir()
	made := func(name string, data []byte) *corpusPDF {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		return &corpusPDF{sampleFile: sampleFile{name, "application/pdf", data}, path: path}
	}
	tiny = made("tiny.pdf", samples.PDF([][]string{{"One line."}}))
	corpus := os.Getenv("GLOVEBOX_CORPUS")
	if corpus == "" {
		return tiny, []*corpusPDF{made("report.pdf", samples.PDF(samples.Report())), made("thirty.pdf", samples.PDF(thirtyPages()))}
	}
	paths, err := filepath.Glob(filepath.Join(corpus, "*.pdf"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		f := &corpusPDF{sampleFile: sampleFile{filepath.Base(path), "application/pdf", data}, path: path}
		res, err := pdk.Run(&pdf.Decoder, bytes.NewReader(data), f.request())
		if f.pages = res.Total; err == nil && f.pages >= 3 {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		b.Fatal("the corpus has no PDF of three pages")
	}
	return tiny, files
}

// request asks for the whole text.
func (f *corpusPDF) request() readapi.Request {
	req := request(f.sampleFile)
	req.Form = readapi.FormText
	return req
}

// round reads the file once by each.
func (f *corpusPDF) round(b *testing.B, reg *plugins.Registry, tool string) {
	info := reg.Accepts("application/pdf")[0]
	req := f.request()
	for start := time.Now(); ; {
		res, err := reg.Decode(b.Context(), info, readapi.Decoding{Input: bytes.NewReader(f.data), Request: req, Limits: readapi.DefaultLimits()})
		if err != nil {
			b.Fatalf("%s: %v", f.path, err)
		}
		if res.Next == nil {
			f.wall = append(f.wall, time.Since(start))
			f.fuel, f.memory = res.Usage.Fuel, res.Usage.MemoryBytes
			break
		}
		req.Start = *res.Next
	}
	start := time.Now()
	if _, err := pdk.Run(&pdf.Decoder, bytes.NewReader(f.data), f.request()); err != nil {
		b.Fatal(err)
	}
	f.native = append(f.native, time.Since(start))
	if tool == "" {
		return
	}
	start = time.Now()
	// A file that pdftotext complains about is still one that it reads.
	if out, err := exec.Command(tool, f.path, "-").Output(); err != nil && len(out) == 0 {
		b.Fatalf("pdftotext %s: %v", f.path, err)
	}
	f.pdftotext = append(f.pdftotext, time.Since(start))
}
