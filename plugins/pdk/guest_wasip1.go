//go:build wasip1

package pdk

import (
	"io"
	"unsafe"

	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

//go:wasmimport glovebox request_len
func hostRequestLen() uint32

//go:wasmimport glovebox request_read
func hostRequestRead(ptr unsafe.Pointer)

//go:wasmimport glovebox input_len
func hostInputLen() int64

//go:wasmimport glovebox input_read
func hostInputRead(off int64, ptr unsafe.Pointer, n uint32) int32

//go:wasmimport glovebox emit
func hostEmit(kind uint32, ptr unsafe.Pointer, n uint32) uint32

//go:wasmimport glovebox log
func hostLog(level uint32, ptr unsafe.Pointer, n uint32)

// served is the guest's decoder. A guest is a module of one decoder, and a reactor module runs nothing but its init functions before its
// exports are called, so this is the one place in the project where init sets a variable.
var served *Decoder

// Serve makes d the decoder of this guest. Call it from an init function of the guest's main package.
func Serve(d *Decoder) { served = d }

//go:wasmexport glovebox_abi
func exportABI() int32 { return abi.Version }

//go:wasmexport glovebox_describe
func exportDescribe() int32 {
	b, err := served.describe()
	if err != nil {
		return 1
	}
	emit(abi.KindDescribe, b)
	return 0
}

//go:wasmexport glovebox_decode
func exportDecode() int32 {
	raw := make([]byte, hostRequestLen()+1) // one more, so that there is a first byte
	hostRequestRead(unsafe.Pointer(&raw[0]))
	req, err := abi.ParseRequest(raw[:len(raw)-1])
	if err != nil {
		return 1
	}
	run(served, &input{size: hostInputLen()}, &req, emit)
	return 0
}

func emit(kind abi.Kind, payload []byte) bool {
	return hostEmit(uint32(kind), unsafe.Pointer(unsafe.SliceData(payload)), uint32(len(payload))) != 0
}

// Log writes a line to the host's log: level 0 debug, 1 info, 2 warn, 3 error. Natively it does nothing.
func Log(level int, line string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)))
}

// input reads from the host by ranges. Small reads go through a few cached blocks: a parser that hops through a file in steps of some
// bytes would otherwise cross the wall each time.
type input struct {
	size   int64
	blocks [4]block
	turn   int
}

type block struct {
	off int64 // of the file, a multiple of blockBytes
	buf []byte
}

const blockBytes int64 = 32 << 10

func (in *input) Size() int64 { return in.size }

func (in *input) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	for n < len(p) && off < in.size {
		var k int
		if rest := p[n:]; int64(len(rest)) >= blockBytes {
			k, err = direct(rest, off)
		} else {
			var b []byte
			b, err = in.block(off)
			k = copy(rest, b)
		}
		if err != nil {
			return n, err
		}
		if k == 0 {
			return n, io.ErrUnexpectedEOF
		}
		n += k
		off += int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// block returns the cached bytes from off to the end of off's block.
func (in *input) block(off int64) ([]byte, error) {
	start := off &^ (blockBytes - 1)
	for i := range in.blocks {
		if b := &in.blocks[i]; b.buf != nil && b.off == start {
			return b.tail(off), nil
		}
	}
	b := &in.blocks[in.turn]
	in.turn = (in.turn + 1) % len(in.blocks)
	if b.buf == nil {
		b.buf = make([]byte, blockBytes)
	}
	b.buf = b.buf[:min(blockBytes, in.size-start)]
	b.off = start
	for n := 0; n < len(b.buf); {
		k, err := direct(b.buf[n:], start+int64(n))
		if err != nil || k == 0 {
			b.off = -1
			return nil, io.ErrUnexpectedEOF
		}
		n += k
	}
	return b.tail(off), nil
}

func (b *block) tail(off int64) []byte { return b.buf[min(off-b.off, int64(len(b.buf))):] }

func direct(p []byte, off int64) (int, error) {
	const most = 1 << 30
	n := hostInputRead(off, unsafe.Pointer(unsafe.SliceData(p)), uint32(min(len(p), most)))
	if n < 0 || int(n) > len(p) {
		return 0, io.ErrUnexpectedEOF
	}
	return int(n), nil
}
