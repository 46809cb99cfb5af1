package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var importScope = readapi.Scope{Principal: "p", Session: "imported"}

// fresh is a ledger over an index that fails its appends as fail says.
func fresh(t testing.TB, fail func(store.Batch) error) *ledger.Ledger {
	t.Helper()
	index, err := store.NewIndex(&failing{memindex.New(), fail})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.New(index)
}

type failing struct {
	store.IndexDriver
	fail func(store.Batch) error
}

func (d *failing) Append(ctx context.Context, scope readapi.Scope, b store.Batch) ([]int64, error) {
	if d.fail != nil {
		if err := d.fail(b); err != nil {
			return nil, err
		}
	}
	return d.IndexDriver.Append(ctx, scope, b)
}

func textsOf(t testing.TB, l *ledger.Ledger) (out []string) {
	t.Helper()
	for e, err := range l.Events(t.Context(), importScope, -1) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Text)
	}
	return out
}

// One bad line never stops the others: it is told by its number and with its code.
func TestImportBadLines(t *testing.T) {
	l := fresh(t, nil)
	in := strings.Join([]string{
		"\ufeff" + `{"id":"a","type":"user","text":"one","timestamp":1700000000000}` + "\r", "", "  \t\r", `{"type":"assistant","text":"two"}`,
		`{"type":`, `[]`, `{"type":"robot","text":"x"}`, `{"type":"assistant"}`, `{"id":"a","type":"user","text":"another one"}`,
		`{"type":"assistant","text":"` + strings.Repeat("x", ledger.MaxEventBytes) + `"}`,
		`{"type":"user","text":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 500) + `"}`,
		"\x00\xff\xfe", `{"id":"z","role":"user","text":"three","ts":1700000000001}`, `{"type":"assistant","text":"cut o`,
	}, "\n")
	var told []ledger.Report
	report, err := l.Import(t.Context(), importScope, iotest.OneByteReader(strings.NewReader(in)), ledger.ImportOptions{Progress: func(r ledger.Report) { told = append(told, r) }})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int64]readapi.Code{
		5: readapi.CodeInvalidRequest, 6: readapi.CodeInvalidRequest, 7: readapi.CodeInvalidRequest, 8: readapi.CodeInvalidRequest,
		9: readapi.CodeConflict, 10: readapi.CodeTooLarge, 11: readapi.CodeTooLarge, 12: readapi.CodeInvalidRequest, 14: readapi.CodeInvalidRequest,
	}
	got := map[int64]readapi.Code{}
	for _, bad := range report.Errors {
		got[bad.Line] = bad.Error.Code
		if bad.Error.Message() == "" || strings.Contains(bad.Error.Error(), "another one") {
			t.Errorf("%+v", bad)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if report.Bad != 9 || report.Lines != 14 || report.Appended != 3 || report.Known != 0 || report.Bytes != int64(len(in)) {
		t.Errorf("%+v", report)
	}
	if got := textsOf(t, l); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("%q", got)
	}
	if len(told) == 0 || told[len(told)-1].Appended != 3 {
		t.Errorf("told %+v", told)
	}
	again, err := l.Import(t.Context(), importScope, strings.NewReader(in), ledger.ImportOptions{Bad: 2})
	if err != nil || again.Appended != 0 || again.Known != 3 || again.Bad != 9 || len(again.Errors) != 2 {
		t.Errorf("%+v, %v", again, err)
	}
}

// An import that is broken off anywhere and made again is as one that was not, for files of any shape; and made once more it adds nothing.
func TestImportResumed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var in bytes.Buffer
		var want []string
		for i := range rapid.IntRange(0, 700).Draw(r, "lines") {
			switch rapid.IntRange(0, 9).Draw(r, "line") {
			case 0:
				in.WriteString("\n")
			case 1:
				in.WriteString("{bad\n")
			case 2:
				fmt.Fprintf(&in, `{"id":"e%d","type":"user","text":"with id %d"}`+"\r\n", i, i)
				want = append(want, fmt.Sprint("with id ", i))
			case 3:
				fmt.Fprintf(&in, `{"type":"assistant","text":"the same"}`+"\n") // a line that stands there often is as many events
				want = append(want, "the same")
			default:
				fmt.Fprintf(&in, `{"type":"assistant","text":"line %d"}`+"\n", i)
				want = append(want, fmt.Sprint("line ", i))
			}
		}
		calls, stop := 0, rapid.IntRange(0, 4).Draw(r, "broken off at")
		l := fresh(t, func(store.Batch) error {
			if calls++; calls == stop {
				return &readapi.Error{Code: readapi.CodeBusy}
			}
			return nil
		})
		first, err := l.Import(t.Context(), importScope, bytes.NewReader(in.Bytes()), ledger.ImportOptions{})
		if stop > 0 && calls >= stop && readapi.CodeOf(err) != readapi.CodeBusy {
			r.Fatal("it was not broken off:", err)
		}
		stop = 0
		second, err := l.Import(t.Context(), importScope, bytes.NewReader(in.Bytes()), ledger.ImportOptions{})
		if err != nil || first.Appended+second.Appended != int64(len(want)) || second.Known != first.Appended {
			r.Fatalf("%+v, %+v, %v", first, second, err)
		}
		third, err := l.Import(t.Context(), importScope, bytes.NewReader(in.Bytes()), ledger.ImportOptions{})
		if err != nil || third.Appended != 0 || third.Known != int64(len(want)) {
			r.Fatalf("%+v, %v", third, err)
		}
		if got := textsOf(t, l); !slices.Equal(got, want) {
			r.Fatalf("%q, want %q", got, want)
		}
	})
}

// Events that say no turn belong to the turn before them in the file, also over the border of an append, and when a part was there already.
func TestImportTurns(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"id":"u1","type":"user","text":"question"}` + "\n")
	for i := range 600 {
		fmt.Fprintf(&in, `{"type":"assistant","text":"%d"}`+"\n", i)
	}
	in.WriteString(`{"id":"u2","type":"user","text":"question"}` + "\n" + `{"type":"assistant","text":"last"}`)
	l := fresh(t, nil)
	for _, part := range []string{in.String()[:2000], in.String()} { // the first ends within a line
		if _, err := l.Import(t.Context(), importScope, strings.NewReader(part), ledger.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n := map[string]int{}
	for e, err := range l.Events(t.Context(), importScope, -1) {
		if err != nil {
			t.Fatal(err)
		}
		n[e.Turn]++
	}
	if d := cmp.Diff(map[string]int{"u1": 601, "u2": 2}, n); d != "" {
		t.Error(d)
	}
}

// Two files whose lines have no ids are told apart by their names.
func TestImportNames(t *testing.T) {
	const in = `{"type":"user","text":"hello"}`
	l := fresh(t, nil)
	for _, name := range []string{"a.jsonl", "b.jsonl", "a.jsonl"} {
		if _, err := l.Import(t.Context(), importScope, strings.NewReader(in), ledger.ImportOptions{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if got := textsOf(t, l); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// What is wrong with the whole stops an import; what came before is there.
func TestImportStops(t *testing.T) {
	const in = `{"type":"user","text":"hello"}` + "\n"
	errMine := errors.New("the disk is on fire")
	l := fresh(t, nil)
	report, err := l.Import(t.Context(), importScope, io.MultiReader(strings.NewReader(in), iotest.ErrReader(errMine)), ledger.ImportOptions{})
	if readapi.CodeOf(err) != readapi.CodeNotFound || !errors.Is(err, errMine) || report.Appended != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Import(ctx, importScope, strings.NewReader(in), ledger.ImportOptions{}); readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Error(err)
	}
	if _, err := l.Import(t.Context(), importScope, nil, ledger.ImportOptions{}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Error(err)
	}
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		t.Fatal(err)
	}
	l = ledger.New(index)
	if _, err := l.Import(t.Context(), importScope, strings.NewReader(in), ledger.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := index.MarkSession(t.Context(), importScope, store.DeleteSession, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import(t.Context(), importScope, strings.NewReader(in), ledger.ImportOptions{}); readapi.CodeOf(err) != readapi.CodeGone {
		t.Error(err)
	}
}

// endless is lines without an end, as many bytes as are asked for.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return int(n), nil
}

// A line of a gigabyte is a bad line, and not in memory.
func TestImportLongLine(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report, err := fresh(t, nil).Import(t.Context(), importScope, &endless{1 << 30}, ledger.ImportOptions{})
	runtime.ReadMemStats(&after)
	if err != nil || report.Bad != 1 || report.Errors[0].Error.Code != readapi.CodeTooLarge || report.Bytes != 1<<30 {
		t.Errorf("%+v, %v", report, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
