package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{
		"1": 1, "100": 100, "1k": 1 << 10, "2KiB": 2 << 10, "3 MiB": 3 << 20, "4M": 4 << 20, "5GB": 5e9, "6gib": 6 << 30, "7b": 7, "8MB": 8e6,
		"": 0, "0": 0, "-1": 0, "+1": 0, "1.5M": 0, "M": 0, "1TiB": 0, "9223372036854775808": 0, "9007199254740992k": 0, "1 2": 0,
	} {
		if n, ok := parseBytes(s); ok != (want != 0) || ok && n != want {
			t.Errorf("%q: %d, %v, want %d", s, n, ok, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 100 << 20: "100 MiB", 5 << 30: "5 GiB", 10 * 1024 * 1023: "10 MiB"} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestInOrder: whatever the order in which they end, results are taken in the order of the items, n at a time and not far ahead.
func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, items = 3, 40
		var running, most, taken atomic.Int64
		inOrder(t.Context(), n, count(items), func(_ context.Context, i int) int {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			if next := taken.Load(); int64(i)-next > 2*n+1 {
				t.Errorf("item %d began while %d was next", i, next)
			}
			time.Sleep(time.Duration((items-i)%7) * time.Second)
			return i
		}, func(i int) bool {
			if want := taken.Add(1) - 1; int64(i) != want {
				t.Errorf("took %d, want %d", i, want)
			}
			return true
		})
		if taken.Load() != items || most.Load() != n {
			t.Errorf("%d taken, %d at once", taken.Load(), most.Load())
		}
	})
}

// TestInOrderEnds: after a refusal or the end of ctx nothing runs on.
func TestInOrderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var started atomic.Int64
		wait := func(ctx context.Context, i int) int {
			started.Add(1)
			<-ctx.Done()
			return i
		}
		inOrder(ctx, 2, count(100), wait, func(int) bool { return true })
		if started.Load() != 2 {
			t.Errorf("%d started", started.Load())
		}
		started.Store(0)
		inOrder(t.Context(), 1, count(100), func(context.Context, int) int { return int(started.Add(1)) }, func(int) bool { return false })
		if started.Load() > 3 {
			t.Errorf("%d started after a refusal", started.Load())
		}
	})
}

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// TestAppendAnswer: answers that were cut anywhere join to the whole.
func TestAppendAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.StringMatching(`[a-c\n]{1,8}`), 1, 6).Draw(t, "units")
		var whole []string
		var answers []*readapi.Document
		total := int64(len(units))
		for i, text := range units {
			at, off := int64(i+1), int64(0)
			whole = append(whole, text)
			for text != "" {
				n := rapid.IntRange(1, len(text)).Draw(t, "cut")
				p := readapi.Part{Type: readapi.PartText, At: at, Offset: off, Text: text[:n], Truncated: n < len(text)}
				d := &readapi.Document{Unit: readapi.UnitPage, Total: total, Covers: readapi.Range{From: at, To: at}, Parts: []readapi.Part{p}, Truncated: p.Truncated}
				d.Warnings = []readapi.Warning{{Code: "whole"}, {Code: "unit", At: at}}
				d.Usage.Fuel = 1
				answers = append(answers, d)
				text, off = text[n:], off+int64(n)
			}
		}
		doc := *answers[0]
		for _, next := range answers[1:] {
			appendAnswer(&doc, next)
		}
		var got []string
		for i, p := range doc.Parts {
			got = append(got, p.Text)
			if p.At != int64(i+1) || p.Truncated || p.Offset != 0 {
				t.Fatalf("part %d is %+v", i, p)
			}
		}
		if !reflect.DeepEqual(got, whole) || doc.Truncated || doc.Covers != (readapi.Range{From: 1, To: total}) {
			t.Fatalf("%q, want %q; %+v", got, whole, doc)
		}
		if len(doc.Warnings) != 1+len(units) || doc.Usage.Fuel != int64(len(answers)) {
			t.Fatalf("%v, fuel %d", doc.Warnings, doc.Usage.Fuel)
		}
	})
}

// TestVisible: the value of JSON text stays the same and nothing in it is hidden.
func TestVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "s") + string(rapid.SampledFrom([]rune{0x7f, 0x85, 0x202e, 0xfeff, 0xe0041, 'x'}).Draw(t, "r"))
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		b = visible(b)
		if i := strings.IndexFunc(string(b), readapi.Hidden); i >= 0 {
			t.Fatalf("%q", b)
		}
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Fatalf("%q, want %q: %v", got, want, err)
		}
	})
}

// TestSafeName: any name becomes one harmless path element, and different names stay different.
func TestSafeName(t *testing.T) {
	for in, want := range map[string]string{"photo.jpg": "photo.jpg", "報告 2.png": "報告 2.png"} {
		if got := safeName(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(`./\-:~`))))
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		x, y := safeName(a), safeName(b)
		switch {
		case x == "" || x == "." || x == ".." || strings.ContainsAny(x, "/\\:\x00") || strings.HasPrefix(x, "-") || strings.HasPrefix(x, "."):
			t.Fatalf("%q became %q", a, x)
		case !utf8.ValidString(x) || strings.ContainsFunc(x, readapi.Hidden) || len(x) > longestName+9:
			t.Fatalf("%q became %q", a, x)
		case a != b && x == y:
			t.Fatalf("%q and %q both became %q", a, b, x)
		}
	})
}

// TestImageDirFailures: a write that fails leaves nothing behind.
func TestImageDirFailures(t *testing.T) {
	dir := t.TempDir()
	d, err := openImageDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.write("../escape.png", []byte("x")); err == nil {
		t.Error("wrote outside the folder")
	}
	if err := os.Symlink(filepath.Dir(dir), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := d.write("out/escape.png", []byte("x")); err == nil {
		t.Error("wrote through a link")
	}
	for range 2 { // the second finds what the first made
		if err := d.writeUnlinked("plain.png", []byte("x")); err != nil {
			t.Error(err)
		}
	}
	if err := d.writeUnlinked("plain.png", []byte("y")); err != errForeign {
		t.Errorf("%v", err)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if err := d.write("late.png", []byte("x")); err == nil {
		t.Error("wrote into a closed folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"out", "plain.png"}) {
		t.Errorf("left behind: %v", names)
	}
}

// TestSpool: a stream becomes random access, in memory or in a file, and one byte over the limit is seen.
func TestSpool(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, c := range []struct{ in, max, want int64 }{{0, 10, 0}, {10, 10, 10}, {11, 10, 11}, {99, 10, 11}, {spoolBytes, 1 << 30, spoolBytes}, {spoolBytes + 5, 1 << 30, spoolBytes + 5}} {
		s, err := spool(t.Context(), io.LimitReader(pattern{}, c.in), c.max)
		if err != nil {
			t.Fatal(err)
		}
		if s.size != c.want {
			t.Errorf("%d bytes under a limit of %d: %d", c.in, c.max, s.size)
		}
		if s.size > 0 {
			last := make([]byte, 1)
			if _, err := s.ReadAt(last, s.size-1); err != nil || last[0] != patternAt(s.size-1) {
				t.Errorf("the last of %d bytes is %v: %v", s.size, last, err)
			}
		}
		// Nor while it is in use: a process that is killed takes nothing back.
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("named while in use: %v, %v", left, err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := spool(ctx, pattern{}, 1<<40); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// pattern is an endless stream.
type pattern struct{}

func patternAt(off int64) byte { return byte(off % spoolBytes % 251) }

func (pattern) Read(b []byte) (int, error) {
	n := min(len(b), 251)
	for i := range n {
		b[i] = byte(i)
	}
	return n, nil
}

// TestLimitFlag: every limit that an error can name has a flag that exists, so hints are true.
func TestLimitFlag(t *testing.T) {
	c := newApp(nil, nil, nil).readCommand()
	for _, name := range strings.Fields("max_input_bytes max_image_input_bytes timeout fuel max_memory_bytes max_output_bytes max_tokens max_pixels max_side max_frames max_total_pixels max_edge") {
		flag := limitFlag(name)
		if flag == "" || c.Flags().Lookup(flag) == nil {
			t.Errorf("%s: no flag %q", name, flag)
		}
	}
	if flag := limitFlag("max_attachment_bytes"); newApp(nil, nil, nil).attachCommand().Flags().Lookup(flag) == nil {
		t.Errorf("max_attachment_bytes: no flag %q", flag)
	}
	for _, name := range []string{"units", "cache", "data", "principal", "session", "jobs", ""} {
		if flag := limitFlag(name); flag != "" {
			t.Errorf("%q: --%s does not raise it", name, flag)
		}
	}
	for _, name := range configurable {
		root := newApp(nil, io.Discard, nil).root()
		read, _, err := root.Find([]string{"read"})
		attach, _, err2 := root.Find([]string{"attach"})
		if err = errors.Join(err, err2); err != nil || read.Flags().Lookup(name) == nil && attach.Flags().Lookup(name) == nil && root.PersistentFlags().Lookup(name) == nil {
			t.Errorf("%s can be configured and is no flag: %v", name, err)
		}
	}
}

// TestExtent: the words of the title line.
func TestExtent(t *testing.T) {
	for _, c := range []struct {
		total, from, to int64
		atLeast         bool
		units, next     string
		want            string
	}{
		{12, 1, 12, false, "", "", "12 pages"},
		{1, 1, 1, false, "", "", "1 page"},
		{12, 3, 5, false, "", "x", "pages 3-5 of 12"},
		{12, 4, 4, false, "4", "", "page 4 of 12"},
		{12, 1, 9, false, "1,9", "", "pages 1,9 of 12"},
		{12, 1, 5, false, "1-5,9", "x", "pages 1-5 of 12"},
		{12, 1, 12, true, "", "x", "pages 1-12 of at least 12"},
		{0, 0, 0, false, "", "", "0 pages"},
	} {
		doc := &readapi.Document{Unit: readapi.UnitPage, Total: c.total, AtLeast: c.atLeast, Covers: readapi.Range{From: c.from, To: c.to}, Next: c.next}
		if got := extent(doc, c.units); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if got := fmt.Sprint(number(3.0), number(int64(4)), number("5")); got != "3 4 0" {
		t.Error(got)
	}
}
