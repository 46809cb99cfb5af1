package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

func wasiType(t testing.TB, name string) wasmbinary.HostFunc {
	t.Helper()
	for _, f := range wasmbinary.WASIFuncs() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no %s", name)
	return wasmbinary.HostFunc{}
}

// wasiGuest calls functions of WASI one after the other and emits, for each, its result and the memory from 1024 on, 128 bytes.
func wasiGuest(t testing.TB, data map[int]string, calls ...[]any) *guest {
	t.Helper()
	g := &guest{mem: [2]int{1, 0}, data: data, exports: map[string]int{}, start: -1}
	for _, f := range wasmbinary.GloveboxFuncs() {
		g.importFunc(f)
	}
	var body code
	for _, c := range calls {
		f := wasiType(t, c[0].(string))
		fn := g.importFunc(f)
		var args code
		for k, typ := range f.Type.Params {
			if v := c[k+1].(int); typ == wasmbinary.I64 {
				args = cat(args, i64(int64(v)))
			} else {
				args = cat(args, i32(int32(v)))
			}
		}
		if len(f.Type.Results) == 0 {
			body = cat(body, args, call_(fn))
			continue
		}
		body = cat(body, i32(1016), args, call_(fn), store32(0), emitRange(3, i32(1016), i32(8+128)), drop)
	}
	g.export("glovebox_abi", g.fn("", "i", nil, i32(1)))
	g.export("glovebox_describe", g.fn("", "i", nil, i32(0)))
	g.export("glovebox_decode", g.fn("", "i", nil, body, i32(0)))
	return g
}

func le(vs ...any) string {
	var b bytes.Buffer
	for _, v := range vs {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.String()
}

func TestWASI(t *testing.T) {
	const out, far = 1024, 65536
	clock := func(kind byte, id uint32, timeout uint64, flags uint16) string {
		return le(uint64(0xabc), kind, [7]byte{}, id, uint32(0), timeout, uint64(0), flags, [6]byte{})
	}
	event := func(errno uint16, kind byte, bytes uint64) string {
		return le(uint64(0xabc), errno, kind, [5]byte{}, bytes, uint64(0))
	}
	for _, tc := range []struct {
		data  string // at 0
		call  []any
		errno uint32
		want  string // at 1024
	}{
		{"", []any{"args_sizes_get", out, out + 4}, 0, le(uint64(0))},
		{"", []any{"args_sizes_get", out, far - 3}, wasiFault, ""},
		{"", []any{"environ_sizes_get", far - 3, out}, wasiFault, ""},
		{"", []any{"args_get", out, out}, 0, ""},
		{"", []any{"clock_time_get", 1, 0, out}, 0, le(uint64(clockStart))},
		{"", []any{"clock_time_get", 0, 0, out}, 0, le(uint64(clockStart + clockRealtime))},
		{"", []any{"clock_time_get", 4, 0, out}, wasiInval, ""},
		{"", []any{"clock_time_get", 1, 0, far - 7}, wasiFault, ""},
		{"", []any{"clock_res_get", 1, out}, 0, le(uint64(1))},
		{"", []any{"clock_res_get", 9, out}, wasiInval, ""},
		{"", []any{"fd_prestat_get", 3, out}, wasiBadf, ""},
		{"", []any{"fd_fdstat_get", 1, out}, 0, le(uint64(2), uint64(1<<6), uint64(0))},
		{"", []any{"fd_fdstat_get", 3, out}, wasiBadf, ""},
		{"", []any{"fd_fdstat_get", -1, out}, wasiBadf, ""},
		{"", []any{"fd_filestat_get", 2, out}, 0, le(uint64(0), uint64(0), uint64(2))},
		{"", []any{"fd_seek", 1, 0, 0, out}, wasiSpipe, ""},
		{"", []any{"fd_close", 2}, 0, ""},
		{"", []any{"fd_close", 3}, wasiBadf, ""},
		{le(uint32(out), uint32(4)), []any{"fd_read", 0, 0, 1, out}, 0, le(uint32(0))},
		{"", []any{"fd_read", 3, 0, 1, out}, wasiBadf, ""},
		{"", []any{"path_open", 3, 0, 0, 1, 0, 0, 0, 0, out}, wasiBadf, ""},
		{"", []any{"sock_accept", 3, 0, out}, wasiBadf, ""},
		{le(uint32(16), uint32(3), uint32(19), uint32(4)) + "print ed\n", []any{"fd_write", 2, 0, 2, out}, 0, le(uint32(7))},
		{le(uint32(far-1), uint32(2)), []any{"fd_write", 1, 0, 1, out}, wasiFault, ""},
		{"", []any{"fd_write", 1, far - 7, 1, out}, wasiFault, ""},
		{"", []any{"fd_write", 1, 0, maxVectors + 1, out}, wasiInval, ""},
		{"", []any{"fd_write", 1, 0, 1 << 29, out}, wasiInval, ""},
		{"", []any{"fd_write", 0, 0, 0, out}, wasiBadf, ""},
		{"", []any{"sched_yield"}, 0, ""},
		{"", []any{"random_get", far - 1, 2}, wasiFault, ""},
		{"", []any{"poll_oneoff", 0, out, 0, out}, wasiInval, ""},
		{"", []any{"poll_oneoff", 0, out, maxSubscriptions + 1, out}, wasiInval, ""},
		{"", []any{"poll_oneoff", 0, far - 31, 1, out}, wasiFault, ""},
		{"", []any{"poll_oneoff", far - 47, out, 1, out}, wasiFault, ""},
		{clock(0, 1, 5, 0), []any{"poll_oneoff", 0, out + 8, 1, out}, 0, le(uint64(1)) + event(0, 0, 0)},
		{clock(0, 9, 5, 0), []any{"poll_oneoff", 0, out + 8, 1, out}, 0, le(uint64(1)) + event(wasiInval, 0, 0)},
		{clock(0, 1, 9, 0) + clock(0, 1, 5, 0), []any{"poll_oneoff", 0, out + 8, 2, out}, 0, le(uint64(1)) + event(0, 0, 0) + le([32]byte{})},
		{clock(2, 1, 0, 0) + clock(0, 1, 5, 0), []any{"poll_oneoff", 0, out + 8, 2, out}, 0, le(uint64(1)) + event(0, 2, maxLogLine) + le([32]byte{})},
		{clock(1, 3, 0, 0), []any{"poll_oneoff", 0, out + 8, 1, out}, 0, le(uint64(1)) + event(wasiBadf, 1, 0)},
	} {
		t.Run(fmt.Sprint(tc.call), func(t *testing.T) {
			f, _, err := decode(t, program(t, Interpreter, wasiGuest(t, map[int]string{0: tc.data}, tc.call)), &Call{})
			if err != nil {
				t.Fatal(err)
			}
			if errno := binary.LittleEndian.Uint32(f.payloads[0]); errno != tc.errno {
				t.Errorf("errno %d, want %d", errno, tc.errno)
			}
			if got := f.payloads[0][8:]; !strings.HasPrefix(string(got), tc.want) {
				t.Errorf("wrote %x, want %x", got, tc.want)
			}
		})
	}
}

// TestClock checks that only waiting moves the clock, by as much as was waited for, and that putting back puts it back.
func TestClock(t *testing.T) {
	wait := func(id uint32, timeout uint64, absolute uint16) string {
		return le(uint64(1), uint64(0), id, uint32(0), timeout, uint64(0), absolute, [6]byte{})
	}
	now := []any{"clock_time_get", 1, 0, 1024}
	poll := func(at int) []any { return []any{"poll_oneoff", at, 2048, 1, 4096} }
	p := program(t, Compiler, wasiGuest(t, map[int]string{0: wait(1, 5e9, 0), 64: wait(0, clockRealtime+9e9, 1), 128: wait(1, 2e9, 1), 192: wait(1, math.MaxUint64, 0)},
		now, now, poll(0), now, poll(64), now, poll(128), now, poll(192), now))
	if err := p.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	i := instance(t, p)
	defer i.Close()
	for range 2 {
		f := &frames{}
		if _, err := i.Decode(t.Context(), &Call{Emit: f.emit}); err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, k := range []int{0, 1, 3, 5, 7, 9} {
			got = append(got, binary.LittleEndian.Uint64(f.payloads[k][8:]))
		}
		if want := []uint64{clockStart, clockStart, clockStart + 5e9, 9e9, 9e9, clockEnd}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the clock showed %d, want %d", got, want)
		}
		if err := i.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRandom checks that the stream is the same for each read, and not constant within one.
func TestRandom(t *testing.T) {
	p := program(t, Compiler, wasiGuest(t, nil, []any{"random_get", 1024, 64}, []any{"random_get", 1024, 64}))
	a, _, err := decode(t, p, &Call{})
	if err != nil {
		t.Fatal(err)
	}
	i := instance(t, p)
	defer i.Close()
	for range 2 { // also a second time on the same instance
		b := &frames{}
		if _, err := i.Decode(t.Context(), &Call{Emit: b.emit}); err != nil {
			t.Fatal(err)
		}
		if a.text() != b.text() {
			t.Error("two reads see different numbers")
		}
	}
	if bytes.Equal(a.payloads[0][8:72], a.payloads[1][8:72]) || bytes.Count(a.payloads[0][8:72], []byte{0}) > 8 {
		t.Errorf("the numbers do not look random: %x", a.payloads)
	}
}

func TestExit(t *testing.T) {
	for _, status := range []int{0, 1, -1} {
		_, _, err := decode(t, program(t, Compiler, wasiGuest(t, nil, []any{"proc_exit", status})), &Call{})
		wantCode(t, err, readapi.CodeTrap)
	}
}

// TestGuestLog checks what of a guest's words reaches the host's log, and in which form.
func TestGuestLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	g := wasiGuest(t, map[int]string{
		0: le(uint32(100), uint32(6)), 8: le(uint32(106), uint32(16)), 16: le(uint32(3000), uint32(3000)),
		100: "first " + "half\nsecond\x1b[2J\n", 3000: strings.Repeat("x", 3000),
	}, []any{"fd_write", 1, 0, 1, 8000}, []any{"fd_write", 1, 8, 1, 8000}, []any{"fd_write", 2, 0, 1, 8000}, []any{"fd_write", 1, 16, 1, 8000})
	decodeFn := &g.funcs[2]
	decodeFn.body = cat(i32(3), i32(100), i32(5), call_(fnLog), i32(0), i32(3000), i32(2000), call_(fnLog), decodeFn.body)
	p := compile(t, newRuntime(t, Options{Log: log}), g.module(t))
	_, u, err := decode(t, p, &Call{Limits: Limits{MaxLogBytes: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	short := regexp.MustCompile("x{9,}").ReplaceAllStringFunc(out.String(), func(s string) string { return fmt.Sprint("x*", len(s)) })
	lines := strings.Split(strings.TrimSpace(short), "\n")
	want := []string{
		`level=ERROR msg=guest module=test line=first`,
		`level=DEBUG msg=guest module=test line=x*` + fmt.Sprint(maxLogLine),
		`level=INFO msg=guest module=test line="first half"`,
		`level=INFO msg=guest module=test line=second\u{1B}[2J`,
		`level=INFO msg=guest module=test line=x*` + fmt.Sprint(2000-5-maxLogLine-6-16-6),
		`level=INFO msg=guest module=test line="first "`,
		`level=WARN msg="guest log over its limit" module=test dropped_bytes=` + fmt.Sprint(u.LogDropped),
	}
	if fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("the log is\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if u.LogBytes != 2000 || u.LogBytes+u.LogDropped != 5+2000+6+16+6+3000 {
		t.Errorf("usage %+v", u)
	}
}
