package storetest

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// hostCases are about what several hosts of one store agree on.
func hostCases() []testCase[IndexHarness] {
	return []testCase[IndexHarness]{
		{"Hosts", hosts},
		{"HostHeartbeat", hostHeartbeat},
		{"HostOver", hostOver},
		{"HostReturns", hostReturns},
		{"HostDropped", hostDropped},
		{"Acquire", acquire},
		{"AcquireOver", acquireOver},
		{"AcquireRace", acquireRace},
		{"Resign", resign},
	}
}

// decoderList is a list of one decoder.
func decoderList(digest string) []store.DecoderEntry {
	return []store.DecoderEntry{{Name: "x", Digest: digest}}
}

func putHost(t T, d store.IndexDriver, id, digest string) int64 {
	t.Helper()
	g, err := d.PutHost(t.Context(), store.HostEntry{ID: id, Decoders: decoderList(digest)}, long)
	must(t, err)
	return g
}

func decoderSet(t T, d store.IndexDriver) store.DecoderSet {
	t.Helper()
	set, err := d.Decoders(t.Context())
	must(t, err)
	return set
}

func hostsOf(set store.DecoderSet) []string {
	return ids(set.Hosts, func(h store.HostEntry) string { return h.ID })
}

func hosts(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "hosts before any", len(decoderSet(t, d).Hosts), 0)
	must(t, func() error {
		_, err := d.SetDecoders(t.Context(), 0, decoderList("set"))
		return err
	}())
	putHost(t, d, "b", "1")
	g := putHost(t, d, "a", "2")
	_, err := d.PutHost(t.Context(), store.HostEntry{ID: "B"}, 60*long)
	must(t, err)
	set := decoderSet(t, d)
	equal(t, "hosts by id", hostsOf(set), []string{"B", "a", "b"})
	equal(t, "their decoders", fmt.Sprint(set.Hosts[1].Decoders, set.Hosts[2].Decoders, len(set.Hosts[0].Decoders)), fmt.Sprint(decoderList("2"), decoderList("1"), 0))
	equal(t, "until when", inAnHour(set.Hosts[0].Until), true)
	equal(t, "the set", set.Decoders, decoderList("set"))
	equal(t, "the generation", set.Generation > g, true)
	_, beside, err := d.ListArtifacts(t.Context(), mine, -1, 1)
	must(t, err)
	equal(t, "the generation beside artifacts", beside, set.Generation)
	after, err := d.SetDecoders(t.Context(), set.Generation, decoderList("next"))
	must(t, err)
	equal(t, "hosts beside a new set", hostsOf(after), []string{"B", "a", "b"})
	_, err = d.SetDecoders(t.Context(), set.Generation, nil)
	isConflict(t, "a set of before", err)
}

// The generation rises with what hosts can read, and only then: a heartbeat makes nobody look again.
func hostHeartbeat(t T, h IndexHarness) {
	d := h.New(t)
	first := putHost(t, d, "a", "1")
	equal(t, "a host came: the generation rises", first > 0, true)
	equal(t, "a heartbeat", putHost(t, d, "a", "1"), first)
	second := putHost(t, d, "b", "1")
	equal(t, "another host came: the generation rises", second > first, true)
	equal(t, "heartbeats", []int64{putHost(t, d, "a", "1"), putHost(t, d, "b", "1")}, []int64{second, second})
	third := putHost(t, d, "a", "2")
	equal(t, "a host has other decoders: the generation rises", third > second, true)
	equal(t, "a heartbeat", putHost(t, d, "a", "2"), third)
	equal(t, "the generation of the set", decoderSet(t, d).Generation, third)
}

// briefly puts a host whose time is over when it returns, and returns the generation.
func briefly(t T, d store.IndexDriver, id string) int64 {
	t.Helper()
	g, err := d.PutHost(t.Context(), store.HostEntry{ID: id, Decoders: decoderList("1")}, brief)
	must(t, err)
	time.Sleep(2 * brief)
	return g
}

// A host whose time is over is there until another host forgets it: at one generation, all see the same hosts.
func hostOver(t T, h IndexHarness) {
	d := h.New(t)
	putHost(t, d, "a", "1")
	was := briefly(t, d, "b")
	set := decoderSet(t, d)
	equal(t, "hosts while nobody has forgotten one", fmt.Sprint(hostsOf(set), set.Generation), fmt.Sprint([]string{"a", "b"}, was))
	now := was
	eventually(t, "the end of a host", func() bool { now = putHost(t, d, "a", "1"); return len(decoderSet(t, d).Hosts) == 1 })
	equal(t, "hosts", hostsOf(decoderSet(t, d)), []string{"a"})
	equal(t, "a host went: the generation rises", now > was, true)
}

// A host that is late and was not forgotten changes nothing; one that was comes anew.
func hostReturns(t T, h IndexHarness) {
	d := h.New(t)
	putHost(t, d, "a", "1")
	was := briefly(t, d, "b")
	equal(t, "a host is late", briefly(t, d, "b"), was)
	eventually(t, "the end of a host", func() bool { was = putHost(t, d, "a", "1"); return len(decoderSet(t, d).Hosts) == 1 })
	equal(t, "a host came again: the generation rises", putHost(t, d, "b", "1") > was, true)
	equal(t, "hosts", hostsOf(decoderSet(t, d)), []string{"a", "b"})
}

func hostDropped(t T, h IndexHarness) {
	d := h.New(t)
	putHost(t, d, "a", "1")
	was := putHost(t, d, "b", "1")
	must(t, d.DropHost(t.Context(), "a"))
	now := decoderSet(t, d)
	equal(t, "hosts", hostsOf(now), []string{"b"})
	equal(t, "a host went: the generation rises", now.Generation > was, true)
	must(t, d.DropHost(t.Context(), "a"))
	must(t, d.DropHost(t.Context(), "nobody"))
	equal(t, "the set when nobody went", fmt.Sprint(decoderSet(t, d).Generation, hostsOf(decoderSet(t, d))), fmt.Sprint(now.Generation, []string{"b"}))
}

func has(t T, d store.IndexDriver, name, holder string) bool {
	t.Helper()
	ok, err := d.Acquire(t.Context(), name, holder, long)
	must(t, err)
	return ok
}

func acquire(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "the first", has(t, d, "gc", "x"), true)
	equal(t, "another", has(t, d, "gc", "y"), false)
	equal(t, "the first again", has(t, d, "gc", "x"), true)
	equal(t, "another name", has(t, d, "GC", "y"), true)
	equal(t, "another, later", has(t, d, "gc", "y"), false)
}

func acquireOver(t T, h IndexHarness) {
	d := h.New(t)
	ok, err := d.Acquire(t.Context(), "gc", "x", brief)
	must(t, err)
	equal(t, "the first", ok, true)
	eventually(t, "the end of a lease", func() bool { return has(t, d, "gc", "y") })
	equal(t, "who had it before", has(t, d, "gc", "x"), false)
}

// Of many who want it at once, one has it.
func acquireRace(t T, h IndexHarness) {
	d := h.New(t)
	for k := range 3 {
		var won atomic.Int64
		together(6, func(i int) {
			ok, err := d.Acquire(t.Context(), fmt.Sprint("name", k), fmt.Sprint("holder", i), long)
			if ok && err == nil {
				won.Add(1)
			}
		})
		equal(t, "how many have it", won.Load(), 1)
	}
}

func resign(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "the first", has(t, d, "gc", "x"), true)
	equal(t, "another name", has(t, d, "other", "x"), true)
	must(t, d.Resign(t.Context(), "gc", "y"))
	must(t, d.Resign(t.Context(), "nothing", "x"))
	equal(t, "another after it resigned what it had not", has(t, d, "gc", "y"), false)
	must(t, d.Resign(t.Context(), "gc", "x"))
	equal(t, "another after the first resigned", has(t, d, "gc", "y"), true)
	equal(t, "another name", has(t, d, "other", "y"), false)
}

// moreForeign are the methods of foreignCases that remove and look at uploads.
var moreForeign = map[string]func(t T, d store.IndexDriver, s readapi.Scope) (seen bool){
	"PurgeArtifact": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		_, ok, _ := d.PurgeArtifact(t.Context(), s, "a", at(9))
		a, _ := get(t, d, mine, "a")
		return ok || a.Purging || a.Status != readapi.StatusLive
	},
	"DropArtifact": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		purge(t, d, mine, "a")
		add(t, d, s, nil, event("of its own", 1))
		_ = d.DropArtifact(t.Context(), s, "a")
		_, there := get(t, d, mine, "a")
		_, up := findUpload(t, d, mine, "u")
		return !there || !up || used(t, d, mine.Principal) != "2 6 of 2 6"
	},
	"Upload": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		_, ok, _ := d.Upload(t.Context(), s, "u")
		return ok
	},
	"ScanUploads": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		list, _ := d.ScanUploads(t.Context(), s, "", 10)
		return len(list) > 0
	},
	"MarkSession": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		_, ok, _ := d.MarkSession(t.Context(), s, store.DeleteSession, at(9))
		now, _, _ := d.Session(t.Context(), mine)
		a, _ := get(t, d, mine, "a")
		return ok || !now.Deleted.IsZero() || a.Status != readapi.StatusLive
	},
	"DropSession": func(t T, d store.IndexDriver, s readapi.Scope) bool {
		mark(t, d, mine, store.PurgeSession, 9)
		_ = d.DropSession(t.Context(), s)
		_, there, _ := d.Session(t.Context(), mine)
		_, up := findUpload(t, d, mine, "u")
		return !there || !up || len(listed(t, d, mine)) != 2 || used(t, d, mine.Principal) != "2 6 of 2 6"
	},
}
