package plugins_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// rewritten is a decoder of a module that could not be asked to describe itself: its attack would begin.
func rewritten(t testing.TB, name string, wasm []byte) plugins.Decoder {
	t.Helper()
	w, err := binary.Rewrite(wasm, nil)
	if err != nil {
		t.Fatal(err)
	}
	return plugins.Decoder{
		Name: name, Version: "6.6.6", Digest: digestOf(w), MediaTypes: []readapi.MediaType{hostiletest.MediaType}, Unit: readapi.UnitLine,
		Load: func() ([]byte, error) { return w, nil },
	}
}

// victim is a registry with an attack in one export, and word of when it runs.
type victim struct {
	r    *plugins.Registry
	info readapi.DecoderInfo
	runs chan struct{}
}

func newVictim(t testing.TB, export string, a hostiletest.Attack) *victim {
	t.Helper()
	v := &victim{runs: make(chan struct{}, 1)}
	log := newLogs()
	log.when = func(line string) {
		if strings.Contains(line, hostiletest.Runs) {
			select {
			case v.runs <- struct{}{}:
			default:
			}
		}
	}
	v.r = hostileRegistry(t, plugins.Options{Logger: slog.New(log), RestAfter: 1 << 30}) // it never rests
	v.info = add(t, v.r, rewritten(t, "attack", hostiletest.In(export, a)))
	return v
}

// stuck is an input whose bytes do not come.
type stuck struct {
	asked chan struct{}
	open  chan struct{}
}

func (stuck) Size() int64 { return 100 }

func (s stuck) ReadAt(p []byte, _ int64) (int, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.open
	return len(p), nil
}

// cancelOnce starts the read d, waits until it runs and lets pause pass, cancels it, and says how it ended and how long after that.
func cancelOnce(t testing.TB, r *plugins.Registry, info readapi.DecoderInfo, d readapi.Decoding, runs <-chan struct{}, pause time.Duration) (error, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := r.Decode(ctx, info, d)
		done <- err
	}()
	select {
	case <-runs:
	case err := <-done:
		select {
		case <-runs: // it ran and ended before we looked
			return err, 0
		default:
			t.Fatalf("the attack did not run: %v", err)
		}
	}
	if pause > 0 {
		time.Sleep(pause)
	}
	start := time.Now()
	cancel()
	err := <-done
	return err, time.Since(start)
}

// ends are the codes with which an attack may end before it is canceled, because it passes a limit of its own soon.
func ends(export string, a hostiletest.Attack) []readapi.Code {
	if export != abi.ExportDecode { // what runs before a read has little to spend
		return []readapi.Code{readapi.CodeLimitFuel, readapi.CodeLimitTime, readapi.CodeLimitDepth}
	}
	switch a {
	case hostiletest.Deep:
		return []readapi.Code{readapi.CodeLimitDepth}
	case hostiletest.HostCalls, hostiletest.Polls:
		return []readapi.Code{readapi.CodeLimitFuel}
	}
	return nil
}

// Whatever a guest does, and in whichever function, the read that runs it ends when its caller goes away.
func TestCancelEverywhere(t *testing.T) {
	for _, export := range hostiletest.Exports() {
		for _, a := range hostiletest.Attacks() {
			t.Run(export+"/"+string(a), func(t *testing.T) {
				v := newVictim(t, export, a)
				err, _ := cancelOnce(t, v.r, v.info, ask(nil), v.runs, 0)
				if code := readapi.CodeOf(err); !slices.Contains(append(ends(export, a), readapi.CodeCanceled), code) {
					t.Errorf("got %v, want canceled", err)
				}
			})
		}
	}
	t.Run("stuck input", func(t *testing.T) {
		r := hostileRegistry(t, plugins.Options{})
		info := add(t, r, hostiletest.Decoder(t, hostileCache(), "puppet", hostiletest.Puppet()))
		in := stuck{make(chan struct{}, 1), make(chan struct{})}
		defer close(in.open)
		d := ask(nil)
		d.Input = in
		if err, _ := cancelOnce(t, r, info, d, in.asked, 0); readapi.CodeOf(err) != readapi.CodeCanceled {
			t.Errorf("got %v, want canceled", err)
		}
	})
}

// BenchmarkCancel prints how long after the cancel a read ends, over all attacks in all exports, and how long the collector stopped the
// process meanwhile.
func BenchmarkCancel(b *testing.B) {
	const rounds = 20
	var took []time.Duration
	worst := map[string]time.Duration{}
	pauses := watchPauses()
	for b.Loop() {
		for _, export := range hostiletest.Exports() {
			for _, a := range hostiletest.Attacks() {
				v := newVictim(b, export, a)
				for range rounds {
					err, d := cancelOnce(b, v.r, v.info, ask(nil), v.runs, rand.N(10*time.Millisecond))
					if c := readapi.CodeOf(err); c != readapi.CodeCanceled && !slices.Contains(ends(export, a), c) {
						b.Fatalf("%s in %s: %v", a, export, err)
					}
					if readapi.CodeOf(err) == readapi.CodeCanceled {
						took = append(took, d)
						worst[export+"/"+string(a)] = max(worst[export+"/"+string(a)], d)
					}
				}
				if err := v.r.Close(context.WithoutCancel(b.Context())); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	pause, cycles := pauses()
	slices.Sort(took)
	for name, d := range worst {
		b.Logf("%-30s at most %v", name, d)
	}
	b.ReportMetric(float64(len(took)), "cancels")
	b.ReportMetric(took[len(took)*50/100].Seconds()*1000, "ms-p50")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "ms-p99")
	b.ReportMetric(took[len(took)-1].Seconds()*1000, "ms-max")
	b.ReportMetric(pause.Seconds()*1000, "ms-pause-max")
	b.ReportMetric(float64(cycles), "gc-cycles")
}

// watchPauses makes the collector run all the time until the function that it returns is called, which says how long the longest pause was
// and how many cycles there were.
func watchPauses() (stop func() (time.Duration, int)) {
	before := pauseCounts()
	quit, done := make(chan struct{}), make(chan int)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-quit:
				done <- n
				return
			case <-tick.C:
				runtime.GC()
			}
		}
	}()
	return func() (time.Duration, int) {
		close(quit)
		n := <-done
		after := pauseCounts()
		for k := len(after.Counts) - 1; k >= 0; k-- {
			if after.Counts[k] > before.Counts[k] {
				return time.Duration(after.Buckets[k] * float64(time.Second)), n
			}
		}
		return 0, n
	}
}

// pauseCounts is the histogram of how long the collector stopped the process.
func pauseCounts() metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: slices.Clone(h.Buckets)}
}
