//go:build corpus

package glovebox_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// corpusFiles are the files of a folder that lies outside the project, but for those whose names end in one of without.
func corpusFiles(t *testing.T, without ...string) (names []string) {
	t.Helper()
	dir := os.Getenv("GLOVEBOX_CORPUS")
	entries, err := os.ReadDir(dir)
	if err != nil || dir == "" {
		t.Fatalf("GLOVEBOX_CORPUS names no folder: %q, %v", dir, err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !slices.Contains(without, strings.ToLower(filepath.Ext(e.Name()))) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if len(names) == 0 {
		t.Fatalf("nothing to read lies in %q", dir)
	}
	return names
}

// corpusPictures are those of make corpus-image.
func corpusPictures(t *testing.T) []string {
	return corpusFiles(t, ".tsv", ".txt", ".md", ".json", ".svg")
}

// corpusRuns is how often each file is read.
const corpusRuns = 10

// TestCorpusImages reads every picture of the folder ten times through the wall, on whichever instance comes, then twice for a profile, and
// twice for another that lets files leave as they are: the same bytes come out, and they are pixels and nothing else.
func TestCorpusImages(t *testing.T) {
	r := newReader(t, glovebox.Options{})
	profiles := []glovebox.Profile{"", glovebox.ProfileSafe, glovebox.ProfileGemini}
	var files, answers, refused, pictures, asTheyAre int
	for _, name := range corpusPictures(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files++
		base := filepath.Base(name)
		for i, p := range profiles {
			opts := &glovebox.ReadOptions{Profile: p, Original: i == len(profiles)-1}
			var first []byte
			runs := 2
			if i == 0 {
				runs = corpusRuns
			}
			for n := range runs {
				doc, err := r.ReadFile(t.Context(), bytes.NewReader(data), int64(len(data)), base, opts)
				got := outcome(t, doc, err)
				answers++
				if n == 0 {
					first = got
					if err != nil {
						refused++
						continue
					}
					for _, part := range doc.Document.Parts {
						if part.Image == nil {
							continue
						}
						pictures++
						if what := besidePixels(part.Image); what != "" {
							t.Errorf("%s: what leaves has %s", base, what)
						}
						if bytes.Equal(part.Image.Bytes, data) {
							asTheyAre++
						}
					}
				} else if !bytes.Equal(got, first) {
					t.Errorf("%s: run %d for %q differs:\n%.300s\n%.300s", base, n, p, got, first)
				}
			}
		}
	}
	t.Logf("%d files: %d reads, %d times refused, %d pictures, %d of them the file itself; nothing but pixels, the same in every run", files, answers, refused, pictures, asTheyAre)
}

// TestCorpusTexts reads every file of the folder ten times through the wall (make corpus-text), as it is shown and as it stands.
func TestCorpusTexts(t *testing.T) {
	r := newReader(t, glovebox.Options{})
	var files, refused int
	for _, name := range corpusFiles(t, ".tsv") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files++
		for _, form := range []readapi.Form{readapi.FormAuto, readapi.FormSource} {
			var first []byte
			for n := range corpusRuns {
				doc, err := r.ReadFile(t.Context(), bytes.NewReader(data), int64(len(data)), filepath.Base(name), &glovebox.ReadOptions{Form: form})
				got := outcome(t, doc, err)
				if n == 0 {
					if first = got; err != nil {
						refused++
					}
				} else if !bytes.Equal(got, first) {
					t.Errorf("%s, %s: run %d differs:\n%.300s\n%.300s", filepath.Base(name), form, n, got, first)
				}
			}
		}
	}
	t.Logf("%d files: %d reads, %d of %d requests refused, the same in every run", files, 2*corpusRuns*files, refused, 2*files)
}

// outcome is what came of a read, without what depends on the machine.
func outcome(t *testing.T, doc *glovebox.Document, err error) []byte {
	t.Helper()
	if err != nil {
		return []byte(err.Error())
	}
	d := doc.Document
	d.Usage = readapi.Usage{EstTokens: d.Usage.EstTokens, Fuel: d.Usage.Fuel}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// besidePixels names what an encoded picture has that no pixel needs, "" when there is nothing.
func besidePixels(m *readapi.Image) string {
	if m.MediaType == "image/png" {
		return besidePNG(m.Bytes)
	}
	return besideJPEG(m.Bytes)
}

func besidePNG(b []byte) string {
	const magic = 8
	for i := magic; ; {
		if len(b)-i < 12 {
			return "an end that is cut"
		}
		n, name := int(binary.BigEndian.Uint32(b[i:])), string(b[i+4:i+8])
		if !slices.Contains([]string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}, name) || n > len(b)-i-12 {
			return "the chunk " + strconv.Quote(name)
		}
		i += 12 + n
		if name != "IEND" {
			continue
		}
		if i < len(b) {
			return "bytes behind its end"
		}
		return ""
	}
}

func besideJPEG(b []byte) string {
	for i := 2; i+4 <= len(b); {
		marker, n := b[i+1], int(binary.BigEndian.Uint16(b[i+2:]))
		switch {
		case b[i] != 0xff:
			return "bytes between segments"
		case marker == 0xe0 && n == 16, marker == 0xee && n == 14: // JFIF without a thumbnail, Adobe
		case marker == 0xc0, marker == 0xc1, marker == 0xc2, marker == 0xc4, marker == 0xdb, marker == 0xdd, marker == 0xda:
		default:
			return "the segment " + strconv.Itoa(int(marker))
		}
		i += 2 + n
		if marker != 0xda {
			continue
		}
		for i+1 < len(b) && (b[i] != 0xff || b[i+1] == 0 || 0xd0 <= b[i+1] && b[i+1] <= 0xd7) {
			i++
		}
		if i+2 == len(b) && b[i+1] == 0xd9 {
			return ""
		}
	}
	return "no end, or bytes behind it"
}

// What a bomb may take: it says that it is one before anything is allocated for it.
const (
	maxBombTime   = 100 * time.Millisecond
	maxBombMemory = 64 // MiB, that the process may grow by over a picture of one pixel
)

// TestCorpusBombs reads the files that are called bombs, each in a process of its own: the code is a limit's, at once, and the process hardly
// grows. What it has before is the program, its compiled decoder and this test.
func TestCorpusBombs(t *testing.T) {
	if name := os.Getenv("GLOVEBOX_BOMB"); name != "" { // one of those processes
		readBomb(t, name)
		return
	}
	bombs := 0
	for _, name := range corpusPictures(t) {
		base := filepath.Base(name)
		if !strings.Contains(base, "bomb") || strings.HasPrefix(base, "decompression_bomb") { // some that are called so are pictures
			continue
		}
		bombs++
		out, _ := child(t, "TestCorpusBombs", "GLOVEBOX_BOMB="+name)
		_, rest, ok := strings.Cut(out, "bomb: ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 4 {
			t.Errorf("%s: %s", base, out)
			continue
		}
		took, err := time.ParseDuration(fields[1])
		before, err2 := strconv.ParseFloat(fields[2], 64)
		after, err3 := strconv.ParseFloat(fields[3], 64)
		err = cmp.Or(err, err2, err3)
		t.Logf("%-40s %-13s %8v, %.1f MiB resident before, %.1f at most", base, fields[0], took, before, after)
		if err != nil || !strings.HasPrefix(fields[0], "limit_") || took > maxBombTime || after-before > maxBombMemory {
			t.Errorf("%s: want limit_* within %v and %d MiB", base, maxBombTime, maxBombMemory)
		}
	}
	if bombs == 0 {
		t.Error("no file of the folder is called a bomb: nothing was measured")
	}
}

// readBomb reads one bomb. The read that is timed is the second: the first loads the decoder, on a file of no harm.
func readBomb(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, glovebox.Options{OneShot: true})
	harmless := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	if _, err := r.ReadFile(t.Context(), bytes.NewReader(harmless), int64(len(harmless)), "a.gif", nil); err != nil {
		t.Fatal(err)
	}
	before, start := peak(t), time.Now()
	_, err = r.ReadFile(t.Context(), bytes.NewReader(data), int64(len(data)), filepath.Base(name), nil)
	t.Logf("bomb: %s %v %.1f %.1f", readapi.CodeOf(err), time.Since(start).Round(100*time.Microsecond), before, peak(t))
}

// peak is the largest resident memory of this process since it began, in MiB. What the parent is told of it when it ends counts the parent's
// own, from before this program was loaded.
func peak(t *testing.T) float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest + " x")[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}
