//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// apart puts the helper into a process group of its own, which is killed as a whole.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
