package plugins_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// counting is a decoder that says that its file has as many units as digit leaves, an i32 from 0 to 7; the first byte of the file is at 1024.
func counting(t *testing.T, name string, digit ...wat.Code) plugins.Decoder {
	t.Helper()
	end, err := abi.AppendFrame(nil, abi.End{Total: 9}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for k, b := range end {
		if b == '9' {
			at = k
		}
	}
	i32 := wat.Types{wat.I32}
	m := wat.New()
	read := m.Import(abi.HostModule, abi.ImportInputRead, wat.Types{wat.I64, wat.I32, wat.I32}, i32)
	emit := m.Import(abi.HostModule, abi.ImportEmit, wat.Types{wat.I32, wat.I32, wat.I32}, i32)
	version := m.Func(nil, i32, nil, wat.I32Const(abi.Version))
	describe := m.Func(nil, i32, nil, wat.I32Const(0))
	decode := m.Func(nil, i32, nil,
		wat.I64Const(0), wat.I32Const(1024), wat.I32Const(1), wat.Call(read), wat.Op(0x1a),
		wat.I32Const(int32(at)), wat.Cat(digit...), wat.I32Const(7), wat.Op(0x71), wat.I32Const('0'), wat.Op(0x6a), wat.Mem(0x3a, 0, 0),
		wat.I32Const(int32(abi.KindEnd)), wat.I32Const(0), wat.I32Const(int32(len(end))), wat.Call(emit))
	m.Memory(1, 1)
	m.Data(0, end)
	m.ExportMemory(abi.ExportMemory)
	m.ExportFunc(abi.ExportABI, version)
	m.ExportFunc(abi.ExportDescribe, describe)
	m.ExportFunc(abi.ExportDecode, decode)
	wasm, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(name, digestOf(wasm), "text/plain")
	d.Load = func() ([]byte, error) { return wasm, nil }
	return d
}

// differing takes the larger of a NaN and a number and counts by the bits of what comes out: WebAssembly lets an engine choose which NaN that
// is. The compiler of wazero 1.12 clears what the NaN carries (f64x2.max on amd64), the interpreter hands it on.
func differing(t *testing.T) plugins.Decoder {
	return counting(t, "differs", wat.V128Const(0x7ff8<<48|2, 0), wat.V128Const(0x3ff0<<48, 0), wat.Vector(0xf5), wat.Vector(0x1d, 0), wat.Op(0xa7))
}

// asked is an input of one byte that counts how often it is read and may say something else each time, or nothing once.
type asked struct {
	n       atomic.Int64
	changes bool
	failsAt int64 // the read, from 1; 0: none
}

func (a *asked) Size() int64 { return 1 }

func (a *asked) ReadAt(p []byte, _ int64) (int, error) {
	n := a.n.Add(1)
	if n == a.failsAt {
		return 0, errors.New("gone")
	}
	p[0] = 5
	if a.changes {
		p[0] = byte(n)
	}
	return 1, nil
}

func decodeOf(t *testing.T, r *plugins.Registry, in readapi.Input) (readapi.Result, error) {
	t.Helper()
	return r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: in, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
}

func checking(t *testing.T, d plugins.Decoder, opts plugins.Options) (*plugins.Registry, *[]plugins.Incident) {
	t.Helper()
	var heard []plugins.Incident
	opts.Report = func(i plugins.Incident) { heard = append(heard, i) }
	r, err := plugins.New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(t.Context()); err != nil && !errors.Is(err, readapi.CodeCanceled) {
			t.Error(err)
		}
	})
	if err := r.Add(d); err != nil {
		t.Fatal(err)
	}
	return r, &heard
}

// Every third read of a sound decoder is run on both engines, and nothing comes of it.
func TestCrossCheckAgrees(t *testing.T) {
	d := counting(t, "sound", wat.I32Const(1024), wat.Mem(0x2d, 0, 0))
	r, heard := checking(t, d, plugins.Options{CrossCheck: 3})
	in := &asked{}
	for k := range 9 {
		if res, err := decodeOf(t, r, in); err != nil || res.Total != 5 {
			t.Fatalf("read %d: %v, %d", k, err, res.Total)
		}
	}
	if n := in.n.Load(); n != 9+3 || len(*heard) > 0 {
		t.Errorf("the file was read %d times, and heard was %v", n, *heard)
	}
	if err := r.Verify(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: in, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); err != nil || in.n.Load() != 12+4 {
		t.Errorf("verified: %v, and the file was read %d times", err, in.n.Load()-12)
	}
}

// A file that changes while it is read is not its decoder's fault.
func TestCrossCheckOfChangingFile(t *testing.T) {
	d := counting(t, "sound", wat.I32Const(1024), wat.Mem(0x2d, 0, 0))
	r, heard := checking(t, d, plugins.Options{CrossCheck: 1})
	if _, err := decodeOf(t, r, &asked{changes: true}); err != nil {
		t.Error(err)
	}
	err := r.Verify(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: &asked{changes: true}, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()})
	if readapi.CodeOf(err) != readapi.CodeConflict || len(*heard) > 0 || r.List()[0].State != plugins.StateReady {
		t.Errorf("%v, heard %v", err, *heard)
	}
	if _, err := decodeOf(t, r, &asked{failsAt: 2}); err != nil || len(*heard) > 0 {
		t.Errorf("a file that cannot be read a second time: %v, heard %v", err, *heard)
	}
	if _, err := decodeOf(t, r, unreadable{errors.New("gone")}); readapi.CodeOf(err) != readapi.CodeNotFound || len(*heard) > 0 {
		t.Errorf("a file that cannot be read: %v, heard %v", err, *heard)
	}
}
