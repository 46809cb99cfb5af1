package sandbox

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// hostFunc is what the host does for a guest: arguments come in st, and the result, if there is one, goes to st[0].
type hostFunc func(c *call, st []uint64)

// abiFuncs are the host functions of ABI version 1; package abi documents them.
var abiFuncs = map[string]hostFunc{
	abi.ImportRequestLen:  func(c *call, st []uint64) { st[0] = uint64(len(c.request)) },
	abi.ImportRequestRead: requestRead,
	abi.ImportInputLen:    func(c *call, st []uint64) { st[0] = uint64(c.input.size) },
	abi.ImportInputRead:   inputRead,
	abi.ImportEmit:        emit,
	abi.ImportLog:         logLine,
}

func requestRead(c *call, st []uint64) {
	n := len(c.request)
	c.chargeBytes(int64(n), copyPerKiB)
	copy(c.mustMemory(uint32(st[0]), uint32(n)), c.request)
}

func inputRead(c *call, st []uint64) {
	off, dst := int64(st[0]), c.mustMemory(uint32(st[1]), uint32(st[2]))
	if off < 0 {
		st[0] = minusOne
		return
	}
	n, err := c.input.read(c, dst, off)
	if err != nil {
		if c.inputErr == nil {
			c.inputErr = err
		}
		st[0] = minusOne
		return
	}
	st[0] = uint64(n)
}

const minusOne = 0xffffffff // as an i32

// emit takes one frame. One byte more than the limit is limit_output; so is one frame more.
func emit(c *call, st []uint64) {
	kind, payload := abi.Kind(uint32(st[0])), c.mustMemory(uint32(st[1]), uint32(st[2]))
	u, l := &c.usage, &c.limits
	u.Frames++
	u.OutputBytes += int64(len(payload))
	switch {
	case u.OutputBytes > l.MaxOutputBytes:
		abortLimit(readapi.CodeLimitOutput, "max_output_bytes", l.MaxOutputBytes, u.OutputBytes)
	case u.Frames > l.MaxFrames:
		abortLimit(readapi.CodeLimitOutput, "max_output_frames", l.MaxFrames, u.Frames)
	case c.stopped:
		abort(readapi.CodeBadOutput, "a frame after the host had enough")
	}
	c.chargeBytes(int64(len(payload)), emitPerKiB)
	c.stopped = c.emit(kind, payload)
	st[0] = 0
	if c.stopped {
		st[0] = 1
	}
}

func logLine(c *call, st []uint64) {
	line := c.mustMemory(uint32(st[1]), uint32(st[2]))
	c.log.line(c, guestLevel(uint32(st[0])), line)
}

// mustMemory is memory for the ABI's own functions: a guest that points outside its memory breaks the protocol.
func (c *call) mustMemory(ptr, n uint32) []byte {
	b, ok := c.memory(ptr, n)
	if !ok {
		abort(readapi.CodeBadOutput, "a pointer outside the guest's memory")
	}
	return b
}

// addHostModules gives a program's runtime the host functions that the program imports, and no others. Anything that is not on our lists,
// or has another type than there, is refused.
func addHostModules(ctx context.Context, rt wazero.Runtime, code wazero.CompiledModule) error {
	builders := map[string]wazero.HostModuleBuilder{}
	done := map[[2]string]bool{}
	for _, def := range code.ImportedFunctions() {
		module, name, _ := def.Import()
		fn, err := hostFunction(module, name, def)
		if err != nil {
			return err
		}
		if done[[2]string{module, name}] {
			continue
		}
		done[[2]string{module, name}] = true
		b := builders[module]
		if b == nil {
			b = rt.NewHostModuleBuilder(module)
			builders[module] = b
		}
		b.NewFunctionBuilder().WithGoModuleFunction(fn, def.ParamTypes(), def.ResultTypes()).Export(name)
	}
	if len(code.ImportedMemories()) > 0 {
		return refused("it imports a memory")
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "its imports do not fit", Err: err}
		}
	}
	return nil
}

func hostFunction(module, name string, def api.FunctionDefinition) (api.GoModuleFunction, error) {
	if module == binary.WallModule && name == binary.WallRefuel && len(def.ParamTypes())+len(def.ResultTypes()) == 0 {
		return api.GoModuleFunc(func(ctx context.Context, _ api.Module, _ []uint64) { callOf(ctx).refuel() }), nil
	}
	var fn hostFunc
	var types []binary.HostFunc
	switch module {
	case abi.HostModule:
		fn, types = abiFuncs[name], binary.GloveboxFuncs()
	case binary.ModuleWASI:
		fn, types = wasiFunc(name), binary.WASIFuncs()
	}
	if fn == nil || !typeFits(types, name, def) {
		return nil, refused("it imports a function that the host does not have")
	}
	return api.GoModuleFunc(func(ctx context.Context, _ api.Module, st []uint64) {
		c := callOf(ctx)
		c.enter()
		fn(c, st)
	}), nil
}

func typeFits(types []binary.HostFunc, name string, def api.FunctionDefinition) bool {
	for _, t := range types {
		if t.Name == name {
			return sameTypes(t.Type.Params, def.ParamTypes()) && sameTypes(t.Type.Results, def.ResultTypes())
		}
	}
	return false
}

// sameTypes compares value types, whose codes are those of the binary format on both sides.
func sameTypes(a []binary.ValType, b []api.ValueType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if byte(a[i]) != b[i] {
			return false
		}
	}
	return true
}

func refused(detail string) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: detail}
}
