package pdf

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Faults: each takes a sound file and breaks one rule in the way that real writers and networks do.

func replace(data []byte, old, with string) []byte {
	if !bytes.Contains(data, []byte(old)) {
		panic("the generator made no " + old)
	}
	return bytes.Replace(data, []byte(old), []byte(with), 1)
}

// replaceLast replaces the last match only.
func replaceLast(data []byte, old, with string) []byte {
	i := bytes.LastIndex(data, []byte(old))
	if i < 0 {
		panic("the generator made no " + old)
	}
	return append(append(bytes.Clone(data[:i]), with...), data[i+len(old):]...)
}

var startxref = regexp.MustCompile(`startxref\n(\d+)`)

// xrefAt is where the last startxref points.
func xrefAt(data []byte) int {
	m := startxref.FindAllSubmatch(data, -1)
	n, err := strconv.Atoi(string(m[len(m)-1][1]))
	if err != nil {
		panic(err)
	}
	return n
}

// update appends an incremental update that replaces object num; prev is where its table says that the former one is.
func incremental(data []byte, num int, body string, prev int, root int) []byte {
	b := bytes.NewBuffer(bytes.Clone(data))
	off := b.Len()
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", num, body)
	start := b.Len()
	fmt.Fprintf(b, "xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size 100/Root %d 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", num, off, root, prev, start)
	return b.Bytes()
}

// shifted moves every offset of a cross-reference table by n.
func shifted(data []byte, n int) []byte {
	at := xrefAt(data)
	entry := regexp.MustCompile(`\d{10} 00000 n`)
	tail := entry.ReplaceAllFunc(data[at:], func(m []byte) []byte {
		off, _ := strconv.Atoi(string(m[:10]))
		return fmt.Appendf(nil, "%010d 00000 n", off+n)
	})
	return append(bytes.Clone(data[:at]), tail...)
}

// lzwLiterals codes data without any repetition: 9-bit codes, with a clear code often enough that they stay so.
func lzwLiterals(data string) []byte {
	var out []byte
	var acc, bits uint
	put := func(code uint) {
		acc, bits = acc<<9|code, bits+9
		for bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
		}
	}
	for i := range len(data) {
		if i%200 == 0 {
			put(256)
		}
		put(uint(data[i]))
	}
	put(257)
	return append(out, byte(acc<<(8-bits)))
}

func ascii85Encode(data string) string {
	var b strings.Builder
	for len(data) > 0 {
		n := min(4, len(data))
		var v uint32
		for i := range 4 {
			v <<= 8
			if i < n {
				v |= uint32(data[i])
			}
		}
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = byte(v%85) + '!'
			v /= 85
		}
		b.Write(digits[:n+1])
		data = data[n:]
	}
	return b.String() + "~>"
}
