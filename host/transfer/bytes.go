package transfer

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// removedAt is when what is removed from a target was deleted: nobody reads it.
var removedAt = time.UnixMilli(0).UTC()

// blobs brings the bytes of rows to the target and returns the rows whose bytes are there. Those whose bytes cannot be had are problems.
func (c *copier) blobs(ctx context.Context, rows []store.Artifact) ([]store.Artifact, error) {
	size := map[string]int64{}
	for _, a := range rows {
		if a.Blob != "" {
			size[a.Blob] = a.Bytes
		}
	}
	digests := digestsOf(rows)
	if err := c.target.await(ctx, digests); err != nil {
		return nil, err
	}
	bad := &damage{by: map[string]error{}}
	err := each(ctx, c.jobs, groups(digests, size), func(ctx context.Context, group []store.Blob) error { return c.group(ctx, group, bad) })
	if err != nil || len(bad.by) == 0 {
		return rows, err
	}
	return c.without(ctx, rows, bad.by)
}

// damage is what the source could not give, from several goroutines.
type damage struct {
	mu sync.Mutex
	by map[string]error // by digest
}

// take keeps an error that is about one blob, and returns any other.
func (d *damage) take(b store.Blob, err error) error {
	if code := readapi.CodeOf(err); code != readapi.CodeCorrupt && code != readapi.CodeGone { // gone: removed while it was read
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by[b.SHA256] = err
	return nil
}

// Small blobs are stored together, which waits for the disk once for all of them.
const (
	groupBlobs = 64
	groupBytes = 4 << 20
)

// groups puts blobs together.
func groups(digests []string, size map[string]int64) (out [][]store.Blob) {
	var group []store.Blob
	sum := int64(0)
	for _, d := range digests {
		b := store.Blob{SHA256: d, Size: size[d]}
		if len(group) > 0 && (len(group) == groupBlobs || sum+b.Size > groupBytes) {
			out, group, sum = append(out, group), nil, 0
		}
		group, sum = append(group, b), sum+b.Size
	}
	return append(out, group)
}

// group brings blobs to the target, those that are not there. Which the source cannot give goes to bad.
func (c *copier) group(ctx context.Context, group []store.Blob, bad *damage) error {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var readers []io.Reader
	var bytes int64
	for _, b := range group {
		there, err := c.present(ctx, b)
		if err != nil {
			return err
		}
		if there {
			c.out.count(func(n *Counts) { n.Present++ })
			continue
		}
		in, err := c.from.Blobs.Open(ctx, b)
		if err != nil {
			if err = bad.take(b, err); err != nil {
				return err
			}
			continue
		}
		if in.Verified() && !c.dry { // it is in memory
			defer in.Close()
			readers, bytes = append(readers, io.NewSectionReader(in, 0, b.Size)), bytes+b.Size
			continue
		}
		if err := bad.take(b, errors.Join(c.alone(ctx, in), in.Close())); err != nil {
			return err
		}
	}
	if len(readers) == 0 {
		return nil
	}
	if _, _, err := c.to.Blobs.PutAll(ctx, readers, store.PutAllOptions{Max: bytes}); err != nil {
		return err
	}
	c.out.count(func(n *Counts) { n.Blobs, n.BlobBytes = n.Blobs+int64(len(readers)), n.BlobBytes+bytes })
	return nil
}

// alone brings one open blob to the target. corrupt, gone: the source cannot give it.
func (c *copier) alone(ctx context.Context, in *store.OpenBlob) (err error) {
	b := in.Blob
	if c.dry {
		err = in.Verify(ctx)
	} else {
		err = put(ctx, c.to.Blobs, b, io.NewSectionReader(in, 0, b.Size))
	}
	if err == nil {
		c.out.count(func(n *Counts) { n.Blobs, n.BlobBytes = n.Blobs+1, n.BlobBytes+b.Size })
	}
	return err
}

// without leaves out the rows whose bytes are bad. One that was purged meanwhile, in spite of its lease, is no problem.
func (c *copier) without(ctx context.Context, rows []store.Artifact, bad map[string]error) ([]store.Artifact, error) {
	now, err := rowsOf(ctx, c.from.Index, rows[0].Scope, idsOf(rows))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(a store.Artifact) bool {
		err := bad[a.Blob]
		if _, ok := now[a.ID]; ok && err != nil {
			c.out.problem(ofSession(a.Scope, a, readapi.CodeCorrupt, detail(err)))
		}
		return err != nil
	}), nil
}

// present reports whether the target has a blob. Where it is damaged, it is not there: storing it again mends it.
func (c *copier) present(ctx context.Context, b store.Blob) (bool, error) {
	info, err := c.to.Blobs.Stat(ctx, b.SHA256)
	switch {
	case readapi.CodeOf(err) == readapi.CodeNotFound:
		return false, nil
	case err != nil:
		return false, ofTarget(err)
	case info.Size != b.Size:
		return false, nil
	case !c.verify:
		return true, nil
	}
	err = read(ctx, c.to.Blobs, b)
	if readapi.CodeOf(err) == readapi.CodeCorrupt {
		return false, nil
	}
	if err == nil {
		c.out.count(func(n *Counts) { n.Verified++ })
	}
	return err == nil, err
}

// ofTarget keeps an error of the target from being taken for damage of the source.
func ofTarget(err error) error {
	if readapi.CodeOf(err) != readapi.CodeCorrupt {
		return err
	}
	return &readapi.Error{Code: readapi.CodeConflict, Detail: "something that is no file of ours is in the place of one at the target", Err: err}
}

// put stores bytes that must have the digest of b.
func put(ctx context.Context, blobs *store.Blobs, b store.Blob, r io.Reader) error {
	_, _, err := blobs.Put(ctx, r, store.PutOptions{Max: b.Size, Named: func(_ context.Context, got store.Blob) error {
		if got != b {
			return &readapi.Error{Code: readapi.CodeCorrupt, Detail: "its bytes are not those that were stored"}
		}
		return nil
	}})
	return err
}

// read reads a blob to its end and compares it with its digest.
func read(ctx context.Context, blobs *store.Blobs, b store.Blob) error {
	in, err := blobs.Open(ctx, b)
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Verify(ctx)
}

// each calls f with every item, from up to n goroutines, and returns the first error, behind which no other call begins.
func each[T any](ctx context.Context, n int, items []T, f func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan T)
	var workers sync.WaitGroup
	for range min(n, len(items)) {
		workers.Go(func() {
			for item := range next {
				if err := f(ctx, item); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for _, item := range items {
		select {
		case next <- item:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
