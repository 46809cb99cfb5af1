//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// alive asks whether a process is there.
const alive = syscall.Signal(0)

// account is who runs the server: PostgreSQL refuses to run as root. ok is false when we are somebody else already.
func account() (uid, gid int, ok bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uerr := strconv.Atoi(u.Uid)
		gid, gerr := strconv.Atoi(u.Gid)
		if uerr == nil && gerr == nil {
			return uid, gid, true
		}
	}
	return 65534, 65534, true
}

// handOver gives a folder to who runs the server.
func handOver(folder string) error {
	if uid, gid, ok := account(); ok {
		return os.Chown(folder, uid, gid)
	}
	return nil
}

// become makes c run as who runs the server, with nothing of the environment that would change what PostgreSQL's programs do.
func become(c *exec.Cmd) {
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is the test's, which ends the server then
	if uid, gid, ok := account(); ok {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
}
