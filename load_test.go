package glovebox_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What the load bar is about: so many readers, each a session of its own, and so many of them hostile.
const (
	loadReaders = 32
	loadHostile = 3
)

// goodRead is a file of a session and the answer that it must have.
type goodRead struct {
	uri  string
	want string
}

// hostileRead is one that takes what it can get.
type hostileRead struct {
	name string
	file []byte
	code []readapi.Code
}

// hostileReads are through the built-in decoders and through a hostile one.
func hostileReads() map[string]hostileRead {
	s := func() *hostiletest.Script { return hostiletest.ScriptAs(hostiletest.Zip) }
	limit := []readapi.Code{readapi.CodeLimitTime, readapi.CodeLimitFuel, readapi.CodeBusy}
	codes := func(c ...readapi.Code) []readapi.Code { return append(c, readapi.CodeBusy, readapi.CodeLimitTime) }
	out := map[string]hostileRead{
		"loop":        {"a.zip", s().Do(hostiletest.Forever).End(), limit},
		"tree":        {"a.zip", s().Do(hostiletest.TreeOf, 60).End(), limit},
		"fills":       {"a.zip", s().Do(hostiletest.GrowBy, 900).Repeat(1<<30, hostiletest.Fill, 1<<20, 1, 50<<20).End(), limit},
		"small fills": {"a.zip", s().Repeat(1<<30, hostiletest.Fill, 1<<10, 1, 1<<10).End(), limit},
		"host calls":  {"a.zip", s().Repeat(1<<30, hostiletest.Random, hostiletest.Scratch, 16).End(), codes(readapi.CodeLimitFuel)},
		"output":      {"a.zip", s().Payload(3, append([]byte{8, 0, 0, 0}, `{"at":1}`+strings.Repeat("x", 1<<20)...), 100).End(), codes(readapi.CodeLimitOutput)},
		"log":         {"a.zip", s().Say(3, strings.Repeat("x", 1000), 100_000).End(), codes("")},
		"memory":      {"a.zip", s().Repeat(8000, hostiletest.GrowBy, 1).Do(hostiletest.Load, -4).End(), codes(readapi.CodeLimitMemory)},
		"table":       {"a.zip", s().Repeat(1<<20, hostiletest.TableGrowBy, 100).End(), codes("", readapi.CodeLimitFuel)},
		"many lines":  {"a.txt", []byte(strings.Repeat("a\n", 4<<20)), codes("")},
	}
	for _, h := range hostileFiles() {
		out[h.name] = hostileRead{h.name, h.data, codes(h.want...)}
	}
	return out
}

// load is a host with what its sessions have attached.
type load struct {
	g       *glovebox.Host
	good    [loadReaders][]goodRead
	hostile [loadHostile]map[string]string // address by kind
	kinds   []string
	reads   map[string]hostileRead
}

func newLoad(t testing.TB) *load {
	l := &load{
		g:     openHost(t, t.TempDir(), glovebox.Options{Decoders: hostileDecoders(t), Helper: hostiletest.Helper(t), CacheBytes: -1}),
		reads: hostileReads(),
	}
	files := sampleFiles(t)
	for k := range loadReaders - loadHostile {
		s := l.g.Session(sessionID(k))
		for _, name := range []string{"text2k", "pdf1", "png"} {
			a := attach(t, s, files[name].name, files[name].data)
			doc, err := s.Read(t.Context(), a.Resource, nil)
			if err != nil {
				t.Fatal(err)
			}
			l.good[k] = append(l.good[k], goodRead{a.Resource, said(t, doc)})
		}
	}
	for kind, h := range l.reads {
		l.kinds = append(l.kinds, kind)
		for k := range l.hostile {
			if l.hostile[k] == nil {
				l.hostile[k] = map[string]string{}
			}
			if l.hostile[k][kind] = attach(t, l.g.Session(hostileSession(k)), h.name, h.file).Resource; l.hostile[k][kind] == "" {
				t.Fatalf("%s has no address", kind)
			}
		}
	}
	slices.Sort(l.kinds)
	return l
}

func hostileSession(k int) readapi.SessionID { return sessionID(1000 + k) }

// said is an answer without what it cost.
func said(t testing.TB, doc *glovebox.Document) string {
	c := doc.Document
	c.Usage = readapi.Usage{}
	return asJSON(t, c)
}

// phase lets all good readers read until each has read n times, beside the hostile ones if there are any, and gives how long the good reads
// took and how many hostile ones ended meanwhile.
func (l *load) phase(t testing.TB, hostile, n int) (took []time.Duration, ended int64) {
	ctx, cancel := context.WithCancel(t.Context())
	var good, bad sync.WaitGroup
	var mu sync.Mutex
	var begun, done atomic.Int64
	for h := range hostile {
		bad.Go(func() {
			s := l.g.Session(hostileSession(h))
			for k := h * 4; ctx.Err() == nil; k++ { // not all with the same kind
				kind := l.kinds[k%len(l.kinds)]
				begun.Add(1)
				_, err := s.Read(ctx, l.hostile[h][kind], &glovebox.ReadOptions{Limits: &readapi.Limits{Timeout: 2 * time.Second}})
				if code := readapi.CodeOf(err); ctx.Err() == nil {
					done.Add(1)
					if !slices.Contains(l.reads[kind].code, code) {
						t.Errorf("hostile read %s: %v, want one of %v", kind, err, l.reads[kind].code)
					}
				}
			}
		})
	}
	for begun.Load() < int64(hostile) { // they are at it before the first good read
		runtime.Gosched()
	}
	for k := range loadReaders - loadHostile {
		good.Go(func() {
			s := l.g.Session(sessionID(k))
			for i := range n {
				r := l.good[k][(i+k)%len(l.good[k])]
				start := time.Now()
				doc, err := patiently(ctx, s, r.uri)
				d := time.Since(start)
				if err != nil || said(t, doc) != r.want {
					t.Errorf("a good read: %v, right: %v", err, err == nil)
					return
				}
				mu.Lock()
				took = append(took, d)
				mu.Unlock()
			}
		})
	}
	good.Wait()
	cancel()
	bad.Wait()
	return took, done.Load()
}

// patiently reads and comes back when it is told that the host is busy, as a client does.
func patiently(ctx context.Context, s *glovebox.Session, uri string) (*glovebox.Document, error) {
	for {
		doc, err := s.Read(ctx, uri, nil)
		e, ok := errors.AsType[*readapi.Error](err)
		if !ok || e.Code != readapi.CodeBusy {
			return doc, err
		}
		select {
		case <-time.After(e.RetryAfter):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// All good reads are right while others are hostile, and each hostile read ends with one of its own codes.
func TestLoad(t *testing.T) {
	l := newLoad(t)
	took, _ := l.phase(t, loadHostile, 6)
	if len(took) != 6*(loadReaders-loadHostile) {
		t.Errorf("%d good reads came back", len(took))
	}
}

// BenchmarkLoad prints how long good reads take beside hostile ones against how long they take alone, in turns in one run, and how long the
// collector stopped the process.
func BenchmarkLoad(b *testing.B) {
	l := newLoad(b)
	l.phase(b, 0, 6)
	var alone, beside []time.Duration
	var ended int64
	for b.Loop() {
		for range 2 {
			took, _ := l.phase(b, 0, 25)
			alone = append(alone, took...)
			took, n := l.phase(b, loadHostile, 25)
			beside = append(beside, took...)
			ended += n
		}
	}
	slices.Sort(alone)
	slices.Sort(beside)
	at := func(d []time.Duration, p int) float64 { return d[len(d)*p/100].Seconds() * 1000 }
	b.ReportMetric(float64(len(beside)), "good-reads")
	b.ReportMetric(float64(ended), "hostile-reads")
	b.ReportMetric(at(alone, 50), "ms-p50-alone")
	b.ReportMetric(at(beside, 50), "ms-p50-beside")
	b.ReportMetric(at(alone, 99), "ms-p99-alone")
	b.ReportMetric(at(beside, 99), "ms-p99-beside")
	b.ReportMetric(at(beside, 99)/at(alone, 99), "ratio-p99")
}
