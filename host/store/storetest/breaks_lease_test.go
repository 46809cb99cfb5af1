package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func digestsOf(b store.Batch) (list []string) {
	for _, a := range b.Artifacts {
		if a.Blob != "" {
			list = append(list, a.Blob)
		}
	}
	return list
}

// useOf is what the driver below says of a blob.
func (d *brokenIndex) useOf(ctx context.Context, sha256 string) store.BlobUse {
	list, _ := d.IndexDriver.BlobUses(ctx, []string{sha256})
	return list[0]
}

func over(until time.Time) bool { return !until.IsZero() && until.Before(time.Now()) }

func breaksOfLeases() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"LeaseNeeded": func(d *brokenIndex) { // who gives no name needs no lease
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if b.Holder == "" {
					b.Holder = "nobody-"
					_ = d.IndexDriver.LeaseBlobs(ctx, b.Holder, digestsOf(b), long)
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"LeaseOfAnother": func(d *brokenIndex) { // holders are told apart without their case
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if b.Holder == "X" {
					b.Holder = "x"
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"LeaseEndsWithAppend": func(d *brokenIndex) { // not with a batch of events
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if len(b.Artifacts) == 0 {
					b.Holder = ""
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"LeaseStaysOnFailure": func(d *brokenIndex) {
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				if readapi.CodeOf(err) == readapi.CodeConflict {
					_ = d.IndexDriver.EndLeases(ctx, b.Holder)
				}
				return seqs, err
			}
		},
		"LeaseEnded": func(d *brokenIndex) { // another's end, too
			d.endLeases = func(ctx context.Context, holder string) error {
				_ = d.IndexDriver.EndLeases(ctx, "y")
				return d.IndexDriver.EndLeases(ctx, holder)
			}
		},
		"LeaseOver": func(d *brokenIndex) { // the time alone decides
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				for _, sha256 := range digestsOf(b) {
					if over(d.useOf(ctx, sha256).Lease) {
						return nil, readapi.CodeBusy
					}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"LeaseAllOrNone": func(d *brokenIndex) { // one after the other
			d.lease = func(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
				for _, sha256 := range digests {
					if err := d.IndexDriver.LeaseBlobs(ctx, holder, []string{sha256}, ttl); err != nil {
						return err
					}
				}
				return nil
			}
		},
		"LeaseRenewed": func(d *brokenIndex) { // the last end counts
			had := map[string]time.Duration{}
			d.lease = func(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
				if holder == "x" && ttl < had[holder] {
					_ = d.IndexDriver.EndLeases(ctx, holder)
				}
				if holder == "x" {
					had[holder] = ttl
				}
				return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
			}
		},
		"BlobUses": func(d *brokenIndex) { d.uses = each(func(u *store.BlobUse) { u.Lease = time.Time{} }) },
	}
}

func breaksOfClaims() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"ClaimRows": func(d *brokenIndex) { // what is deleted keeps nothing
			d.claim = func(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
				list, _ := d.IndexDriver.ScanArtifacts(ctx, store.ArtifactScan{Limit: store.MaxPage})
				deleted := func(a store.Artifact) bool {
					return a.Blob == sha256 && a.Status == readapi.StatusDeleted && !a.Purging
				}
				live := func(a store.Artifact) bool { return a.Blob == sha256 && a.Status == readapi.StatusLive }
				u := d.useOf(ctx, sha256)
				return ok || slices.ContainsFunc(list, deleted) && !slices.ContainsFunc(list, live) && u.Lease.IsZero() && u.Claim.IsZero(), err
			}
		},
		"ClaimLease": func(d *brokenIndex) { // only who has leased last counts
			until, last := map[string]time.Time{}, map[string]string{}
			d.lease = func(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
				if holder != "x" && holder != "y" {
					return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
				}
				for _, sha256 := range digests {
					last[sha256] = holder
					if then := time.Now().Add(ttl); then.After(until[holder+sha256]) {
						until[holder+sha256] = then
					}
				}
				return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
			}
			d.claim = func(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
				u := d.useOf(ctx, sha256)
				return ok || u.Rows == 0 && u.Claim.IsZero() && over(until[last[sha256]+sha256]), err
			}
		},
		"ClaimTwice": func(d *brokenIndex) { // ending what nobody has ends the last one
			var last string
			d.claim = func(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
				if ok && sha256 == blobName(2) {
					last = sha256
				}
				return ok, err
			}
			d.endClaim = func(ctx context.Context, sha256 string) error {
				if d.useOf(ctx, sha256).Claim.IsZero() && last != "" {
					_ = d.IndexDriver.EndClaim(ctx, last)
				}
				return d.IndexDriver.EndClaim(ctx, sha256)
			}
		},
		"ClaimBusy": func(d *brokenIndex) { // a lease ends a claim
			d.lease = func(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
				if holder == "x" && len(digests) == 1 && digests[0] == blobName(1) {
					_ = d.IndexDriver.EndClaim(ctx, digests[0])
				}
				return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
			}
		},
		"ClaimEndsLease": func(d *brokenIndex) { // a lease is there again when the claim has ended
			holder := map[string]string{}
			d.lease = func(ctx context.Context, who string, digests []string, ttl time.Duration) error {
				if who == "x" && len(digests) == 1 {
					holder[digests[0]] = who
				}
				return d.IndexDriver.LeaseBlobs(ctx, who, digests, ttl)
			}
			d.endClaim = func(ctx context.Context, sha256 string) error {
				err := d.IndexDriver.EndClaim(ctx, sha256)
				if who := holder[sha256]; who != "" {
					_ = d.IndexDriver.LeaseBlobs(ctx, who, []string{sha256}, time.Millisecond)
				}
				return err
			}
		},
		"ClaimOver": func(d *brokenIndex) { // a claim that is over is none
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				for _, sha256 := range digestsOf(b) {
					if over(d.useOf(ctx, sha256).Claim) {
						_ = d.IndexDriver.LeaseBlobs(ctx, b.Holder, digestsOf(b), long)
					}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"ClaimRace": func(d *brokenIndex) { // who claims while another does has it, too
			var c crowd
			d.claim = func(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
				return ok || sha256 < blobName(10) && !c.enter(), err
			}
		},
	}
}

func breaksOfQuotas() map[string]func(d *brokenIndex) {
	breaks := map[string]func(d *brokenIndex){
		"QuotaRoom": func(d *brokenIndex) { // what is deleted makes room
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				list, _ := d.IndexDriver.ScanArtifacts(ctx, store.ArtifactScan{Limit: 10, DeletedBefore: at(1 << 20)})
				if len(list) > 0 {
					b.Quota = store.Quota{}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"QuotaOver": func(d *brokenIndex) { // nothing passes any more
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if own, _, _ := d.IndexDriver.Usage(ctx, s.Principal); b.Quota.PrincipalBytes > 0 && own.Bytes > b.Quota.PrincipalBytes {
					return nil, store.QuotaError("principal_bytes", b.Quota.PrincipalBytes, own.Bytes)
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"QuotaNewSession": func(d *brokenIndex) { // the session stays
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				if _, ok, _ := d.IndexDriver.Session(ctx, s); !ok && readapi.CodeOf(err) == readapi.CodeQuotaExceeded {
					_ = d.IndexDriver.Load(ctx, store.Session{Principal: s.Principal, ID: s.Session}, nil, nil, nil)
				}
				return seqs, err
			}
		},
		"Usage": func(d *brokenIndex) { // who has nothing has all
			d.usage = func(own, total store.Usage) (store.Usage, store.Usage) {
				if own == (store.Usage{}) {
					own = total
				}
				return own, total
			}
		},
	}
	for of, forget := range map[string]func(q *store.Quota){
		"QuotaSessionFiles":   func(q *store.Quota) { q.SessionFiles = 0 },
		"QuotaSessionBytes":   func(q *store.Quota) { q.SessionBytes = 0 },
		"QuotaPrincipalFiles": func(q *store.Quota) { q.PrincipalFiles = 0 },
		"QuotaPrincipalBytes": func(q *store.Quota) { q.PrincipalBytes = 0 },
		"QuotaTotalBytes":     func(q *store.Quota) { q.TotalBytes = 0 },
	} {
		breaks[of] = func(d *brokenIndex) {
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				forget(&b.Quota)
				return d.IndexDriver.Append(ctx, s, b)
			}
		}
	}
	return breaks
}
