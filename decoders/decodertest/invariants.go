package decodertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Invariants checks what holds for any bytes, good or bad: no panic; the input is not written to; the same result twice; valid UTF-8;
// parts in order and inside what is said to be covered; a code that a decoder may end with; answers within the request's budget; walking
// the cursors with a tiny budget gives the same text and every unit once; selections of units add up to the whole.
func Invariants(t testing.TB, in []byte, kind string, decode Decode) {
	t.Helper()
	invariants(t, &Vector{Data: in}, kind, decode)
}

// invariants are those of v's input, read as v's media type.
func invariants(t testing.TB, v *Vector, kind string, decode Decode) {
	t.Helper()
	s := suite{t: t, kind: kind, decode: decode, in: v.Data}
	forms := []readapi.Form{readapi.FormAuto}
	if kind == "text" {
		forms = append(forms, readapi.FormSource)
	}
	for _, form := range forms {
		req := request(kind, v.Data)
		if v.MediaType != "" {
			req.MediaType = v.MediaType
		}
		req.Form = form
		s.invariants(req)
	}
}

type suite struct {
	t      testing.TB
	kind   string
	decode Decode
	in     []byte
}

func (s suite) invariants(req readapi.Request) {
	s.t.Helper()
	first, err := s.call(req)
	again, err2 := s.call(req)
	if readapi.CodeOf(err) != readapi.CodeOf(err2) || !reflect.DeepEqual(stable(first), stable(again)) {
		s.t.Errorf("two reads differ:\n%.600s\n%.600s", show(first, err), show(again, err2))
		return
	}
	if err != nil {
		return
	}
	whole, err := s.walk(req)
	if err != nil {
		s.t.Errorf("the walk without a budget ends with %v", err)
		return
	}
	s.budgeted(req, whole)
	s.selected(req, whole)
}

// call decodes once and checks the one answer.
func (s suite) call(req readapi.Request) (res readapi.Result, err error) {
	s.t.Helper()
	own := bytes.Clone(s.in)
	in := &input{r: bytes.NewReader(own)}
	defer func() {
		if p := recover(); p != nil {
			s.t.Fatalf("panic: %v\n%s", p, debug.Stack())
		}
		in.closed.Store(true)
		if !bytes.Equal(own, s.in) {
			s.t.Fatal("the decoder wrote to its input")
		}
	}()
	res, err = s.decode(in, req)
	if err != nil {
		if c := readapi.CodeOf(err); !allowed[c] {
			s.t.Errorf("a decode must not end with %s: %v", c, err)
		}
		return res, err
	}
	s.checkText(res)
	s.checkOrder(res)
	s.checkBudget(req, res)
	return res, err
}

// allowed are the codes with which the read of a file may end when the caller, the host and the decoder are sound. limit_time is not
// there: no vector may come near the deadline.
var allowed = map[readapi.Code]bool{
	readapi.CodeInvalidRequest: true, readapi.CodeMalformed: true, readapi.CodeEncrypted: true, readapi.CodeUnsupportedFeature: true,
	readapi.CodeTooLarge: true, readapi.CodeLimitFuel: true, readapi.CodeLimitMemory: true, readapi.CodeLimitOutput: true,
	readapi.CodeLimitPixels: true, readapi.CodeLimitDepth: true,
}

// input refuses reads after the decode, so that a decoder that keeps its input is found.
type input struct {
	r      *bytes.Reader
	closed atomic.Bool
}

func (in *input) Size() int64 { return in.r.Size() }

func (in *input) ReadAt(p []byte, off int64) (int, error) {
	if in.closed.Load() {
		return 0, io.ErrClosedPipe
	}
	return in.r.ReadAt(p, off)
}

// stable is res without what a clock or a cache decides.
func stable(res readapi.Result) readapi.Result {
	res.Usage.WallMS, res.Usage.Cached, res.Usage.MemoryBytes = 0, false, 0
	return res
}

func show(res readapi.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v", stable(res))
}

func (s suite) checkText(res readapi.Result) {
	s.t.Helper()
	check := func(what, text string) {
		if !utf8.ValidString(text) {
			s.t.Errorf("%s is not UTF-8: %.200q", what, text)
		}
	}
	for _, p := range res.Parts {
		check("a part's text", p.Text)
		switch {
		case p.Type == readapi.PartData && !json.Valid(p.Data):
			s.t.Errorf("a data part is not JSON: %.200q", p.Data)
		case p.Type == readapi.PartImage && (p.Image == nil || p.Image.Width < 1 || p.Image.Height < 1 || len(p.Image.Bytes) == 0):
			s.t.Errorf("an image part of unit %d is empty", p.At)
		}
	}
	for _, w := range res.Warnings {
		check("a warning", w.Code+w.Detail)
	}
	for _, c := range res.Children {
		check("a child's name", c.Name+string(c.MediaType))
	}
	b, err := json.Marshal(res.Meta)
	if err != nil {
		s.t.Errorf("meta is not JSON: %v", err)
	}
	check("meta", string(b))
}

func (s suite) checkOrder(res readapi.Result) {
	s.t.Helper()
	if res.Unit == "" {
		s.t.Error("the answer names no unit")
	}
	var last int64
	for i, p := range res.Parts {
		if p.At < 1 || p.At < last || p.Offset < 0 || p.Offset > 0 && i > 0 {
			s.t.Errorf("part %d is at unit %d, offset %d, behind unit %d", i, p.At, p.Offset, last)
		}
		if p.Truncated && i != len(res.Parts)-1 && res.Parts[i+1].Type == readapi.PartText && res.Parts[i+1].At == p.At {
			s.t.Errorf("part %d of %d is cut and its unit goes on in the same answer", i, len(res.Parts))
		}
		last = p.At
	}
	switch n := len(res.Parts); {
	case n == 0 && res.Covers != readapi.Range{}:
		s.t.Errorf("no part covers %v", res.Covers)
	case n > 0 && (res.Covers.From != res.Parts[0].At || res.Covers.To < last):
		s.t.Errorf("parts of units %d to %d cover %v", res.Parts[0].At, last, res.Covers)
	case res.Total < 0 || res.Covers.To > res.Total && (res.Total > 0 || !res.AtLeast):
		s.t.Errorf("%v of %d units (at least: %v) are covered", res.Covers, res.Total, res.AtLeast)
	case res.Next != nil && (res.Next.At < res.Covers.To || res.Next.At == res.Covers.To && res.Next.Part == 0 && res.Next.Offset == 0):
		s.t.Errorf("%v is covered and the next answer begins at %+v", res.Covers, *res.Next)
	}
}

// checkBudget allows one thing above the budget: a single picture or value, which cannot be cut.
func (s suite) checkBudget(req readapi.Request, res readapi.Result) {
	s.t.Helper()
	var tokens, size int64
	for _, p := range res.Parts {
		switch p.Type {
		case readapi.PartImage:
			tokens += req.Fit().Cost.Tokens(int64(p.Image.Width), int64(p.Image.Height))
			size += int64(len(p.Image.Bytes))
		default:
			tokens += readapi.EstimateTokens(p.Text) + readapi.EstimateTokens(string(p.Data))
			size += int64(len(p.Text) + len(p.Data))
		}
	}
	if len(res.Parts) == 1 && res.Parts[0].Type != readapi.PartText {
		return
	}
	if req.MaxTokens > 0 && tokens > req.MaxTokens || req.MaxBytes > 0 && size > req.MaxBytes {
		s.t.Errorf("%d tokens, %d bytes in %d parts; the budget is %d, %d", tokens, size, len(res.Parts), req.MaxTokens, req.MaxBytes)
	}
}

// walk reads from req's start to the end, and returns the answers as one.
func (s suite) walk(req readapi.Request) (whole readapi.Result, err error) {
	s.t.Helper()
	for {
		res, err := s.call(req)
		if err != nil {
			return whole, err
		}
		if n := len(whole.Parts); n > 0 && len(res.Parts) > 0 {
			prev, p := whole.Parts[n-1], res.Parts[0]
			inside := p.At == req.Start.At && req.Start.Part > 0 // behind parts of the unit that were given
			if again := p.At <= whole.Covers.To && p.Type != readapi.PartData && !inside; again && !(prev.Truncated && p.At == whole.Covers.To && p.Offset > 0) && p.Type == prev.Type {
				s.t.Errorf("unit %d comes again", p.At)
			}
		}
		res.Parts = append(whole.Parts, res.Parts...)
		res.Warnings = append(whole.Warnings, res.Warnings...)
		if whole.Covers.From != 0 {
			res.Covers = readapi.Range{From: whole.Covers.From, To: max(res.Covers.To, whole.Covers.To)}
		}
		whole = res
		if res.Next == nil {
			return whole, nil
		}
		if n := *res.Next; !behind(n, req.Start) {
			s.t.Fatalf("the answer from %+v continues at %+v: it does not move", req.Start, n)
		}
		req.Start = *res.Next
	}
}

// behind reports whether position a lies behind b.
func behind(a, b readapi.Position) bool {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Offset, b.Offset)) > 0
}

// answers is about how many answers a walk with a tiny budget takes, whatever the size of the input.
const answers = 12

func (s suite) budgeted(req readapi.Request, whole readapi.Result) {
	s.t.Helper()
	text := joined(whole.Parts)
	req.MaxTokens = max(3, readapi.EstimateTokens(text)/answers)
	got, err := s.walk(req)
	if err != nil {
		s.t.Errorf("the walk with %d tokens ends with %v", req.MaxTokens, err)
		return
	}
	s.same(fmt.Sprintf("the walk with %d tokens", req.MaxTokens), whole, got)
	req.MaxTokens, req.MaxBytes = 0, max(5, int64(len(text)/answers))
	for _, p := range whole.Parts {
		if p.Image != nil { // a picture above max_bytes is an error, not a part
			return
		}
	}
	if got, err = s.walk(req); err != nil {
		s.t.Errorf("the walk with %d bytes ends with %v", req.MaxBytes, err)
		return
	}
	s.same(fmt.Sprintf("the walk with %d bytes", req.MaxBytes), whole, got)
}

// same compares text, and the units of everything that is not text.
func (s suite) same(what string, want, got readapi.Result) {
	s.t.Helper()
	if a, b := joined(want.Parts), joined(got.Parts); a != b {
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		s.t.Errorf("%s gives %d bytes of text, want %d; they differ from byte %d: %.80q, want %.80q", what, len(b), len(a), i, b[i:], a[i:])
	}
	if a, b := others(want.Parts), others(got.Parts); !reflect.DeepEqual(a, b) {
		s.t.Errorf("%s gives pictures and values of units %v, want %v", what, b, a)
	}
	if want.Covers != got.Covers {
		s.t.Errorf("%s covers %v, want %v", what, got.Covers, want.Covers)
	}
}

func others(parts []readapi.Part) (at []int64) {
	for _, p := range parts {
		if p.Type != readapi.PartText {
			at = append(at, p.At)
		}
	}
	return at
}

// selected splits the units in two and asks for each half, and for a unit that is not there.
func (s suite) selected(req readapi.Request, whole readapi.Result) {
	s.t.Helper()
	if whole.AtLeast {
		s.t.Errorf("a walk over the whole file leaves its total open (at least %d)", whole.Total)
		return
	}
	req.Units = []readapi.Range{{From: whole.Total + 1, To: whole.Total + 1}}
	if _, err := s.call(req); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		s.t.Errorf("unit %d of %d gives %v, want invalid_request", whole.Total+1, whole.Total, err)
	}
	if whole.Total < 2 {
		return
	}
	mid := whole.Total / 2
	req.Units = []readapi.Range{{From: 1, To: mid}}
	head, err := s.walk(req)
	if err != nil {
		s.t.Errorf("units 1-%d of %d: %v", mid, whole.Total, err)
		return
	}
	req.Units = []readapi.Range{{From: mid + 1}}
	tail, err := s.walk(req)
	if err != nil {
		s.t.Errorf("units %d- of %d: %v", mid+1, whole.Total, err)
		return
	}
	if head.Covers.To > mid || tail.Covers.From != 0 && tail.Covers.From <= mid {
		s.t.Errorf("units 1-%d cover %v, units %d- cover %v", mid, head.Covers, mid+1, tail.Covers)
	}
	if mid == 1 && slices.ContainsFunc(whole.Parts, func(p readapi.Part) bool { return p.At == 1 && p.Truncated }) {
		return // a unit that is shown in part may be whole when it is asked for alone
	}
	head.Parts = append(head.Parts, tail.Parts...)
	head.Covers = whole.Covers
	s.same(fmt.Sprintf("units 1-%d and %d-", mid, mid+1), whole, head)
}
