package storefault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Kill ends this process as a SIGKILL from outside does: nothing is flushed, and nothing that was deferred runs.
func Kill() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(fmt.Sprint("this process cannot be killed: ", err))
	}
	select {} // it takes a moment
}

// RunChild runs one test of this test binary in a process of its own, with one more variable in its environment ("NAME=value"), and returns
// what it wrote. killed says that a signal has ended it; an error, that it ended by itself and did not pass.
func RunChild(ctx context.Context, test, env string) (out []byte, killed bool, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), env)
	out, err = cmd.CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == -1 && ctx.Err() == nil {
		return out, true, nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", test, err, out)
	}
	return out, false, err
}
