package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"math"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/ring"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// outcome is what one run of a guest came to.
type outcome struct {
	res   readapi.Result
	err   error
	usage sandbox.Usage
	took  time.Duration     // of the guest: what the read counts for when turns are taken
	sum   [sha256.Size]byte // of the frames, with their kinds and lengths; only of a run that is compared

	alive   bool    // the instance can be put back
	verdict verdict // what it says of the decoder
	host    bool    // and it was the host that failed
}

// decode runs one read on an instance that is in the snapshot's state.
func (p *pool) decode(ctx context.Context, d readapi.Decoding) (readapi.Result, error) {
	if !p.hasForm(d.Request.Form) {
		return readapi.Result{}, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "the decoder does not have the form " + string(d.Request.Form), Hint: "Its forms are " + p.forms() + "."}
	}
	if len(d.Request.Child) > 0 && !p.decoder.Children {
		return readapi.Result{}, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "the decoder lists no files inside a file", Hint: "Leave the child out to read the file itself."}
	}
	var err error
	if d.Limits, err = d.Limits.WithDefaults(); err != nil {
		return readapi.Result{}, err
	}
	if err := p.trusted(d); err != nil {
		return readapi.Result{}, err
	}
	try, err := p.breaker.begin(d.Party)
	if err != nil {
		return readapi.Result{}, err
	}
	var out outcome // of a read that panics: it says nothing
	defer func() { try.end(out.verdict, out.file(d)) }()
	out = p.admitted(ctx, d)
	if out.host {
		p.strike(d)
	}
	if out.err == nil && p.distrusted.Load() { // since it began
		return readapi.Result{Usage: out.res.Usage}, errDecoderQuarantined()
	}
	return out.res, out.err
}

// trusted refuses what is quarantined.
func (p *pool) trusted(d readapi.Decoding) error {
	if p.distrusted.Load() {
		return errDecoderQuarantined()
	}
	if q := p.shared.quarantine; d.SHA256 != nil && !q.none() {
		if file := d.SHA256(); file != "" && q.holds(p.decoder.Digest, file) {
			return errFileQuarantined()
		}
	}
	return nil
}

// file is the digest of a file that its decoder failed with. Of others nobody asks.
func (o *outcome) file(d readapi.Decoding) string {
	if o.verdict != failed || d.SHA256 == nil {
		return ""
	}
	return d.SHA256()
}

// strike counts a failure of the host's against the file.
func (p *pool) strike(d readapi.Decoding) {
	if d.SHA256 == nil {
		return
	}
	if file := d.SHA256(); file != "" && p.shared.quarantine.strike(p.decoder.Digest, file) {
		p.shared.report(Incident{Kind: FileQuarantined, Decoder: p.decoder.Info(), SHA256: file, Detail: "The file failed the host twice with this decoder, which does not get it again."})
	}
}

// admitted waits for the read's turn and runs it.
func (p *pool) admitted(ctx context.Context, d readapi.Decoding) (out outcome) {
	pass, err := p.enter(ctx, d)
	if err != nil {
		return outcome{err: err}
	}
	leave := func() { pass.leave(out.took) }
	defer func() { leave() }()
	if p.shared.check.due() {
		return p.checked(ctx, d)
	}
	inst, err := p.get(ctx)
	if err != nil {
		return unmade(ctx, err)
	}
	out = p.run(ctx, inst, d, nil)
	if !out.alive {
		return out
	}
	// Putting back takes as long as a small read, and nobody needs to wait for it: the answer has left the guest. The room is held until it
	// is done, so whoever closes the pool waits, and no more instances than there may be are in use.
	release := leave
	leave = func() {}
	p.behind(func() {
		defer release()
		p.put(inst)
	})
	return out
}

// enter waits for the read's turn, for as long as the read may take.
func (p *pool) enter(ctx context.Context, d readapi.Decoding) (*pass, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Limits.Timeout)
	defer cancel()
	return p.shared.gate.enter(ctx, d.Party, p.lane, d.Limits.MaxMemoryBytes)
}

// hostGrace is how long after its time a call may come back and be the guest's fault. The wall looks at the clock every five milliseconds
// of a guest's work at most; what is seconds late hung in the host. It is no shorter because a machine may be busy with other things.
const hostGrace = 2 * time.Second

// run runs one read on inst, which is closed unless the outcome says that it is alive. frames, where it is not nil, gets what the guest
// sends.
func (p *pool) run(ctx context.Context, inst instance, d readapi.Decoding, frames hash.Hash) (out outcome) {
	raw, err := json.Marshal(d.Request)
	if err != nil {
		inst.Close()
		return outcome{err: err}
	}
	lim := d.Limits
	most := min(lim.MaxOutputBytes, math.MaxInt64-headerRoom) + headerRoom
	files := max(0, d.Request.MaxFileBytes)
	collect := abi.Collector{MaxBytes: most, MaxFileBytes: files, Child: len(d.Request.Child) > 0}
	call := &sandbox.Call{
		Request: raw, Input: d.Input, Emit: collect.Add,
		Limits: sandbox.Limits{Fuel: lim.Fuel, Timeout: lim.Timeout, MaxMemoryBytes: lim.MaxMemoryBytes, MaxOutputBytes: min(most, math.MaxInt64-files) + files},
	}
	if frames != nil {
		call.Emit = func(kind abi.Kind, payload []byte) bool {
			frames.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(kind)), uint64(len(payload))))
			frames.Write(payload)
			return collect.Add(kind, payload)
		}
	}
	start, end := time.Now(), endOf(ctx, lim.Timeout)
	came := false
	defer func() {
		if !came { // a function of the embedder's panics: the input's Size, say
			inst.Close()
		}
	}()
	out.usage, out.err = inst.Decode(ctx, call)
	came = true
	// The clock alone would make those pay who had to wait for a processor. A unit of fuel is a tenth of a nanosecond, and never much over two.
	out.took = min(time.Since(start), time.Duration(out.usage.Fuel))
	if out.err != nil {
		inst.Close()                                                                            // after any error its state is unknown
		died := errors.Is(out.err, ring.ErrDied) && readapi.CodeOf(out.err) == readapi.CodeTrap // not of memory, or with others
		out.host = died || readapi.CodeOf(out.err) == readapi.CodeInternal || time.Since(end) > hostGrace
		if _, said := collect.Result(); !out.host && ofGuest(out.err) && said != nil && readapi.CodeOf(said) != readapi.CodeBadOutput {
			out.err = p.inert(ctx, said) // why it stopped
		}
	} else {
		out.alive = true
		out.res, out.err = collect.Result()
		out.err = p.inert(ctx, out.err)
	}
	out.res.Usage.Fuel, out.res.Usage.MemoryBytes = out.usage.Fuel, out.usage.MemoryBytes
	if frames != nil {
		frames.Sum(out.sum[:0])
	}
	out.verdict = verdictOf(out)
	return out
}

// endOf is when a call that begins now has to be back.
func endOf(ctx context.Context, timeout time.Duration) time.Time {
	if timeout <= 0 {
		timeout = readapi.DefaultLimits().Timeout
	}
	end := time.Now().Add(timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		return d
	}
	return end
}

func verdictOf(out outcome) verdict {
	if out.host {
		return failed
	}
	switch readapi.CodeOf(out.err) {
	case "":
		return answered
	case readapi.CodeTrap, readapi.CodeBadOutput:
		return failed
	}
	return noVerdict
}

// unmade is the outcome of a read that got no instance. That is its decoder's failure, unless others or the caller were in the way.
func unmade(ctx context.Context, err error) outcome {
	out := outcome{err: err, verdict: failed}
	switch readapi.CodeOf(err) {
	case readapi.CodeCanceled, readapi.CodeBusy, readapi.CodeCapabilityUnavailable:
		out.verdict = noVerdict
	case readapi.CodeLimitTime:
		if ctx.Err() != nil {
			out.verdict = noVerdict
		}
	}
	if errors.Is(err, errGone) {
		out.verdict = noVerdict
	}
	return out
}

// ofGuest reports whether err is about what the guest did, of which the guest knows more. Of an input that cannot be read, or a caller that
// went away, it knows nothing: it takes the first for damage.
func ofGuest(err error) bool {
	switch readapi.CodeOf(err) {
	case readapi.CodeTrap, readapi.CodeBadOutput, readapi.CodeLimitTime, readapi.CodeLimitFuel, readapi.CodeLimitMemory, readapi.CodeLimitOutput,
		readapi.CodeLimitDepth:
		return true
	}
	return false
}

// headerRoom is what frame headers, meta and warnings may take besides the parts that MaxOutputBytes is about.
const headerRoom = 4 << 20
