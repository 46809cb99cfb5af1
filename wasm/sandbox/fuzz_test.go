package sandbox

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// FuzzHostCalls lets a guest call any host function with any arguments, over any memory: whatever comes of it, it is the guest's error
// and not the host's. A call is 34 bytes: the function, a flag (1: its arguments stay within the memory), four arguments of eight bytes.
// What follows the last whole call becomes the guest's memory.
func FuzzHostCalls(f *testing.F) {
	const record = 34
	for fn := range 48 {
		seed := make([]byte, 2*record)
		seed[0], seed[1] = byte(fn), 1
		seed[record], seed[record+2] = byte(fn), 0xff
		for k := range 32 {
			seed[2+k] = byte(k * fn)
		}
		f.Add(append(seed, "memory of the guest"...))
	}
	funcs := append(wasmbinary.GloveboxFuncs(), wasmbinary.WASIFuncs()...)
	f.Fuzz(func(t *testing.T, script []byte) {
		g := &guest{mem: [2]int{1, 0}, data: map[int]string{}, exports: map[string]int{}, start: -1}
		for _, h := range funcs {
			g.importFunc(h)
		}
		var body code
		for n := 0; len(script) >= record && n < 32; n++ {
			fn := int(script[0]) % len(funcs)
			for k, typ := range funcs[fn].Type.Params {
				v := binary.LittleEndian.Uint64(script[2+8*(k%4):])
				if script[1]&1 != 0 {
					v &= 0x1fff
				}
				if typ == wasmbinary.I64 {
					body = cat(body, i64(int64(v)))
				} else {
					body = cat(body, i32(int32(v)))
				}
			}
			body = cat(body, call_(fn))
			if len(funcs[fn].Type.Results) > 0 {
				body = cat(body, drop)
			}
			script = script[record:]
		}
		g.data[0] = string(script[:min(len(script), 1<<15)])
		g.export("glovebox_abi", g.fn("", "i", nil, i32(1)))
		g.export("glovebox_describe", g.fn("", "i", nil, i32(0)))
		g.export("glovebox_decode", g.fn("", "i", nil, body, i32(0)))
		p := program(t, Interpreter, g)
		if err := p.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		i := instance(t, p)
		defer i.Close()
		var first Usage
		for round := range 2 {
			u, err := i.Decode(t.Context(), &Call{
				Request: []byte("{}"), Input: input("the input"), Limits: Limits{Fuel: 1e9, Timeout: time.Minute, MaxLogBytes: 100},
			})
			switch readapi.CodeOf(err) {
			case "", readapi.CodeBadOutput, readapi.CodeTrap, readapi.CodeLimitFuel:
			default:
				t.Fatalf("a guest brought about %v", err)
			}
			if round > 0 && u != first {
				t.Fatalf("usage %+v, then %+v", first, u)
			}
			if first = u; err != nil || i.Reset() != nil {
				return
			}
		}
	})
}
