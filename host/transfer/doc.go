// Package transfer moves what a store keeps: into a backup and back, from one kind of store to another, and as JSON lines.
//
//	report, err := transfer.Backup(ctx, transfer.Store{Blobs: blobs, Index: index}, "/var/backups/glovebox", transfer.BackupOptions{})
//	report, err = transfer.Migrate(ctx, from, to, transfer.MigrateOptions{Progress: show})
//	report, err = transfer.Export(ctx, blobs, index, w, transfer.ExportOptions{Principal: "local"})
//
// All of it goes on beside hosts that use the store. Rows are read session by session, and a session is copied as of one moment at which
// it had so many events. The bytes of a page of rows are leased at the source, the rows are read again, and only what is still there then
// is copied: first the bytes, compared with their digest on the way, then the rows. So whatever ends a run, no row of the target is
// without its bytes, and the same run begun again goes on where it was.
//
// What is being purged is left out everywhere. What cannot be copied, as a file whose bytes are damaged, is left out, is a Problem of the
// Report, and makes the error of the run, which goes on with the rest.
package transfer
