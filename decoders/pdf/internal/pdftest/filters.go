package pdftest

// Predict applies a predictor (ISO 32000-1, 7.4.4.4) to rows of samples: 2 is TIFF's, from 10 on they are PNG's, 15 takes another one for
// each row. What is left of data behind the last whole row is dropped.
func Predict(data []byte, predictor, columns, colors, bits int) (out []byte) {
	row, pixel := (columns*colors*bits+7)/8, (colors*bits+7)/8
	prev := make([]byte, row)
	for y := 0; len(data) >= row; y++ {
		cur := data[:row]
		data = data[row:]
		if predictor == 2 {
			out = append(out, tiffRow(cur, columns, colors, bits)...)
			continue
		}
		kind := predictor - 10
		if predictor == 15 {
			kind = y % 5
		}
		out = append(out, byte(kind))
		for i, c := range cur {
			var left, corner byte
			if i >= pixel {
				left, corner = cur[i-pixel], prev[i-pixel]
			}
			out = append(out, c-[]byte{0, left, prev[i], byte((int(left) + int(prev[i])) / 2), paeth(left, prev[i], corner)}[kind])
		}
		prev = cur
	}
	return out
}

// tiffRow writes each sample as the difference to the one of the same colour before it.
func tiffRow(row []byte, columns, colors, bits int) []byte {
	out := make([]byte, len(row))
	sample := func(i int) (v int) {
		for k := i * bits; k < (i+1)*bits; k++ {
			v = v<<1 | int(row[k/8]>>(7-k%8)&1)
		}
		return v
	}
	for i := range columns * colors {
		v := sample(i)
		if i >= colors {
			v -= sample(i - colors)
		}
		for k := range bits {
			at := i*bits + k
			out[at/8] |= byte(v>>(bits-1-k)&1) << (7 - at%8)
		}
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	abs := func(n int) int { return max(n, -n) }
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

// LZW compresses as LZWDecode reads it, with codes of 9 to 12 bits; early is EarlyChange.
func LZW(data []byte, early bool) (out []byte) {
	const clear, end = 256, 257
	var acc, bits uint
	width := uint(9)
	put := func(code int) {
		acc, bits = acc<<width|uint(code), bits+width
		for bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
		}
	}
	shift := 0
	if early {
		shift = 1
	}
	codes, next := map[string]int{}, 258
	code := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return codes[s]
	}
	put(clear)
	word := ""
	for _, c := range data {
		longer := word + string([]byte{c})
		if _, ok := codes[longer]; ok || len(longer) == 1 {
			word = longer
			continue
		}
		put(code(word))
		codes[longer] = next
		if next++; next+shift > 1<<width {
			width++
		}
		if next == 4094 {
			put(clear)
			codes, next, width = map[string]int{}, 258, 9
		}
		word = string([]byte{c})
	}
	if word != "" {
		put(code(word))
		if next++; next+shift > 1<<width {
			width++
		}
	}
	put(end)
	return append(out, byte(acc<<(8-bits)))
}
