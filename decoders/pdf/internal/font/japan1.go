package font

// A font without ToUnicode whose codes are identifiers of the character collection Adobe-Japan1 can still be read: the collection was laid
// out along JIS X 0208 (Adobe Technical Note #5078 and the CMaps H and V, which map that standard to it), so runs of identifiers are runs
// of its code points.

// jisRun maps identifiers from first on to code points of JIS X 0208 from row and cell on. A run goes on in the next row.
type jisRun struct {
	first, last uint16
	row, cell   uint8
}

var japan1Runs = [...]jisRun{
	{633, 726, 1, 1}, {727, 740, 2, 1}, {741, 748, 2, 26}, {749, 755, 2, 42}, {756, 770, 2, 60}, {771, 778, 2, 82}, {779, 779, 2, 94},
	{780, 789, 3, 16}, {790, 815, 3, 33}, {816, 841, 3, 65}, // digits and Latin letters
	{842, 924, 4, 1}, {925, 1010, 5, 1}, // hiragana, katakana
	{1011, 1034, 6, 1}, {1035, 1058, 6, 33}, {1059, 1091, 7, 1}, {1092, 1124, 7, 49}, // Greek, Cyrillic
	{1125, 4089, 16, 1}, {4090, 7477, 48, 1}, {7478, 7479, 84, 5}, // kanji
	// Forms for vertical writing.
	{7887, 7888, 1, 2}, {7889, 7890, 1, 17}, {7891, 7893, 1, 28}, {7894, 7898, 1, 33}, {7899, 7916, 1, 42}, {7917, 7917, 1, 65},
	{7918, 7918, 4, 1}, {7919, 7919, 4, 3}, {7920, 7920, 4, 5}, {7921, 7921, 4, 7}, {7922, 7922, 4, 9}, {7923, 7923, 4, 35},
	{7924, 7924, 4, 67}, {7925, 7925, 4, 69}, {7926, 7926, 4, 71}, {7927, 7927, 4, 78},
	{7928, 7928, 5, 1}, {7929, 7929, 5, 3}, {7930, 7930, 5, 5}, {7931, 7931, 5, 7}, {7932, 7932, 5, 9}, {7933, 7933, 5, 35},
	{7934, 7934, 5, 67}, {7935, 7935, 5, 69}, {7936, 7936, 5, 71}, {7937, 7937, 5, 78}, {7938, 7939, 5, 85},
}

// appendJapan1 appends the character of an identifier of Adobe-Japan1; ok is false for those outside the runs above.
func appendJapan1(dst []byte, cid uint32) (out []byte, ok bool) {
	switch {
	case cid >= 1 && cid <= 94: // proportional Latin
		return append(dst, latinJapan1(byte(cid+0x1f))...), true
	case cid >= 231 && cid <= 325: // half-width Latin
		return append(dst, latinJapan1(byte(cid-231+0x20))...), true
	case cid >= 327 && cid <= 389: // half-width katakana
		return append(dst, string(rune(0xff61+cid-327))...), true
	}
	for _, r := range japan1Runs {
		if cid < uint32(r.first) || cid > uint32(r.last) {
			continue
		}
		const cells = 94
		at := int(r.cell) - 1 + int(cid) - int(r.first)
		row, cell := int(r.row)+at/cells, at%cells+1
		return charsetJIS.appendText(dst, uint32(row+0x20)<<8|uint32(cell+0x20), 2)
	}
	return dst, false
}

// latinJapan1 is ASCII as JIS X 0201 has it.
func latinJapan1(c byte) string {
	switch c {
	case '\\':
		return "¥"
	case '~':
		return "‾"
	}
	return string(rune(c))
}
