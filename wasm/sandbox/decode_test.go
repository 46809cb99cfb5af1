package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// echo emits the request, then the whole input, in one frame each. The memory grows to hold the input.
func echo() *guest {
	return newGuest(
		i32(1024), call_(fnRequestRead),
		emitRange(int32(abi.KindMeta), i32(1024), call_(fnRequestLen)), drop,
		call_(fnInputLen), i32WrapI64, set(0),
		grow(cat(get(0), i32(65535), i32Add, i32(16), byte(0x76))), drop, // shr_u
		i64(0), i32(65536), get(0), call_(fnInputRead), set(1),
		emitRange(int32(abi.KindText), i32(65536), get(1)), drop,
		i32(0),
	)
}

func TestDecode(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		p := program(t, e, echo())
		text := strings.Repeat("what goes in comes out. ", 10_000)
		f, u, err := decode(t, p, &Call{Request: []byte(`{"v":1}`), Input: input(text)})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(f.payloads[0]); got != `{"v":1}` || f.kinds[0] != abi.KindMeta {
			t.Errorf("request %d %q", f.kinds[0], got)
		}
		if string(f.payloads[1]) != text || f.kinds[1] != abi.KindText {
			t.Errorf("input came out differently: %d bytes", len(f.payloads[1]))
		}
		want := Usage{Fuel: u.Fuel, MemoryBytes: 65536 + (240_000+65535)/65536*65536, HostCalls: 6, Frames: 2, OutputBytes: 240_007}
		if u != want || u.Fuel < 240_000 {
			t.Errorf("usage %+v, want %+v", u, want)
		}
	})
}

// TestDescribeRefused checks that a description which is turned down says why, also where the guest, told to stop, then says that it failed.
func TestDescribeRefused(t *testing.T) {
	for _, ends := range [][]any{{drop, i32(0)}, {}, {drop, unreachable}} { // what emit gives is what the second returns; the third traps
		g := newGuest(i32(0))
		g.export(abi.ExportDescribe, g.fn("", "i", nil, append([]any{emitRange(1, i32(0), i32(0))}, ends...)...))
		_, _, err := newRuntime(t, Options{Engine: Interpreter}).Describe(t.Context(), g.module(t))
		e, ok := errors.AsType[*readapi.Error](err)
		if !ok || e.Code != readapi.CodeBadOutput || e.Detail != "its description breaks the rules of the ABI" || e.Err == nil {
			t.Errorf("%v, want bad_output and what is wrong", err)
		}
	}
}

func TestDescribe(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		i := instance(t, program(t, e, newGuest(i32(0))))
		f := &frames{}
		if err := i.Describe(t.Context(), f.emit); err != nil {
			t.Fatal(err)
		}
		if len(f.kinds) != 1 || f.kinds[0] != abi.KindDescribe {
			t.Errorf("frames %v", f.kinds)
		}
	})
}
