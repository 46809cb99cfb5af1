package readapi

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// ImageCost is a formula for the tokens that a picture costs a model, as data, in one of two forms:
//
//	patch:EDGE[:MOST]                  one for each square of EDGE pixels that is begun, at most MOST
//	tile:EDGE:BASE:EACH[:LONG:SHORT]   BASE, and EACH for each square of EDGE pixels that is begun
//
// LONG and SHORT are what the provider scales a picture down to before it counts: to LONG pixels of the longer side, then to SHORT of the
// shorter. The zero ImageCost is DefaultImageCost.
type ImageCost struct {
	edge, most        int64 // patch
	tile, base, each  int64
	longest, shortest int64
}

// DefaultImageCost is the formula where no profile names another: patches of 28 pixels, as Claude counts.
const DefaultImageCost = "patch:28"

// maxCostNumber bounds every number of a formula, so that no product overflows.
const maxCostNumber = 1 << 20

// ParseImageCost reads a formula; anything else is invalid_request.
func ParseImageCost(s string) (ImageCost, error) {
	kind, rest, _ := strings.Cut(s, ":")
	var n [5]int64
	count := 0
	for field := range strings.SplitSeq(rest, ":") {
		v, err := strconv.ParseInt(field, 10, 64)
		if count == len(n) || err != nil || v < 0 || v > maxCostNumber || field != strconv.FormatInt(v, 10) {
			return ImageCost{}, badCost()
		}
		n[count] = v
		count++
	}
	c := ImageCost{}
	switch {
	case kind == "patch" && count <= 2 && n[0] > 0 && (count == 1 || n[1] > 0):
		c.edge, c.most = n[0], n[1]
	case kind == "tile" && (count == 3 || count == 5 && n[3] > 0 && n[4] > 0) && n[0] > 0 && n[1]+n[2] > 0:
		c.tile, c.base, c.each, c.longest, c.shortest = n[0], n[1], n[2], n[3], n[4]
	default:
		return ImageCost{}, badCost()
	}
	return c, nil
}

func badCost() error {
	return &Error{
		Op: "readapi.ParseImageCost", Code: CodeInvalidRequest, Detail: "the cost of a picture is no formula",
		Hint: `A formula is "patch:EDGE", "patch:EDGE:MOST", "tile:EDGE:BASE:EACH" or "tile:EDGE:BASE:EACH:LONG:SHORT".`,
	}
}

// String is the inverse of ParseImageCost.
func (c ImageCost) String() string {
	numbers := []int64{c.edge}
	kind := "patch"
	switch {
	case c.tile > 0:
		kind, numbers = "tile", []int64{c.tile, c.base, c.each}
		if c.longest > 0 {
			numbers = append(numbers, c.longest, c.shortest)
		}
	case c.edge == 0:
		return DefaultImageCost
	case c.most > 0:
		numbers = append(numbers, c.most)
	}
	for _, n := range numbers {
		kind += ":" + strconv.FormatInt(n, 10)
	}
	return kind
}

// Tokens is what a picture of w by h pixels costs; what has no area costs nothing. Numbers beyond those of any picture count as the largest.
func (c ImageCost) Tokens(w, h int64) int64 {
	if w <= 0 || h <= 0 {
		return 0
	}
	const largest = 1 << 31
	w, h = min(w, largest), min(h, largest)
	if c.tile > 0 {
		w, h = c.scaled(w, h)
		squares := begun(w, c.tile) * begun(h, c.tile)
		if squares > (math.MaxInt64-c.base)/max(1, c.each) {
			return math.MaxInt64
		}
		return c.base + c.each*squares
	}
	edge := c.edge
	if edge == 0 {
		edge = 28
	}
	n := begun(w, edge) * begun(h, edge)
	if c.most > 0 {
		n = min(n, c.most)
	}
	return n
}

// begun is how many pieces of length each make n, the last of which may be cut.
func begun(n, each int64) int64 { return (n + each - 1) / each }

// scaled is the size at which the provider counts.
func (c ImageCost) scaled(w, h int64) (int64, int64) {
	if c.longest == 0 {
		return w, h
	}
	if long := max(w, h); long > c.longest {
		w, h = max(1, w*c.longest/long), max(1, h*c.longest/long)
	}
	if short := min(w, h); short > c.shortest {
		w, h = max(1, w*c.shortest/short), max(1, h*c.shortest/short)
	}
	return w, h
}

// Fit says how large a picture may leave, and what it then costs. A bound of 0 is none.
type Fit struct {
	MaxEdge   int64 // longer side, in pixels
	MaxPixels int64 // width times height
	Cost      ImageCost
}

// Fit is what the request says of the size of pictures, with the default for the longer side. A formula that nobody knows counts as none.
func (r *Request) Fit() Fit {
	f := Fit{MaxEdge: r.MaxEdge, MaxPixels: r.FitPixels}
	if f.MaxEdge <= 0 {
		f.MaxEdge = DefaultLimits().MaxEdge
	}
	f.Cost, _ = ParseImageCost(r.ImageCost)
	return f
}

// Size is the size at which a picture of w by h pixels, as it is seen, leaves: the largest of the same shape within the bounds, and never
// larger than it is. No side is less than a pixel. What fits stays as it is.
func (f Fit) Size(w, h int64) (tw, th int64) {
	if w <= 0 || h <= 0 {
		return max(w, 0), max(h, 0)
	}
	long := max(w, h)
	edge := long
	if f.MaxEdge > 0 {
		edge = min(edge, f.MaxEdge)
	}
	// The area grows with the edge, so the largest edge that fits is found by halving what lies between.
	if f.MaxPixels > 0 && !within(scale(w, edge, long), scale(h, edge, long), f.MaxPixels) {
		low := int64(1) // fits: one pixel
		for edge-low > 1 {
			mid := low + (edge-low)/2
			if within(scale(w, mid, long), scale(h, mid, long), f.MaxPixels) {
				low = mid
			} else {
				edge = mid
			}
		}
		edge = low
	}
	return scale(w, edge, long), scale(h, edge, long)
}

// Tokens is what a picture of w by h pixels costs at the size at which it leaves.
func (f Fit) Tokens(w, h int64) int64 { return f.Cost.Tokens(f.Size(w, h)) }

// Fits reports whether a picture of w by h pixels is within the bounds.
func (f Fit) Fits(w, h int64) bool {
	tw, th := f.Size(w, h)
	return tw == w && th == h
}

// scale is v times edge through long, rounded, and at least 1. v is not more than long, so the result is not more than edge.
func scale(v, edge, long int64) int64 {
	hi, lo := bits.Mul64(uint64(v), uint64(edge))
	lo, carry := bits.Add64(lo, uint64(long)/2, 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(long))
	return max(1, int64(q))
}

// within reports whether w times h is at most pixels.
func within(w, h, pixels int64) bool { return w <= pixels/h }
