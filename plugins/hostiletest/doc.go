// Package hostiletest is decoders that mean harm, for the tests of the wall: modules that a registry runs like any other.
//
//	reg.Add(hostiletest.Decoder(t, cacheDir, "puppet", hostiletest.Puppet()))
//	script := hostiletest.NewScript().Repeat(1<<20, hostiletest.Log, 0, 0, 64).End()
//	_, err := reg.Decode(ctx, info, readapi.Decoding{Input: bytes.NewReader(script), …})
//
// Puppet does what its input says, so that an attack is an input and is compiled once. In puts an attack into any export, for those that
// run before a read. Memo keeps what it reads wherever it can and returns it later. Go builds a guest with Go's whole runtime, whose
// attacks are those that come naturally there. Nothing here checks what becomes of an attack: that is for the tests.
package hostiletest
