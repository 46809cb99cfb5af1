package storetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func blobCases() []testCase[BlobHarness] {
	return []testCase[BlobHarness]{
		{"RoundTrip", blobRoundTrip},
		{"Large", blobLarge},
		{"ReadAt", blobReadAt},
		{"Absent", blobAbsent},
		{"Remove", blobRemove},
		{"RemoveAbsent", blobRemoveAbsent},
		{"RemoveStrange", blobRemoveStrange},
		{"Stat", blobStat},
		{"OpenOutlivesRemove", blobOpenOutlivesRemove},
		{"Abort", blobAbort},
		{"AbortAfterCommit", blobAbortAfterCommit},
		{"Uncommitted", blobUncommitted},
		{"CommitAgain", blobCommitAgain},
		{"CommitTime", blobCommitTime},
		{"List", blobList},
		{"ListStops", blobListStops},
		{"Interleaved", blobInterleaved},
		{"Batch", blobBatch},
		{"Concurrent", blobConcurrent},
		{"Reopen", blobReopen},
	}
}

// content is n bytes that differ from place to place and from seed to seed.
func content(seed byte, n int) []byte {
	b := make([]byte, n)
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// put stores b under its digest, or under the name where that is given.
func put(t T, d store.BlobDriver, b []byte, name string) string {
	t.Helper()
	if name == "" {
		name = digest(b)
	}
	w, err := d.Create(t.Context())
	must(t, err)
	for p := b; len(p) > 0; {
		n := min(len(p), 10_000)
		k, err := w.Write(p[:n])
		must(t, err)
		equal(t, "bytes written", k, n)
		p = p[n:]
	}
	must(t, w.Commit(name))
	return name
}

func read(t T, d store.BlobDriver, name string) []byte {
	t.Helper()
	r, err := d.Open(t.Context(), name)
	must(t, err)
	b, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	must(t, err)
	equal(t, "size", r.Size(), int64(len(b)))
	must(t, r.Close())
	return b
}

func list(t T, d store.BlobDriver) map[string]store.BlobInfo {
	t.Helper()
	m := map[string]store.BlobInfo{}
	for info, err := range d.List(t.Context()) {
		must(t, err)
		if _, ok := m[info.SHA256]; ok {
			t.Errorf("%s is listed twice", info.SHA256)
		}
		m[info.SHA256] = info
	}
	return m
}

func absent(t T, d store.BlobDriver, name string) {
	t.Helper()
	r, err := d.Open(t.Context(), name)
	if err == nil {
		_ = r.Close()
		t.Fatalf("there is a blob %s", name)
	}
}

func blobRoundTrip(t T, h BlobHarness) {
	d := h.New(t)
	for i, n := range []int{0, 1, 511, 4096, 4097, 100_000} {
		b := content(byte(i), n)
		if !bytes.Equal(read(t, d, put(t, d, b, "")), b) {
			t.Errorf("%d bytes come back as others", n)
		}
	}
}

func blobLarge(t T, h BlobHarness) {
	d := h.New(t)
	b := content(1, 5<<20+1)
	if !bytes.Equal(read(t, d, put(t, d, b, "")), b) {
		t.Errorf("a large blob comes back as another")
	}
}

func blobReadAt(t T, h BlobHarness) {
	d := h.New(t)
	b := content(1, 1000)
	r, err := d.Open(t.Context(), put(t, d, b, ""))
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	for _, c := range []struct {
		off, n, want int
		end          bool
	}{{0, 10, 10, false}, {990, 9, 9, false}, {990, 20, 10, true}, {1000, 1, 0, true}, {2000, 1, 0, true}, {1, 998, 998, false}} {
		p := make([]byte, c.n)
		n, err := r.ReadAt(p, int64(c.off))
		if n != c.want || c.end && err != io.EOF || !c.end && err != nil || c.want > 0 && !bytes.Equal(p[:n], b[c.off:c.off+n]) {
			t.Errorf("%d bytes at %d: %d, %v", c.n, c.off, n, err)
		}
	}
}

func blobAbsent(t T, h BlobHarness) {
	if _, err := h.New(t).Open(t.Context(), digest(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no blob: %v, want fs.ErrNotExist", err)
	}
}

func blobRemove(t T, h BlobHarness) {
	d := h.New(t)
	kept, name := put(t, d, []byte("kept"), ""), put(t, d, []byte("removed"), "")
	must(t, d.Remove(t.Context(), name))
	absent(t, d, name)
	if _, ok := list(t, d)[name]; ok {
		t.Errorf("a removed blob is listed")
	}
	equal(t, "the other blob", string(read(t, d, kept)), "kept")
}

func blobRemoveAbsent(t T, h BlobHarness) {
	must(t, h.New(t).Remove(t.Context(), digest(nil)))
}

// What somebody has put into the place of a blob is not ours: it is not opened, not described and not removed.
func blobRemoveStrange(t T, h BlobHarness) {
	if h.Plant == nil {
		return
	}
	d := h.New(t)
	name := put(t, d, []byte("a blob"), "")
	changed := h.Plant(t, d, name)
	if err := d.Remove(t.Context(), name); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("removing what is no blob: %v, want corrupt", err)
	}
	if err := changed(); err != nil {
		t.Errorf("what is no blob was changed: %v", err)
	}
	if _, err := d.Stat(t.Context(), name); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("describing what is no blob: %v, want corrupt", err)
	}
	if _, err := d.Open(t.Context(), name); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("opening what is no blob: %v, want corrupt", err)
	}
}

func blobStat(t T, h BlobHarness) {
	d := h.New(t)
	for i, n := range []int{0, 1, 100_000} {
		b := content(byte(i), n)
		info, err := d.Stat(t.Context(), put(t, d, b, ""))
		must(t, err)
		equal(t, "the blob", info.Blob, store.Blob{SHA256: digest(b), Size: int64(n)})
		if time.Since(info.Committed).Abs() > time.Hour {
			t.Errorf("a blob of this moment was committed at %v", info.Committed)
		}
	}
	if _, err := d.Stat(t.Context(), digest([]byte("absent"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no blob: %v, want fs.ErrNotExist", err)
	}
}

// A blob that is open reads to its end, or where the harness allows it, says that it is gone; it never gives other bytes.
func blobOpenOutlivesRemove(t T, h BlobHarness) {
	d := h.New(t)
	for i, n := range []int{50_000, 3 << 20} {
		b := content(byte(i), n)
		name := put(t, d, b, "")
		r, err := d.Open(t.Context(), name)
		must(t, err)
		_ = d.Remove(t.Context(), name)
		p := make([]byte, len(b))
		k, err := r.ReadAt(p, 0)
		if h.Removed && n > 1<<20 && readapi.CodeOf(err) == readapi.CodeGone && bytes.Equal(p[:k], b[:k]) {
			must(t, r.Close())
			continue
		}
		if k != len(b) || err != nil && err != io.EOF || !bytes.Equal(p, b) {
			t.Errorf("an open blob that was removed: %d bytes, %v", k, err)
		}
		must(t, r.Close())
	}
}

func blobAbort(t T, h BlobHarness) {
	d := h.New(t)
	w, err := d.Create(t.Context())
	must(t, err)
	_, err = w.Write([]byte("dropped"))
	must(t, err)
	must(t, w.Abort())
	absent(t, d, digest([]byte("dropped")))
	equal(t, "blobs", len(list(t, d)), 0)
	if err := w.Commit(digest([]byte("dropped"))); err == nil {
		t.Errorf("what was dropped can be committed")
	}
}

func blobAbortAfterCommit(t T, h BlobHarness) {
	d := h.New(t)
	w, err := d.Create(t.Context())
	must(t, err)
	_, err = w.Write([]byte("kept"))
	must(t, err)
	must(t, w.Commit(digest([]byte("kept"))))
	must(t, w.Abort())
	equal(t, "the blob", string(read(t, d, digest([]byte("kept")))), "kept")
}

func blobUncommitted(t T, h BlobHarness) {
	d := h.New(t)
	w, err := d.Create(t.Context())
	must(t, err)
	_, err = w.Write([]byte("not yet"))
	must(t, err)
	absent(t, d, digest([]byte("not yet")))
	equal(t, "blobs", len(list(t, d)), 0)
	must(t, w.Commit(digest([]byte("not yet"))))
}

// The driver does not look at the bytes: what is damaged is mended by storing it again.
func blobCommitAgain(t T, h BlobHarness) {
	d := h.New(t)
	name := put(t, d, []byte("damaged"), digest([]byte("whole")))
	put(t, d, []byte("whole"), "")
	equal(t, "the blob", string(read(t, d, name)), "whole")
	equal(t, "blobs", len(list(t, d)), 1)
}

func blobCommitTime(t T, h BlobHarness) {
	d := h.New(t)
	name := put(t, d, []byte("a"), "")
	if c := list(t, d)[name].Committed; time.Since(c).Abs() > time.Hour {
		t.Errorf("a blob of this moment was committed at %v", c)
	}
}

func blobList(t T, h BlobHarness) {
	d := h.New(t)
	for i := range 20 {
		put(t, d, content(byte(i), i), "")
	}
	got := list(t, d)
	equal(t, "blobs", len(got), 20)
	for i := range 20 {
		b := content(byte(i), i)
		equal(t, "a blob", got[digest(b)].Blob, store.Blob{SHA256: digest(b), Size: int64(i)})
	}
}

func blobListStops(t T, h BlobHarness) {
	d := h.New(t)
	for i := range 5 {
		put(t, d, content(byte(i), 1), "")
	}
	for range d.List(t.Context()) {
		break
	}
}

func blobInterleaved(t T, h BlobHarness) {
	d := h.New(t)
	a, err := d.Create(t.Context())
	must(t, err)
	b, err := d.Create(t.Context())
	must(t, err)
	for range 3 {
		_, err = a.Write([]byte("a"))
		must(t, err)
		_, err = b.Write([]byte("b"))
		must(t, err)
	}
	must(t, b.Commit(digest([]byte("bbb"))))
	must(t, a.Commit(digest([]byte("aaa"))))
	equal(t, "a blob", string(read(t, d, digest([]byte("aaa")))), "aaa")
	equal(t, "a blob", string(read(t, d, digest([]byte("bbb")))), "bbb")
}

// A batch is as its blobs one after the other, also where one of them is in it twice, is there already, or is empty.
func blobBatch(t T, h BlobHarness) {
	d := h.New(t)
	batch, ok := d.(store.BatchDriver)
	if !ok {
		return
	}
	contents := [][]byte{content(1, 1000), {}, content(2, 100_000), content(1, 1000), []byte("there")}
	put(t, d, []byte("there"), "")
	var writers []store.BlobWriter
	var digests []string
	for _, b := range contents {
		w, err := d.Create(t.Context())
		must(t, err)
		_, err = w.Write(b)
		must(t, err)
		writers, digests = append(writers, w), append(digests, digest(b))
	}
	absent(t, d, digests[0])
	must(t, batch.CommitAll(writers, digests))
	for i, b := range contents {
		if !bytes.Equal(read(t, d, digests[i]), b) {
			t.Errorf("blob %d of the batch comes back as another", i)
		}
	}
}

// Many store, read and remove the same few blobs at once.
func blobConcurrent(t T, h BlobHarness) {
	d := h.New(t)
	same := content(100, 20_000)
	together(8, func(i int) {
		for k := range 10 {
			for _, b := range [][]byte{same, content(byte(i), 100+k)} {
				w, err := d.Create(t.Context())
				if err != nil {
					t.Errorf("create: %v", err)
					return
				}
				if _, err := w.Write(b); err != nil {
					t.Errorf("write: %v", err)
				}
				if err := w.Commit(digest(b)); err != nil {
					t.Errorf("commit: %v", err)
				}
				r, err := d.Open(t.Context(), digest(b))
				if err != nil {
					t.Errorf("open: %v", err)
					continue
				}
				if got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil || !bytes.Equal(got, b) {
					t.Errorf("other bytes: %v", err)
				}
				_ = r.Close()
			}
			_ = d.Remove(t.Context(), digest(content(byte(i), 100+k)))
		}
	})
	if !bytes.Equal(read(t, d, digest(same)), same) {
		t.Errorf("other bytes at the end")
	}
}

func blobReopen(t T, h BlobHarness) {
	if h.Reopen == nil {
		return
	}
	d := h.New(t)
	b := content(1, 70_000)
	name := put(t, d, b, "")
	w, err := d.Create(t.Context())
	must(t, err)
	_, err = w.Write([]byte("never committed"))
	must(t, err)
	_ = w.Abort()
	d = h.Reopen(t, d)
	if r, err := d.Open(t.Context(), name); err != nil {
		t.Fatalf("after reopening: %v", err)
	} else {
		must(t, r.Close())
	}
	if !bytes.Equal(read(t, d, name), b) {
		t.Errorf("other bytes after reopening")
	}
	equal(t, "blobs", len(list(t, d)), 1)
}
