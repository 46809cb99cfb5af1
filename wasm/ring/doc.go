// Package ring runs decoders in helper processes: ring 5 of the design. What runs there is package sandbox again, so everything that holds
// in process holds here, and a bug of the compiler's, or a guest that breaks out, finds itself in a process without files, network or
// rights.
//
//	r, err := ring.New(&ring.Options{Helper: []string{"/usr/bin/glovebox", "helper"}})
//	prog, err := r.Compile(ctx, module)
//	err = prog.Snapshot(ctx, warm)
//	inst, err := prog.Instance(ctx) // a process of its own
//	usage, err := inst.Decode(ctx, &sandbox.Call{…})
//
// The types and their methods are those of package sandbox, with the same errors. Package helper is the other end.
package ring
