package storetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a T that keeps failures to itself.
type recorder struct {
	t        *testing.T
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.t.Context() }
func (r *recorder) TempDir() string          { return r.t.TempDir() }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// record runs one case and returns how it failed; a panic is a failure too.
func record[H any](t *testing.T, c testCase[H], h H) []string {
	r := &recorder{t: t}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() {
			if v := recover(); v != nil {
				r.Errorf("panic: %v", v)
			}
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		c.run(r, h)
	}()
	wg.Wait()
	return r.failures
}

// mutant is a harness whose drivers are broken in one way.
type mutant[H any] struct {
	of      string // the case that must catch it, and no other may
	harness H
}

// runMutants runs every case against every mutant. Each case must have one.
func runMutants[H any](t *testing.T, cases []testCase[H], sound H, mutants []mutant[H]) {
	caught := map[string]bool{}
	for _, c := range cases {
		if f := record(t, c, sound); f != nil {
			t.Fatalf("%s fails on a sound driver: %s", c.name, f)
		}
	}
	for _, m := range mutants {
		var by, why []string
		for _, c := range cases {
			if f := record(t, c, m.harness); f != nil {
				by = append(by, c.name)
				why = append(why, c.name+": "+f[0])
			}
		}
		if !slices.Equal(by, []string{m.of}) {
			t.Errorf("the mutant of %s is caught by %q\n%s", m.of, by, strings.Join(why, "\n"))
		}
		caught[m.of] = true
	}
	for _, c := range cases {
		if !caught[c.name] {
			t.Errorf("%s has no mutant", c.name)
		}
	}
}
