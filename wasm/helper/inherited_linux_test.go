package helper_test

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
)

// TestInherited lets a file through to the helper, which must close it: else the reading end would not come to its end.
func TestInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	start(t, w)
	_ = w.Close()
	if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the helper keeps it: %v", err)
	}
}

// TestNoPlace: where nothing can be written, that is not said of the module. In /proc not even root can make a file.
func TestNoPlace(t *testing.T) {
	wasm := module(t)
	if reply := start(t).ask(t, request(t, arguments("/proc", wasm)), wasm); reply.Result != hello.NoPlace {
		t.Errorf("%+v", reply)
	}
}
