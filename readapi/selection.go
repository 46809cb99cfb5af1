package readapi

import (
	"math"
	"strconv"
	"strings"
)

// Unit is what a decoder counts by. Units are numbered from 1.
type Unit string

// The units of the built-in decoders and the ones that others are expected to use; a decoder may name its own.
const (
	UnitPage    Unit = "page"
	UnitLine    Unit = "line"
	UnitFrame   Unit = "frame"
	UnitSheet   Unit = "sheet"
	UnitSlide   Unit = "slide"
	UnitMessage Unit = "message"
)

// Form is how the caller wants the content.
type Form string

// The forms. A form that a decoder does not have is invalid_request.
const (
	FormAuto   Form = "auto"   // what the decoder does best
	FormText   Form = "text"   // text
	FormImage  Form = "image"  // pictures
	FormSource Form = "source" // the decoded text exactly as it stands: charset converted, nothing else
)

// Valid reports whether f is one of the four forms; the empty form is not.
func (f Form) Valid() bool {
	switch f {
	case FormAuto, FormText, FormImage, FormSource:
		return true
	}
	return false
}

// Range is a run of units, both ends included, counted from 1. To 0 means "to the end".
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Contains reports whether unit at lies in r.
func (r Range) Contains(at int64) bool { return at >= r.From && (r.To == 0 || at <= r.To) }

// maxRanges bounds how many ranges one selection may name.
const maxRanges = 256

// ParseUnits reads a selection of units: "3", "1-3", "7-" (to the end), and lists of them in rising order without overlap
// ("1-3,7,9-"). Anything else is invalid_request.
func ParseUnits(s string) ([]Range, error) {
	bad := func(why string) error {
		return &Error{Op: "readapi.ParseUnits", Code: CodeInvalidRequest, Detail: why, Hint: `Units are numbers from 1 and ranges in rising order, such as "1-3,7,9-".`}
	}
	var out []Range
	for field := range strings.SplitSeq(s, ",") {
		if len(out) == maxRanges {
			return nil, bad("too many ranges")
		}
		lo, hi, dash := strings.Cut(strings.TrimSpace(field), "-")
		from, ok := unitNumber(lo)
		if !ok {
			return nil, bad("a unit is not a number from 1")
		}
		r := Range{From: from, To: from}
		switch {
		case dash && strings.TrimSpace(hi) == "":
			r.To = 0
		case dash:
			if r.To, ok = unitNumber(hi); !ok || r.To < r.From {
				return nil, bad("a range ends before it begins")
			}
		}
		if n := len(out); n > 0 && (out[n-1].To == 0 || out[n-1].To >= r.From) {
			return nil, bad("the ranges overlap or are not in rising order")
		}
		out = append(out, r)
	}
	return out, nil
}

func unitNumber(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 1
}

// FormatUnits is the inverse of ParseUnits.
func FormatUnits(ranges []Range) string {
	var b strings.Builder
	for i, r := range ranges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(r.From, 10))
		if r.To != r.From {
			b.WriteByte('-')
			if r.To != 0 {
				b.WriteString(strconv.FormatInt(r.To, 10))
			}
		}
	}
	return b.String()
}

// Selected reports whether unit at is in ranges; no ranges select everything.
func Selected(ranges []Range, at int64) bool {
	if len(ranges) == 0 {
		return true
	}
	for _, r := range ranges {
		if r.Contains(at) {
			return true
		}
	}
	return false
}

// NextSelected returns the first selected unit that is at or after at; ok is false when there is none.
func NextSelected(ranges []Range, at int64) (unit int64, ok bool) {
	if len(ranges) == 0 {
		return max(at, 1), true
	}
	for _, r := range ranges {
		if r.To == 0 || r.To >= at {
			return max(at, r.From), true
		}
	}
	return 0, false
}

// LastSelected returns the highest unit that ranges name, math.MaxInt64 when they are open or empty.
func LastSelected(ranges []Range) int64 {
	if len(ranges) == 0 || ranges[len(ranges)-1].To == 0 {
		return math.MaxInt64
	}
	return ranges[len(ranges)-1].To
}

// MaxChildDepth is how deep a child path may go.
const MaxChildDepth = 4

// ParseChild reads a child path such as "2/1": numbers from 1. One of more than MaxChildDepth is limit_depth; anything else is
// invalid_request.
func ParseChild(s string) ([]int, error) {
	const most = 64 // what is longer is no path, whatever it holds
	var out []int
	for _, f := range strings.SplitN(s, "/", most) {
		n, ok := unitNumber(f)
		if !ok || n > math.MaxInt32 || strings.TrimSpace(f) != f {
			return nil, badChild("not a child path")
		}
		out = append(out, int(n))
	}
	if err := CheckChild(out); err != nil {
		return nil, err
	}
	return out, nil
}

// CheckChild says what is wrong with a child path: limit_depth where it is too deep, invalid_request for a number below 1.
func CheckChild(path []int) error {
	for _, n := range path {
		if n < 1 || n > math.MaxInt32 {
			return badChild("a file inside the file is counted from 1")
		}
	}
	if len(path) > MaxChildDepth {
		return &Error{
			Op: "readapi.ParseChild", Code: CodeLimitDepth, Limit: &LimitHit{Name: "max_child_depth", Value: MaxChildDepth, Actual: int64(len(path))},
			Hint: "Files inside files are read down to the fourth level.",
		}
	}
	return nil
}

func badChild(detail string) error {
	return &Error{Op: "readapi.ParseChild", Code: CodeInvalidRequest, Detail: detail, Hint: `A child path is one to four numbers from 1, such as "2" or "2/1".`}
}

// FormatChild is the inverse of ParseChild; "" for no path.
func FormatChild(path []int) string {
	var b strings.Builder
	for i, n := range path {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// Position is a place in a document: a unit, within it a part (0: the first), and within that part of text an offset in bytes.
type Position struct {
	At     int64 `json:"at"`
	Part   int64 `json:"part,omitempty"` // parts of the unit that were given already
	Offset int64 `json:"offset,omitempty"`
}

// Selection is what a caller asks to see of a document. The zero value is the whole document from its start in the best form, within
// the default budgets.
type Selection struct {
	Units     []Range // units wanted; empty: all
	Cursor    string  // continue a former answer; Units must be empty then
	Child     []int   // a file inside the file, by path
	Form      Form    // "" is FormAuto
	MaxTokens int64   // estimated tokens of this answer; 0: the default, negative: no limit
	MaxBytes  int64   // bytes of this answer; 0: the default
	Unescaped bool    // show control, bidi and tag characters raw, and text that is hidden from a reader
	Words     bool    // the answer is read as words: tables whose cells stand in the text too are left out
	Password  string  // opens an encrypted file, and the files inside it; kept nowhere: a cursor needs it again
	Profile   string  // for whom pictures are made, by name; "": the default of the host
	Original  bool    // give a picture that fits, and carries nothing but pixels, as the bytes that it is
}
