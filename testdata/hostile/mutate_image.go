package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// inflated undoes zlib, as far as it goes; nil when there is nothing.
func inflated(b []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	const most = 1 << 20
	out, _ := io.ReadAll(io.LimitReader(r, most)) // what could be read
	return out
}

// png mutates chunks, and mostly gives them right checksums again.
func (m mutator) png(b []byte) []byte {
	var list [][]byte
	for at := len(pngMagic); at+12 <= len(b); {
		n := int(binary.BigEndian.Uint32(b[at:]))
		if n < 0 || n > len(b)-at-12 {
			break
		}
		list = append(list, b[at:at+12+n])
		at += 12 + n
	}
	out := []byte(pngMagic)
	for _, c := range m.pieces(list, m.pngChunk) {
		out = append(out, c...)
	}
	return out
}

func (m mutator) pngChunk(c []byte) []byte {
	name, data := string(c[4:8]), c[8:len(c)-4]
	switch {
	case name == "IDAT" && m.IntN(2) == 0:
		if raw := inflated(data); len(raw) > 0 {
			data = deflate(m.bytes(raw))
		}
	case len(data) > 0 && m.IntN(2) == 0:
		if next := m.field(data, 0, min(len(data), 26), binary.BigEndian); next != nil {
			data = next
		}
	case m.IntN(4) == 0:
		name = []string{"IHDR", "PLTE", "tRNS", "acTL", "fcTL", "fdAT", "IDAT", "eXIf", "iCCP", "zTXt", "IEND"}[m.IntN(11)]
	case len(data) > 0:
		data = m.bytes(data)
	}
	out := join(be32(int64(len(data))), name, data, be32(0))
	sum := crc32.ChecksumIEEE(out[4 : len(out)-4])
	if m.IntN(8) == 0 {
		sum ^= 1
	}
	binary.BigEndian.PutUint32(out[len(out)-4:], sum)
	if m.IntN(16) == 0 {
		binary.BigEndian.PutUint32(out, uint32(m.odd()))
	}
	return out
}

// jpeg mutates segments; a scan's data belongs to its header.
func (m mutator) jpeg(b []byte) []byte {
	var list [][]byte
	at := 2
	for at+4 <= len(b) && b[at] == 0xff {
		end := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if b[at+1] == 0xda {
			for end+1 < len(b) && (b[end] != 0xff || b[end+1] == 0 || b[end+1]&0xf8 == 0xd0) {
				end++
			}
		}
		if end > len(b) {
			break
		}
		list = append(list, b[at:end])
		at = end
	}
	list = m.pieces(list, func(s []byte) []byte {
		switch {
		case len(s) < 5 || m.IntN(8) == 0:
			s[1] = []byte{0xc0, 0xc1, 0xc2, 0xc4, 0xd9, 0xda, 0xdb, 0xdd, 0xe1, 0xe2, 0xee, 0xd0, 0xff}[m.IntN(13)]
			return s
		case m.IntN(2) == 0:
			if next := m.field(s, 4, min(len(s), 40), binary.BigEndian); next != nil {
				return next
			}
		}
		body := m.bytes(s[4:])
		if s[1] != 0xda && m.IntN(8) > 0 {
			binary.BigEndian.PutUint16(s[2:], uint16(len(body)+2))
		}
		return append(s[:4:4], body...)
	})
	out := bytes.Clone(b[:2])
	for _, s := range list {
		out = append(out, s...)
	}
	return append(out, b[min(at, len(b)):]...)
}

// tiff mutates an entry of the first directory: tag, type, count or value.
func (m mutator) tiff(b []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	if len(b) < 10 {
		return nil
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return nil
	}
	n := int64(order.Uint16(b[at:]))
	entry := at + 2
	if n > 0 {
		entry += 12 * m.Int64N(n)
	}
	if entry+12 > int64(len(b)) {
		return nil
	}
	e := b[entry : entry+12]
	switch m.IntN(5) {
	case 0:
		order.PutUint16(e, []uint16{256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 284, 292, 317, 320, 322, 323, 324, 325, 338, 339, 347, 530, 34675}[m.IntN(24)])
	case 1:
		order.PutUint16(e[2:], uint16(m.IntN(20)))
	case 2:
		order.PutUint32(e[4:], uint32(m.odd()))
	case 3:
		order.PutUint32(e[8:], uint32(m.odd()))
		if m.IntN(2) == 0 {
			order.PutUint16(e[8:], uint16(m.odd()))
		}
	case 4: // the next directory
		if next := at + 2 + 12*n; next+4 <= int64(len(b)) {
			order.PutUint32(b[next:], uint32(m.IntN(len(b))))
		}
	}
	return b
}

// webp mutates RIFF chunks and mostly makes the outer size right.
func (m mutator) webp(b []byte) []byte {
	var list [][]byte
	for at := 12; at+8 <= len(b); {
		n := int(binary.LittleEndian.Uint32(b[at+4:]))
		end := at + 8 + n + n&1
		if n < 0 || end > len(b) || end < at {
			break
		}
		list = append(list, b[at:end])
		at = end
	}
	body := []byte("WEBP")
	for _, c := range m.pieces(list, func(c []byte) []byte {
		if next := m.field(c, 4, min(len(c), 30), binary.LittleEndian); next != nil && m.IntN(2) == 0 {
			return next
		}
		if len(c) == 8 {
			return c
		}
		return riff(string(c[:4]), m.bytes(c[8:]))
	}) {
		body = append(body, c...)
	}
	return join("RIFF", le32(int64(len(body))), body)
}

// gif mutates the numbers of the screen or of a picture.
func (m mutator) gif(b []byte) []byte {
	from := 6
	if i := bytes.IndexByte(b[min(13, len(b)):], ','); i >= 0 && m.IntN(3) > 0 {
		from = 13 + i
	}
	return m.field(b, from, min(len(b), from+11), binary.LittleEndian)
}
