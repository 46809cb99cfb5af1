package hostiletest

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// Op is one thing that Puppet does, with up to three numbers.
type Op int32

// The ops. An address is the guest's; Script.Bytes gives those of what a script brings along.
const (
	opReturn    Op = iota
	Emit           // kind, address, length
	Log            // level, address, length
	Read           // offset, address, length
	GrowBy         // pages
	TableGrowBy    // slots
	TableClear     // slot
	TableTell      // slot, address: "0" if there is a function, "1" if not
	GlobalSet      // number
	GlobalTell     // address: the number, four bytes
	Fill           // address, byte, length
	Copy           // to, from, length
	TreeOf         // 2^n calls
	DeepOf         // n levels
	Trap           //
	Write          // descriptor, address of vectors, vectors
	Clock          // id, address: eight bytes
	Random         // address, length
	Poll           // subscriptions, events, how many
	Exit           // status
	DropData       //
	InitData       // address, length
	DropElem       //
	InitTable      // slot
	Load           // address
	Store          // address, byte
	Request        // address: the request is written there
	Forever        //
	ops
)

// Puppet layout: scratch is free for scripts, the input lies at scriptAt.
const (
	Scratch     = 24 << 10 // an address; 32 KiB from here are the script's to use
	scriptAt    = 64 << 10
	recordBytes = 20
	puppetPages = 4
)

// Puppet is a decoder that does what its input says: a Script.
func Puppet() []byte { return PuppetNamed("puppet") }

// PuppetNamed is Puppet under another name, which gives it another digest.
func PuppetNamed(name string) []byte {
	m, f := begin(puppetPages)
	m.PassiveData([]byte("passive"))
	const p, n, op, a, b, c, size = 0, 1, 2, 3, 4, 5, 6
	word := func(at uint32) wat.Code { return wat.Cat(wat.Get(p), wat.Mem(opLoad32, 2, at)) }
	var acts []wat.Code
	for o := Emit; o < ops; o++ {
		acts = append(acts, wat.Get(op), wat.I32Const(int32(o)), wat.I32Eq, wat.If(wat.Void, o.code(f, wat.Get(a), wat.Get(b), wat.Get(c))))
	}
	again := wat.Loop(wat.Void,
		wat.Get(n), wat.If(wat.Void,
			wat.Cat(acts...),
			wat.Get(n), wat.I32Const(1), wat.I32Sub, wat.Set(n), wat.Br(1)))
	body := wat.Cat(
		wat.Call(f.inputLen), wat.Op(opWrap), wat.Set(size),
		wat.Get(size), wat.I32Const(16), wat.Op(0x76), wat.MemoryGrow, wat.Drop,
		wat.I64Const(0), wat.I32Const(scriptAt), wat.Get(size), wat.Call(f.inputRead), wat.Drop,
		wat.I32Const(scriptAt), wat.Set(p),
		wat.Loop(wat.Void,
			word(0), wat.Set(op), word(4), wat.Set(n), word(8), wat.Set(a), word(12), wat.Set(b), word(16), wat.Set(c),
			wat.Get(op), wat.I32Eqz, wat.If(wat.Void, wat.Get(a), wat.Return),
			again,
			wat.Get(p), wat.I32Const(recordBytes), wat.I32Add, wat.Set(p), wat.Br(0)),
	)
	return finish(m, f, name, nil, wat.Types{wat.I32, wat.I32, wat.I32, wat.I32, wat.I32, wat.I32, wat.I32}, body)
}

func (o Op) code(f funcs, a, b, c wat.Code) wat.Code {
	cat, drop, scratch := wat.Cat, wat.Drop, wat.I32Const(Scratch-64)
	switch o {
	case Emit:
		return cat(a, b, c, wat.Call(f.emit), drop)
	case Log:
		return cat(a, b, c, wat.Call(f.log))
	case Read:
		return cat(a, wat.Op(opExtend), b, c, wat.Call(f.inputRead), drop)
	case GrowBy:
		return cat(a, wat.MemoryGrow, drop)
	case TableGrowBy:
		return cat(wat.RefNull(wat.FuncRef), a, wat.TableGrow(0), drop)
	case TableClear:
		return cat(a, wat.RefNull(wat.FuncRef), wat.TableSet(0))
	case TableTell:
		return cat(b, a, wat.TableGet(0), wat.Op(opIsNull), wat.I32Const('0'), wat.I32Add, wat.Mem(opStore8, 0, 0))
	case GlobalSet:
		return cat(a, wat.GlobalSet(0))
	case GlobalTell:
		return cat(a, wat.GlobalGet(0), wat.Mem(opStore32, 0, 0))
	case Fill:
		return cat(a, b, c, wat.MemoryFill)
	case Copy:
		return cat(a, b, c, wat.MemoryCopy)
	case TreeOf:
		return cat(a, wat.Call(f.tree))
	case DeepOf:
		return cat(a, wat.Call(f.deep))
	case Trap:
		return wat.Unreachable
	case Write:
		return cat(a, b, c, scratch, wat.Call(f.write), drop)
	case Clock:
		return cat(a, wat.I64Const(1), b, wat.Call(f.clock), drop)
	case Random:
		return cat(a, b, wat.Call(f.random), drop)
	case Poll:
		return cat(a, b, c, scratch, wat.Call(f.poll), drop)
	case Exit:
		return cat(a, wat.Call(f.exit))
	case DropData:
		return wat.DataDrop(passiveData)
	case InitData:
		return cat(a, wat.I32Const(0), b, wat.MemoryInit(passiveData))
	case DropElem:
		return wat.ElemDrop(passiveElem)
	case InitTable:
		return cat(a, wat.I32Const(0), wat.I32Const(1), wat.TableInit(passiveElem, 0))
	case Load:
		return cat(a, wat.Mem(opLoad32, 0, 0), drop)
	case Store:
		return cat(a, b, wat.Mem(opStore8, 0, 0))
	case Request:
		return cat(a, wat.Call(f.requestRead))
	case Forever:
		return wat.Loop(wat.Void, wat.Br(0))
	}
	panic("hostiletest: an op without code")
}

// The indices of the passive segments that Puppet and begin add.
const (
	passiveData = 0
	passiveElem = 1
)

// Script is what Puppet does, in order, in the making.
type Script struct {
	records []byte
	data    []byte
	fixes   []int // offsets in records of addresses that count from the data's begin
}

// NewScript begins a script.
func NewScript() *Script { return &Script{} }

// ScriptAs begins a script that is an input of type m, Zip or Gzip.
func ScriptAs(m readapi.MediaType) *Script { return &Script{records: Head(m)} }

// Do adds an op with its numbers.
func (s *Script) Do(o Op, args ...int32) *Script { return s.Repeat(1, o, args...) }

// Repeat adds an op that is done n times.
func (s *Script) Repeat(n int32, o Op, args ...int32) *Script {
	rec := [5]int32{int32(o), n}
	copy(rec[2:], args)
	for _, v := range rec {
		s.records = binary.LittleEndian.AppendUint32(s.records, uint32(v))
	}
	return s
}

// Frame adds the sending of a frame.
func (s *Script) Frame(kind abi.Kind, header any, body string) *Script {
	return s.Payload(kind, frame(header, []byte(body)), 1)
}

// Payload adds the sending of n frames with these bytes, whatever they are.
func (s *Script) Payload(kind abi.Kind, payload []byte, n int32) *Script {
	return s.with(Emit, n, int32(uint32(kind)), payload)
}

// Say adds n log lines.
func (s *Script) Say(level int32, line string, n int32) *Script {
	return s.with(Log, n, level, []byte(line))
}

// Print adds n writes of text to descriptor fd.
func (s *Script) Print(fd int32, text string, n int32) *Script {
	const vec = Scratch - 32
	at := len(s.data)
	s.data = append(s.data, text...)
	for k := range 4 { // the vector: where the text lies, and its length
		s.Do(Store, vec+4+int32(k), int32(len(text)>>(8*k)&0xff))
	}
	s.data = binary.LittleEndian.AppendUint32(s.data, 0)
	s.pointer(len(s.data)-4, at)
	s.Do(Copy, vec, int32(len(s.data)-4), 4)
	s.fixes = append(s.fixes, len(s.records)-8)
	return s.Repeat(n, Write, fd, vec, 1)
}

// pointer marks the word at offset at of data as the address of data[to].
func (s *Script) pointer(at, to int) {
	binary.LittleEndian.PutUint32(s.data[at:], uint32(to))
	s.fixes = append(s.fixes, -1-at)
}

// with adds an op on bytes that the script brings along: a number, their address and their length.
func (s *Script) with(o Op, n, a int32, b []byte) *Script {
	s.Repeat(n, o, a, int32(len(s.data)), int32(len(b)))
	s.fixes = append(s.fixes, len(s.records)-8)
	s.data = append(s.data, b...)
	return s
}

// End ends the script as a good decoder does, and gives its bytes: an input for Puppet.
func (s *Script) End() []byte {
	return s.Frame(abi.KindEnd, abi.End{Total: 1}, "").Return(0)
}

// Return ends the script without another frame; the guest's function returns status.
func (s *Script) Return(status int32) []byte {
	s.Do(opReturn, status)
	base := uint32(scriptAt + len(s.records))
	for _, at := range s.fixes {
		word := s.data
		if at >= 0 {
			word = s.records[at:]
		} else {
			word = word[-1-at:]
		}
		binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)+base)
	}
	return append(s.records, s.data...)
}
