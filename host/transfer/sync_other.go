//go:build !unix

package transfer

// syncDir does nothing: Windows has no way to sync a folder, and NTFS keeps a journal of names.
func syncDir(string) error { return nil }
