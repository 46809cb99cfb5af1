package storetest

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// soundCache is a cache in memory. Those that share a place share places.
type soundCache struct{ *cachePlace }

type cachePlace struct {
	mu     sync.Mutex
	values map[string]*cachedValue
}

type cachedValue struct {
	value []byte
	used  time.Time
}

func newSoundCache() soundCache { return soundCache{&cachePlace{values: map[string]*cachedValue{}}} }

func (c soundCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	if !ok {
		return nil, false, nil
	}
	v.used = time.Now()
	return bytes.Clone(v.value), true, nil
}

func (c soundCache) Put(_ context.Context, key string, value []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = &cachedValue{bytes.Clone(value), time.Now()}
	return nil
}

func (c soundCache) Trim(_ context.Context, most int64) (left store.Usage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]string, 0, len(c.values))
	for k, v := range c.values {
		keys = append(keys, k)
		left.Bytes += int64(len(v.value))
	}
	slices.SortFunc(keys, func(a, b string) int { return c.values[a].used.Compare(c.values[b].used) })
	for _, k := range keys {
		if left.Bytes <= most {
			break
		}
		left.Bytes -= int64(len(c.values[k].value))
		delete(c.values, k)
	}
	left.Files = int64(len(c.values))
	return left, nil
}

func (c soundCache) Close() error { return nil }

func (c soundCache) age(key string, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key].used = c.values[key].used.Add(-by)
}

// brokenCache is a sound one, but for what the hooks change.
type brokenCache struct {
	soundCache
	get  func(key string) ([]byte, bool, error)
	put  func(key string, value []byte) error
	trim func(most int64) (store.Usage, error)
}

func (c *brokenCache) Get(ctx context.Context, key string) ([]byte, bool, error) {
	if c.get != nil {
		return c.get(key)
	}
	return c.soundCache.Get(ctx, key)
}

func (c *brokenCache) Put(ctx context.Context, key string, value []byte) error {
	if c.put != nil {
		return c.put(key, value)
	}
	return c.soundCache.Put(ctx, key, value)
}

func (c *brokenCache) Trim(ctx context.Context, most int64) (store.Usage, error) {
	if c.trim != nil {
		return c.trim(most)
	}
	return c.soundCache.Trim(ctx, most)
}

func cacheHarness(f func(t T, c *brokenCache)) CacheHarness {
	return CacheHarness{
		New: func(t T) store.CacheDriver {
			c := &brokenCache{soundCache: newSoundCache()}
			f(t, c)
			return c
		},
		Beside: func(t T, d store.CacheDriver) store.CacheDriver {
			c := &brokenCache{soundCache: d.(*brokenCache).soundCache}
			f(t, c)
			return c
		},
		Age: func(_ T, d store.CacheDriver, key string, by time.Duration) { d.(*brokenCache).age(key, by) },
	}
}

func TestCacheMutants(t *testing.T) {
	sound := cacheHarness(func(T, *brokenCache) {})
	var mutants []mutant[CacheHarness]
	for of, f := range map[string]func(t T, c *brokenCache){
		"RoundTrip": func(t T, c *brokenCache) { // an empty value is as none
			c.get = func(key string) ([]byte, bool, error) {
				v, ok, err := c.soundCache.Get(t.Context(), key)
				return v, ok && len(v) > 0, err
			}
		},
		"Absent": func(t T, c *brokenCache) { // a value that stands alone is that of every key
			c.get = func(key string) ([]byte, bool, error) {
				c.mu.Lock()
				for only := range c.values {
					if len(c.values) == 1 {
						key = only
					}
				}
				c.mu.Unlock()
				return c.soundCache.Get(t.Context(), key)
			}
		},
		"Replace": func(t T, c *brokenCache) { // a value that is there stays, unless it is as long
			c.put = func(key string, value []byte) error {
				if v, ok, _ := c.soundCache.Get(t.Context(), key); ok && len(v) != len(value) {
					return nil
				}
				return c.soundCache.Put(t.Context(), key, value)
			}
		},
		"Owned": func(t T, c *brokenCache) {
			c.get = func(key string) ([]byte, bool, error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				v, ok := c.values[key]
				if !ok {
					return nil, false, nil
				}
				v.used = time.Now()
				return v.value, true, nil
			}
		},
		"Trim": func(t T, c *brokenCache) { // says nothing of files
			c.trim = func(most int64) (store.Usage, error) {
				left, err := c.soundCache.Trim(t.Context(), most)
				left.Files = 0
				return left, err
			}
		},
		"TrimAll": func(t T, c *brokenCache) { // takes 0 for no limit where little is there, one file of the other one's too
			c.trim = func(most int64) (store.Usage, error) {
				left, err := c.soundCache.Trim(t.Context(), 1<<30)
				if most == 0 && left.Bytes == 5 {
					return left, err
				}
				return c.soundCache.Trim(t.Context(), most)
			}
		},
		"TrimLeastUsed": func(t T, c *brokenCache) { // asking for a value does not count
			c.get = func(key string) ([]byte, bool, error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				v, ok := c.values[key]
				if !ok {
					return nil, false, nil
				}
				return bytes.Clone(v.value), true, nil
			}
		},
		"Concurrent": func(t T, c *brokenCache) { // all go through one buffer
			var shared []byte
			var mu sync.Mutex
			c.put = func(key string, value []byte) error {
				mu.Lock()
				shared = append(shared[:0], value...)
				mu.Unlock()
				for range 100 {
					runtime.Gosched()
				}
				mu.Lock()
				defer mu.Unlock()
				return c.soundCache.Put(t.Context(), key, shared)
			}
		},
	} {
		mutants = append(mutants, mutant[CacheHarness]{of, cacheHarness(f)})
	}
	apart := cacheHarness(func(T, *brokenCache) {})
	apart.Beside = func(T, store.CacheDriver) store.CacheDriver { return &brokenCache{soundCache: newSoundCache()} }
	mutants = append(mutants, mutant[CacheHarness]{"Beside", apart})
	runMutants(t, cacheCases(), sound, mutants)
}
