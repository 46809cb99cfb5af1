package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// version has to be that of the package cjk.
const version = 1

// none takes a code out of the map that is used.
const none = 0xffff

// Tables packs an archive of resources into the form that the package cjk reads.
func Tables(archive string) ([]byte, error) {
	all, err := read(archive)
	if err != nil {
		return nil, err
	}
	dir := binary.AppendUvarint([]byte{version}, uint64(len(all)))
	var body []byte
	depth := make([]int, len(all))
	for i, c := range all {
		c.sorted = sorted(c.cids)
		var use int
		var data []byte
		name := c.name
		if strings.HasPrefix(name, "Adobe-") {
			name = c.collection
			use, data = packTexts(all[:i], c)
		} else {
			use, data = packCodes(all[:i], depth, c)
		}
		if use > 0 {
			depth[i] = depth[use-1] + 1
		}
		data = deflate(data)
		dir = appendText(appendText(dir, name), c.collection)
		dir = binary.AppendUvarint(binary.AppendUvarint(dir, uint64(use)), uint64(len(data)))
		body = append(body, data...)
	}
	return append(dir, body...), nil
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendSigned(dst []byte, v int) []byte {
	return binary.AppendUvarint(dst, uint64(uint32(v<<1)^uint32(v>>31)))
}

type run struct{ lo, hi, to uint32 }

// packCodes packs a CMap as what it differs in from one of those before it, whichever leaves the least; use is its number from 1 on, or 0.
func packCodes(before []*resource, depth []int, c *resource) (use int, data []byte) {
	const maxDepth = 4
	best := runs(c.sorted)
	for i, b := range before {
		if b.collection != c.collection || depth[i] >= maxDepth {
			continue
		}
		if r := runs(difference(c.sorted, b.sorted)); len(r) < len(best) {
			use, best = i+1, r
		}
	}
	if c.vertical {
		data = append(data, 1)
	} else {
		data = append(data, 0)
	}
	data = binary.AppendUvarint(data, uint64(len(c.spaces)))
	for _, s := range c.spaces {
		data = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(data, uint64(s.n)), uint64(s.lo)), uint64(s.hi))
	}
	data = binary.AppendUvarint(data, uint64(len(best)))
	return use, appendRuns(data, best)
}

// difference is what has to be said of a that b does not say.
func difference(a, b []pair) (out []pair) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].v < b[0].v:
			out = append(out, a[0])
			a = a[1:]
		case len(a) == 0 || b[0].v < a[0].v:
			out = append(out, pair{b[0].v, none})
			b = b[1:]
		default:
			if a[0] != b[0] {
				out = append(out, a[0])
			}
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// runs joins codes that follow each other and stand for identifiers that do.
func runs(all []pair) (out []run) {
	for _, p := range all {
		if k := len(out) - 1; k >= 0 && out[k].hi+1 == p.v && p.to != none && out[k].to != none && out[k].to+p.v-out[k].lo == p.to {
			out[k].hi = p.v
			continue
		}
		out = append(out, run{p.v, p.v, p.to})
	}
	return out
}

// pair is a code, or an identifier, and what it stands for.
type pair struct{ v, to uint32 }

func sorted(m map[uint32]uint32) []pair {
	out := make([]pair, 0, len(m))
	for _, v := range slices.Sorted(maps.Keys(m)) {
		out = append(out, pair{v, m[v]})
	}
	return out
}

func appendRuns(data []byte, all []run) []byte {
	var gaps, lengths, to []byte
	next, at := uint32(0), 0
	for _, r := range all {
		gaps = binary.AppendUvarint(gaps, uint64(r.lo-next))
		lengths = binary.AppendUvarint(lengths, uint64(r.hi-r.lo))
		to = appendSigned(to, int(r.to)-at)
		next, at = r.hi+1, int(r.to)+int(r.hi-r.lo)+1
	}
	return append(appendText(appendText(data, gaps), lengths), to...)
}

// packTexts packs the characters of a collection as what they differ in from its Unicode CMap turned around.
func packTexts(before []*resource, c *resource) (use int, data []byte) {
	use = 1 + slices.IndexFunc(before, func(b *resource) bool { return b.collection == c.collection })
	guess := invert(before[use-1])
	single, multi := map[uint32]uint32{}, []uint32{}
	for cid, text := range c.texts {
		switch {
		case len(text) > 1:
			multi = append(multi, cid)
		case text[0] == 0xfffd || text[0] == 0:
			if guess[cid] != 0 {
				single[cid] = 0
			}
		case guess[cid] != uint32(text[0]):
			single[cid] = uint32(text[0])
		}
	}
	var gaps, lengths, to []byte
	next, at := uint32(0), 0
	for _, r := range textRuns(single) {
		gaps = binary.AppendUvarint(gaps, uint64(r.lo-next))
		lengths = binary.AppendUvarint(lengths, uint64(r.hi-r.lo))
		to = appendSigned(to, int(r.to)-at)
		next, at = r.hi+1, int(r.to)
		if r.to > 0 {
			at += int(r.hi-r.lo) + 1
		}
	}
	data = appendText(appendText(appendText(data, gaps), lengths), to)
	slices.Sort(multi)
	last := uint32(0)
	for _, cid := range multi {
		data = appendText(binary.AppendUvarint(data, uint64(cid-last)), string(c.texts[cid]))
		last = cid
	}
	return use, data
}

// textRuns is runs for characters, where 0 is none.
func textRuns(m map[uint32]uint32) (out []run) {
	for _, p := range sorted(m) {
		v, to := p.v, p.to
		if k := len(out) - 1; k >= 0 && out[k].hi+1 == v && (to == 0 && out[k].to == 0 || to > 0 && out[k].to > 0 && out[k].to+v-out[k].lo == to) {
			out[k].hi = v
			continue
		}
		out = append(out, run{v, v, to})
	}
	return out
}

// invert takes the first character for each identifier, as the package cjk does.
func invert(c *resource) map[uint32]uint32 {
	out := map[uint32]uint32{}
	for _, p := range c.sorted {
		v, cid := p.v, p.to
		if out[cid] != 0 {
			continue
		}
		out[cid] = v
		if v > 0xffff {
			out[cid] = 0x10000 + (v>>16-0xd800)<<10 + (v&0xffff - 0xdc00)
		}
	}
	return out
}
