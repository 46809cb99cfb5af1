//go:build !unix || solaris || aix

package sandbox

import "context"

// lockFile does nothing here: two processes may compile the same module, and the one that is first to rename wins.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	return func() {}, ctx.Err()
}
