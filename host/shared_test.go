package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/filecache"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// shelf is a shared cache in memory, which can be made slow or broken.
type shelf struct {
	mu    sync.Mutex
	kept  map[string][]byte
	asked int
	trims []int64
	get   func(ctx context.Context) error // before a Get
	put   func(ctx context.Context) error // before a Put
}

func newShelf() *shelf { return &shelf{kept: map[string][]byte{}} }

func (c *shelf) Get(ctx context.Context, key string) ([]byte, bool, error) {
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	if c.get != nil {
		if err := c.get(ctx); err != nil {
			return nil, false, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.kept[key]
	return bytes.Clone(b), ok, nil
}

func (c *shelf) Put(ctx context.Context, key string, value []byte) error {
	if c.put != nil {
		if err := c.put(ctx); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[key] = bytes.Clone(value)
	return nil
}

func (c *shelf) Trim(_ context.Context, most int64) (store.Usage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trims = append(c.trims, most)
	return store.Usage{}, nil
}

func (c *shelf) Close() error { return nil }

func (c *shelf) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept)
}

// What one host has decoded another answers with, also after a restart: the same answer, to the same principal only, and it says so.
func TestSharedCache(t *testing.T) {
	p, c := newPlace(), newShelf()
	opts := &host.Options{Cache: c}
	qa, qb := newQuick(), newQuick()
	a, b := host.Patient(p.open(t, qa, opts)), host.Patient(p.open(t, qb, opts))
	file := attach(t, a.Session(scope("s")), "a.txt", "the words of the file")
	first := read(t, a.Session(scope("s")), file.Resource, readapi.Selection{})
	host.SharedDone(a)
	for range 2 { // the second time from memory
		again := read(t, b.Session(scope("s")), file.Resource, readapi.Selection{})
		if d := sameAnswer(first, again); d != "" || !again.Usage.Cached || qb.decoded.Load() != 0 {
			t.Errorf("cached %v, %d decodes, %s", again.Usage.Cached, qb.decoded.Load(), d)
		}
	}
	if got, want := b.CacheCounts(), (host.CacheCounts{Hits: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	stranger := readapi.Scope{Principal: "stranger", Session: "s"}
	if doc := read(t, b.Session(stranger), attach(t, b.Session(stranger), "a.txt", "the words of the file").Resource, readapi.Selection{}); doc.Usage.Cached {
		t.Error("one principal is told what another has read")
	}
	for name, size := range map[string]int64{"again": 0, "again, without memory": -1} {
		again := host.Patient(p.open(t, newQuick(), &host.Options{Cache: c, CacheBytes: size}))
		for range 2 {
			if doc := read(t, again.Session(scope("s")), file.Resource, readapi.Selection{}); !doc.Usage.Cached || sameAnswer(first, doc) != "" {
				t.Errorf("%s: %+v", name, doc)
			}
		}
	}
	for key, value := range c.kept {
		if !store.ValidDigest(key) || bytes.Contains(value, []byte("read 21 bytes")) || bytes.Contains(value, []byte("a.txt")) {
			t.Errorf("the cache knows %q of %q", value, key)
		}
	}
}

// What a password opens stays in the process that was given it.
func TestSharedCachePassword(t *testing.T) {
	c := newShelf()
	h := host.Patient(newPlace().open(t, withBoxes(), &host.Options{Cache: c}))
	s := h.Session(scope("s"))
	a := attach(t, s, "locked.zip", string(boxtest.Zip("pw", text("a.txt", "x"))))
	for n := range 2 {
		if doc := read(t, s, a.Resource, readapi.Selection{Password: "pw", Child: []int{1}}); doc.Usage.Cached != (n == 1) {
			t.Errorf("%d: cached %v", n, doc.Usage.Cached)
		}
	}
	host.SharedDone(h)
	if c.len() != 0 || c.asked != 0 {
		t.Errorf("%d answers, asked %d times", c.len(), c.asked)
	}
}

// A damaged answer, and one that lies under another's key, is as if it were not there.
func TestSharedCacheDamaged(t *testing.T) {
	p, c, q := newPlace(), newShelf(), newQuick()
	opts := &host.Options{Cache: c, CacheBytes: -1}
	h := host.Patient(p.open(t, q, opts))
	s := h.Session(scope("s"))
	one, two := attach(t, s, "a.txt", "one"), attach(t, s, "b.txt", "twotwo")
	want := map[string]*readapi.Document{}
	for _, a := range []readapi.Attachment{one, two} {
		want[a.Resource] = read(t, s, a.Resource, readapi.Selection{})
	}
	host.SharedDone(h)
	good := maps.Clone(c.kept)
	keys := slices.Sorted(maps.Keys(good))
	if len(keys) != 2 {
		t.Fatal(len(keys), "answers")
	}
	bad := map[string]func(){
		"swapped": func() { c.kept[keys[0]], c.kept[keys[1]] = good[keys[1]], good[keys[0]] },
		"empty":   func() { c.kept[keys[0]], c.kept[keys[1]] = nil, nil },
		"short":   func() { c.kept[keys[0]], c.kept[keys[1]] = good[keys[0]][:10], good[keys[1]][:len(good[keys[1]])-1] },
	}
	for bit := range 64 {
		bad[fmt.Sprint("bit ", bit)] = func() {
			for _, k := range keys {
				b := bytes.Clone(good[k])
				b[len(b)*bit/64] ^= 1 << (bit % 8)
				c.kept[k] = b
			}
		}
	}
	for name, damage := range bad {
		damage()
		before, decoded := h.CacheCounts().Damaged, q.decoded.Load()
		for uri, want := range want {
			if doc := read(t, s, uri, readapi.Selection{}); sameAnswer(want, doc) != "" || doc.Usage.Cached {
				t.Errorf("%s: %+v", name, doc)
			}
		}
		host.SharedDone(h)
		if n, d := h.CacheCounts().Damaged-before, q.decoded.Load()-decoded; n != 2 || d != 2 {
			t.Errorf("%s: %d were found damaged, %d decoded", name, n, d)
		}
		if doc := read(t, s, one.Resource, readapi.Selection{}); !doc.Usage.Cached {
			t.Errorf("%s: it was not made good", name)
		}
	}
}

// A cache that hangs, in whatever it is asked, costs a read fifty milliseconds once a second, and Close a bounded time; one that fails costs
// nothing.
func TestSharedCacheSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newShelf()
		deaf := make(chan struct{}) // it does not even hear that its context has ended
		hang := func(context.Context) error { <-deaf; return nil }
		c.get, c.put = hang, hang
		h := newPlace().open(t, newQuick(), &host.Options{Cache: c, CacheBytes: -1})
		s := h.Session(scope("s"))
		a := attach(t, s, "a.txt", "hello")
		took := func() time.Duration {
			start := time.Now()
			read(t, s, a.Resource, readapi.Selection{})
			return time.Since(start)
		}
		for round := range 3 {
			if d := took(); d != 50*time.Millisecond {
				t.Errorf("round %d: it was waited for %v", round, d)
			}
			for range 5 {
				if d := took(); d != 0 {
					t.Errorf("round %d: while it rests, a read takes %v", round, d)
				}
			}
			time.Sleep(1100 * time.Millisecond)
		}
		for range 200 {
			_ = took()
			time.Sleep(1100 * time.Millisecond)
		}
		counts := h.CacheCounts()
		if counts.Late != 64 || counts.Hits+counts.Misses != 0 || counts.Skipped == 0 {
			t.Errorf("%+v: it is asked without end", counts)
		}
		start := time.Now()
		if err := h.Close(); err != nil || time.Since(start) > 10*time.Second {
			t.Errorf("Close takes %v, %v", time.Since(start), err)
		}
		close(deaf)
	})
}

func TestSharedCacheFails(t *testing.T) {
	c := newShelf()
	fail := func(context.Context) error { return errors.New("it is broken") }
	c.get, c.put = fail, fail
	q := newQuick()
	h := host.Patient(newPlace().open(t, q, &host.Options{Cache: c, CacheBytes: -1}))
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "hello")
	for range 3 {
		if doc := read(t, s, a.Resource, readapi.Selection{}); doc.Usage.Cached {
			t.Error("cached by a broken cache")
		}
		host.SharedDone(h)
	}
	if got, want := h.CacheCounts(), (host.CacheCounts{Failed: 6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	bad := attach(t, s, "a.txt", "refuse malformed_input")
	c.get, c.put = nil, nil
	_, err := s.Read(t.Context(), bad.Resource, readapi.Selection{}, nil)
	wantCode(t, "a damaged file", err, readapi.CodeMalformed)
	host.SharedDone(h)
	if c.len() != 0 {
		t.Error("an error is kept")
	}
}

// The cache is trimmed to its size once about an eighth of it has been put, and an answer that is very large is not put.
func TestSharedCacheSize(t *testing.T) {
	c := newShelf()
	q := &sizedAnswers{quick: newQuick(), n: 64 << 10}
	h := host.Patient(newPlace().open(t, q, &host.Options{Cache: c, SharedCacheBytes: 4 << 20}))
	s := h.Session(scope("s"))
	all := readapi.Selection{MaxTokens: -1}
	for i := range 200 { // 25 eighths
		read(t, s, attach(t, s, "a.txt", fmt.Sprint("file ", i)).Resource, all)
		host.SharedDone(h)
	}
	if n := len(c.trims); n < 5 || n > 60 || c.trims[0] != 4<<20 {
		t.Errorf("trimmed %d times, to %v", n, c.trims[:min(n, 3)])
	}
	before := c.len()
	q.n = 5 << 20
	read(t, s, attach(t, s, "a.txt", "large").Resource, all)
	host.SharedDone(h)
	if c.len() != before {
		t.Error("an answer of 5 MiB is kept")
	}
}

// An answer reads back exactly, whatever is in it, under its own key alone.
func TestSealed(t *testing.T) {
	str := rapid.StringN(-1, -1, 40)
	raw := rapid.Custom(func(t *rapid.T) []byte {
		if rapid.IntRange(0, 3).Draw(t, "nil") == 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes")
	})
	part := rapid.Custom(func(t *rapid.T) readapi.Part {
		p := readapi.Part{
			Type: readapi.PartType(str.Draw(t, "type")), Unit: readapi.Unit(str.Draw(t, "unit")), At: rapid.Int64().Draw(t, "at"), Offset: rapid.Int64().Draw(t, "offset"),
			Text: str.Draw(t, "text"), Data: raw.Draw(t, "data"), EstTokens: rapid.Int64().Draw(t, "tokens"), Truncated: rapid.Bool().Draw(t, "truncated"),
		}
		if rapid.Bool().Draw(t, "image") {
			p.Image = &readapi.Image{MediaType: readapi.MediaType(str.Draw(t, "type")), Width: rapid.Int().Draw(t, "w"), Height: rapid.Int().Draw(t, "h"), Bytes: raw.Draw(t, "bytes"), File: str.Draw(t, "file")}
		}
		return p
	})
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		kinds := []*rapid.Generator[any]{rapid.Just[any](nil), str.AsAny(), rapid.Bool().AsAny(), rapid.Float64().AsAny()}
		if depth > 0 {
			kinds = append(kinds, rapid.SliceOfN(value(depth-1), 0, 3).AsAny(), rapid.MapOfN(str, value(depth-1), 0, 3).AsAny())
		}
		return rapid.OneOf(kinds...)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := readapi.Document{
			URI: str.Draw(t, "uri"), Child: str.Draw(t, "child"), Name: str.Draw(t, "name"), MediaType: readapi.MediaType(str.Draw(t, "media type")),
			Bytes: rapid.Int64().Draw(t, "bytes"), SHA256: str.Draw(t, "sum"), Total: rapid.Int64().Draw(t, "total"), AtLeast: rapid.Bool().Draw(t, "at least"),
			Covers: readapi.Range{From: rapid.Int64().Draw(t, "from"), To: rapid.Int64().Draw(t, "to")}, Next: str.Draw(t, "next"), Truncated: rapid.Bool().Draw(t, "truncated"),
			Decoder: readapi.DecoderInfo{Name: str.Draw(t, "decoder"), Version: str.Draw(t, "version")}, Usage: readapi.Usage{Fuel: rapid.Int64().Draw(t, "fuel"), Cached: rapid.Bool().Draw(t, "cached")},
			Parts: rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), Meta: rapid.MapOfN(str, value(2), 0, 4).Draw(t, "meta"),
			Children: rapid.SliceOfN(rapid.Make[readapi.Child](), 0, 2).Draw(t, "children"), Warnings: rapid.SliceOfN(rapid.Make[readapi.Warning](), 0, 2).Draw(t, "warnings"),
		}
		if rapid.Bool().Draw(t, "bare") {
			d.Parts, d.Meta, d.Children, d.Warnings = nil, nil, nil, nil
		}
		b := host.Seal([32]byte{1}, &d)
		got := host.Unseal([32]byte{1}, b)
		if got == nil || cmp.Diff(&d, got) != "" {
			t.Fatalf("%s", cmp.Diff(&d, got))
		}
		if host.Unseal([32]byte{2}, b) != nil {
			t.Fatal("it opens under another key")
		}
	})
	odd := readapi.Document{Meta: map[string]any{"n": int64(1) << 60}}
	if host.Seal([32]byte{1}, &odd) != nil {
		t.Error("a number that JSON would change is kept")
	}
	if !strings.HasPrefix(string(host.Seal([32]byte{1}, &readapi.Document{})), "gba1") {
		t.Error("the form has no name")
	}
}

// The caches that there are serve two hosts, and what they hold is made again when it is trimmed away.
func TestSharedCacheDrivers(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) store.CacheDriver{
		"postgres": func(t *testing.T) store.CacheDriver {
			driver, err := pgindex.Open(t.Context(), pgtest.URL(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = driver.Close() })
			return driver.Answers()
		},
		"files": func(t *testing.T) store.CacheDriver {
			c, err := filecache.Open(filepath.Join(t.TempDir(), "answers"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, c := newPlace(), open(t)
			opts := &host.Options{Cache: c, CacheBytes: -1}
			a, b := host.Patient(p.open(t, newQuick(), opts)), host.Patient(p.open(t, newQuick(), opts))
			file := attach(t, a.Session(scope("s")), "a.txt", "the words of the file")
			first := read(t, a.Session(scope("s")), file.Resource, readapi.Selection{})
			host.SharedDone(a)
			if doc := read(t, b.Session(scope("s")), file.Resource, readapi.Selection{}); !doc.Usage.Cached || sameAnswer(first, doc) != "" {
				t.Errorf("%+v, %+v", doc, b.CacheCounts())
			}
			if left, err := c.Trim(t.Context(), 0); err != nil || left != (store.Usage{}) {
				t.Errorf("%+v, %v", left, err)
			}
			if doc := read(t, b.Session(scope("s")), file.Resource, readapi.Selection{}); doc.Usage.Cached || b.CacheCounts().Failed != 0 {
				t.Errorf("%+v, %+v", doc, b.CacheCounts())
			}
			host.SharedDone(b)
		})
	}
}
