package object

import (
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// pack is a decoded object stream.
type pack struct {
	data []byte
	nums []int
	offs []int // in data, of each object
	ends []int // in data, of each object
}

// packed returns the text of an object that lies in an object stream; empty if it is not there.
func (f *File) packed(num int, e *entry) []byte {
	p := f.pack(int(e.off))
	if p == nil {
		return nil
	}
	i := int(e.idx)
	if i >= len(p.nums) || p.nums[i] != num { // the index is a hint, the number decides
		for i = len(p.nums) - 1; i >= 0 && p.nums[i] != num; i-- {
		}
		if i < 0 {
			return nil
		}
	}
	if p.ends[i]-p.offs[i] > maxObjectBytes {
		return nil
	}
	return p.data[p.offs[i]:p.ends[i]]
}

// maxPacks is how many bytes of decoded object streams are kept.
const maxPacks = 24 << 20

// pack returns object stream num, decoded; nil if there is none.
func (f *File) pack(num int) *pack {
	if p, ok := f.packs[num]; ok {
		return p
	}
	if f.packs == nil || f.packSize > maxPacks {
		f.packs, f.packSize = map[int]*pack{}, 0
	}
	f.packs[num] = nil // an object stream whose length lies in itself
	if e := f.entry(num); e == nil || e.kind != entryPlain {
		return nil // an object stream cannot lie in another
	}
	l := f.load(num)
	data, err := f.streamData(l, maxStreamBytes)
	if err != nil && len(data) == 0 {
		return nil
	}
	p := parsePack(f, &l.obj, data)
	f.packs[num] = p
	f.packSize += len(data)
	return p
}

// parsePack reads the index of an object stream (7.5.7).
func parsePack(f *File, hdr *object, data []byte) *pack {
	first, n := f.direct(hdr.key("First")), f.direct(hdr.key("N"))
	start, ok := first.integer()
	count, ok2 := n.integer()
	if !ok || !ok2 || start < 0 || start > int64(len(data)) || count < 0 {
		return nil
	}
	count = min(count, start/3+1) // "1 0 " is the least that one object takes there
	p := &pack{data: data, nums: make([]int, 0, count), offs: make([]int, 0, count)}
	l := Lexer{B: data[:start]}
	for range count {
		num, off := l.Next(), l.Next()
		if num.Kind != TokNumber || off.Kind != TokNumber {
			break
		}
		if num.Num < 0 || num.Num > maxObjects || off.Num < 0 || off.Num > float64(len(data)-int(start)) {
			continue
		}
		p.nums = append(p.nums, int(num.Num))
		p.offs = append(p.offs, int(start)+int(off.Num))
	}
	sorted := slices.Clone(p.offs)
	order.Up(sorted)
	sorted = append(sorted, len(data))
	for _, off := range p.offs {
		i, _ := slices.BinarySearch(sorted, off+1)
		p.ends = append(p.ends, sorted[min(i, len(sorted)-1)])
	}
	return p
}
