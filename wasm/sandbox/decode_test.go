package sandbox

import (
	"strings"
	"testing"

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
