// Package store keeps what a host must not lose: the bytes of attachments, once, by digest, and the rows that say whose they are.
//
//	blobs, err := store.NewBlobs(memblob.New(), nil)
//	blob, head, err := blobs.Put(ctx, r, 50<<20, 512)             // temp file, digest, fsync, rename
//	index, err := store.NewIndex(memindex.New())
//	seqs, err := index.Append(ctx, scope, artifacts, events)      // rows last, all or nothing
//
// Blobs and Index are the types that the host works with: they check, cap and map errors, once, over small drivers. The drivers are
// fileblob, s3blob and memblob, sqliteindex, pgindex and memindex, and filecache for answers that can be made again; storetest holds what
// every driver must do. Bytes are written before the row that names them, so that a crash leaves at most a blob without a row, never a row
// without its blob.
//
// Who may see what is decided in package host; drivers only ever answer for the scope that they are asked about.
package store
