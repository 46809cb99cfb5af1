package s3blob

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Stat implements store.BlobDriver.
func (d *Driver) Stat(ctx context.Context, sha256 string) (store.BlobInfo, error) {
	info, err := d.core.StatObject(ctx, d.bucket, d.key(sha256), minio.StatObjectOptions{})
	if err != nil {
		return store.BlobInfo{}, fault(ctx, err)
	}
	return store.BlobInfo{Blob: store.Blob{SHA256: sha256, Size: info.Size}, Committed: info.LastModified}, nil
}

// Remove implements store.BlobDriver. Where the bucket keeps versions, it keeps this one until its own rules let it go.
func (d *Driver) Remove(ctx context.Context, sha256 string) error {
	err := fault(ctx, d.core.RemoveObject(ctx, d.bucket, d.key(sha256), minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements store.BlobDriver. What has not the name of a blob is left out.
func (d *Driver) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		opts := minio.ListObjectsOptions{Prefix: d.prefix, Recursive: true, MaxKeys: d.pageSize}
		for info := range d.core.ListObjectsIter(ctx, d.bucket, opts) {
			if info.Err != nil {
				yield(store.BlobInfo{}, fault(ctx, info.Err))
				return
			}
			sum, ok := d.digest(info.Key)
			if ok && !yield(store.BlobInfo{Blob: store.Blob{SHA256: sum, Size: info.Size}, Committed: info.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil { // the listing just ends then
			yield(store.BlobInfo{}, err)
		}
	}
}

// digest is the opposite of key.
func (d *Driver) digest(key string) (string, bool) {
	name, ok := strings.CutPrefix(key, d.prefix)
	if folder, sum, cut := strings.Cut(name, "/"); ok && cut && store.ValidDigest(sum) && sum[:2] == folder {
		return sum, true
	}
	return "", false
}

// Sweep ends the uploads in parts that were begun before a time, and returns how many: those of hosts that died while they wrote. No
// upload that anybody still writes to may be as old as that.
func (d *Driver) Sweep(ctx context.Context, before time.Time) (int, error) {
	n, key, id := 0, "", ""
	for {
		page, err := d.core.ListMultipartUploads(ctx, d.bucket, d.prefix, key, id, "", d.pageSize)
		if noUpload(err) {
			return n, nil // some servers say so where there never was one
		}
		if err != nil {
			return n, fault(ctx, err)
		}
		for _, u := range page.Uploads {
			if _, ok := d.digest(u.Key); !ok || !u.Initiated.Before(before) {
				continue
			}
			if err := fault(ctx, d.core.AbortMultipartUpload(ctx, d.bucket, u.Key, u.UploadID)); err != nil && !noUpload(err) {
				return n, err
			}
			n++
		}
		if !page.IsTruncated || page.NextKeyMarker == key && page.NextUploadIDMarker == id {
			return n, nil
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// noUpload reports whether an upload is not there any more: somebody else has ended it.
func noUpload(err error) bool {
	e, ok := errors.AsType[minio.ErrorResponse](err)
	return ok && e.Code == minio.NoSuchUpload
}
