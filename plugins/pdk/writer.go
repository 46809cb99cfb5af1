package pdk

import (
	"errors"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// Writer emits an answer and keeps it within the request's budget. Its methods return nil, ErrFull, or another error that ends the
// decode; the decoder returns whichever it gets. It is for one goroutine.
type Writer struct {
	req  *readapi.Request
	fit  readapi.Fit // of pictures
	sink func(abi.Kind, []byte) bool
	buf  []byte

	total   int64
	atLeast bool
	next    *readapi.Position
	err     error

	at     int64 // the current unit
	part   int64 // the current part of it, from 0, given or not
	parts  int   // emitted or pending in this answer
	tokens int64 // spent
	bytes  int64 // spent
	files  int64 // bytes of files inside the file, handed on

	frames   int // of parts, emitted
	warnings int // emitted or left out

	lines    []byte // text of adjacent lines that is not emitted yet
	lineAt   int64
	lineTo   int64
	lineSkip int64 // offset within lineAt
}

// coalesceBytes is how much text of adjacent lines goes into one part: large enough that frames cost nothing, small enough that the
// host's copy stays in cache.
const coalesceBytes = 64 << 10

// Units yields the selected units from the request's start, in order, up to total, and records total for the answer's end. Selecting a
// unit beyond total is invalid_request: nothing is yielded and the decode ends so, whatever Decode returns.
func (w *Writer) Units(total int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		w.Total(total, false)
		if w.CheckUnits(total) != nil {
			return
		}
		for at, ok := w.First(); ok && at <= total; at, ok = readapi.NextSelected(w.req.Units, at+1) {
			if !yield(at) {
				return
			}
		}
	}
}

// First returns the unit at which the answer begins; ok is false when nothing is selected behind the start.
func (w *Writer) First() (at int64, ok bool) {
	return readapi.NextSelected(w.req.Units, max(1, w.req.Start.At))
}

// CheckUnits returns invalid_request when the request names a unit beyond total. Units calls it; a decoder that finds the total late
// calls it then.
func (w *Writer) CheckUnits(total int64) error {
	for _, r := range w.req.Units {
		if r.From > total || r.To > total {
			w.fail(&readapi.Error{
				Code: readapi.CodeInvalidRequest, Detail: "the last unit of the file is " + strconv.FormatInt(total, 10),
				Limit: &readapi.LimitHit{Name: "units", Value: total, Actual: max(r.From, r.To)},
			})
			return w.err
		}
	}
	if w.req.Start.At > total && w.req.Start.At > 1 {
		w.fail(Invalid("the start lies behind the last unit"))
	}
	return w.err
}

// Total says how many units the file has; atLeast means that this is only a lower bound.
func (w *Writer) Total(n int64, atLeast bool) { w.total, w.atLeast = n, atLeast }

// Text emits the text of unit at. What does not fit the budget goes to the next answer; a unit that is larger than a whole answer is cut
// and continued there.
func (w *Writer) Text(at int64, text string) error {
	given, err := w.begin(at)
	if err != nil || given {
		return err
	}
	skip, err := w.skip(text)
	if err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.textFrom(at, skip, text[skip:], false)
}

// LineCut emits what is shown of a line that is longer: a text of the decoder's own making, which should say how to get the rest. The part
// is truncated, and more lines may follow.
func (w *Writer) LineCut(at int64, shown string) error {
	given, err := w.begin(at)
	if err != nil || given {
		return err
	}
	skip, err := w.skip(shown)
	if err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.textFrom(at, skip, shown[skip:], true)
}

// textFrom emits text, which begins at offset skip of unit at. cut means that the unit has more than this.
func (w *Writer) textFrom(at, skip int64, text string, cut bool) error {
	if w.fits(w.cost(text)) {
		return w.text(abi.Part{At: at, Offset: skip, Truncated: cut}, text)
	}
	if w.parts > 0 {
		return w.full(skip)
	}
	text = w.cut(text)
	if err := w.text(abi.Part{At: at, Offset: skip, Truncated: true}, text); err != nil {
		return err
	}
	return w.full(skip + int64(len(text)))
}

// Line emits one line, its line end included. Adjacent lines share a part.
func (w *Writer) Line(at int64, line string) error {
	given, err := w.begin(at)
	if err != nil || given {
		return err
	}
	skip, err := w.skip(line)
	if err != nil {
		return err
	}
	line = line[skip:]
	tokens, size := w.cost(line)
	if !w.fits(tokens, size) {
		return w.textFrom(at, skip, line, false)
	}
	if len(w.lines) > 0 && (at != w.lineTo+1 || len(w.lines)+len(line) > coalesceBytes) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.lines) == 0 {
		w.lineAt, w.lineSkip = at, skip
	}
	w.lineTo = at
	w.lines = append(w.lines, line...)
	w.spend(tokens, size)
	return w.err
}

// Lines emits n whole lines at once, those from at on, where nothing stands against it; ok is false, and nothing has happened, where they
// have to go through Line one by one: at the request's start and where the budget ends.
func (w *Writer) Lines(at, n int64, lines string) (ok bool, err error) {
	return w.together(at, n, lines, w.escaped())
}

// PlainLines is Lines for text in which nothing is hidden (readapi.NextSuspect finds nothing), so that nobody need look for it again.
func (w *Writer) PlainLines(at, n int64, lines string) (ok bool, err error) {
	return w.together(at, n, lines, false)
}

func (w *Writer) together(at, n int64, lines string, escaped bool) (ok bool, err error) {
	if w.err != nil || w.next != nil || at <= w.req.Start.At || w.frames >= mostParts || w.warnings >= mostWarnings {
		return false, w.err
	}
	tokens, size := w.costAs(lines, escaped)
	if !w.fits(tokens, size) {
		return false, nil
	}
	if len(w.lines) > 0 && (at != w.lineTo+1 || len(w.lines)+len(lines) > coalesceBytes) {
		if err := w.flush(); err != nil {
			return false, err
		}
	}
	if len(w.lines) == 0 {
		w.lineAt, w.lineSkip = at, 0
	}
	w.lineTo = at + n - 1
	w.at, w.part = w.lineTo, 0
	w.lines = append(w.lines, lines...)
	w.spend(tokens, size)
	return true, w.err
}

// cost is what text takes of the budgets as it leaves: the host escapes what is hidden in it, which makes it longer.
func (w *Writer) cost(text string) (tokens, bytes int64) { return w.costAs(text, w.escaped()) }

func (w *Writer) costAs(text string, escaped bool) (tokens, bytes int64) {
	if escaped && (w.req.MaxTokens > 0 || w.req.MaxBytes > 0) {
		return readapi.EscapedCost(text)
	}
	if w.req.MaxTokens > 0 { // only worth counting then
		tokens = readapi.EstimateTokens(text)
	}
	return tokens, int64(len(text))
}

// escaped reports whether the host will escape what is hidden in a text.
func (w *Writer) escaped() bool { return w.req.Form != readapi.FormSource && !w.req.Unescaped }

// Image emits a picture of unit at, encoded as image/png or image/jpeg, as the request's TakesImage says, at the size that its Fit says; the
// host has one that is not so scaled and encoded again. Pictures and data are not cut: one that does not fit goes to the next answer.
func (w *Writer) Image(at int64, mediaType readapi.MediaType, width, height int, encoded []byte) error {
	given, err := w.begin(at)
	if err != nil || given {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	cost := w.fit.Cost.Tokens(int64(width), int64(height))
	if !w.fits(cost, int64(len(encoded))) && w.parts > 0 {
		return w.full(0)
	}
	if w.req.MaxBytes > 0 && int64(len(encoded)) > w.req.MaxBytes {
		return w.fail(OverLimit(readapi.CodeLimitOutput, "max_bytes", w.req.MaxBytes, int64(len(encoded))))
	}
	w.spend(cost, int64(len(encoded)))
	return w.emit(abi.KindImage, abi.Part{At: at, MediaType: mediaType, Width: width, Height: height}, encoded)
}

// Data emits a structured part of unit at: one JSON value. value is what abi.AppendJSON takes: bools, strings, numbers, lists and maps of
// them, or a type that writes itself (abi.Appender). For anything else there is JSON, with json.Marshal, which costs a module its size.
func (w *Writer) Data(at int64, value any) error {
	b, err := abi.AppendJSON(nil, value)
	if err != nil {
		return w.fail(err)
	}
	return w.JSON(at, b)
}

// Table emits a structured part of unit at that says what the text of the unit says too, such as a table. It is as Data, but for a request
// whose answer is read as words: it is left out there, and counted, so that a position is the same in answers of both kinds.
func (w *Writer) Table(at int64, value any) error {
	if !w.req.Words {
		return w.Data(at, value)
	}
	_, err := w.begin(at)
	return err
}

// JSON emits a structured part of unit at that is JSON already.
func (w *Writer) JSON(at int64, b []byte) error {
	given, err := w.begin(at)
	if err != nil || given {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	cost := readapi.EstimateTokens(string(b))
	if !w.fits(cost, int64(len(b))) && w.parts > 0 {
		return w.full(0)
	}
	w.spend(cost, int64(len(b)))
	return w.emit(abi.KindData, abi.Part{At: at}, b)
}

// Stop ends the answer well before unit at, where the next one begins: for a decoder that has reached a bound of its own on one answer. It
// must have emitted something, or the reader would get nowhere.
func (w *Writer) Stop(at int64) error {
	if w.parts == 0 {
		return w.fail(OverLimit(readapi.CodeLimitOutput, "parts", 0, 1))
	}
	if w.err == nil && w.next == nil {
		w.at, w.part = at, 0
	}
	return w.full(0)
}

// Meta emits facts about the whole file; later keys replace earlier ones.
func (w *Writer) Meta(meta map[string]any) error { return w.emit(abi.KindMeta, meta, nil) }

// Warn emits a warning; at is the unit that it applies to, 0 for the file. detail is words of the decoder's own. Behind the first thousand
// of an answer they are only counted; the answer ends before the next unit then.
func (w *Writer) Warn(code, detail string, at int64) error {
	if w.warnings++; w.warnings > mostWarnings {
		return w.err
	}
	return w.emit(abi.KindWarning, readapi.Warning{Code: code, Detail: detail, At: at}, nil)
}

// Child lists a file inside the file.
func (w *Writer) Child(c readapi.Child) error { return w.emit(abi.KindChild, c, nil) }

// File hands on bytes of a file inside the file, to be read by a decoder of its own type behind the same wall: those of the child that the
// request names (at 0; the host goes on with the rest of the path), or the picture of unit at, whose parts take its place there. Pictures
// that do not fit the answer go to the next one.
func (w *Writer) File(at int64, c readapi.Child, data []byte) error {
	if at > 0 {
		given, err := w.begin(at)
		if err != nil || given {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		// Its size is not known here. The host counts again when it is, and ends the answer where it does not fit after all.
		cost := min(readapi.ImageTokens, w.fit.Tokens(w.fit.MaxEdge, w.fit.MaxEdge))
		if w.parts > 0 && (!w.fits(cost, 0) || w.files+int64(len(data)) > w.req.MaxFileBytes) {
			return w.full(0)
		}
		w.spend(cost, 0)
	}
	if w.files += int64(len(data)); w.files > w.req.MaxFileBytes {
		return w.fail(OverLimit(readapi.CodeLimitOutput, "max_file_bytes", w.req.MaxFileBytes, w.files))
	}
	for more := true; more; {
		piece := data[:min(len(data), filePiece)]
		data = data[len(piece):]
		more = len(data) > 0
		if err := w.emit(abi.KindFile, abi.File{At: at, Child: c, More: more}, piece); err != nil {
			return err
		}
	}
	return nil
}

// filePiece is how much of a file goes into one frame.
const filePiece = 1 << 20

// What one answer may have of parts and warnings: less than the protocol allows, so that what is still to come has room.
const (
	mostParts    = abi.MaxParts - 16
	mostWarnings = abi.MaxWarnings - 16
)

// begin counts a part of unit at; given means that a former answer had it whole.
func (w *Writer) begin(at int64) (given bool, err error) {
	if w.err != nil || w.next != nil {
		return false, w.over()
	}
	if at == w.at {
		w.part++
	} else {
		w.at, w.part = at, 0
		if w.parts > 0 && (w.frames >= mostParts || w.warnings >= mostWarnings) {
			return false, w.full(0)
		}
	}
	return at == w.req.Start.At && w.part < w.req.Start.Part, nil
}

// skip returns how many bytes of the current part's text former answers have given already.
func (w *Writer) skip(text string) (int64, error) {
	start := w.req.Start
	off := start.Offset
	if start.At != w.at || start.Part != w.part || off == 0 {
		return 0, nil
	}
	switch {
	case off < 0, off > int64(len(text)):
		return 0, w.fail(Invalid("the start lies behind the unit's end"))
	case off < int64(len(text)) && !utf8.RuneStart(text[off]):
		return 0, w.fail(Invalid("the start lies inside a character"))
	}
	return off, nil
}

func (w *Writer) over() error {
	if w.err != nil {
		return w.err
	}
	return ErrFull
}

func (w *Writer) fits(tokens, bytes int64) bool {
	return (w.req.MaxTokens <= 0 || w.tokens+tokens <= w.req.MaxTokens) && (w.req.MaxBytes <= 0 || w.bytes+bytes <= w.req.MaxBytes)
}

// cut returns the longest beginning of text that fits the whole budget, at least one character, ended where a reader would end it: behind
// a blank where there is one near, and between user-perceived characters (readapi.CutGrapheme). Only where the first of those is more than
// a whole answer is it taken apart.
func (w *Writer) cut(text string) string {
	s := readapi.Cut(text, w.req.MaxTokens, w.req.MaxBytes, w.escaped())
	if len(s) == len(text) {
		return s
	}
	const near = 256
	for i := len(s); i > max(0, len(s)-near); i-- {
		if c := s[i-1]; (c == ' ' || c == '\n') && readapi.CutGrapheme(text, i) == i {
			return s[:i]
		}
	}
	if n := readapi.CutGrapheme(text, len(s)); n > 0 {
		return s[:n]
	}
	if s == "" {
		_, n := utf8.DecodeRuneInString(text)
		s = text[:n]
	}
	return s
}

func (w *Writer) spend(tokens, bytes int64) {
	w.tokens += tokens
	w.bytes += bytes
	w.parts++
}

func (w *Writer) text(h abi.Part, text string) error {
	w.spend(w.cost(text))
	return w.emit(abi.KindText, h, []byte(text))
}

// flush emits the pending lines.
func (w *Writer) flush() error {
	if len(w.lines) == 0 {
		return w.err
	}
	err := w.emit(abi.KindText, abi.Part{At: w.lineAt, To: w.lineTo, Offset: w.lineSkip}, w.lines)
	w.lines = w.lines[:0]
	return err
}

// full ends the answer; the next one begins in the current part, at offset.
func (w *Writer) full(offset int64) error {
	if w.err == nil && w.next == nil {
		w.next = &readapi.Position{At: w.at, Part: w.part, Offset: offset}
	}
	return w.over()
}

func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

var errStopped = errors.New("pdk: the host has enough")

func (w *Writer) emit(kind abi.Kind, header any, body []byte) error {
	if w.err != nil {
		return w.err
	}
	b, err := abi.AppendFrame(w.buf[:0], header, body)
	if err != nil {
		return w.fail(err)
	}
	w.buf = b
	if kind == abi.KindText || kind == abi.KindImage || kind == abi.KindData {
		w.frames++
	}
	if w.sink(kind, b) {
		return w.fail(errStopped)
	}
	return nil
}

// finish closes the answer after Decode returned err.
func (w *Writer) finish(err error) {
	if w.err != nil {
		err = w.err
	}
	if errors.Is(err, errStopped) {
		return
	}
	if err == nil || errors.Is(err, ErrFull) {
		err = w.flush()
		if left := w.warnings - mostWarnings; err == nil && left > 0 {
			err = w.emit(abi.KindWarning, readapi.Warning{Code: readapi.WarnPartial, Detail: strconv.Itoa(left) + " more warnings are left out"}, nil)
		}
		if err == nil {
			err = w.emit(abi.KindEnd, abi.End{Total: w.total, AtLeast: w.atLeast, Next: w.next}, nil)
		}
	}
	if err != nil && !errors.Is(err, errStopped) {
		w.err = nil
		w.emit(abi.KindError, failureOf(err), nil)
	}
}
