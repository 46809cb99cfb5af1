package hostiletest

import (
	"fmt"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// MediaType is the one that the decoders of this package accept unless they are told another. Zip and Gzip are of files that no built-in
// decoder reads: an input that begins with Head is one, for whoever looks at the bytes, and Puppet and MemoBehindHead do not mind it.
const (
	MediaType readapi.MediaType = "text/plain"
	Zip       readapi.MediaType = "application/zip"
	Gzip      readapi.MediaType = "application/gzip"
)

// Head is what an input of Zip or Gzip begins with: a record of a Script that does nothing.
func Head(m readapi.MediaType) []byte {
	head := make([]byte, recordBytes)
	copy(head, map[readapi.MediaType]string{Zip: "PK\x03\x04", Gzip: "\x1f\x8b\x08"}[m])
	return head
}

// Opcodes that the assembler has no name for.
const (
	opLoad32   = 0x28
	opLoad64   = 0x29
	opLoad8    = 0x2d
	opStore32  = 0x36
	opStore64  = 0x37
	opStore8   = 0x3a
	opAnd64    = 0x83
	opWrap     = 0xa7
	opExtend   = 0xad
	opIsNull   = 0xd1
	pageBytes  = 1 << 16
	tableSlots = 8
)

// imports are the indices of the functions of the host that a hostile module calls.
type imports struct{ requestRead, inputLen, inputRead, emit, log, write, clock, poll, random, exit uint32 }

// funcs are those of the module's own that attacks call.
type funcs struct {
	imports
	tree uint32 // (n): calls itself twice with n-1
	deep uint32 // (n): calls itself with n-1 until n is 0
}

// begin is a module with what attacks need: imports, a table of eight functions, a global, passive segments, and memory of pages.
func begin(pages uint32) (*wat.Module, funcs) {
	m := wat.New()
	var f funcs
	for _, in := range []struct {
		module, name string
		to           *uint32
	}{
		{abi.HostModule, abi.ImportRequestRead, &f.requestRead}, {abi.HostModule, abi.ImportInputLen, &f.inputLen},
		{abi.HostModule, abi.ImportInputRead, &f.inputRead}, {abi.HostModule, abi.ImportEmit, &f.emit}, {abi.HostModule, abi.ImportLog, &f.log},
		{binary.ModuleWASI, "fd_write", &f.write}, {binary.ModuleWASI, "clock_time_get", &f.clock}, {binary.ModuleWASI, "poll_oneoff", &f.poll},
		{binary.ModuleWASI, "random_get", &f.random}, {binary.ModuleWASI, "proc_exit", &f.exit},
	} {
		t := hostType(in.module, in.name)
		*in.to = m.Import(in.module, in.name, types(t.Params), types(t.Results))
	}
	i32 := wat.Types{wat.I32}
	f.tree = m.NextFunc()
	less := wat.Cat(wat.Get(0), wat.I32Const(1), wat.I32Sub, wat.Call(f.tree))
	m.Func(i32, nil, nil, wat.Get(0), wat.If(wat.Void, less, less))
	f.deep = m.NextFunc()
	m.Func(i32, nil, nil, wat.Get(0), wat.If(wat.Void, wat.Get(0), wat.I32Const(1), wat.I32Sub, wat.Call(f.deep)))
	m.Memory(pages, -1)
	m.Table(wat.FuncRef, tableSlots, -1)
	m.Elem(0, 0, f.tree, f.deep)
	m.PassiveElem(f.tree)
	m.Global(wat.I32, true, wat.I32Const(0))
	return m, f
}

func hostType(module, name string) binary.FuncType {
	for _, f := range append(binary.GloveboxFuncs(), binary.WASIFuncs()...) {
		if f.Module == module && f.Name == name {
			return f.Type
		}
	}
	panic("hostiletest: the host has no function " + name)
}

func types(in []binary.ValType) (out wat.Types) {
	for _, t := range in {
		out = append(out, byte(t))
	}
	return out
}

// frame is the payload of a frame; a header that is no JSON is a bug of the test's.
func frame(header any, body []byte) []byte {
	b, err := abi.AppendFrame(nil, header, body)
	if err != nil {
		panic(fmt.Sprintf("hostiletest: %v", err))
	}
	return b
}

// description is what the decoders of this package say of themselves.
func description(name string) abi.Description {
	return abi.Description{ABI: abi.Version, Name: name, Version: "6.6.6", MediaTypes: []readapi.MediaType{MediaType}, Unit: readapi.UnitLine}
}

// Where the frames lie that every module of this package has.
const (
	describeAt = 16 << 10
	endAt      = 20 << 10
	runsAt     = 22 << 10
)

// finish gives m the ABI's exports. body is what decode does before it ends its answer and returns 0; it may return before that.
// before goes in front of what the named export does.
func finish(m *wat.Module, f funcs, name string, before map[string]wat.Code, decodeLocals wat.Types, body ...wat.Code) []byte {
	return finishAs(m, f, []Frame{{abi.KindDescribe, frame(description(name), nil)}}, before, decodeLocals, body...)
}

// Frame is what a guest emits: any kind, any bytes.
type Frame struct {
	Kind    abi.Kind
	Payload []byte
}

// Describing is a module that describes itself with these frames, whatever they are.
func Describing(frames ...Frame) []byte {
	m, f := begin(16)
	return finishAs(m, f, frames, nil, nil)
}

func finishAs(m *wat.Module, f funcs, frames []Frame, before map[string]wat.Code, decodeLocals wat.Types, body ...wat.Code) []byte {
	i32 := wat.Types{wat.I32}
	say := func(kind abi.Kind, at int, payload []byte) wat.Code {
		m.Data(uint32(at), payload)
		return wat.Cat(wat.I32Const(int32(kind)), wat.I32Const(int32(at)), wat.I32Const(int32(len(payload))), wat.Call(f.emit), wat.Drop)
	}
	var describe wat.Code
	at := describeAt
	for _, x := range frames {
		if len(x.Payload) > endAt-describeAt {
			at = pageBytes // there is only one that is so long
		}
		describe = append(describe, say(x.Kind, at, x.Payload)...)
		at += len(x.Payload)
	}
	end := say(abi.KindEnd, endAt, frame(abi.End{Total: 9}, nil))
	m.ExportMemory(abi.ExportMemory)
	m.ExportFunc(abi.ExportABI, m.Func(nil, i32, nil, before[abi.ExportABI], wat.I32Const(abi.Version)))
	m.ExportFunc(abi.ExportDescribe, m.Func(nil, i32, nil, before[abi.ExportDescribe], describe, wat.I32Const(0)))
	m.ExportFunc(abi.ExportDecode, m.Func(nil, i32, decodeLocals, before[abi.ExportDecode], wat.Cat(body...), end, wat.I32Const(0)))
	if c := before[abi.ExportInitialize]; c != nil {
		m.ExportFunc(abi.ExportInitialize, m.Func(nil, nil, nil, c))
	}
	if c := before[Start]; c != nil {
		m.Start(m.Func(nil, nil, nil, c))
	}
	return m.Bytes()
}

// Start stands for the start function where exports are named.
const Start = "start"

// Exports are all functions of a module that the host runs, in the order in which it does.
func Exports() []string {
	return []string{Start, abi.ExportInitialize, abi.ExportABI, abi.ExportDescribe, abi.ExportDecode}
}

// Attack is work without end, or with an end that is too far away.
type Attack string

// The attacks that In knows.
const (
	Spin      Attack = "spin"       // a loop
	Tree      Attack = "tree"       // recursion without loops, 2^60 calls and never deep
	Fills     Attack = "fills"      // bulk operations one behind the other, without a loop
	Copies    Attack = "copies"     // the same, of overlapping pieces
	Grow      Attack = "grow"       // memory until there is no more, and on
	TableGrow Attack = "table grow" // the same of a table
	HostCalls Attack = "host calls"
	Randoms   Attack = "randoms" // host calls that work for long
	Polls     Attack = "polls"   // waits
	Deep      Attack = "deep"    // recursion without an end
)

// Attacks are all of them.
func Attacks() []Attack {
	return []Attack{Spin, Tree, Fills, Copies, Grow, TableGrow, HostCalls, Randoms, Polls, Deep}
}

// In is a module that begins with the attack in export, one of Exports, and is a good decoder otherwise. Right before the attack it logs
// the line Runs.
func In(export string, a Attack) []byte {
	m, f := begin(1)
	m.Data(runsAt, []byte(Runs))
	says := wat.Cat(wat.I32Const(3), wat.I32Const(runsAt), wat.I32Const(int32(len(Runs))), wat.Call(f.log))
	return finish(m, f, "attack", map[string]wat.Code{export: wat.Cat(says, a.code(f))}, nil)
}

// Runs is what a module of In logs when its attack begins.
const Runs = "the attack runs"

func (a Attack) code(f funcs) wat.Code {
	const all = 256 // pages that bulk operations work on: 16 MiB
	loop := func(body ...wat.Code) wat.Code { return wat.Loop(wat.Void, wat.Cat(body...), wat.Br(0)) }
	grown := wat.Cat(wat.I32Const(all-1), wat.MemoryGrow, wat.Drop)
	switch a {
	case Spin:
		return loop()
	case Tree:
		return wat.Cat(wat.I32Const(60), wat.Call(f.tree))
	case Fills:
		return wat.Cat(grown, wat.Repeat(1000, wat.Cat(wat.I32Const(0), wat.I32Const(1), wat.I32Const(all*pageBytes), wat.MemoryFill)))
	case Copies:
		return wat.Cat(grown, wat.Repeat(1000, wat.Cat(wat.I32Const(1), wat.I32Const(0), wat.I32Const(all*pageBytes-1), wat.MemoryCopy)))
	case Grow:
		return loop(wat.I32Const(1), wat.MemoryGrow, wat.Drop)
	case TableGrow:
		return loop(wat.RefNull(wat.FuncRef), wat.I32Const(1000), wat.TableGrow(0), wat.Drop)
	case HostCalls:
		return loop(wat.Call(f.inputLen), wat.Drop)
	case Randoms:
		return wat.Cat(grown, loop(wat.I32Const(0), wat.I32Const(all*pageBytes), wat.Call(f.random), wat.Drop))
	case Polls: // one clock subscription of zeroes: it is due at once
		return loop(wat.I32Const(0), wat.I32Const(512), wat.I32Const(1), wat.I32Const(1024), wat.Call(f.poll), wat.Drop)
	case Deep:
		return wat.Cat(wat.I32Const(-1), wat.Call(f.deep))
	}
	panic("hostiletest: there is no attack " + string(a))
}
