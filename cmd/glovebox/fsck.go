package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fsckFlags are the flags of fsck.
type fsckFlags struct {
	read, repair, all, most bool
	grace                   age
}

func (a *app) fsckCommand() *cobra.Command {
	var flags fsckFlags
	c := &cobra.Command{
		Use:   "fsck",
		Short: "Check that the store is in order",
		Long: `Check that the bytes of every file are there, that nothing else is, and that counters,
events and the modes of files are right; with --read-data, that all bytes are those that
were stored. Hosts may go on meanwhile. Exit code 0 if all is in order, else 1.

--repair mends modes and counters, ends what was begun to be purged, and removes bytes that
nothing names. It never removes what a file of a session needs: damaged bytes stay, and
are right again when the same file is attached once more. Where most of the bytes are named
by nothing, these may be the rows of another store: nothing is mended then, unless
--remove-most is given.`,
		Example: `  glovebox fsck
  glovebox fsck --read-data --repair`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.maintain(c.Context(), func(s *openedStore) error { return a.fsck(c.Context(), s, flags) })
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&flags.read, "read-data", false, "read all bytes and compare them with their digests")
	f.BoolVar(&flags.repair, "repair", false, "mend what can be mended without losing anything")
	f.Var(&flags.grace, "grace", "bytes that nothing names are in order for this `AGE` (default 1h)")
	f.BoolVar(&flags.all, "all", false, "tell all findings, not the first 1000")
	f.BoolVar(&flags.most, "remove-most", false, "with --repair, "+removeMost)
	return c
}

// fsckDocument is what fsck prints as JSON.
type fsckDocument struct {
	Clean     bool                   `json:"clean"` // nothing was found, or all of it is repaired or harmless
	Sessions  int64                  `json:"sessions"`
	Artifacts int64                  `json:"artifacts"`
	Events    int64                  `json:"events"`
	Blobs     retain.Amount          `json:"blobs"`
	ReadBytes int64                  `json:"read_bytes"` // that were compared with their digests
	Found     map[retain.Problem]int `json:"found"`
	Findings  []retain.Finding       `json:"findings"`
	Omitted   int                    `json:"omitted"` // findings that are not among those
	TookMS    int64                  `json:"took_ms"`
}

// fsck checks the store and tells what it found.
func (a *app) fsck(ctx context.Context, s *openedStore, flags fsckFlags) error {
	p := a.newProgress()
	defer p.close()
	o := retain.FsckOptions{ReadData: flags.read, Repair: flags.repair, Careful: !flags.most, Grace: time.Duration(flags.grace)}
	end := func() {}
	switch {
	case a.global.json && flags.all:
		o.MaxFindings = math.MaxInt
	case flags.all: // as they come, and nothing is drawn between them
		o.MaxFindings, o.Each = 1, a.printFinding
	}
	if o.Each == nil {
		o.Progress, end = p.steps()
	}
	report, err := retain.New(s.Blobs, s.Index, nil).Fsck(ctx, o)
	end()
	p.close()
	if err != nil {
		return careful(err)
	}
	if !report.Clean {
		a.exit = exitFailed
	}
	if a.global.json {
		return a.printDone(fsckDocument{
			report.Clean, report.Sessions, report.Artifacts, report.Events, report.Blobs, report.ReadBytes, report.Found, report.Findings, report.Omitted,
			report.Took.Milliseconds(),
		})
	}
	if o.Each == nil {
		for _, f := range report.Findings {
			a.printFinding(f)
		}
		if report.Omitted > 0 {
			fmt.Fprintf(a.out, "and %s more; --all tells all\n", counted(report.Omitted, "finding"))
		}
	}
	what := "in order"
	if !report.Clean {
		what = "NOT in order"
	}
	read := ""
	if flags.read {
		read = ", " + formatBytes(report.ReadBytes) + " read"
	}
	fmt.Fprintf(a.out, "%s: %s, %s, %s, %s of bytes (%s)%s\n", what, counted(int(report.Sessions), "session"), counted(int(report.Artifacts), "file"),
		counted(int(report.Events), "event"), counted(int(report.Blobs.Files), "piece"), formatBytes(report.Blobs.Bytes), read)
	return nil
}

// printFinding tells people one finding.
func (a *app) printFinding(f retain.Finding) {
	state := "wrong"
	switch {
	case f.Repaired:
		state = "mended"
	case f.Harmless:
		state = "ok"
	}
	fmt.Fprintf(a.out, "%-6s  %s: %s\n", state, f.Problem, findingText(f))
}

// findingText says what was found, and where.
func findingText(f retain.Finding) string {
	var where []string
	if f.Session != "" {
		where = append(where, "session "+string(f.Session))
	}
	if f.Artifact != "" {
		where = append(where, "file "+string(f.Artifact))
	}
	if f.Event != "" {
		where = append(where, "event "+f.Event)
	}
	if f.SHA256 != "" {
		where = append(where, "bytes "+f.SHA256)
	}
	text := strings.TrimSuffix(f.Text, ".")
	if len(where) > 0 {
		text += " (" + strings.Join(where, ", ") + ")"
	}
	return readapi.EscapeLine(text)
}
