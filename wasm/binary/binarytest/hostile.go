package binarytest

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Hostile is a guest of ABI version 1 that is admitted, and does what must be stopped when one of its functions runs.
type Hostile struct {
	Name  string
	Where string        // "start", or the export that does it: what runs before is well behaved
	Code  readapi.Code  // what must stop it
	Limit string        // and the name of the limit
	Wasm  func() []byte // made anew at each call
}

// Places are what Hostile.Where can be, in the order in which a host comes to them.
func Places() []string {
	return []string{"start", "_initialize", "glovebox_describe", "glovebox_decode"}
}

// hostileWay is a way to be hostile: do adds what it needs to a guest and gives the code that does it.
type hostileWay struct {
	name, limit string
	code        readapi.Code
	do          func(m *Module) Code
}

// Function indices of what every hostile guest imports.
const (
	fnInputLen = iota
	fnEmit
	fnLog
	fnYield
)

// HostileModules is every way to be hostile at every place. The limits' names are those of wasm/sandbox.
func HostileModules() (out []Hostile) {
	for _, w := range hostileWays {
		for _, place := range Places() {
			out = append(out, Hostile{Name: w.name + " in " + place, Where: place, Code: w.code, Limit: w.limit,
				Wasm: func() []byte { return hostileGuest(w, place) }})
		}
	}
	return out
}

// hostileGuest describes itself and answers every decode with an empty document, but for what it does at place.
func hostileGuest(w hostileWay, place string) []byte {
	m := New()
	m.Import("glovebox", "input_len", nil, Types{I64})
	m.Import("glovebox", "emit", int32s(3), Types{I32})
	m.Import("glovebox", "log", int32s(3), nil)
	m.Import("wasi_snapshot_preview1", "sched_yield", nil, Types{I32})
	m.Memory(16, -1)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(0))
	frame := func(at int32, header string) (data []byte, emit func(kind int32) Code) {
		data = append(binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header...)
		m.Data(uint32(at), data)
		return data, func(kind int32) Code {
			return Cat(I32Const(kind), I32Const(at), I32Const(int32(len(data))), Call(fnEmit), Drop)
		}
	}
	_, describe := frame(1024, `{"abi":1,"name":"hostile","version":"1","media_types":["text/x-hostile"],"unit":"page","forms":[]}`)
	_, end := frame(2048, `{"total":0}`)
	deed := w.do(m)
	bodies := map[string]Code{
		"start": nil, "_initialize": nil, "glovebox_describe": Cat(describe(1), I32Const(0)), "glovebox_decode": Cat(end(9), I32Const(0)),
	}
	bodies[place] = Cat(deed, bodies[place])
	for _, name := range Places() {
		var results Types
		if name == "glovebox_describe" || name == "glovebox_decode" {
			results = Types{I32}
		}
		f := m.Func(nil, results, int32s(2), bodies[name])
		if name != "start" {
			m.ExportFunc(name, f)
		} else if place == "start" {
			m.Start(f)
		}
	}
	m.ExportFunc("glovebox_abi", m.Func(nil, Types{I32}, nil, I32Const(1)))
	return m.Bytes()
}

// forever repeats code that leaves nothing.
func forever(code ...Code) Code { return Loop(Void, Cat(code...), Br(0)) }

// chain adds functions that do code a million times, without a loop: one does it a thousand times, the other calls that one.
func chain(m *Module, code Code) Code {
	inner := m.Func(nil, nil, nil, Repeat(1000, code))
	return Call(m.Func(nil, nil, nil, Repeat(1000, Call(inner))))
}

// refused ends the guest if growing failed, which leaves -1.
var refused = Cat(I32Const(-1), I32Eq, If(Void, Unreachable))

const mib64 = 64 << 20

var hostileWays = []hostileWay{
	{"an endless loop", "fuel", readapi.CodeLimitFuel, func(*Module) Code { return forever() }},
	{"a loop that does sums", "fuel", readapi.CodeLimitFuel, func(*Module) Code {
		return forever(GlobalGet(0), I32Const(3), I32Mul, I32Const(7), I32Add, GlobalSet(0))
	}},
	{"divisions", "fuel", readapi.CodeLimitFuel, func(*Module) Code {
		return forever(Repeat(200, Cat(I64Const(-1<<62), I64Const(3), Op(0x7f), Drop)))
	}},
	{"loads that miss every cache", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Section(SecMemory, Vec(Limits(2048, -1)))
		next := Cat(Get(0), I32Const(1664525), I32Mul, I32Const(1013904223), I32Add, I32Const(mib64-64), I32And, Tee(0), Mem(0x28, 2, 0), Get(0), I32Add, Set(0))
		return forever(Repeat(50, next))
	}},
	{"a tree of calls without a loop", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		self := m.NextFunc()
		call := Cat(Get(0), I32Const(1), I32Sub, Call(self))
		m.Func(int32s(1), nil, nil, Get(0), If(Void, call, call))
		return Cat(I32Const(60), Call(self))
	}},
	{"a tree of calls through a table", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		self, typ := m.NextFunc(), m.Type(int32s(1), nil)
		call := Cat(Get(0), I32Const(1), I32Sub, I32Const(0), CallIndirect(typ, 0))
		m.Table(FuncRef, 1, 1)
		m.Elem(0, 0, self)
		m.Func(int32s(1), nil, nil, Get(0), If(Void, call, call))
		return Cat(I32Const(60), Call(self))
	}},
	{"calls without end", "max_depth", readapi.CodeLimitDepth, func(m *Module) Code {
		self := m.NextFunc()
		m.Func(nil, nil, nil, Call(self))
		return Call(self)
	}},
	{"calls of each other through a table", "max_depth", readapi.CodeLimitDepth, func(m *Module) Code {
		first, typ := m.NextFunc(), m.Type(nil, nil)
		m.Table(FuncRef, 2, 2)
		m.Elem(0, 0, first, first+1)
		m.Func(nil, nil, nil, I32Const(1), CallIndirect(typ, 0))
		m.Func(nil, nil, nil, I32Const(0), CallIndirect(typ, 0))
		return Call(first)
	}},
	{"calls with large frames", "max_depth", readapi.CodeLimitDepth, func(m *Module) Code {
		self := m.NextFunc()
		m.Func(nil, nil, Types(Repeat(2000, Code{V128})), Call(self))
		return Call(self)
	}},
	{"all memory at once", "max_memory_bytes", readapi.CodeLimitMemory, func(*Module) Code {
		return Cat(I32Const(65520), MemoryGrow, refused)
	}},
	{"memory page by page", "max_memory_bytes", readapi.CodeLimitMemory, func(*Module) Code {
		return forever(I32Const(1), MemoryGrow, refused)
	}},
	{"growing again after it was refused", "fuel", readapi.CodeLimitFuel, func(*Module) Code { return forever(I32Const(65520), MemoryGrow, Drop) }},
	{"a chain of fills", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Section(SecMemory, Vec(Limits(1024, -1)))
		return chain(m, Cat(I32Const(4096), I32Const(1), I32Const(mib64-4096), MemoryFill))
	}},
	{"a chain of copies", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Section(SecMemory, Vec(Limits(1024, -1)))
		return chain(m, Cat(I32Const(4097), I32Const(4096), I32Const(mib64-5000), MemoryCopy))
	}},
	{"a chain of inits", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Section(SecMemory, Vec(Limits(1024, -1)))
		seg := m.PassiveData(make([]byte, 3<<20))
		return chain(m, Cat(I32Const(4096), I32Const(0), I32Const(3<<20), MemoryInit(seg)))
	}},
	{"a table that grows", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Table(FuncRef, 1, -1)
		return forever(RefNull(FuncRef), I32Const(1000), TableGrow(0), Drop)
	}},
	{"a table of a thousand million entries", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Table(ExternRef, 1, -1)
		return forever(RefNull(ExternRef), I32Const(1_000_000_000), TableGrow(0), Drop)
	}},
	{"a chain of table fills", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Table(FuncRef, 1<<20, -1)
		return chain(m, Cat(I32Const(0), RefNull(FuncRef), I32Const(1<<20), TableFill(0)))
	}},
	{"a chain of table copies", "fuel", readapi.CodeLimitFuel, func(m *Module) Code {
		m.Table(FuncRef, 1<<20, -1)
		return chain(m, Cat(I32Const(1), I32Const(0), I32Const(1<<20-1), TableCopy(0, 0)))
	}},
	{"a flood of calls of the host", "max_host_calls", readapi.CodeLimitFuel, func(*Module) Code { return forever(Call(fnInputLen), Drop) }},
	{"a flood of logs", "max_host_calls", readapi.CodeLimitFuel, func(*Module) Code {
		return forever(I32Const(0), I32Const(0), I32Const(65536), Call(fnLog))
	}},
	{"a flood of yields", "max_host_calls", readapi.CodeLimitFuel, func(*Module) Code { return forever(Call(fnYield), Drop) }},
}
