package sqliteindex

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Who sets the clock while bytes are being removed ends no claim: bytes that come again would go with those that are removed. A claim of
// before the machine started is over by its date, and so is one where the machine has no such clock.
func TestSteadyClaims(t *testing.T) {
	now, boot, ms := time.Now(), "one", int64(1000)
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), &Options{
		Now: func() time.Time { return now }, steady: func() (string, int64) { return boot, ms }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	blob := strings.Repeat("a", 64)
	claim := func(want bool, what string) {
		t.Helper()
		if ok, err := d.ClaimBlob(t.Context(), blob, time.Minute); ok != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", what, ok, err, want)
		}
	}
	lease := func(want readapi.Code, what string) {
		t.Helper()
		if err := d.LeaseBlobs(t.Context(), "x", []string{blob}, time.Millisecond); readapi.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	claim(true, "at first")
	now = now.Add(time.Hour)
	lease(readapi.CodeBusy, "the clock was set forwards")
	claim(false, "the clock was set forwards")
	if n, err := d.Sweep(t.Context(), now); n != 0 || err != nil {
		t.Errorf("a sweep after the clock was set forwards: %d, %v, want nothing", n, err)
	}
	lease(readapi.CodeBusy, "after a sweep")
	now = now.Add(-2 * time.Hour)
	lease(readapi.CodeBusy, "the clock was set backwards")
	ms += time.Minute.Milliseconds() - 1
	lease(readapi.CodeBusy, "a moment before its end")
	ms++
	lease("", "at its end, long before its date")
	now = now.Add(time.Second)
	claim(true, "when the lease is over")
	boot, ms = "two", 5
	lease(readapi.CodeBusy, "after a start, before its date")
	now = now.Add(time.Minute)
	lease("", "after a start and its date")
	boot = ""
	now = now.Add(time.Second)
	claim(true, "without a steady clock")
	ms += time.Hour.Milliseconds()
	lease(readapi.CodeBusy, "before its date")
	now = now.Add(time.Minute)
	lease("", "after its date")
}

// On Linux there is such a clock, the same for every process.
func TestSteady(t *testing.T) {
	boot, ms := steady()
	again, later := steady()
	if boot != again || later < ms || runtime.GOOS == "linux" && (boot == "" || ms <= 0) {
		t.Errorf("%q %d, then %q %d", boot, ms, again, later)
	}
}
