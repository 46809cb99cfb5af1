//go:build !unix

package sandbox

import "os"

// mkfifo: something else that is no regular file.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
