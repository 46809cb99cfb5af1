//go:build !unix

package sqliteindex

// syncFolder does nothing: Windows has no way to sync a folder.
func syncFolder(string) error { return nil }
