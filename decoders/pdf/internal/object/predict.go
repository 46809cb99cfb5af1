package object

// predict undoes the predictor of Flate and LZW data (7.4.4.4).
func predict(data []byte, parms Node) []byte {
	number := func(key string, def int) int {
		if n := parms.Key(key).Int(); n >= 1 && n <= 1<<20 {
			return n
		}
		return def
	}
	predictor := number("Predictor", 1)
	if predictor == 1 {
		return data
	}
	colors, bits := min(number("Colors", 1), 64), min(number("BitsPerComponent", 8), 16)
	row := (number("Columns", 1)*colors*bits + 7) / 8
	pixel := (colors*bits + 7) / 8
	if predictor == 2 {
		for line := data; len(line) > 0 && row > 0; line = line[min(row, len(line)):] {
			tiffRow(line[:min(row, len(line))], colors, bits)
		}
		return data
	}
	return pngRows(data, row, pixel)
}

// tiffRow undoes TIFF's predictor 2 in one row: each sample is the difference to the one of the same colour before it.
func tiffRow(row []byte, colors, bits int) {
	switch bits {
	case 8:
		for i := colors; i < len(row); i++ {
			row[i] += row[i-colors]
		}
	case 16:
		for i := 2 * colors; i+1 < len(row); i += 2 {
			v := uint16(row[i])<<8 | uint16(row[i+1])
			v += uint16(row[i-2*colors])<<8 | uint16(row[i-2*colors+1])
			row[i], row[i+1] = byte(v>>8), byte(v)
		}
	case 1, 2, 4:
		mask := byte(1<<bits - 1)
		at := func(i int) (byteAt, shift int) { return i * bits / 8, 8 - bits - i*bits%8 }
		for i := colors; i < len(row)*8/bits; i++ {
			b, shift := at(i)
			p, from := at(i - colors)
			v := (row[b]>>shift + row[p]>>from) & mask
			row[b] = row[b]&^(mask<<shift) | v<<shift
		}
	}
}

// pngRows undoes PNG prediction in place: each row is preceded by the number of its filter (PNG specification, 9).
func pngRows(data []byte, row, pixel int) []byte {
	out := data[:0]
	prev := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		kind := data[0]
		cur := data[1:min(1+row, len(data))]
		data = data[1+len(cur):]
		for i := range cur {
			var left, corner byte
			if i >= pixel {
				left, corner = cur[i-pixel], prev[i-pixel]
			}
			switch kind {
			case 1:
				cur[i] += left
			case 2:
				cur[i] += prev[i]
			case 3:
				cur[i] += byte((int(left) + int(prev[i])) / 2)
			case 4:
				cur[i] += paeth(left, prev[i], corner)
			}
		}
		copy(prev, cur)
		out = append(out, cur...)
	}
	return out
}

func paeth(a, b, c byte) byte {
	pa, pb, pc := int(b)-int(c), int(a)-int(c), int(a)+int(b)-2*int(c)
	pa, pb, pc = max(pa, -pa), max(pb, -pb), max(pc, -pc)
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}
