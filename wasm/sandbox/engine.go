package sandbox

import "runtime"

// CompilerSupported reports whether this machine can run the Compiler engine: wazero 1.12 compiles for amd64 and arm64 on Linux, macOS,
// Windows and the BSDs. Elsewhere only the Interpreter runs.
func CompilerSupported() bool {
	switch runtime.GOARCH {
	case "amd64", "arm64":
	default:
		return false
	}
	switch runtime.GOOS {
	case "linux", "darwin", "windows", "freebsd", "netbsd", "dragonfly", "solaris":
		return true
	}
	return false
}
