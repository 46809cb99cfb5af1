package content

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Of functions.
const (
	maxFunctionDepth = 4
	maxOutputs       = 8
	maxFunctionBytes = 64 << 10
	maxProgram       = 4096 // tokens of a PostScript function that are run
	maxOperands      = 64
)

// call evaluates a function (7.10); nil if it cannot be followed.
func call(fn object.Node, v []float64, depth int) []float64 {
	if depth > maxFunctionDepth || fn.File() == nil {
		return nil
	}
	fn.File().Work(8)
	in := make([]float64, len(v))
	for i, x := range v {
		lo, hi := pair(fn.Key("Domain"), i, 0, 1)
		in[i] = min(max(x, lo), hi)
	}
	switch fn.Key("FunctionType").Int() {
	case 0:
		if fn.Is(object.Stream) && len(in) > 0 {
			return sampled(fn, in)
		}
	case 2:
		return exponential(fn, in[0])
	case 3:
		return stitched(fn, in[0], depth)
	case 4:
		data, _ := fn.Data(maxFunctionBytes)
		c := calculator{lexer: object.Lexer{B: data}, stack: in}
		c.lexer.Next() // the first brace
		c.block(true, 0)
		fn.File().Parsed(len(data))
		if fn.File().Work(4 * c.steps); c.failed || len(c.stack) > maxOutputs {
			return nil
		}
		return c.stack
	}
	return nil
}

// pair returns elements 2i and 2i+1 of an array of numbers.
func pair(n object.Node, i int, lo, hi float64) (float64, float64) {
	if 2*i+1 >= n.Len() {
		return lo, hi
	}
	return n.Index(2 * i).Num(), n.Index(2*i + 1).Num()
}

func exponential(fn object.Node, x float64) (out []float64) {
	c0, c1, n := fn.Key("C0"), fn.Key("C1"), fn.Key("N").Num()
	t := math.Pow(x, n)
	for i := range min(max(c0.Len(), c1.Len(), 1), maxOutputs) {
		a, b := 0.0, 1.0
		if i < c0.Len() {
			a = c0.Index(i).Num()
		}
		if i < c1.Len() {
			b = c1.Index(i).Num()
		}
		out = append(out, a+t*(b-a))
	}
	return out
}

func stitched(fn object.Node, x float64, depth int) []float64 {
	parts, bounds := fn.Key("Functions"), fn.Key("Bounds")
	lo, hi := pair(fn.Key("Domain"), 0, 0, 1)
	i := 0
	for ; i < min(bounds.Len(), parts.Len()-1, 64) && x >= bounds.Index(i).Num(); i++ {
		lo = bounds.Index(i).Num()
	}
	if i < bounds.Len() {
		hi = bounds.Index(i).Num()
	}
	e0, e1 := pair(fn.Key("Encode"), i, 0, 1)
	if hi > lo {
		x = e0 + (x-lo)*(e1-e0)/(hi-lo)
	} else {
		x = e0
	}
	return call(parts.Index(i), []float64{x}, depth+1)
}

// sampled takes the sample that lies nearest.
func sampled(fn object.Node, in []float64) (out []float64) {
	size, bits, ranges := fn.Key("Size"), fn.Key("BitsPerSample").Int(), fn.Key("Range")
	outputs := ranges.Len() / 2
	if size.Len() != len(in) || bits < 1 || bits > 32 || outputs == 0 || outputs > maxOutputs {
		return nil
	}
	at, stride := 0, 1
	for i, x := range in {
		n := size.Index(i).Int()
		lo, hi := pair(fn.Key("Domain"), i, 0, 1)
		e0, e1 := pair(fn.Key("Encode"), i, 0, float64(n-1))
		if n <= 0 || n > 1<<16 || !(hi > lo) || stride > 1<<24 {
			return nil
		}
		k := int(min(max(e0+(x-lo)*(e1-e0)/(hi-lo)+0.5, 0), float64(n-1)))
		at += k * stride
		stride *= n
	}
	data, _ := fn.Data(maxFunctionBytes * 4)
	for j := range outputs {
		first := (at*outputs + j) * bits
		if first < 0 || first+bits > 8*len(data) {
			return nil
		}
		v := 0.0
		for i := first; i < first+bits; i++ {
			v = 2*v + float64(data[i>>3]>>(7-i&7)&1)
		}
		lo, hi := pair(ranges, j, 0, 1)
		lo, hi = pair(fn.Key("Decode"), j, lo, hi)
		out = append(out, lo+v/(math.Ldexp(1, bits)-1)*(hi-lo))
	}
	return out
}

// calculator runs a PostScript function (7.10.5).
type calculator struct {
	lexer  object.Lexer
	stack  []float64
	steps  int
	failed bool
}

func (c *calculator) pop() float64 {
	if len(c.stack) == 0 {
		c.failed = true
		return 0
	}
	v := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	return v
}

func (c *calculator) push(v ...float64) {
	if c.stack = append(c.stack, v...); len(c.stack) > maxOperands {
		c.failed = true
	}
}

// block reads up to the closing brace, and runs what it reads if run is set.
func (c *calculator) block(run bool, depth int) {
	var yes, no int // where the last two blocks begin
	for !c.failed {
		t := c.lexer.Next()
		if c.steps++; c.steps > maxProgram || depth > maxFunctionDepth*2 || t.Kind == object.TokEOF {
			c.failed = true
			return
		}
		switch {
		case t.Is("}"):
			return
		case t.Is("{"):
			yes, no = no, c.lexer.Pos
			c.block(false, depth+1)
		case !run:
		case t.Is("if"):
			if c.pop() != 0 {
				c.again(no, depth)
			}
		case t.Is("ifelse"):
			if c.pop() != 0 {
				c.again(yes, depth)
			} else {
				c.again(no, depth)
			}
		case t.Kind == object.TokNumber:
			c.push(t.Num)
		default:
			c.operator(string(t.S))
		}
	}
}

// again runs the block that begins at a place.
func (c *calculator) again(at, depth int) {
	back := c.lexer.Pos
	c.lexer.Pos = at
	c.block(true, depth+1)
	c.lexer.Pos = back
}

func (c *calculator) operator(op string) {
	switch op {
	case "pop":
		c.pop()
		return
	case "dup":
		v := c.pop()
		c.push(v, v)
		return
	case "true":
		c.push(1)
		return
	case "false":
		c.push(0)
		return
	case "copy":
		if n := int(min(max(c.pop(), 0), maxOperands)); n <= len(c.stack) {
			c.push(c.stack[len(c.stack)-n:]...)
		} else {
			c.failed = true
		}
		return
	case "index":
		if n := int(min(max(c.pop(), 0), maxOperands)); n < len(c.stack) {
			c.push(c.stack[len(c.stack)-1-n])
		} else {
			c.failed = true
		}
		return
	case "roll":
		c.roll()
		return
	}
	a := c.pop()
	if v, ok := unary(op, a); ok {
		c.push(v)
		return
	}
	switch b := c.pop(); op {
	case "exch":
		c.push(a, b)
	default:
		v, ok := binary(op, b, a)
		c.failed = c.failed || !ok
		c.push(v)
	}
}

func unary(op string, a float64) (float64, bool) {
	switch op {
	case "abs":
		return math.Abs(a), true
	case "neg":
		return -a, true
	case "ceiling":
		return math.Ceil(a), true
	case "floor":
		return math.Floor(a), true
	case "round":
		return math.Floor(a + 0.5), true
	case "truncate", "cvi":
		return math.Trunc(a), true
	case "cvr":
		return a, true
	case "sqrt":
		return math.Sqrt(max(a, 0)), true
	case "not":
		return float64(b2i(a == 0)), true
	case "sin":
		return math.Sin(a * math.Pi / 180), true
	case "cos":
		return math.Cos(a * math.Pi / 180), true
	case "ln":
		return math.Log(a), a > 0
	case "log":
		return math.Log10(a), a > 0
	}
	return 0, false
}

// integral is binary for the operators of whole numbers.
func integral(op string, a, b float64) (float64, bool) {
	const most = 1 << 31
	if !(math.Abs(a) <= most && math.Abs(b) <= most) {
		return 0, false
	}
	n, m := int64(a), int64(b)
	switch op {
	case "and":
		return float64(n & m), true
	case "or":
		return float64(n | m), true
	case "xor":
		return float64(n ^ m), true
	case "bitshift":
		if m < 0 {
			return float64(int32(n) >> min(-m, 31)), true
		}
		return float64(int32(n) << min(m, 31)), true
	case "idiv":
		if m != 0 {
			return float64(n / m), true
		}
	case "mod":
		if m != 0 {
			return float64(n % m), true
		}
	}
	return 0, false
}

func binary(op string, a, b float64) (float64, bool) {
	switch op {
	case "add":
		return a + b, true
	case "sub":
		return a - b, true
	case "mul":
		return a * b, true
	case "div":
		return a / b, b != 0
	case "exp":
		return math.Pow(a, b), true
	case "eq":
		return float64(b2i(a == b)), true
	case "ne":
		return float64(b2i(a != b)), true
	case "gt":
		return float64(b2i(a > b)), true
	case "ge":
		return float64(b2i(a >= b)), true
	case "lt":
		return float64(b2i(a < b)), true
	case "le":
		return float64(b2i(a <= b)), true
	case "atan":
		return math.Mod(math.Atan2(a, b)*180/math.Pi+360, 360), true
	}
	return integral(op, a, b)
}

// roll turns the topmost n operands by j places.
func (c *calculator) roll() {
	j, n := int(min(max(c.pop(), -maxOperands), maxOperands)), int(min(max(c.pop(), 0), maxOperands))
	if n > len(c.stack) {
		c.failed = true
	}
	if c.failed || n == 0 {
		return
	}
	top := c.stack[len(c.stack)-n:]
	old := append([]float64(nil), top...)
	for i := range old {
		top[((i+j)%n+n)%n] = old[i]
	}
}
