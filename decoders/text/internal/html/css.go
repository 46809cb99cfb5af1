package html

import "strings"

// number reads a number of CSS in thousandths, and its unit; also one that stands alone in calc().
func number(s string) (n int, unit string, ok bool) {
	if inner, calc := strings.CutPrefix(s, "calc("); calc {
		inner = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
		if strings.ContainsAny(inner, " (*/") {
			return 0, "", false
		}
		s = inner
	}
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	scale, point := 1000, false
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		ok = true
		switch {
		case !point && n < 1<<40:
			n = n*10 + int(c-'0')*1000
		case point:
			scale /= 10
			n += int(c-'0') * scale
		}
	}
	if ok {
		n, i = exponent(s, i, n)
	}
	if neg {
		n = -n
	}
	unit = s[i:]
	if k := strings.IndexAny(unit, " ,)"); k >= 0 {
		unit = unit[:k]
	}
	return n, unit, ok
}

// exponent takes the power of ten behind a number, which ends at i, into it (CSS Syntax 3, 4.3.12).
func exponent(s string, i, n int) (int, int) {
	k := i + 1
	if i >= len(s) || s[i] != 'e' {
		return n, i
	}
	less := false
	if k < len(s) && (s[k] == '-' || s[k] == '+') {
		less = s[k] == '-'
		k++
	}
	start, power := k, 0
	for ; k < len(s) && '0' <= s[k] && s[k] <= '9'; k++ {
		power = min(20, 10*power+int(s[k]-'0'))
	}
	if k == start {
		return n, i
	}
	for ; power > 0; power-- {
		if less {
			n /= 10
		} else if n < 1<<40 {
			n *= 10
		}
	}
	return n, k
}

// far reports whether a length is so far to the left or the top that no page has it.
func far(value string) bool {
	n, unit, ok := number(value)
	return ok && n <= -999_000 || ok && n <= -99_000 && (unit == "em" || unit == "rem" || unit == "%" || unit == "vw" || unit == "vh")
}

// anyFar reports whether one of several lengths is far.
func anyFar(value string) bool {
	for _, w := range arguments(value) {
		if far(w) {
			return true
		}
	}
	return false
}

// arguments splits the arguments of a function, or the words of a value.
func arguments(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '/' })
}

// transform takes a list of transformations (CSS Transforms 1, 11), or what one of them says as a property of its own: one that leaves
// nothing of a box hides it, and so does one that takes it away.
func (l *look) transform(name, value string) {
	if name != "transform" {
		value = name + "(" + value + ")"
	}
	for {
		fn, rest, ok := strings.Cut(value, "(")
		if !ok {
			return
		}
		var list string
		if list, value, ok = strings.Cut(rest, ")"); !ok {
			return
		}
		args := arguments(list)
		if len(args) == 0 {
			continue
		}
		switch fn = strings.Trim(fn, " \t\n,"); fn {
		case "scale", "scalex", "scaley", "scale3d":
			if nothing(args[0]) || len(args) > 1 && nothing(args[1]) {
				l.gone = Clipped
			}
		case "matrix":
			if len(args) == 6 && (nothing(args[0]) && nothing(args[1]) || nothing(args[2]) && nothing(args[3])) {
				l.gone = Clipped
			}
		case "rotatex", "rotatey":
			if n, unit, ok := number(args[0]); ok && unit == "deg" && (n == 90_000 || n == -90_000 || n == 270_000) {
				l.gone = Clipped
			}
		case "translate", "translatex", "translatey", "translate3d":
			if anyFar(list) {
				l.gone = Outside
			}
		}
	}
}

// nothing reports whether a factor makes letters smaller than one sees.
func nothing(s string) bool {
	n, unit, ok := number(s)
	if unit == "%" {
		n /= 100
	}
	return ok && -10 < n && n < 10
}

// emptyRect reports whether the value of clip leaves no more than a pixel of a box in one direction (CSS Masking 1, appendix A).
func emptyRect(value string) bool {
	list, ok := strings.CutPrefix(value, "rect(")
	args := arguments(strings.TrimSuffix(list, ")"))
	if !ok || len(args) != 4 {
		return false
	}
	var side [4]int // top, right, bottom, left
	for i, a := range args {
		if side[i], _, ok = number(a); !ok {
			return false
		}
	}
	return side[1]-side[3] <= 1000 || side[2]-side[0] <= 1000
}

// emptyShape reports whether the value of clip-path has no area (CSS Shapes 1, 3).
func emptyShape(value string) bool {
	fn, rest, ok := strings.Cut(value, "(")
	if !ok {
		return false
	}
	list, _, _ := strings.Cut(rest, ")")
	args := arguments(list)
	if len(args) == 0 {
		return false
	}
	zero := func(s string) bool { n, _, ok := number(s); return ok && n <= 0 }
	switch fn {
	case "circle":
		return zero(args[0])
	case "ellipse":
		return zero(args[0]) || len(args) > 1 && zero(args[1])
	case "polygon":
		points := strings.Split(list, ",")
		for _, p := range points {
			if strings.TrimSpace(p) != strings.TrimSpace(points[0]) {
				return false
			}
		}
		return true
	case "inset":
		return allInset(args)
	}
	return false
}

// allInset reports whether the edges of an inset meet, where they are percentages.
func allInset(args []string) bool {
	var side [4]int // top, right, bottom, left
	n := 0
	for ; n < len(side) && n < len(args); n++ {
		v, unit, ok := number(args[n])
		if !ok || unit != "%" && v != 0 {
			break
		}
		side[n] = v
	}
	switch n {
	case 0:
		return false
	case 1:
		side[1], side[2], side[3] = side[0], side[0], side[0]
	case 2:
		side[2], side[3] = side[0], side[1]
	case 3:
		side[3] = side[1]
	}
	return side[0]+side[2] >= 100_000 || side[1]+side[3] >= 100_000
}

// cutDeclaration splits a style behind its first declaration: semicolons in quotes and brackets end none.
func cutDeclaration(css string) (first, rest string) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == '/' && strings.HasPrefix(css[i:], "/*"):
			end := strings.Index(css[i+2:], "*/")
			if end < 0 {
				return css[:i], ""
			}
			i += end + 3
		case c == ';' && depth == 0:
			return css[:i], css[i+1:]
		}
	}
	return css, ""
}

// cssText takes comments out of CSS, and writes out what is escaped in it (CSS Syntax 3, 4.3.7).
func cssText(s string) string {
	if !strings.ContainsAny(s, `\/`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += end + 4
		case s[i] == '\\' && i+1 < len(s):
			i++
			r, n := rune(0), 0
			for n < 6 && i+n < len(s) && digit(s[i+n], true) >= 0 {
				r = r<<4 | digit(s[i+n], true)
				n++
			}
			if n == 0 {
				b.WriteByte(s[i])
				i++
				continue
			}
			i += n
			if i < len(s) && space(s[i]) {
				i++
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}
