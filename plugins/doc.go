// Package plugins knows the decoders: which accept a media type, in which order, and a pool of ready instances of each. It is the only
// door from the host to the sandbox.
//
//	reg, err := plugins.New(nil)
//	for _, d := range plugins.Builtin() {
//		err = reg.Add(d)
//	}
//	infos := reg.Accepts("application/pdf")
//	res, err := reg.Decode(ctx, infos[0], readapi.Decoding{Input: input, Request: request, Limits: limits})
//
// A Registry is a value: nothing is registered by an import, and two registries in one process share nothing. Data goes on to package
// wasm/sandbox, which runs a decoder behind the wall.
package plugins
