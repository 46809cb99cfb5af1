package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox"
)

// mcpApp is the program on a data directory of its own.
func mcpApp(t *testing.T, stdin io.Reader, stdout io.Writer) (*app, *bytes.Buffer) {
	t.Helper()
	a, stderr := fakeApp(t, &fakeReader{stuck: true}, "", stdout)
	a.in = stdin
	dir := t.TempDir()
	a.openKeeper = func(ctx context.Context, _ string, o *glovebox.Options) (keeper, error) {
		o.CacheDir = "-" // nothing is compiled here
		return openFrontDoor(ctx, dir, o)
	}
	return a, stderr
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"

// TestMCPInterrupt: a signal ends the door while it waits for its client, with nothing printed that is no message.
func TestMCPInterrupt(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: 128 + 15} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		a, stderr := mcpApp(t, inR, outW)
		printed := make(chan string, 1)
		go func() {
			_, _ = io.WriteString(inW, ping)
			r := bufio.NewReader(outR)
			first, _ := r.ReadString('\n')
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Error(err)
			}
			rest, _ := io.ReadAll(r)
			printed <- first + string(rest)
		}()
		if code := a.main([]string{"mcp", "--session", "s"}); code != want {
			t.Errorf("%s: exit code %d, want %d", sig, code, want)
		}
		_ = outW.Close()
		if out := <-printed; out != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" || stderr.Len() > 0 {
			t.Errorf("%s: printed %q and %q", sig, out, stderr)
		}
		_ = inR.Close()
	}
}

// gone is an output whose reader went away.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// TestMCPReaderGone: the door ends when nobody hears it, as other commands do.
func TestMCPReaderGone(t *testing.T) {
	inR, inW := io.Pipe()
	defer inR.Close()
	a, stderr := mcpApp(t, inR, gone{})
	go func() { _, _ = io.WriteString(inW, ping) }() // and then nothing
	if code := a.main([]string{"mcp", "--session", "s"}); code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestMCPDrains: what was asked is answered though the input has ended.
func TestMCPDrains(t *testing.T) {
	var out bytes.Buffer
	a, stderr := mcpApp(t, strings.NewReader(ping+`{"jsonrpc":"2.0","id":2,"method":"ping"}`), &out)
	if code := a.main([]string{"mcp", "--session", "s", "--json"}); code != exitOK || stderr.Len() > 0 || strings.Count(out.String(), `"result":{}`) != 2 {
		t.Errorf("exit code %d, %q, %q", code, &out, stderr)
	}
}
