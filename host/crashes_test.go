//go:build unix

package host_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const killVar = "GLOVEBOX_HOST_KILL" // in the child: folder, call, whether it is killed behind its work

// TestKillsChild is the child of TestKills: it lives a session's life, says what it was promised, and is killed at a call.
func TestKillsChild(t *testing.T) {
	parts := strings.Split(os.Getenv(killVar), "|")
	if len(parts) != 3 {
		return
	}
	var at int
	if _, err := fmt.Sscan(parts[1], &at); err != nil {
		t.Fatal(err)
	}
	calls := livesOnce(t, filesIn(t, parts[0]), storefault.Fault{At: at, Behind: parts[2] == "true", Hook: storefault.Kill}, func(l promised) {
		line, err := json.Marshal(l)
		if err == nil {
			_, err = fmt.Printf("promised %s\n", line)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Fatalf("the life ended after %d calls", len(calls))
}

// livesOnce is a life in which every step has to succeed, but for the fault. It returns the calls.
func livesOnce(t *testing.T, p *place, f storefault.Fault, done func(promised)) []string {
	t.Helper()
	plan := &storefault.Plan{}
	h := p.under(plan).open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	l := &lived{t: t, h: h, s: h.Session(scope("s")), done: done}
	l.again = func(what string, step func(context.Context) error) {
		if err := step(t.Context()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	plan.Arm(f)
	l.life()
	return plan.Disarm()
}

// A process that is killed at any call of a session's life, before or behind its work, has lost nothing that it was promised, leaves no row
// without its bytes, and the next ends what it began. With GLOVEBOX_BARS=1 every call and ten kills at each, else one at some of them.
func TestKills(t *testing.T) {
	calls := livesOnce(t, filesIn(t, t.TempDir()), storefault.Fault{}, func(promised) {})
	kills, stride := 1, len(calls)/12
	if bars {
		kills, stride = 10, 1
	}
	points, total, lost, dangling := 0, 0, 0, 0
	for k := 1; k <= len(calls); k += stride {
		points++
		for i := range kills {
			behind := (i+k)%2 == 0
			l, d := killedAt(t, k, behind, fmt.Sprintf("killed at call %d (%s), behind its work %v", k, calls[k-1], behind))
			total, lost, dangling = total+1, lost+l, dangling+d
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("bars: %d failpoints, %d kills, %d lost, %d dangling", points, total, lost, dangling)
	if points < 12 {
		t.Errorf("of %d calls %d were tried", len(calls), points)
	}
}

// killedAt runs a child that is killed, and counts what is lost and what dangles then.
func killedAt(t *testing.T, call int, behind bool, what string) (lost, dangling int) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	out, killed, err := storefault.RunChild(t.Context(), "TestKillsChild", fmt.Sprintf("%s=%s|%d|%v", killVar, dir, call, behind))
	if !killed {
		t.Fatalf("%s: the child was not killed: %v", what, err)
	}
	p := filesIn(t, dir)
	defer p.close(t)
	dangling = wholeStore(t, p, what, true)
	if _, err := retain.New(blobsOf(t, p), indexOf(t, p), nil).Recover(t.Context()); err != nil {
		t.Errorf("%s: recover: %v", what, err)
	}
	h := p.open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	defer h.Close()
	for _, b := range notKept(t.Context(), h, promisesOf(t, out)) {
		lost++
		t.Errorf("%s: %s", what, b)
	}

	// The next goes on: what the dead one held does not stop it, and nothing is wrong any more.
	attach(t, h.Session(scope("t")), "next.txt", "shared")
	report, err := h.Keeper().Fsck(t.Context(), retain.FsckOptions{ReadData: true})
	if err != nil || !report.Clean {
		t.Errorf("%s: fsck after the restart: %+v, %v", what, report, err)
	}
	return lost, dangling
}

func promisesOf(t *testing.T, out []byte) (all []promised) {
	t.Helper()
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if line, ok := strings.CutPrefix(lines.Text(), "promised "); ok {
			var l promised
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			all = append(all, l)
		}
	}
	return all
}

// notKept are the promises that do not hold.
func notKept(ctx context.Context, h *host.Host, all []promised) (out []string) {
	for i, l := range all {
		later := func(l2 promised) bool { return l2.Session == l.Session && l2.ID == l.ID }
		if l.What == "ends" || l.What == "attached" && slices.ContainsFunc(all[i+1:], later) { // it may have ended
			continue
		}
		got, err := bytesOf(ctx, h.Session(scope(string(l.Session))), l.ID)
		code := readapi.CodeOf(err)
		if l.What == "attached" && (err != nil || got != l.Content) || l.What == "gone" && code != readapi.CodeNotFound && code != readapi.CodeGone {
			out = append(out, fmt.Sprintf("%+v: %q, %v", l, got, err))
		}
	}
	return out
}

// The check of the promises finds what is lost, and what came back.
func TestKillsFinds(t *testing.T) {
	h := newPlace().open(t, newQuick(), &host.Options{Alone: true})
	a := attach(t, h.Session(scope("s")), "a.txt", "content")
	for _, wrong := range []promised{{"attached", "s", a.ID, "other"}, {"attached", "t", a.ID, "content"}, {"gone", "s", a.ID, ""}} {
		if len(notKept(t.Context(), h, []promised{wrong})) != 1 {
			t.Errorf("%+v is not found", wrong)
		}
	}
	if out := notKept(t.Context(), h, []promised{{"attached", "s", a.ID, "content"}, {"ends", "t", a.ID, ""}}); len(out) > 0 {
		t.Error(out)
	}
}
