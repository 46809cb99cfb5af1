package glovebox_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/hostile"
)

// Every hostile file ends as it should, by its own expectation and by what holds of all: a code of those that a file may end with, memory
// and fuel within their caps, and nothing hidden in what the default view lets out. With GLOVEBOX_BARS (make mutants) the heavy ones are read
// too, all under the default limits, and none may go on for more than 200 ms past its deadline. Both rings must say the same; the short run
// sends a third of the files through the outer one.
func TestHostileFiles(t *testing.T) {
	for _, isolation := range []glovebox.Isolation{glovebox.IsolationInProcess, glovebox.IsolationProcess} {
		t.Run(string(isolation), func(t *testing.T) { hostileFilesIn(t, isolation) })
	}
}

func hostileFilesIn(t *testing.T, isolation glovebox.Isolation) {
	bar := os.Getenv("GLOVEBOX_BARS") != ""
	run := hostileRun{lim: readapi.Limits{Fuel: 12e9, Timeout: time.Hour}, counts: map[string]int{}} // fuel ends what runs away: the same on every machine
	if bar {
		run.lim = readapi.Limits{}
	}
	var err error
	if run.lim, err = run.lim.WithDefaults(); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run.reader = newReader(t, glovebox.Options{Limits: run.lim, Isolation: isolation, Helper: []string{self, "helper"}})
	every, least := 1, leastRead
	if isolation == glovebox.IsolationProcess && !bar {
		every, least = 3, leastHostile
	}
	t.Run("all", func(t *testing.T) {
		for k, f := range hostile.Files() {
			if f.Heavy() && !bar || k%every != 0 {
				continue
			}
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				run.check(t, f)
			})
		}
	})
	run.report(t, bar, least)
}

// leastHostile is how many hostile files there are to be for each ring, and leastRead how many a short run reads in this process.
const (
	leastHostile = 150
	leastRead    = 400
)

// hostileRun is what the files have in common.
type hostileRun struct {
	reader *glovebox.Reader
	lim    readapi.Limits

	mu     sync.Mutex
	counts map[string]int
	files  int
	over   time.Duration // past the deadline
}

func (r *hostileRun) report(t *testing.T, bar bool, least int) {
	var out []string
	for name, n := range r.counts {
		out = append(out, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(out)
	t.Logf("%d hostile files: %s; past the deadline by at most %v", r.files, strings.Join(out, ", "), r.over)
	switch {
	case r.files < least:
		t.Errorf("only %d files were read", r.files)
	case bar && r.over > 200*time.Millisecond:
		t.Errorf("a read went on for %v past its deadline", r.over)
	}
}

// fileCodes are the codes with which the read of any file may end, when nothing is wrong with the host, the caller or a decoder.
var fileCodes = []readapi.Code{
	"", readapi.CodeInvalidRequest, readapi.CodeMalformed, readapi.CodeEncrypted, readapi.CodeUnsupportedFeature, readapi.CodeUnsupportedKind, readapi.CodeTooLarge,
	readapi.CodeLimitFuel, readapi.CodeLimitMemory, readapi.CodeLimitOutput, readapi.CodeLimitPixels, readapi.CodeLimitDepth,
}

func (r *hostileRun) check(t *testing.T, f hostile.File) {
	in := f.Make()
	opts := glovebox.ReadOptions{Units: f.Units, All: f.All}
	start := time.Now()
	answers, err := readAll(t, r.reader, in, f.As, opts)
	took := time.Since(start) / time.Duration(max(1, len(answers)))
	code := readapi.CodeOf(err)
	r.mu.Lock()
	r.files++
	r.counts[cmp.Or(string(code), "ok")]++
	r.over = max(r.over, took-r.lim.Timeout)
	r.mu.Unlock()
	if code == readapi.CodeLimitTime && f.Heavy() && slices.Contains(f.Want.Codes, string(readapi.CodeLimitFuel)) {
		return // on a slow machine time is what ends it
	}
	if !slices.Contains(fileCodes, code) {
		t.Fatalf("no file may end with %s: %v", code, err)
	}
	if !slices.Contains(f.Want.Codes, string(code)) {
		t.Fatalf("got %q (%v), want one of %q", code, err, f.Want.Codes)
	}
	for _, doc := range answers {
		checkVisible(t, doc)
		if doc.Usage.Fuel > r.lim.Fuel || doc.Usage.MemoryBytes > r.lim.MaxMemoryBytes+1<<16 {
			t.Errorf("fuel %d, memory %d bytes: over the limits", doc.Usage.Fuel, doc.Usage.MemoryBytes)
		}
	}
	if err != nil {
		checkHostileError(t, f.Want, err)
		return
	}
	checkHostileAnswer(t, f.Want, answers)
	if f.Want.Raw != "" {
		opts.Unescaped = true
		raw, err := readAll(t, r.reader, in, f.As, opts)
		if err != nil || !strings.Contains(textOf(raw), f.Want.Raw) {
			t.Errorf("the unescaped view lacks %q: %v", f.Want.Raw, err)
		}
	}
}

// readAll reads a file and returns its answers as far as there are any.
func readAll(t *testing.T, r *glovebox.Reader, in hostile.Input, name string, opts glovebox.ReadOptions) (answers []*readapi.Document, err error) {
	t.Helper()
	doc, err := r.ReadFile(t.Context(), in, in.Size(), name, &opts)
	if err != nil {
		return nil, err
	}
	for d, err := range doc.Answers() {
		if err != nil {
			return answers, err
		}
		answers = append(answers, d)
	}
	return answers, nil
}

func textOf(answers []*readapi.Document) string {
	var b strings.Builder
	for _, d := range answers {
		for _, p := range d.Parts {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// checkVisible holds that the default view shows what it has.
func checkVisible(t *testing.T, doc *readapi.Document) string {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(string(b), readapi.Hidden); i >= 0 {
		t.Errorf("a hidden character leaves: %q", b[max(0, i-20):min(len(b), i+20)])
	}
	for _, escape := range []string{`\u0000`, `\u001b`, `\u0007`, `\u202e`, `\u009b`} {
		if i := strings.Index(strings.ReplaceAll(string(b), `\\`, "  "), escape); i >= 0 {
			t.Errorf("a hidden character leaves as an escape of JSON: %s", b[max(0, i-20):min(len(b), i+20)])
		}
	}
	return string(b)
}

func checkHostileError(t *testing.T, want hostile.Want, err error) {
	t.Helper()
	e, ok := err.(*readapi.Error)
	if !ok {
		t.Fatalf("%T is no typed error", err)
	}
	if want.Limit != "" && string(e.Code) == want.Codes[0] && (e.Limit == nil || e.Limit.Name != want.Limit) {
		t.Errorf("%v names the limit %v, want %s", err, e.Limit, want.Limit)
	}
	if strings.IndexFunc(e.Error()+e.Hint+e.Detail, readapi.Hidden) >= 0 {
		t.Errorf("the error has a hidden character: %q", e.Error())
	}
}

func checkHostileAnswer(t *testing.T, want hostile.Want, answers []*readapi.Document) {
	t.Helper()
	var all strings.Builder
	var warnings []string
	parts, hidden := 0, 0.0
	for _, d := range answers {
		b := checkVisible(t, d)
		all.WriteString(b)
		parts += len(d.Parts)
		for _, w := range d.Warnings {
			warnings = append(warnings, w.Code)
		}
		if n, ok := d.Meta["hidden"].(float64); ok {
			hidden = n
		}
	}
	for _, w := range want.Warnings {
		if !slices.Contains(warnings, w) {
			t.Errorf("there is no warning %s, only %v", w, warnings)
		}
	}
	switch text := textOf(answers); {
	case want.Text != "" && !strings.Contains(text, want.Text):
		t.Errorf("the text lacks %q: %.200q", want.Text, text)
	case want.Lacks != "" && strings.Contains(all.String(), want.Lacks):
		t.Errorf("the answer has %q", want.Lacks)
	case parts < want.Parts:
		t.Errorf("%d parts, want %d", parts, want.Parts)
	case want.Hidden > 0 && hidden != float64(want.Hidden):
		t.Errorf("%v hidden characters are counted, want %d", hidden, want.Hidden)
	case want.Next && answers[len(answers)-1].Next == "":
		t.Error("no cursor leads on")
	}
}
