package fileblob

import (
	"path"
	"slices"
	"sync"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// syncsAtOnce is how many files are synced at the same time. A journal takes what waits for it in one go: on ext4, 64 files at once cost
// less than a tenth of 64 one after the other.
const syncsAtOnce = 64

// manyBlobs is from how many blobs on the whole file system is synced instead. That is one call, but it waits for what everybody else on
// the disk has written: for a few files it would be the dearer one.
const manyBlobs = 32

// CommitAll implements store.BatchDriver. The order is that of Commit, for all together: all bytes are on the disk before the first of them
// has its name, and all names before anybody is told.
func (d *Driver) CommitAll(writers []store.BlobWriter, digests []string) error {
	all := make([]*writer, len(writers))
	for i, w := range writers {
		all[i] = w.(*writer)
		if all[i].ended {
			return errEnded
		}
	}
	for _, w := range all {
		w.ended = true
	}
	named := 0
	defer func() {
		for _, w := range all[named:] {
			_ = d.disk.remove(w.name) // or else a sweep takes it
		}
	}()
	if err := d.finishAll(all); err != nil {
		return err
	}
	if err := d.prepare(digests...); err != nil {
		return err
	}
	var folders []string
	for i, w := range all {
		if err := d.rename(w.name, digests[i]); err != nil {
			return err
		}
		named++
		folders = append(folders, path.Join(blobsDir, digests[i][:2]))
	}
	return d.syncNames(folders)
}

// finishAll makes the bytes of all writers durable, under no name of a blob yet, and closes them.
func (d *Driver) finishAll(all []*writer) error {
	if len(all) < manyBlobs {
		return atOnce(len(all), func(i int) error { return all[i].finish() })
	}
	ok, err := d.disk.syncAll()
	if !ok {
		return atOnce(len(all), func(i int) error { return all[i].finish() })
	}
	for _, w := range all {
		if werr := w.close(w.failed); err == nil {
			err = werr
		}
	}
	return err
}

// syncNames makes what was renamed into folders durable.
func (d *Driver) syncNames(folders []string) error {
	if len(folders) >= manyBlobs {
		if ok, err := d.disk.syncAll(); ok {
			return err
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	return atOnce(len(folders), func(i int) error { return d.disk.syncDir(folders[i]) })
}

// atOnce calls f for 0 to n-1, several at the same time, and returns the first error by that order. It calls f for each of them in any
// case.
func atOnce(n int, f func(i int) error) error {
	errs := make([]error, n)
	room := make(chan struct{}, syncsAtOnce)
	var wg sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		wg.Go(func() {
			errs[i] = f(i)
			<-room
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
