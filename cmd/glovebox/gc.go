package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const gcLong = `Remove what is not to be kept, in the whole store: end what was begun to be purged, delete
files by the rules of the configuration and the flags, purge what was deleted long enough
ago, and remove bytes that nothing names. Without rules and flags nothing is removed that
anybody could still ask for. Hosts go on meanwhile; one at a time collects.

Where most of the bytes are named by nothing, these may be the rows of another store: nothing
is changed then, unless --remove-most is given.

--dry-run removes nothing and says of each thing what would become of it, and why. Rules
are [[retention]] in the configuration; docs/cli.md tells how they are written.`

func (a *app) gcCommand() *cobra.Command {
	var flags sweepFlags
	var dry, all, most bool
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove what is not to be kept",
		Long:  gcLong,
		Example: `  glovebox gc --dry-run
  glovebox gc --ttl 90d --after-delete 7d
  glovebox gc --max-bytes 20GiB`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			opts, err := a.collecting(c.Flags(), &flags)
			if err != nil {
				return err
			}
			opts.DryRun, opts.Careful = dry, !most
			return a.maintain(c.Context(), func(s *openedStore) error { return a.gc(c.Context(), s, opts, all) })
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&dry, "dry-run", false, "change nothing, say what would be removed, what not, and why")
	flags.register(f, "")
	f.BoolVar(&all, "all", false, "name all that was removed, and what was kept, not only count it")
	f.BoolVar(&most, "remove-most", false, removeMost)
	return c
}

// collecting is what the flags, the environment and the configuration say about a collection.
func (a *app) collecting(typed *pflag.FlagSet, flags *sweepFlags) (retain.GCOptions, error) {
	var standing sweepFlags
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	standing.register(all, "gc-")
	if err := configure(all, a.getenv, a.config.flags); err != nil {
		return retain.GCOptions{}, err
	}
	for name, take := range map[string]func(){
		"grace":        func() { flags.grace = standing.grace },
		"ttl":          func() { flags.ttl = standing.ttl },
		"after-delete": func() { flags.afterDelete = standing.afterDelete },
		"max-bytes":    func() { flags.maxBytes = standing.maxBytes },
		"max-cache":    func() { flags.maxCache = standing.maxCache },
	} {
		if !typed.Changed(name) {
			take()
		}
	}
	o := retain.GCOptions{
		Policy: slices.Clone(a.config.retention), MaxBytes: int64(flags.maxBytes), Grace: time.Duration(flags.grace),
		CacheBytes: cmp.Or(int64(flags.maxCache), defaultMaxCache),
	}
	if flags.ttl > 0 || flags.afterDelete > 0 {
		o.Policy = append(o.Policy, retain.Rule{TTL: time.Duration(flags.ttl), AfterDelete: time.Duration(flags.afterDelete)})
	}
	return o, nil
}

// removeMost is what --remove-most does.
const removeMost = "remove bytes that nothing names even where they are most of what is there"

// careful is the failure of a command that would have removed most of the bytes.
func careful(err error) error {
	err = storeFailure(err)
	if f, ok := errors.AsType[*failure](err); ok && errors.Is(err, retain.ErrMostUnnamed) {
		c := *f.err
		c.Hint = "See that --data, --index and --blobs belong together, and that no rows were lost. --remove-most removes these bytes all the same."
		f.err = &c
	}
	return err
}

// gcDocument is what gc prints as JSON.
type gcDocument struct {
	DryRun bool `json:"dry_run"`

	Deleted  retain.Amount `json:"deleted"` // files that a rule deleted; their bytes stay until they are purged
	Purged   retain.Amount `json:"purged"`  // files that were deleted before and are removed for good
	Sessions int           `json:"purged_sessions"`
	Ended    int           `json:"purges_ended"` // that were begun before
	Orphans  retain.Amount `json:"orphans"`      // bytes that nothing named
	Swept    int           `json:"swept"`        // what hosts that are gone left behind
	Kept     int           `json:"kept"`
	Failed   int           `json:"failed"`
	Cache    retain.Amount `json:"cache"` // what is left of decoded answers

	Candidates []candidateDocument `json:"candidates"`
	Omitted    int                 `json:"omitted"` // candidates that are not among those
	TookMS     int64               `json:"took_ms"`
}

// candidateDocument is something that could be removed, and what becomes of it.
type candidateDocument struct {
	Principal readapi.PrincipalID `json:"principal,omitempty"`
	Session   readapi.SessionID   `json:"session_id,omitempty"`
	ID        readapi.ArtifactID  `json:"id,omitempty"`
	SHA256    string              `json:"sha256,omitempty"`
	Bytes     int64               `json:"bytes"`
	AgeMS     int64               `json:"age_ms"`
	Rule      int                 `json:"rule,omitempty"` // of the configuration, from 1; that of the flags is the last
	Action    retain.Action       `json:"action"`
	Reason    retain.Reason       `json:"reason"`
	Text      string              `json:"text"`
	Code      readapi.Code        `json:"code,omitempty"`
}

func gcDocumentOf(r *retain.GCReport) gcDocument {
	d := gcDocument{
		DryRun: r.DryRun, Deleted: r.Deleted, Purged: r.Purged, Sessions: r.Gone, Ended: r.Ended, Orphans: r.Orphans, Swept: r.Swept,
		Kept: r.Kept, Failed: r.Failed, Cache: r.Cache, Candidates: []candidateDocument{}, Omitted: r.Omitted, TookMS: r.Took.Milliseconds(),
	}
	for _, c := range r.Candidates {
		d.Candidates = append(d.Candidates, candidateDocument{
			c.Principal, c.Session, c.Artifact, c.SHA256, c.Bytes, c.Age.Milliseconds(), c.Rule, c.Action, c.Reason, c.Text, c.Code,
		})
	}
	return d
}

// gc collects and tells what became of what. What could not be removed is told beside the rest, and makes the command fail.
func (a *app) gc(ctx context.Context, s *openedStore, o retain.GCOptions, all bool) error {
	p := a.newProgress()
	defer p.close()
	end := func() {}
	asked := !a.global.json && (o.DryRun || all) // each candidate is printed as it comes
	switch {
	case a.global.json && all:
		o.MaxCandidates = math.MaxInt
	case asked:
		o.MaxCandidates = 1
	default:
		o.Progress, end = p.steps()
	}
	var first readapi.Code // of what could not be removed; GC returns the same error
	o.Each = func(c retain.Candidate) {
		first = cmp.Or(first, c.Code)
		if asked {
			a.printCandidate(c)
		}
	}
	report, err := retain.New(s.Blobs, s.Index, &retain.Options{Cache: s.cache}).GC(ctx, o)
	end()
	p.close()
	if err != nil && readapi.CodeOf(err) != first {
		return careful(err)
	}
	if report.Failed > 0 {
		a.exit = exitFailed
	}
	if a.global.json {
		return a.printDone(gcDocumentOf(report))
	}
	if !asked {
		for _, c := range report.Candidates {
			if c.Reason == retain.ReasonFailed {
				a.complain(failed(candidateName(c), c.Code, c.Text, nil))
			}
		}
	}
	a.printCollected(report)
	return nil
}

// candidateName is how people are told what a candidate is.
func candidateName(c retain.Candidate) string {
	switch {
	case c.Artifact != "":
		return fmt.Sprintf("file %s of session %s", c.Artifact, c.Session)
	case c.Session != "":
		return "session " + string(c.Session)
	}
	return "bytes " + c.SHA256
}

// printCandidate tells people what becomes of one thing.
func (a *app) printCandidate(c retain.Candidate) {
	fmt.Fprintf(a.out, "%-6s  %s, %s: %s (%s)\n", c.Action, candidateName(c), formatBytes(c.Bytes), readapi.EscapeLine(strings.TrimSuffix(c.Text, ".")), c.Reason)
}

// printCollected tells people how much was removed, or would be.
func (a *app) printCollected(r *retain.GCReport) {
	var lines []string
	add := func(n int64, what string, bytes int64, how string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s (%s) %s", counted(int(n), what), formatBytes(bytes), how))
		}
	}
	count := func(n int, what, how string) {
		if n > 0 {
			lines = append(lines, counted(n, what)+" "+how)
		}
	}
	add(r.Deleted.Files, "file", r.Deleted.Bytes, "deleted: too old, or too many bytes")
	add(r.Purged.Files, "file", r.Purged.Bytes, "purged, deleted long enough ago")
	count(r.Gone, "session", "purged, deleted long enough ago")
	count(r.Ended, "purge", "ended that was begun before")
	add(r.Orphans.Files, "piece", r.Orphans.Bytes, "of bytes removed that nothing named")
	count(r.Swept, "leftover", "of hosts that are gone removed")
	switch {
	case len(lines) == 0 && r.Failed == 0:
		lines = append(lines, "nothing to remove")
	case r.DryRun:
		lines = append([]string{"Nothing was changed. It would be:"}, lines...)
	}
	count(r.Kept, "candidate", "kept")
	count(r.Failed, "candidate", "could not be removed")
	for _, line := range lines {
		fmt.Fprintln(a.out, line)
	}
}
