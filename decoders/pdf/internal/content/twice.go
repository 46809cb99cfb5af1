package content

import "math"

// recent remembers the strings that were shown, by what they are and about where: a string that is shown twice in nearly one place is bold
// that a writer made himself, or a shadow, and counts once.
type recent struct {
	made  []shown
	order uint32
}

type shown struct {
	hash       uint64
	x, y, size float64
	hidden     Hidden
}

// Of strings shown twice.
const (
	recentStrings = 1 << 10
	twiceGap      = 0.1 // of the font's size: how far apart they lie at most
)

// again reports whether the string that begins was shown in its place before, and remembers it.
func (t *text) again(b []byte) bool {
	if t.size <= 0 || t.hidden != Visible || t.behind && t.ink.like(paper) {
		return false
	}
	blank := true
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
		blank = blank && (c == ' ' || c == 0)
	}
	if blank {
		return false
	}
	if t.shows.made == nil {
		t.shows.made = make([]shown, recentStrings)
	}
	// A cell of the grid is a size wide; a string near its border may have been noted beyond it.
	near := twiceGap * t.size
	col, row := math.Floor(t.x/t.size), math.Floor(t.y/t.size)
	for _, c := range [...]float64{math.Floor((t.x - near) / t.size), math.Floor((t.x + near) / t.size)} {
		for _, r := range [...]float64{math.Floor((t.y - near) / t.size), math.Floor((t.y + near) / t.size)} {
			k := &t.shows.made[slot(h, c, r)]
			if k.hash == h && k.size == t.size && math.Abs(k.x-t.x) <= near && math.Abs(k.y-t.y) <= near {
				return true
			}
			if r == row {
				break
			}
		}
	}
	t.shows.made[slot(h, col, row)] = shown{hash: h, x: t.x, y: t.y, size: t.size}
	return false
}

// slot is where a string in a cell of the grid is noted.
func slot(h uint64, col, row float64) int {
	h ^= uint64(int64(col))*0x9e3779b97f4a7c15 + uint64(int64(row))*0xc2b2ae3d27d4eb4f
	return int((h ^ h>>29) & (recentStrings - 1))
}
