package sandbox

import (
	"encoding/binary"
	"math/rand/v2"
)

// The part of WASI preview 1 that toolchains link into a guest on their own account, granting nothing: no arguments, no environment, no
// files, a virtual clock, a stream of numbers that only looks random, and standard output that ends in the host's log. The list of
// names is binary.WASIFuncs; those that are not below answer "bad file descriptor", which is the truth about every file and socket.
// Source: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

// Errors of WASI.
const (
	wasiOK    = 0
	wasiBadf  = 8
	wasiFault = 21
	wasiInval = 28
	wasiSpipe = 70
)

var wasiFuncs = map[string]func(c *call, st []uint64) (errno uint64){
	"args_get":            nothing,
	"args_sizes_get":      noneOfThem,
	"environ_get":         nothing,
	"environ_sizes_get":   noneOfThem,
	"clock_res_get":       clockRes,
	"clock_time_get":      clockTime,
	"fd_close":            standard(nothing),
	"fd_fdstat_get":       standard(fdstat),
	"fd_fdstat_set_flags": standard(nothing),
	"fd_filestat_get":     standard(filestat),
	"fd_read":             fdRead,
	"fd_seek":             standard(func(*call, []uint64) uint64 { return wasiSpipe }),
	"fd_tell":             standard(func(*call, []uint64) uint64 { return wasiSpipe }),
	"fd_write":            fdWrite,
	"poll_oneoff":         pollOneoff,
	"random_get":          randomGet,
	"sched_yield":         nothing,
}

// wasiFunc returns the host function for a name of WASI; whether there is such a name is for the list of types to say.
func wasiFunc(name string) hostFunc {
	if name == "proc_exit" {
		return func(_ *call, st []uint64) { panic(&exit{code: uint32(st[0])}) }
	}
	fn := wasiFuncs[name]
	if fn == nil {
		return func(_ *call, st []uint64) { st[0] = wasiBadf }
	}
	return func(c *call, st []uint64) { st[0] = fn(c, st) }
}

func nothing(*call, []uint64) uint64 { return wasiOK }

// noneOfThem answers args_sizes_get and environ_sizes_get: no entries, no bytes.
func noneOfThem(c *call, st []uint64) uint64 {
	return c.put(uint32(st[0]), make([]byte, 4), c.put(uint32(st[1]), make([]byte, 4), wasiOK))
}

// put writes b to the guest and returns next, or EFAULT when ptr is outside.
func (c *call) put(ptr uint32, b []byte, next uint64) uint64 {
	dst, ok := c.memory(ptr, uint32(len(b)))
	if !ok {
		return wasiFault
	}
	copy(dst, b)
	return next
}

func (c *call) put64(ptr uint32, v uint64) uint64 {
	return c.put(ptr, binary.LittleEndian.AppendUint64(nil, v), wasiOK)
}

// standard answers for descriptors 0 to 2; there are no others.
func standard(fn func(*call, []uint64) uint64) func(*call, []uint64) uint64 {
	return func(c *call, st []uint64) uint64 {
		if uint32(st[0]) > 2 {
			return wasiBadf
		}
		return fn(c, st)
	}
}

const charDevice = 2 // filetype

func fdstat(c *call, st []uint64) uint64 {
	const rightRead, rightWrite = 1 << 1, 1 << 6
	b := make([]byte, 24)
	b[0] = charDevice
	binary.LittleEndian.PutUint64(b[8:], rightWrite)
	if uint32(st[0]) == 0 {
		binary.LittleEndian.PutUint64(b[8:], rightRead)
	}
	return c.put(uint32(st[1]), b, wasiOK)
}

func filestat(c *call, st []uint64) uint64 {
	b := make([]byte, 64)
	b[16] = charDevice
	return c.put(uint32(st[1]), b, wasiOK)
}

// fdRead gives the end of standard input at once.
func fdRead(c *call, st []uint64) uint64 {
	if uint32(st[0]) != 0 {
		return wasiBadf
	}
	return c.put(uint32(st[3]), make([]byte, 4), wasiOK)
}

// maxVectors bounds what one call may name: IOV_MAX of Linux.
const maxVectors = 1024

func fdWrite(c *call, st []uint64) uint64 {
	fd, vectors, n := uint32(st[0]), uint32(st[1]), uint32(st[2])
	switch {
	case fd != 1 && fd != 2:
		return wasiBadf
	case n > maxVectors:
		return wasiInval
	}
	vec, ok := c.memory(vectors, n*8)
	if !ok {
		return wasiFault
	}
	var total uint64
	for ; len(vec) > 0; vec = vec[8:] {
		b, ok := c.memory(binary.LittleEndian.Uint32(vec), binary.LittleEndian.Uint32(vec[4:]))
		if !ok {
			return wasiFault
		}
		c.log.print(c, int(fd-1), b)
		total += uint64(len(b))
	}
	if total > 1<<31 {
		return wasiInval
	}
	return c.put(uint32(st[3]), binary.LittleEndian.AppendUint32(nil, uint32(total)), wasiOK)
}

// The virtual clock: it starts at a fixed instant, and only waiting moves it. It belongs to the instance and is put back with it, so that
// it never runs backwards for a guest.
const (
	clockStart    = 1e9               // monotonic, in nanoseconds; Go takes zero for a broken clock
	clockRealtime = 946_684_800 * 1e9 // 2000-01-01T00:00:00Z, on top of the monotonic clock
	clockEnd      = uint64(1) << 62   // it does not run further
	clockTick     = 1                 // its resolution
	lastClockID   = 3                 // realtime, monotonic, process, thread
	realtimeID    = 0
)

func clockRes(c *call, st []uint64) uint64 {
	if uint32(st[0]) > lastClockID {
		return wasiInval
	}
	return c.put64(uint32(st[1]), clockTick)
}

func clockTime(c *call, st []uint64) uint64 {
	id := uint32(st[0])
	if id > lastClockID {
		return wasiInval
	}
	return c.put64(uint32(st[2]), c.inst.clock+clockOffset(id))
}

func clockOffset(id uint32) uint64 {
	if id == realtimeID {
		return clockRealtime
	}
	return 0
}

// random is the stream behind random_get. Every call starts it anew.
type random struct{ src *rand.ChaCha8 }

func (r *random) fill(b []byte) {
	if r.src == nil {
		r.src = rand.NewChaCha8([32]byte([]byte("glovebox: the same for each read")))
	}
	_, _ = r.src.Read(b) // never fails
}

func randomGet(c *call, st []uint64) uint64 {
	b, ok := c.memory(uint32(st[0]), uint32(st[1]))
	if !ok {
		return wasiFault
	}
	for len(b) > 0 {
		n := min(len(b), hostPiece)
		c.chargeBytes(int64(n), randomPerKiB)
		c.random.fill(b[:n])
		b = b[n:]
	}
	return wasiOK
}
