package content

import (
	"cmp"
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// coatOf returns what painting with an ink in a state puts on the page.
func (s *state) coatOf(k ink, alpha float64) coat {
	return coat{
		ink: k, alpha: alpha * s.group, mixes: s.mixes || s.groupMixes, darkens: (s.darkens || !s.mixes) && (s.groupDarkens || !s.groupMixes),
		sheer: s.masked,
	}
}

// paints reports whether painting with an ink leaves anything.
func (s *state) paints(k ink, alpha float64) bool {
	return !s.off && !s.blocked && k.kind != inkNone && alpha*s.group > 0
}

// fill fills the path.
func (f *frame) fill(evenOdd bool) {
	s := &f.state
	if len(f.path.pts) == 0 || !s.paints(s.fill, s.fillAlpha) {
		return
	}
	f.shown()
	for i := range f.path.parts() {
		if r, ok := rectOf(f.path.part(i)); ok {
			f.in.fillRules(r, s)
		}
	}
	f.in.cover(&f.path, evenOdd, s, s.coatOf(s.fill, s.fillAlpha))
}

// shown notes that something is painted through letters that are the clip.
func (f *frame) shown() {
	if i := f.state.letters; i > 0 {
		f.in.show(i - 1)
	}
}

// cover puts a coat on what a path encloses.
func (in *Interp) cover(p *path, evenOdd bool, s *state, c coat) {
	if s.letters > 0 { // only through letters: that hides nothing
		return
	}
	cv := &in.page.canvas
	within := s.clip.rect
	if p.long || in.bulk > maxBulk {
		in.page.Short = tooMuchPaint
		return
	}
	cv.measure(in.box())
	cv.order++
	if c.covers() {
		cv.covers = cv.order
	}
	if r, ok := p.rect(); ok && cv.keep(r.And(within), &c, s.clip) {
		in.file.Work(1)
		return
	}
	cv.draw()
	work, ok := cv.scan(p, evenOdd, within, func(row, from, to int) { cv.paint(&c, s.clip, cv.order, row, from, to) })
	if !ok {
		in.page.Short = tooMuchPaint
	}
	in.bulk += work
	in.file.Work(work)
}

// tooMuchPaint ends a page: what is painted further might hide text, and nobody would know.
const tooMuchPaint = "the page paints more than the limit"

// maxBulk bounds the work of painting on one page; no page of 1,116 public files needs 300,000.
const maxBulk = 20_000_000

// Of lines and edges, in points.
const (
	thinRule  = 3.0 // a filled rectangle up to so high is a line
	leastRule = 3.0 // a shorter line is part of a drawing
	thickLine = 3.0 // a stroke from this width on is painted as an area
	askew     = 0.5 // a line may lean by so much
	maxRules  = 20_000
)

// fillRules notes a filled rectangle as a line, or as its edges.
func (in *Interp) fillRules(r Rect, s *state) {
	if !in.stands(r, s.fill, s.clip) {
		return
	}
	r = r.And(s.clip.rect)
	w, h := r.X1-r.X0, r.Y1-r.Y0
	x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
	switch {
	case h <= thinRule && w > h:
		in.rule(Rule{X0: r.X0, Y0: y, X1: r.X1, Y1: y})
	case w <= thinRule:
		in.rule(Rule{X0: x, Y0: r.Y0, X1: x, Y1: r.Y1})
	case r.Area() < in.box().Area()*0.9: // not the paper
		in.rule(Rule{r.X0, r.Y0, r.X1, r.Y0, true})
		in.rule(Rule{r.X0, r.Y1, r.X1, r.Y1, true})
		in.rule(Rule{r.X0, r.Y0, r.X0, r.Y1, true})
		in.rule(Rule{r.X1, r.Y0, r.X1, r.Y1, true})
	}
}

// stands reports whether r in an ink stands out from what lies behind its middle.
func (in *Interp) stands(r Rect, k ink, c *clip) bool {
	if r = r.And(c.rect); r.X1-r.X0 <= 0 && r.Y1-r.Y0 <= 0 {
		return false
	}
	x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
	return !k.like(in.page.canvas.at(x, y).color)
}

func (in *Interp) rule(r Rule) {
	if len(in.page.Rules) < maxRules && r.X1-r.X0+r.Y1-r.Y0 >= leastRule {
		in.page.Rules = append(in.page.Rules, r)
	}
}

// stroke strokes the path.
func (f *frame) stroke() {
	s := &f.state
	if !s.paints(s.stroke, s.strokeAlpha) {
		return
	}
	f.shown()
	wide := s.width * math.Sqrt(math.Abs(s.ctm[0]*s.ctm[3]-s.ctm[1]*s.ctm[2]))
	for i := range f.path.parts() {
		pts := f.path.part(i)
		for j := 1; j < len(pts); j++ {
			f.strokeLine(pts[j-1], pts[j], wide)
		}
	}
}

// strokeLine strokes one line, which is a rule if it is upright.
func (f *frame) strokeLine(a, b point, wide float64) {
	s := &f.state
	r := RectOf(a.x, a.y, b.x, b.y)
	w, h := r.X1-r.X0, r.Y1-r.Y0
	if w > askew && h > askew && wide < thickLine || w+h < leastRule {
		return
	}
	if wide >= thickLine {
		f.strokeArea(a, b, wide)
		return
	}
	if !f.in.stands(r, s.stroke, s.clip) {
		return
	}
	r = r.And(s.clip.rect)
	if x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2; w > h {
		f.in.rule(Rule{X0: r.X0, Y0: y, X1: r.X1, Y1: y})
	} else {
		f.in.rule(Rule{X0: x, Y0: r.Y0, X1: x, Y1: r.Y1})
	}
}

// strokeArea paints a thick line as the area that it is.
func (f *frame) strokeArea(a, b point, wide float64) {
	s, p := &f.state, &f.quad
	n := length(b.x-a.x, b.y-a.y)
	dx, dy := -(b.y-a.y)/n*wide/2, (b.x-a.x)/n*wide/2
	p.reset()
	p.move(a.x+dx, a.y+dy)
	p.add(b.x+dx, b.y+dy)
	p.add(b.x-dx, b.y-dy)
	p.add(a.x-dx, a.y-dy)
	p.close()
	if r, ok := p.rect(); ok {
		f.in.fillRules(r, &state{fill: s.stroke, clip: s.clip})
	}
	f.in.cover(p, false, s, s.coatOf(s.stroke, s.strokeAlpha))
}

// shade paints a shading over all that the clip lets through (8.7.4.2).
func (f *frame) shade(name string) {
	s := &f.state
	if !s.paints(ink{kind: inkUnknown}, s.fillAlpha) {
		return
	}
	f.shown()
	r := s.clip.rect
	p := &f.quad
	p.reset()
	p.move(r.X0, r.Y0)
	p.add(r.X1, r.Y0)
	p.add(r.X1, r.Y1)
	p.add(r.X0, r.Y1)
	p.close()
	n := f.resource("Shading", name)
	c := s.coatOf(f.in.shading(n), s.fillAlpha)
	extend := n.Key("Extend")
	everywhere := n.Key("ShadingType").Int() == 2 && extend.Index(0).Bool() && extend.Index(1).Bool()
	c.sheer = c.sheer || c.ink.kind != inkKnown && !everywhere
	f.in.cover(p, false, s, c)
}

// maxImages bounds the pictures of one page that are kept.
const maxImages = 20_000

// image places a picture on the unit square (8.9.5.1).
func (f *frame) image(im Image, sheer bool) {
	s := &f.state
	im.CTM, im.Clip = s.ctm, s.clip.rect
	if s.fill.kind == inkKnown {
		im.Fill = s.fill.bytes()
	}
	p := &f.quad
	p.reset()
	p.move(s.ctm.Apply(0, 0))
	p.add(s.ctm.Apply(1, 0))
	p.add(s.ctm.Apply(1, 1))
	p.add(s.ctm.Apply(0, 1))
	p.close()
	switch {
	case s.off:
		im.Hidden = HiddenLayer
	case s.fillAlpha*s.group == 0:
		im.Hidden = HiddenColor
	case p.bounds().And(s.clip.rect).Empty():
		im.Hidden = HiddenOffPage
	default:
		f.shown()
		c := s.coatOf(ink{kind: inkUnknown}, s.fillAlpha)
		c.picture, c.sheer = true, c.sheer || sheer
		f.in.cover(p, false, s, c)
	}
	if len(f.in.page.Images) < maxImages {
		f.in.page.Images = append(f.in.page.Images, im)
	}
}

// sheer reports whether a picture lets through what lies behind some of it: a stencil, or one with a mask.
func sheer(x object.Node) bool {
	return x.Key("ImageMask").Bool() || !x.Key("SMask").Null() || !x.Key("Mask").Null()
}

// mergeRules joins the pieces of a line and drops what is there twice.
func mergeRules(rules []Rule) []Rule {
	flat := func(r *Rule) bool { return r.Y0 == r.Y1 }
	order.By(rules, func(a, b Rule) int {
		switch fa, fb := flat(&a), flat(&b); {
		case fa != fb:
			return cmp.Compare(b2i(fb), b2i(fa))
		case fa:
			return cmp.Or(cmp.Compare(a.Y0, b.Y0), cmp.Compare(a.X0, b.X0), cmp.Compare(a.X1, b.X1), cmp.Compare(b2i(a.Fill), b2i(b.Fill)))
		}
		return cmp.Or(cmp.Compare(a.X0, b.X0), cmp.Compare(a.Y0, b.Y0), cmp.Compare(a.Y1, b.Y1), cmp.Compare(b2i(a.Fill), b2i(b.Fill)))
	})
	out := rules[:0]
	for _, r := range rules {
		if n := len(out); n > 0 && flat(&out[n-1]) == flat(&r) {
			last := &out[n-1]
			if last.touches(&r) {
				last.Fill = last.Fill && r.Fill
				if flat(&r) {
					last.X0, last.X1 = min(last.X0, r.X0), max(last.X1, r.X1)
				} else {
					last.Y0, last.Y1 = min(last.Y0, r.Y0), max(last.Y1, r.Y1)
				}
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// touches reports whether r, which has the direction of l, goes on where l is.
func (l *Rule) touches(r *Rule) bool {
	return r.X0 <= l.X1+ruleGap && l.X0 <= r.X1+ruleGap && r.Y0 <= l.Y1+ruleGap && l.Y0 <= r.Y1+ruleGap
}

// ruleGap is how far the pieces of one line may lie apart.
const ruleGap = 0.75

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
