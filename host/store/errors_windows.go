package store

import "syscall"

// The system's own numbers (WinError.h): what syscall calls ENOSPC on Windows is never returned by it.
var (
	diskFull     = []error{syscall.Errno(112), syscall.Errno(39)}                                          // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL
	tooManyFiles = []error{syscall.Errno(4)}                                                               // ERROR_TOO_MANY_OPEN_FILES
	badPlace     = []error{syscall.Errno(19), syscall.Errno(1117), syscall.Errno(29), syscall.Errno(1392)} // write protected; I/O device; write fault; file corrupt
)
