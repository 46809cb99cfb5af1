package main

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// transferring runs one of the functions of package transfer, with progress on a terminal, and prints its report. What it could not copy
// is named, and makes the command fail.
func (a *app) transferring(doing, done string, run func(progress func(transfer.Counts)) (*transfer.Report, error)) error {
	p := a.newProgress()
	defer p.close()
	var now atomic.Pointer[transfer.Counts]
	now.Store(&transfer.Counts{})
	end := p.telling(func() string { return doing + " " + countsText(*now.Load()) })
	report, err := run(func(c transfer.Counts) { now.Store(&c) })
	end()
	p.close()
	if report != nil && !a.global.json {
		a.tellProblems(report)
	}
	if err != nil && !onlyProblems(report, err) {
		return storeFailure(err)
	}
	if err != nil {
		a.exit = exitFailed
	}
	if a.global.json {
		return a.printDone(report)
	}
	if err == nil {
		fmt.Fprintf(a.out, "%s: %s\n", done, countsText(report.Counts))
	} else {
		fmt.Fprintf(a.out, "not complete: %s, %s\n", countsText(report.Counts), counted(int(report.Failed), "problem"))
	}
	return nil
}

// onlyProblems reports whether err says no more than that report has problems: the run came to its end.
func onlyProblems(report *transfer.Report, err error) bool {
	e, ok := errors.AsType[*readapi.Error](err)
	return ok && e.Final && report != nil && report.Failed > 0
}

// tellProblems tells people what a run could not do.
func (a *app) tellProblems(report *transfer.Report) {
	for _, problem := range report.Problems {
		a.complain(problemFailure(problem))
	}
	if more := report.Failed - int64(len(report.Problems)); more > 0 {
		fmt.Fprintf(a.err, "glovebox: and %s more\n", counted(int(more), "problem"))
	}
}

// countsText says in words how much of a run is done.
func countsText(c transfer.Counts) string {
	parts := []string{counted(int(c.Sessions), "session"), counted(int(c.Events), "event"), counted(int(c.Artifacts), "file")}
	if c.Blobs > 0 {
		parts = append(parts, formatBytes(c.BlobBytes)+" copied")
	}
	if c.Present > 0 {
		parts = append(parts, fmt.Sprintf("%d there before", c.Present))
	}
	if c.Verified > 0 {
		parts = append(parts, fmt.Sprintf("%d verified", c.Verified))
	}
	if c.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", c.Removed))
	}
	return strings.Join(parts, ", ")
}

// problemFailure is a problem of a report as people are told it.
func problemFailure(p transfer.Problem) *failure {
	var where []string
	if p.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", p.Line))
	}
	if p.Session != "" {
		where = append(where, "session "+string(p.Session))
	}
	if p.Artifact != "" {
		where = append(where, "file "+string(p.Artifact))
	}
	return failed(strings.Join(where, ", "), p.Code, p.Detail, nil)
}
