package picture

import (
	"math"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Of functions of type 4.
const (
	maxProgram = 16 << 10 // bytes
	maxStack   = 100      // 7.10.5.1
	maxBraces  = 16
)

// instruction is one step of a program: a number, an operator, or a jump when op is "if" (by steps, when 0 is on the stack) or "skip".
type instruction struct {
	op string
	v  float64
	by int
}

// calculated is a function of type 4 (7.10.5), the operators that tint transforms use; nil for a program with others.
func calculated(n object.Node) function {
	data, _ := n.Data(maxProgram)
	text := strings.NewReplacer("{", " { ", "}", " } ").Replace(string(data))
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "{" {
		return nil
	}
	program, rest, ok := compile(words[1:], 1)
	if !ok || len(rest) > 0 {
		return nil
	}
	return func(in, out []float64) {
		c := calculator{stack: append(make([]float64, 0, maxStack), in...)}
		c.run(program)
		if from := len(c.stack) - len(out); from >= 0 {
			copy(out, c.stack[from:])
		}
	}
}

// compile compiles up to the brace that closes and returns what follows it.
func compile(words []string, depth int) (program []instruction, rest []string, ok bool) {
	var first, second []instruction // blocks that wait for if and ifelse
	for len(words) > 0 && depth < maxBraces {
		w := words[0]
		words = words[1:]
		switch w {
		case "}":
			return program, words, first == nil
		case "{":
			var block []instruction
			if block, words, ok = compile(words, depth+1); !ok || second != nil {
				return nil, nil, false
			}
			if block = append(block, instruction{op: "skip"}); first == nil {
				first = block
			} else {
				second = block
			}
		case "if", "ifelse":
			if first == nil || (w == "ifelse") != (second != nil) {
				return nil, nil, false
			}
			first[len(first)-1].by = len(second)
			program = append(append(append(program, instruction{op: "if", by: len(first)}), first...), second...)
			first, second = nil, nil
		default:
			v, err := strconv.ParseFloat(w, 64)
			if err == nil {
				w = ""
			} else if !strings.Contains(operators, " "+w+" ") {
				return nil, nil, false
			}
			program = append(program, instruction{op: w, v: v})
		}
	}
	return nil, nil, false
}

// operators are those that are known; of two operands those behind "add".
const operators = " abs ceiling cvi cvr dup false floor ln log neg not pop round sqrt true truncate copy index roll " +
	"add and bitshift div eq exch exp ge gt idiv le lt mod mul ne or sub xor "

type calculator struct{ stack []float64 }

// run runs a program. There are no loops in it, so it ends. An operand that is missing is 0.
func (c *calculator) run(program []instruction) {
	for i := 0; i < len(program); i++ {
		switch in := &program[i]; in.op {
		case "":
			c.push(in.v)
		case "skip":
			i += in.by
		case "if":
			if c.pop() == 0 {
				i += in.by
			}
		default:
			c.operator(in.op)
		}
	}
}

func (c *calculator) push(v float64) {
	if len(c.stack) < maxStack {
		c.stack = append(c.stack, v)
	}
}

func (c *calculator) pop() float64 {
	n := len(c.stack)
	if n == 0 {
		return 0
	}
	v := c.stack[n-1]
	c.stack = c.stack[:n-1]
	return v
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (c *calculator) operator(op string) {
	switch op {
	case "true", "false":
		c.push(truth(op == "true"))
		return
	case "cvr":
		return
	case "copy", "index", "roll":
		c.shuffle(op)
		return
	}
	b := c.pop()
	switch op {
	case "abs":
		b = math.Abs(b)
	case "ceiling":
		b = math.Ceil(b)
	case "floor":
		b = math.Floor(b)
	case "round":
		b = math.Floor(b + 0.5)
	case "cvi", "truncate":
		b = math.Trunc(b)
	case "neg":
		b = -b
	case "sqrt":
		b = math.Sqrt(max(0, b))
	case "ln":
		b = math.Log(b)
	case "log":
		b = math.Log10(b)
	case "not":
		b = truth(b == 0)
	case "dup":
		c.push(b)
	case "pop":
		return
	default:
		b = c.binary(op, c.pop(), b)
	}
	c.push(b)
}

// binary is an operator of two operands.
func (c *calculator) binary(op string, a, b float64) float64 {
	switch op {
	case "add":
		return a + b
	case "sub":
		return a - b
	case "mul":
		return a * b
	case "div":
		return quotient(a, b)
	case "idiv":
		return math.Trunc(quotient(math.Trunc(a), math.Trunc(b)))
	case "mod":
		return a - b*math.Trunc(quotient(a, b))
	case "exp":
		return math.Pow(a, b)
	case "exch":
		c.push(b)
		return a
	case "eq":
		return truth(a == b)
	case "ne":
		return truth(a != b)
	case "ge":
		return truth(a >= b)
	case "gt":
		return truth(a > b)
	case "le":
		return truth(a <= b)
	case "lt":
		return truth(a < b)
	case "and":
		return float64(int64(a) & int64(b))
	case "or":
		return float64(int64(a) | int64(b))
	case "xor":
		return float64(int64(a) ^ int64(b))
	case "bitshift":
		return math.Trunc(a * math.Pow(2, b))
	}
	return 0
}

func quotient(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// shuffle runs the operators that reach into the stack.
func (c *calculator) shuffle(op string) {
	by := int(c.pop())
	n := by
	if op == "roll" {
		n = int(c.pop())
	}
	size := len(c.stack)
	switch {
	case op == "index":
		if n >= 0 && n < size {
			c.push(c.stack[size-1-n])
		}
	case n <= 0 || n > size:
	case op == "copy":
		for _, v := range append([]float64(nil), c.stack[size-n:]...) {
			c.push(v)
		}
	default:
		top := c.stack[size-n:]
		old := append([]float64(nil), top...)
		for i := range old {
			top[((i+by)%n+n)%n] = old[i]
		}
	}
}
