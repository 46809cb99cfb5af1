package retain

import (
	"context"
	"errors"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// FsckOptions say what Fsck looks at.
type FsckOptions struct {
	ReadData bool // read every blob and compare it with its digest
	Repair   bool // mend what can be mended without losing anything
	Careful  bool // repair nothing where most bytes are named by nothing; see ErrMostUnnamed

	Grace       time.Duration                              // bytes that nothing names yet are in order for so long; default 1 h
	Jobs        int                                        // blobs looked at at a time; default 4
	MaxFindings int                                        // in the report; default 1000
	Each        func(Finding)                              // is called with every finding, also those that the report has no room for
	Progress    func(step string, done int64, text string) // is called now and then
}

func (o FsckOptions) withDefaults() (FsckOptions, error) {
	if o.Grace < 0 || o.Jobs < 0 || o.MaxFindings < 0 {
		return o, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option of the check is negative"}
	}
	if o.Grace == 0 {
		o.Grace = time.Hour
	}
	if o.Jobs == 0 {
		o.Jobs = 4
	}
	if o.MaxFindings == 0 {
		o.MaxFindings = 1000
	}
	return o, nil
}

// Problem says what a Finding is. A code is added, never renamed.
type Problem string

// What may be wrong. Those that are marked with (told) leave the store clean.
const (
	BlobMissing    Problem = "blob_missing"     // an artifact's bytes are not there
	BlobSize       Problem = "blob_size"        // they have another size than the artifact
	BlobDamaged    Problem = "blob_damaged"     // they have not their digest
	BlobNotRegular Problem = "blob_not_regular" // in their place is a link, or something else that is no file of its own
	BlobUnreadable Problem = "blob_unreadable"  // they cannot be read
	BlobOrphan     Problem = "blob_orphan"      // bytes that nothing names, for longer than the grace time
	BlobYoung      Problem = "blob_young"       // the same within the grace time (told)
	ModeWrong      Problem = "mode"             // others may use a file or folder of the store, or its owner may not
	FileForeign    Problem = "file_foreign"     // something among the blobs that is none (told)
	IndexDamaged   Problem = "index_damaged"    // the rows' own place is damaged
	CountSession   Problem = "count_session"    // a session's counters are not what its rows say
	CountUsage     Problem = "count_usage"      // a principal's counters, or those of all together, are not
	EventDamaged   Problem = "event_damaged"    // an event cannot be read
	EventDangling  Problem = "event_dangling"   // an event names an artifact that is not there, as after its purge (told)
	PurgeBegun     Problem = "purge_begun"      // a purge was begun and has not ended
	DecodersWrong  Problem = "decoders"         // the set of decoders cannot be read
)

// harmless problems are told and leave the store clean.
var harmless = map[Problem]bool{BlobYoung: true, FileForeign: true, EventDangling: true}

// Finding is something that Fsck found.
type Finding struct {
	Problem   Problem             `json:"problem"`
	Principal readapi.PrincipalID `json:"principal,omitempty"`
	Session   readapi.SessionID   `json:"session_id,omitempty"`
	Artifact  readapi.ArtifactID  `json:"id,omitempty"`
	Event     string              `json:"event_id,omitempty"`
	SHA256    string              `json:"sha256,omitempty"` // of the bytes that it is about
	Text      string              `json:"text"`             // one sentence, without a path
	Repaired  bool                `json:"repaired"`
	Harmless  bool                `json:"harmless"` // it leaves the store clean
}

// FsckReport says what Fsck found.
type FsckReport struct {
	Clean     bool            `json:"clean"` // nothing was found, or all of it is repaired or harmless
	Sessions  int64           `json:"sessions"`
	Artifacts int64           `json:"artifacts"`
	Events    int64           `json:"events"`
	Blobs     Amount          `json:"blobs"`      // stored, by the list of the place
	ReadBytes int64           `json:"read_bytes"` // that were compared with their digests
	Found     map[Problem]int `json:"found"`
	Findings  []Finding       `json:"findings"` // the first of them
	Omitted   int             `json:"omitted"`  // findings that are not among Findings
	Took      time.Duration   `json:"took_ns"`
}

// Fsck checks the store: that every artifact's bytes are there and are those that were stored, that nothing else is, and that the counters,
// the ledger and the places themselves are in order. It may run beside hosts that use the store.
//
// With Repair it mends modes and counters, ends purges that were begun, and removes bytes that nothing names. It never removes what a row
// names, and never a row: bytes that are damaged stay and are told; attaching the same file again mends them.
//
// Errors: busy where Repair is asked for while another host collects; capability_unavailable with ErrMostUnnamed where it is Careful; those
// of the places, canceled: the report is then of what was seen until then, and is not clean.
func (k *Keeper) Fsck(ctx context.Context, o FsckOptions) (*FsckReport, error) {
	const op = "retain.Fsck"
	begun := time.Now()
	report := &FsckReport{Found: map[Problem]int{}, Findings: []Finding{}}
	o, err := o.withDefaults()
	if err = errors.Join(k.wrong, err); err != nil {
		return report, readapi.AsError(op, err)
	}
	if o.Repair {
		lead, stop, err := k.index.Lead(ctx, gcName, gcLease)
		if err != nil {
			return report, readapi.AsError(op, err)
		}
		defer stop()
		ctx = lead
	}
	c := &check{keeper: k, opts: o, report: report, clean: true, known: map[string]*blobState{}}
	err = c.run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	report.Clean, report.Took = c.clean && err == nil, time.Since(begun)
	return report, readapi.AsError(op, err)
}

// check is one run of Fsck.
type check struct {
	keeper *Keeper
	opts   FsckOptions
	report *FsckReport
	clean  bool
	known  map[string]*blobState // of blobs that were looked at; at most maxKnown
}

func (c *check) run(ctx context.Context) error {
	if c.opts.Repair && c.opts.Careful {
		if err := c.keeper.careful(ctx, GCOptions{Grace: c.opts.Grace, Progress: c.opts.Progress}); err != nil {
			return err
		}
	}
	begun, err := c.begun(ctx)
	if err != nil {
		return err
	}
	if c.opts.Repair { // the bytes of what is purged are no orphans then
		err = c.end(ctx, begun)
	}
	for _, step := range []func(context.Context) error{c.decoders, c.places, c.rows, c.counters, c.events, c.orphans} {
		if err == nil {
			err = step(ctx)
		}
	}
	if err == nil && !c.opts.Repair {
		err = c.stillBegun(ctx, begun)
	}
	return err
}

// tell reports a finding.
func (c *check) tell(f Finding) {
	f.Harmless = harmless[f.Problem]
	c.clean = c.clean && (f.Harmless || f.Repaired)
	c.report.Found[f.Problem]++
	if c.opts.Each != nil {
		c.opts.Each(f)
	}
	if len(c.report.Findings) < c.opts.MaxFindings {
		c.report.Findings = append(c.report.Findings, f)
	} else {
		c.report.Omitted++
	}
}

func (c *check) progress(step string, done int64, text string) {
	if c.opts.Progress != nil {
		c.opts.Progress(step, done, text)
	}
}

// of is a finding about an artifact.
func of(a store.Artifact, p Problem, text string) Finding {
	return Finding{Problem: p, Principal: a.Scope.Principal, Session: a.Scope.Session, Artifact: a.ID, Text: text}
}

// begun returns the purges that have not ended. Those that are still there at the end were not just under way.
func (c *check) begun(ctx context.Context) (map[store.Purge]bool, error) {
	list, err := c.keeper.index.Purges(ctx, 0)
	out := map[store.Purge]bool{}
	for _, p := range list {
		out[p] = true
	}
	return out, err
}

// end ends the purges that were begun.
func (c *check) end(ctx context.Context, begun map[store.Purge]bool) error {
	if len(begun) == 0 {
		return nil
	}
	_, err := c.keeper.recover(ctx, c.tellPurge)
	return err
}

// stillBegun tells of the purges that were begun before the check.
func (c *check) stillBegun(ctx context.Context, before map[store.Purge]bool) error {
	list, err := c.keeper.index.Purges(ctx, 0)
	for _, p := range list {
		if before[p] {
			c.tellPurge(p, nil)
		}
	}
	return err
}

func (c *check) tellPurge(p store.Purge, err error) {
	f := Finding{Problem: PurgeBegun, Principal: p.Scope.Principal, Session: p.Scope.Session, Artifact: p.Artifact, Repaired: c.opts.Repair && err == nil,
		Text: "its purge was begun and has not ended"}
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		f.Text = e.Message()
	}
	c.tell(f)
}

// decoders checks that the set can be read.
func (c *check) decoders(ctx context.Context) error {
	_, err := c.keeper.index.Decoders(ctx)
	if readapi.CodeOf(err) != readapi.CodeCorrupt {
		return err
	}
	c.tell(Finding{Problem: DecodersWrong, Text: "the set of decoders cannot be read"})
	return nil
}

// problems are what the oddities of a place are here.
var problems = map[store.OddityCode]Problem{
	store.OddMode: ModeWrong, store.OddNotRegular: BlobNotRegular, store.OddForeign: FileForeign, store.OddDamaged: IndexDamaged,
}

// places looks at the places themselves.
func (c *check) places(ctx context.Context) error {
	for o, err := range c.keeper.index.Inspect(ctx, c.opts.Repair) {
		if err != nil {
			return err
		}
		c.tell(Finding{Problem: problems[o.Code], Text: o.Detail, Repaired: o.Mended})
	}
	for o, err := range c.keeper.blobs.Inspect(ctx, c.opts.Repair) {
		if err != nil {
			return err
		}
		if o.Code == store.OddNotRegular {
			uses, err := c.keeper.index.BlobUses(ctx, []string{o.SHA256})
			if err != nil {
				return err
			}
			if uses[o.SHA256].Rows > 0 {
				continue // it is told with the artifacts that name it
			}
		}
		c.tell(Finding{Problem: problems[o.Code], SHA256: o.SHA256, Text: o.Detail, Repaired: o.Mended})
	}
	return nil
}
