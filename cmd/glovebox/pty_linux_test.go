package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func mkfifo(path string) error { return unix.Mkfifo(path, 0o600) }

// onTerminal runs a command in dir with its output on a new pseudo-terminal and returns what that showed. Where typed is not "", its input is
// there too, and typed comes from it.
func onTerminal(dir string, env, args []string, typed string) (string, error) {
	ptmx, tty, err := openPTY()
	if err != nil {
		return "", err
	}
	defer ptmx.Close()
	path := args[0]
	for _, kv := range env { // the last PATH is the one that counts
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			for d := range strings.SplitSeq(list, ":") {
				if _, err := os.Stat(d + "/" + args[0]); err == nil {
					path = d + "/" + args[0]
					break
				}
			}
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = tty, tty
	if typed != "" {
		cmd.Stdin = tty
		if _, err := ptmx.WriteString(typed); err != nil { // the terminal keeps it until it is read
			return "", errors.Join(err, tty.Close())
		}
	}
	if err := cmd.Start(); err != nil {
		return "", errors.Join(err, tty.Close())
	}
	if err := tty.Close(); err != nil {
		return "", err
	}
	shown, err := io.ReadAll(ptmx)
	if err != nil && !errors.Is(err, syscall.EIO) { // EIO is how a pseudo-terminal says that the other side is gone
		return "", err
	}
	return strings.ReplaceAll(string(shown), "\r\n", "\n"), cmd.Wait()
}

// openPTY opens a pseudo-terminal (pts(4)).
func openPTY() (ptmx, tty *os.File, err error) {
	ptmx, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(ptmx.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ptmx.Close())
	}
	return ptmx, tty, nil
}
