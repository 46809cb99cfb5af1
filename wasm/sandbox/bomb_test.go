package sandbox

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// The bombs are modules that admission lets through, near its limits, and that take a compiler long, much memory, or make much code of little.

// nestedBlocks is conditions below as many blocks as may be open.
func nestedBlocks(g *guest, funcs int) {
	const depth = 1400
	one := cat(code(bytes.Repeat([]byte{0x02, voidBlock}, depth)), i32(0), brIf(depth-1), code(bytes.Repeat([]byte{end}, depth)))
	for range funcs {
		g.fn("", "", nil, code(bytes.Repeat(one, 5)))
	}
}

// loopsAndLocals sets every local in nested loops, so that each loop needs a value of each.
func loopsAndLocals(g *guest, loops, locals int) {
	b := code(bytes.Repeat([]byte{0x03, voidBlock}, loops))
	for l := range locals {
		b = append(b, cat(get(l), i32(1), i32Add, set(l))...)
	}
	for range loops {
		b = append(b, cat(get(0), brIf(0), end)...)
	}
	g.fn("", "", bytes.Repeat([]byte{tI32}, locals), b)
}

// branchTargets is a jump table with many targets below many blocks, each of which uses what was set before.
func branchTargets(g *guest, depth, targets int) {
	const locals = 200
	b := code(bytes.Repeat([]byte{0x02, voidBlock}, depth))
	b = append(b, cat(get(0), byte(0x0e), code(uleb(uint64(targets-1))))...)
	for i := range targets {
		b = append(b, uleb(uint64(i%depth))...)
	}
	for i := range depth {
		l := i % locals
		b = append(b, cat(end, get(l), get((l+1)%locals), i32Add, set(l))...)
	}
	g.fn("", "", bytes.Repeat([]byte{tI32}, locals), b)
}

// muchCode is functions as long as may be.
func muchCode(g *guest, funcs int) {
	for range funcs {
		g.fn("", "", []byte{tI32}, code(bytes.Repeat(cat(get(0), get(0), i32Add, set(0)), 7900)))
	}
}

// TestCompileBombs checks that each is refused by the limit that it breaks, and that it costs this process nothing. The ablation is a smaller one
// of the same kind with the default limits, which compiles: the limit refused it, not its shape.
func TestCompileBombs(t *testing.T) {
	second := CompileLimits{Timeout: time.Second}
	for _, c := range []struct {
		name   string
		engine Engine
		limits CompileLimits
		want   string
		bomb   func(g *guest)
		small  func(g *guest) // also over want, when its limit is that of tight
		tight  CompileLimits
	}{
		{
			"nested blocks", Compiler, second, "compile_timeout_ms",
			func(g *guest) { nestedBlocks(g, 100) }, func(g *guest) { nestedBlocks(g, 1) }, CompileLimits{Timeout: time.Millisecond},
		},
		{
			"loops and locals", Compiler, second, "compile_timeout_ms",
			func(g *guest) { loopsAndLocals(g, 900, 4000) }, func(g *guest) { loopsAndLocals(g, 5, 4000) }, CompileLimits{Timeout: time.Millisecond},
		},
		{
			"jump tables, memory", Compiler, CompileLimits{MaxMemoryBytes: 64 << 20}, "compile_memory",
			func(g *guest) { branchTargets(g, 1400, 7900) }, func(g *guest) { branchTargets(g, 300, 2000) }, CompileLimits{MaxMemoryBytes: 4 << 20},
		},
		{
			"jump tables, code", Compiler, CompileLimits{MaxCodeBytes: 1 << 20}, "compile_code_bytes",
			func(g *guest) { branchTargets(g, 700, 4000) }, func(g *guest) { branchTargets(g, 100, 4000) }, CompileLimits{MaxCodeBytes: 4 << 10},
		},
		{
			"much code, lowered", Interpreter, CompileLimits{MaxMemoryBytes: 128 << 20}, "compile_memory",
			func(g *guest) { muchCode(g, 250) }, func(g *guest) { muchCode(g, 40) }, CompileLimits{MaxMemoryBytes: 1 << 20},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			try := func(make func(g *guest), limits CompileLimits) error {
				g := newGuest(i32(0))
				make(g)
				m := foreign(g.module(t))
				rt := newRuntime(t, Options{Engine: c.engine, CacheDir: t.TempDir(), Helper: self(t, "helper"), CompileLimits: limits})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := rt.Compile(t.Context(), m)
				runtime.ReadMemStats(&after)
				if got := after.TotalAlloc - before.TotalAlloc; err != nil && got > 4<<20 {
					t.Errorf("this process took %d KiB for it", got>>10)
				}
				return err
			}
			refusedWith(t, try(c.bomb, c.limits), c.want)
			refusedWith(t, try(c.small, c.tight), c.want)
			if err := try(c.small, CompileLimits{}); err != nil {
				t.Errorf("a small one: %v", err)
			}
		})
	}
}
