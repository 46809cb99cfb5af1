package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The first promise over many hosts: what any host offers, every host that is ready opens, at that moment. Hosts come and go with other decoders,
// other versions of them and other limits; they are paused, forgotten, and killed.

// build is what one host is made of.
type build struct {
	decoders []fleetDecoder
	tells    bool // what its decoders take
	limit    int64
}

type fleetDecoder struct {
	name    string
	version int
	types   []readapi.MediaType
}

func (d fleetDecoder) info() readapi.DecoderInfo {
	return readapi.DecoderInfo{Name: d.name, Version: fmt.Sprint(d.version), Digest: fmt.Sprintf("%x%058d", d.version, len(d.name))}
}

// versions are the decoders that there are: what a version takes, another need not.
var versions = []fleetDecoder{
	{"text", 1, []readapi.MediaType{"text/plain"}}, {"text", 2, []readapi.MediaType{"text/markdown", "text/plain"}},
	{"pdf", 1, []readapi.MediaType{"application/pdf"}}, {"pdf", 2, []readapi.MediaType{"application/pdf"}},
	{"image", 1, []readapi.MediaType{"image/png"}}, {"image", 2, []readapi.MediaType{"image/png", "application/pdf"}},
}

// fleet is the Decoders of a build.
type fleet struct{ build }

func (f fleet) All() (out []readapi.DecoderInfo) {
	for _, d := range f.decoders {
		out = append(out, d.info())
	}
	return out
}

func (f fleet) Accepts(m readapi.MediaType) (out []readapi.DecoderInfo) {
	for _, d := range f.decoders {
		if slices.Contains(d.types, m) {
			out = append(out, d.info())
		}
	}
	return out
}

func (f fleet) Decode(_ context.Context, info readapi.DecoderInfo, _ readapi.Decoding) (readapi.Result, error) {
	for _, d := range f.decoders {
		if d.info() == info {
			return readapi.Result{Unit: readapi.UnitLine, Total: 1, Covers: readapi.Range{From: 1, To: 1}, Decoder: info}, nil
		}
	}
	return readapi.Result{}, readapi.CodeNotFound
}

// telling is a fleet that says what it takes.
type telling struct{ fleet }

func (f telling) Takes(info readapi.DecoderInfo) []readapi.MediaType {
	for _, d := range f.decoders {
		if d.info() == info {
			return d.types
		}
	}
	return nil
}

// link is a host's way to the index. When it is cut, the host is as good as killed: nothing that it still does arrives.
type link struct {
	store.IndexDriver
	cut atomic.Bool
}

func (l *link) DropHost(ctx context.Context, id string) error {
	if l.cut.Load() {
		return nil
	}
	return l.IndexDriver.DropHost(ctx, id)
}

// fleetHost is one host of a run.
type fleetHost struct {
	*host.Host
	build  build
	link   *link
	place  *place
	id     string
	paused bool
}

// run is one history.
type run struct {
	t      testing.TB
	pick   func(n int, what string) int
	p      *place
	mutate func(store.IndexDriver) store.IndexDriver // what an ablation puts into a link; nil: nothing
	only   bool                                      // the promise counts alone, not what the model expects besides

	hosts  []*fleetHost
	killed []*fleetHost
	files  []readapi.Attachment
	log    []string

	checks, offered int
	violations      []string
}

func (r *run) note(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }

func (r *run) violation(format string, args ...any) {
	r.violations = append(r.violations, fmt.Sprintf(format, args...)+"\nbehind:\n  "+strings.Join(r.log, "\n  "))
}

func (r *run) must(err error) {
	if err != nil {
		r.t.Fatal(err)
	}
}

// build draws what a host is made of.
func (r *run) build() build {
	b := build{tells: r.pick(4, "tells") > 0, limit: []int64{1000, 1000, 40}[r.pick(3, "limit")]}
	for _, name := range []string{"text", "pdf", "image"} {
		if v := r.pick(5, name); v > 0 {
			i := slices.IndexFunc(versions, func(d fleetDecoder) bool { return d.name == name })
			b.decoders = append(b.decoders, versions[i+v%2])
		}
	}
	return b
}

func (r *run) open(b build, alone bool) *fleetHost {
	p := r.p.again(r.t)
	driver := p.driver
	if r.mutate != nil {
		driver = r.mutate(driver)
	}
	l := &link{IndexDriver: driver}
	var d host.Decoders = fleet{b}
	if b.tells {
		d = telling{fleet{b}}
	}
	index, err := store.NewIndex(l)
	r.must(err)
	blobs, err := store.NewBlobs(p.blobs, nil)
	r.must(err)
	h, err := host.New(r.t.Context(), blobs, index, d, &host.Options{Limits: readapi.Limits{MaxInputBytes: b.limit}, CacheBytes: -1, Alone: alone})
	r.must(err)
	f := &fleetHost{Host: h, build: b, link: l, place: p}
	if !alone {
		f.id = host.MemberID(h)
	}
	return f
}

func (r *run) shut(f *fleetHost) {
	r.must(f.Close())
	f.place.close(r.t)
}

func (r *run) up() []*fleetHost {
	return slices.DeleteFunc(slices.Clone(r.hosts), func(f *fleetHost) bool { return f.paused })
}

// listed are the hosts that the store has not forgotten.
func (r *run) listed() map[string]bool {
	set, err := r.p.driver.Decoders(r.t.Context())
	r.must(err)
	out := map[string]bool{}
	for _, h := range set.Hosts {
		out[h.ID] = true
	}
	return out
}

// expire has the time of a host run out, as the index counts it.
func (r *run) expire(id string) {
	set, err := r.p.driver.Decoders(r.t.Context())
	r.must(err)
	for _, h := range set.Hosts {
		if h.ID == id {
			_, err := r.p.driver.PutHost(r.t.Context(), h, time.Millisecond)
			r.must(err)
			time.Sleep(3 * time.Millisecond)
		}
	}
}

func (r *run) step() {
	up := r.up()
	f := up[r.pick(len(up), "host")]
	at := slices.Index(r.hosts, f)
	ctx := r.t.Context()
	switch what := r.pick(12, "step"); {
	case what == 0 && len(r.files) < 6:
		r.attach(f)
	case what <= 2:
		r.note("host %d closes and comes back", at)
		r.shut(f)
		r.hosts[at] = r.open(r.build(), false)
		r.note("as %+v", r.hosts[at].build)
	case what == 3:
		name := versions[r.pick(len(versions), "name")].name
		on := r.pick(3, "on") > 0
		r.note("host %d switches %s %v", at, name, on)
		if err := f.EnableDecoder(ctx, name, on); err != nil && readapi.CodeOf(err) != readapi.CodeNotFound {
			r.must(err)
		}
	case what == 4:
		names := []string{"text", "pdf", "image"}
		r.note("host %d orders", at)
		if err := f.OrderDecoders(ctx, names[r.pick(3, "first")]); err != nil && readapi.CodeOf(err) != readapi.CodeNotFound {
			r.must(err)
		}
	case what == 5 && len(up) > 1:
		r.note("host %d is paused", at)
		f.paused = true
	case what == 6 && len(up) > 1:
		r.note("host %d is killed", at)
		f.link.cut.Store(true)
		r.must(f.Close())
		r.killed = append(r.killed, f)
		r.hosts = slices.Delete(r.hosts, at, at+1)
	case what == 6 && len(r.hosts) < 3:
		r.hosts = append(r.hosts, r.open(r.build(), false))
		r.note("another host comes, %+v", r.hosts[len(r.hosts)-1].build)
	case what == 7:
		r.pass(f)
	case what == 8:
		r.note("host %d lists the decoders", at)
		_, err := f.DecoderSet(ctx)
		r.must(err)
	case what == 9:
		r.note("host %d renews", at)
		host.Beat(r.t, f.Host)
	case what == 10:
		r.command()
	case what == 11:
		for i, other := range r.hosts {
			if other.paused {
				r.note("host %d goes on", i)
				other.paused = false
				return
			}
		}
	}
}

// pass lets time pass for those who do not renew, and perhaps has f notice.
func (r *run) pass(f *fleetHost) {
	for i, other := range r.hosts {
		if other.paused {
			r.note("the time of host %d is over", i)
			r.expire(other.id)
		}
	}
	for _, other := range r.killed {
		r.note("the time of a killed host is over")
		r.expire(other.id)
	}
	if r.pick(2, "renew") == 0 {
		r.note("which host %d notices", slices.Index(r.hosts, f))
		host.Beat(r.t, f.Host)
	}
}

func (r *run) attach(f *fleetHost) {
	all := []struct{ name, content string }{
		{"a.txt", "some text"}, {"b.md", "# head\n\ntext\n"}, {"q3.pdf", aPDF}, {"a.png", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 12)},
		{"long.txt", strings.Repeat("x", 41)}, {"x.zip", "PK\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
	}
	s := all[r.pick(len(all), "file")]
	r.note("host %d takes %s", slices.Index(r.hosts, f), s.name)
	got, err := f.Session(scope("s")).Attach(r.t.Context(), host.Message{Text: "see", Time: aTime, Files: []host.NewFile{newFile(s.name, s.content)}})
	r.must(err)
	r.files = append(r.files, got.Attachments...)
}

// command is a process that offers and reads, and ends: what it shows, every host that is ready opens.
func (r *run) command() {
	c := r.open(r.build(), true)
	defer r.shut(c)
	r.note("a command runs, %+v", c.build)
	addresses := r.offers(c)
	for i, a := range addresses {
		if _, err := c.Session(scope("s")).Read(r.t.Context(), uri(r.files[i].ID), readapi.Selection{}, nil); (err == nil) != (a != "") {
			r.violation("a command offers %q and reads %v", a, err)
		}
	}
	listed := r.listed()
	for n, f := range r.hosts {
		if !f.paused && listed[f.id] {
			r.opens(fmt.Sprintf("host %d", n), f, "a command", addresses, false)
		}
	}
}

// offers are the addresses of all files, "" for one that has none.
func (r *run) offers(f *fleetHost) []string {
	var refs []readapi.AttachmentRef
	for _, a := range r.files {
		refs = append(refs, a.Ref("s"))
	}
	offers, err := f.Session(scope("s")).Offer(r.t.Context(), refs...)
	r.must(err)
	out := make([]string, len(offers))
	for i, o := range offers {
		out[i] = o.URI
	}
	return out
}

// opens checks that f opens what was offered, and, if exactly, nothing else.
func (r *run) opens(name string, f *fleetHost, by string, addresses []string, exactly bool) {
	for i, a := range addresses {
		r.checks++
		_, err := f.Session(scope("s")).Read(r.t.Context(), uri(r.files[i].ID), readapi.Selection{}, nil)
		if a != "" {
			r.offered++
		}
		if a != "" && err != nil || exactly && !r.only && a == "" && err == nil {
			r.violation("%s offers %q of %s, and %s reads %v", by, a, r.files[i].Name, name, err)
		}
	}
}

// check asks every host that runs, in some order. One that had been forgotten gets on the list by being asked, so that what the others said
// before does not count; then all of them must say the same.
func (r *run) check() {
	if len(r.files) == 0 {
		return
	}
	up := r.up()
	first := r.pick(len(up), "first")
	up = append(up[first:], up[:first]...)
	listed := r.listed()
	all := !slices.ContainsFunc(up, func(f *fleetHost) bool { return !listed[f.id] })
	if !all {
		for _, f := range up {
			r.offers(f)
		}
	}
	want := r.expected()
	for _, f := range up {
		addresses := r.offers(f)
		for i, a := range addresses {
			if (a != "") != want[i] && !r.only {
				r.violation("host %d offers %q of %s, %v was expected", slices.Index(r.hosts, f), a, r.files[i].Name, want[i])
			}
		}
		for _, other := range up {
			r.opens(fmt.Sprintf("host %d", slices.Index(r.hosts, other)), other, fmt.Sprintf("host %d", slices.Index(r.hosts, f)), addresses, true)
		}
	}
}

// expected is, for each file, whether it must have an address: whether all listed hosts read it with an enabled decoder that all of them have.
func (r *run) expected() []bool {
	set, err := r.p.driver.Decoders(r.t.Context())
	r.must(err)
	listed, out := r.listed(), make([]bool, len(r.files))
	var there []*fleetHost
	for _, f := range slices.Concat(r.hosts, r.killed) {
		if listed[f.id] {
			there = append(there, f)
		}
	}
	for i, a := range r.files {
		out[i] = slices.ContainsFunc(set.Decoders, func(d store.DecoderEntry) bool {
			digests, silent := map[string]bool{}, false
			for _, f := range there {
				j := slices.IndexFunc(f.build.decoders, func(have fleetDecoder) bool { return have.name == d.Name && slices.Contains(have.types, a.MediaType) })
				if j < 0 || a.Bytes > f.build.limit {
					return false
				}
				digests[f.build.decoders[j].info().Digest] = true
				silent = silent || !f.build.tells
			}
			return d.Enabled && (!silent || len(digests) == 1)
		})
	}
	return out
}

// play runs some steps.
func (r *run) play(steps int) {
	for range 2 {
		r.hosts = append(r.hosts, r.open(r.build(), false))
		r.note("a host comes, %+v", r.hosts[len(r.hosts)-1].build)
	}
	for range 3 {
		r.attach(r.hosts[0])
	}
	for range steps {
		r.step()
		r.check()
		if len(r.violations) > 0 {
			break
		}
	}
	for _, f := range r.hosts {
		r.shut(f)
	}
	for _, f := range r.killed {
		f.place.close(r.t)
	}
}

// TestHosts lets rapid look for a history that breaks the promise, and make it short.
func TestHosts(t *testing.T) {
	offered := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := &run{t: t, p: newPlace(), pick: func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(rt, what) }}
		r.play(25)
		offered += r.offered
		if len(r.violations) > 0 {
			rt.Fatal(r.violations[0])
		}
	})
	if offered < 1000 {
		t.Errorf("%d addresses were opened: this proves little", offered)
	}
}

// TestHostsRandom is the same over every store, with histories that are not made short.
func TestHostsRandom(t *testing.T) {
	const enough = 60 // reads behind an offer
	runs := 8
	if os.Getenv("GLOVEBOX_BARS") != "" {
		runs = 500
	}
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			runs := runs
			checks, offered := 0, 0
			if name == "remote" {
				runs /= 4 // to open it takes a while
			}
			played := 0
			for ; played < runs || offered < enough && played < 4*runs; played++ { // a few histories may hold few addresses by chance
				seed := rand.Uint64()
				r := &run{t: t, p: open(t), pick: picker(seed)}
				r.play(40)
				r.p.close(t)
				checks, offered = checks+r.checks, offered+r.offered
				if len(r.violations) > 0 {
					t.Fatalf("seed %d: %s", seed, r.violations[0])
				}
			}
			t.Logf("%d histories, %d reads, %d of them of addresses, 0 violations", played, checks, offered)
			if offered < enough {
				t.Errorf("of %d reads %d were of addresses: this proves little", checks, offered)
			}
		})
	}
}

func picker(seed uint64) func(n int, what string) int {
	src := rand.New(rand.NewPCG(seed, seed))
	return func(n int, _ string) int { return src.IntN(n) }
}
