package retain

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// blobState is what was found of a blob.
type blobState struct {
	size    int64
	problem Problem // of the blob itself: "" where there is none
	err     error   // it could not be looked at
	read    int64   // bytes that were compared with the digest
}

// maxKnown is how many blobs a check remembers, so that one which many artifacts name is looked at once: some 20 MB.
const maxKnown = 1 << 17

// rows looks at the bytes of every artifact, a page at a time, Jobs blobs of it together.
func (c *check) rows(ctx context.Context) error {
	page := make([]store.Artifact, 0, store.MaxPage)
	for a, err := range c.keeper.index.AllArtifacts(ctx, store.ArtifactScan{}) {
		if err != nil {
			return err
		}
		if page = append(page, a); len(page) == cap(page) {
			if err := c.rowsOf(ctx, page); err != nil {
				return err
			}
			page = page[:0]
		}
	}
	return c.rowsOf(ctx, page)
}

func (c *check) rowsOf(ctx context.Context, page []store.Artifact) error {
	if err := c.look(ctx, page); err != nil {
		return err
	}
	for _, a := range page {
		c.report.Artifacts++
		if a.Blob == "" || a.Purging {
			continue
		}
		s := c.known[a.Blob]
		problem := s.problem
		if s.err != nil {
			return s.err
		}
		if problem == "" && s.size != a.Bytes {
			problem = BlobSize
		}
		if problem == "" {
			continue
		}
		// It may have been purged since its row was read. What is purged never comes back, so the row is asked last.
		now, _, err := c.keeper.index.Artifacts(ctx, a.Scope, []readapi.ArtifactID{a.ID})
		if err != nil {
			return err
		}
		if row, ok := now[a.ID]; ok && !row.Purging && row.Blob == a.Blob {
			f := of(a, problem, sentences[problem])
			f.SHA256 = a.Blob
			c.tell(f)
		}
	}
	c.progress("artifacts", c.report.Artifacts, "artifacts looked at")
	return nil
}

// sentences are what people read of a blob's problem.
var sentences = map[Problem]string{
	BlobMissing:    "its bytes are missing; attaching the same file again mends it",
	BlobSize:       "its bytes have another size than was stored; attaching the same file again mends it",
	BlobDamaged:    "its bytes are not those that were stored; attaching the same file again mends it",
	BlobNotRegular: "in the place of its bytes is no regular file of the store; attaching the same file again mends it, unless that is a folder",
	BlobUnreadable: "its bytes cannot be read",
}

// look finds the state of the blobs of a page that are not known yet.
func (c *check) look(ctx context.Context, page []store.Artifact) error {
	if len(c.known) > maxKnown-len(page) {
		clear(c.known)
	}
	var fresh []store.Artifact
	for _, a := range page {
		if a.Blob != "" && !a.Purging && c.known[a.Blob] == nil {
			c.known[a.Blob] = &blobState{}
			fresh = append(fresh, a)
		}
	}
	turns := make(chan struct{}, c.opts.Jobs)
	var all sync.WaitGroup
	for _, a := range fresh {
		turns <- struct{}{}
		s := c.known[a.Blob]
		all.Go(func() {
			*s = c.state(ctx, a)
			<-turns
		})
	}
	all.Wait()
	for _, a := range fresh {
		c.report.ReadBytes += c.known[a.Blob].read
	}
	return ctx.Err()
}

// state looks at one blob.
func (c *check) state(ctx context.Context, a store.Artifact) (s blobState) {
	info, err := c.keeper.blobs.Stat(ctx, a.Blob)
	s.size = info.Size
	switch readapi.CodeOf(err) {
	case "":
	case readapi.CodeNotFound:
		s.problem = BlobMissing
		return s
	case readapi.CodeCorrupt:
		s.problem = BlobNotRegular
		return s
	default:
		s.err = err
		return s
	}
	if !c.opts.ReadData {
		return s
	}
	b, err := c.keeper.blobs.Open(ctx, info.Blob)
	if err == nil {
		err = b.Verify(ctx)
		if cerr := b.Close(); err == nil {
			err = cerr
		}
	}
	switch code := readapi.CodeOf(err); {
	case err == nil:
		s.read = info.Size
	case code == readapi.CodeCorrupt && !notRead(err):
		s.problem = BlobDamaged
	case ctx.Err() != nil:
		s.err = ctx.Err()
	case code == readapi.CodeBusy:
		s.err = err
	default:
		s.problem = BlobUnreadable
	}
	return s
}

// notRead reports whether err, which is corrupt, is of the place that did not give the bytes, so that nobody knows what they are.
func notRead(err error) bool {
	e, ok := errors.AsType[*readapi.Error](err)
	return ok && e.Err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
}

// orphans finds the bytes that nothing names.
func (c *check) orphans(ctx context.Context) error {
	page := make([]store.BlobInfo, 0, store.MaxPage)
	for info, err := range c.keeper.blobs.List(ctx) {
		if err != nil {
			return err
		}
		if page = append(page, info); len(page) == cap(page) {
			if err := c.orphansOf(ctx, page); err != nil {
				return err
			}
			page = page[:0]
		}
	}
	return c.orphansOf(ctx, page)
}

func (c *check) orphansOf(ctx context.Context, page []store.BlobInfo) error {
	by, err := c.keeper.keptOf(ctx, digestsOf(page))
	if err != nil {
		return err
	}
	for _, info := range page {
		c.report.Blobs.add(info.Size)
		if by[info.SHA256].why != "" {
			continue
		}
		if err := c.orphan(ctx, info); err != nil {
			return err
		}
	}
	c.progress("blobs", c.report.Blobs.Files, "blobs looked at")
	return nil
}

func (c *check) orphan(ctx context.Context, info store.BlobInfo) error {
	if why := c.keeper.young(info, c.opts.Grace); why.why != "" {
		c.tell(Finding{Problem: BlobYoung, SHA256: info.SHA256, Text: why.text})
		return nil
	}
	f := Finding{Problem: BlobOrphan, SHA256: info.SHA256, Text: "nothing names it, and its grace time is over"}
	if c.opts.Repair {
		why, err := c.keeper.removeOrphan(ctx, info.SHA256, c.opts.Grace)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && why.why != "":
			return nil // somebody uses it by now
		}
		f.Repaired = err == nil
	} else if still, err := c.still(ctx, info); err != nil || !still {
		return err
	}
	c.tell(f)
	return nil
}

// still reports whether a blob is an orphan now, which it was when it was listed: it may have been purged since, or be in use.
func (c *check) still(ctx context.Context, info store.BlobInfo) (bool, error) {
	now, err := c.keeper.blobs.Stat(ctx, info.SHA256)
	if readapi.CodeOf(err) == readapi.CodeNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	why, err := c.keeper.used(ctx, info.SHA256)
	return why.why == "" && c.keeper.young(now, c.opts.Grace).why == "", err
}
