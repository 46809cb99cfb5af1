package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// sharedWait is how long a read waits for a shared cache; then it has the file decoded, as it would have without one.
	sharedWait = 50 * time.Millisecond

	// sharedRest is how long a shared cache that came too late is not asked again.
	sharedRest = time.Second

	sharedPut  = 5 * time.Second // for one answer to be put; nobody waits for it but Close
	sharedMost = 4 << 20         // bytes of one answer
	sharedGets = 64              // at once; a cache that hangs holds no more
	sharedPuts = 8
)

// CacheCounts say how the shared cache has served since the host was made.
type CacheCounts struct {
	Hits    int64 // reads that it answered
	Misses  int64 // reads for which it had nothing
	Late    int64 // reads for which it took too long
	Skipped int64 // reads and answers for which it was not asked: it had just been late, or was busy
	Damaged int64 // answers in it that were not whole
	Failed  int64 // calls of it that ended with an error
}

// CacheCounts says how the shared cache has served; all are 0 without one.
func (h *Host) CacheCounts() CacheCounts {
	s := h.shared
	if s == nil {
		return CacheCounts{}
	}
	return CacheCounts{s.hits.Load(), s.misses.Load(), s.late.Load(), s.skipped.Load(), s.damaged.Load(), s.failed.Load()}
}

// shared is a cache of answers that outlives the process, or that other hosts use too. Nothing depends on it: what it does not have, or not in
// time, is decoded. A nil *shared keeps nothing.
type shared struct {
	driver     store.CacheDriver
	most       int64 // bytes of all together
	build      string
	wait       time.Duration // of a read
	gets, puts chan struct{} // one for each that is under way
	rest       atomic.Int64  // until when it is not asked, in Unix nanoseconds
	running    sync.WaitGroup

	hits, misses, late, skipped, damaged, failed atomic.Int64
}

func newShared(driver store.CacheDriver, most int64) *shared {
	if driver == nil {
		return nil
	}
	return &shared{driver: driver, most: most, build: build(), wait: sharedWait, gets: make(chan struct{}, sharedGets), puts: make(chan struct{}, sharedPuts)}
}

// build names the program that makes the answers: another version of the host may make others of what a decoder says. A program that was built
// from changed sources is told apart by its file.
var build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" && !strings.HasSuffix(v, "+dirty") {
		return info.String()
	}
	file := ""
	if name, err := os.Executable(); err == nil {
		if s, err := os.Stat(name); err == nil {
			file = strconv.FormatInt(s.Size(), 10) + " " + s.ModTime().UTC().Format(time.RFC3339Nano)
		}
	}
	return info.String() + file
})

// names are what the cache knows an answer by, which says nothing of the file, and what seals it.
func (s *shared) names(k cacheKey) (key string, secret [sha256.Size]byte) {
	sum := func(use string) [sha256.Size]byte {
		return sha256.Sum256(append([]byte(sealedMagic+use+"\x00"+s.build+"\x00"), k[:]...))
	}
	name := sum("name")
	return hex.EncodeToString(name[:]), sum("seal")
}

// get returns the answer under k, or nil. It is the caller's. It does not take longer than s.wait, whatever the cache does.
func (s *shared) get(ctx context.Context, k cacheKey) *readapi.Document {
	if s == nil {
		return nil
	}
	if time.Now().UnixNano() < s.rest.Load() || !enter(s.gets) {
		s.skipped.Add(1)
		return nil
	}
	found := make(chan *readapi.Document, 1)
	within, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	s.running.Go(func() {
		defer func() { <-s.gets }()
		found <- s.look(within, k)
	})
	select {
	case doc := <-found:
		return doc
	case <-within.Done():
		if ctx.Err() == nil { // else it was the caller who did not wait
			s.late.Add(1)
			s.rest.Store(time.Now().Add(sharedRest).UnixNano())
		}
		return nil
	}
}

// look asks the cache for the answer under k.
func (s *shared) look(ctx context.Context, k cacheKey) *readapi.Document {
	key, secret := s.names(k)
	value, ok, err := s.driver.Get(ctx, key)
	switch {
	case ctx.Err() != nil: // it is late, and has been counted
		return nil
	case err != nil:
		s.failed.Add(1)
		return nil
	case !ok:
		s.misses.Add(1)
		return nil
	}
	doc := unseal(secret, value)
	if doc == nil {
		s.damaged.Add(1)
		return nil
	}
	s.hits.Add(1)
	return doc
}

// put keeps doc under k, behind the caller's back; nobody may change doc any more. Every so often it has the cache trimmed: as often, by chance,
// as an eighth of its size has been put, by whatever process.
func (s *shared) put(ctx context.Context, k cacheKey, doc *readapi.Document) {
	if s == nil || documentBytes(doc) > sharedMost {
		return
	}
	if !enter(s.puts) {
		s.skipped.Add(1)
		return
	}
	ctx = context.WithoutCancel(ctx)
	s.running.Go(func() {
		defer func() { <-s.puts }()
		within, cancel := context.WithTimeout(ctx, sharedPut)
		defer cancel()
		key, secret := s.names(k)
		value := seal(secret, doc)
		if value == nil {
			return
		}
		if err := s.driver.Put(within, key, value); err != nil {
			s.failed.Add(1)
			return
		}
		if rand.Int64N(max(1, s.most/8)) < int64(len(value)) {
			if _, err := s.driver.Trim(within, s.most); err != nil {
				s.failed.Add(1)
			}
		}
	})
}

// enter takes one of the places that c has, if one is free.
func enter(c chan struct{}) bool {
	select {
	case c <- struct{}{}:
		return true
	default:
		return false
	}
}

// close waits until what is being put is there, but not for long.
func (s *shared) close() {
	if s == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.running.Wait()
	}()
	timer := time.NewTimer(sharedPut + time.Second)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
