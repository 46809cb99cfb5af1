// Package sandbox runs decoders: rewritten WebAssembly modules (see package binary) behind a wall of fuel, memory, time and output
// limits. It is rings 3 and 4 of the design and the only package that knows wazero.
//
//	rt, err := sandbox.New(nil)
//	defer rt.Close(ctx)
//	prog, err := rt.Compile(ctx, sandbox.Module{Name: "text", Wasm: wasm, Digest: digest})
//	err = prog.Snapshot(ctx, warm)            // once: every read starts from here
//	inst, err := prog.Instance(ctx)
//	usage, err := inst.Decode(ctx, &sandbox.Call{Request: req, Input: in, Emit: collector.Add})
//	if err != nil || inst.Reset() != nil {
//		inst.Close()                            // after any error the instance is of no use
//	}
//
// How a guest is stopped: the rewritten module counts fuel down and calls the host when a slice of it is spent, after at most a few
// milliseconds of the worst code. There the host looks at the context, the deadline and the budget, and either hands out the next slice
// or unwinds the guest. Nothing else is needed, so wazero's own WithCloseOnContextDone stays off: it makes decoding six times slower
// and cannot stop a guest that has no loop.
//
// How a guest is put back: a snapshot holds the memory and the globals after initialization and a warm-up. Reset shrinks the memory,
// copies back what changed and sets the globals. The rewriter's taint flag tells when a guest changed what cannot be restored.
//
// Frames that a guest emits go on to abi.Collector, which turns them into a result.
package sandbox
