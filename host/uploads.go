package host

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// uploads are those that are under way on this host. Their bytes lie where the blob driver keeps unfinished ones: a host that dies leaves
// nothing that has a name. The time of one that nobody goes on with is looked at whenever there is something to do with uploads.
type uploads struct {
	host *Host

	mu   sync.Mutex
	open map[readapi.PrincipalID]map[uploadKey]*upload
}

// uploadKey says which upload. Two owners may have the same upload under way: the first who commits gives it its attachment.
type uploadKey struct {
	scope     readapi.Scope
	owner, id string
}

// upload is one that is under way.
type upload struct {
	all      *uploads
	key      uploadKey
	begin    UploadBegin
	digest   string // of begin
	artifact readapi.ArtifactID
	expires  time.Time // guarded by all.mu

	mu     sync.Mutex // of all below; it is taken before all.mu
	ended  bool
	writer *store.Writer
	cancel context.CancelFunc // of the writer
	holder holder
	next   int64
	chunks []chunk
	named  *store.Blob // its bytes have their name
}

// chunk is a part as it was sent: where it begins, and what tells its bytes from others.
type chunk struct {
	at  int64
	sum uint64
}

// maxChunks bounds what is remembered of one upload, at a megabyte.
const maxChunks = 65_536

// chunkSeed makes the sums of parts unknown to who sends them.
var chunkSeed = maphash.MakeSeed()

func newUploads(h *Host) *uploads {
	return &uploads{host: h, open: map[readapi.PrincipalID]map[uploadKey]*upload{}}
}

// reserve returns the upload of key, whose time starts again, or a fresh one, which is locked and has no writer yet.
func (p *uploads) reserve(key uploadKey, b UploadBegin, digest string) (u *upload, fresh bool, err error) {
	o, now := p.host.opts, p.host.opts.Now()
	p.sweep(now)
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.open[key.scope.Principal]
	if u := mine[key]; u != nil {
		if u.digest != digest {
			return nil, false, uploadConflict("another upload is under way under this id", "Give the upload another id, or abort the other one.")
		}
		u.expires = now.Add(o.UploadTTL)
		return u, false, nil
	}
	if len(mine) >= o.MaxUploads {
		return nil, false, &readapi.Error{
			Code: readapi.CodeBusy, Detail: "too many uploads are under way", Limit: &readapi.LimitHit{Name: "uploads", Value: int64(o.MaxUploads), Actual: int64(len(mine)) + 1},
			RetryAfter: time.Second, Hint: "Commit or abort one of them first.",
		}
	}
	bytes := b.Bytes
	for _, u := range mine {
		bytes += u.begin.Bytes
	}
	if bytes > o.MaxUploadBytes {
		return nil, false, &readapi.Error{
			Code: readapi.CodeQuotaExceeded, Limit: &readapi.LimitHit{Name: "upload_bytes", Value: o.MaxUploadBytes, Actual: bytes},
			Hint: "Commit or abort an upload that is under way first.",
		}
	}
	u = &upload{all: p, key: key, begin: b, digest: digest, artifact: newArtifactID(), expires: now.Add(o.UploadTTL), cancel: func() {}}
	u.holder = holder{host: p.host, name: string(newArtifactID())}
	u.mu.Lock()
	if mine == nil {
		mine = map[uploadKey]*upload{}
		p.open[key.scope.Principal] = mine
	}
	mine[key] = u
	return u, true, nil
}

// find returns the upload of key, nil when there is none.
func (p *uploads) find(key uploadKey) *upload {
	p.sweep(p.host.opts.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[key.scope.Principal][key]
}

// others reports whether another owner has this upload under way.
func (p *uploads) others(key uploadKey) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.open[key.scope.Principal] {
		if k.scope == key.scope && k.id == key.id && k.owner != key.owner {
			return true
		}
	}
	return false
}

// touch lets the time of an upload start again.
func (p *uploads) touch(u *upload) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u.expires = p.host.opts.Now().Add(p.host.opts.UploadTTL)
}

// sweep drops the uploads whose time is over. One that somebody is busy with stays until the next time: whoever sweeps must not wait for it.
func (p *uploads) sweep(now time.Time) {
	var over []*upload
	p.mu.Lock()
	for _, mine := range p.open {
		for _, u := range mine {
			if !now.Before(u.expires) && u.mu.TryLock() {
				over = append(over, u)
				p.remove(u)
			}
		}
	}
	p.mu.Unlock()
	for _, u := range over {
		u.drop(context.Background())
		u.mu.Unlock()
	}
}

// forget drops the uploads of a session that takes nothing more.
func (p *uploads) forget(scope readapi.Scope) {
	p.dropAll(func(u *upload) bool { return u.key.scope == scope })
}

// close drops them all.
func (p *uploads) close() { p.dropAll(func(*upload) bool { return true }) }

func (p *uploads) dropAll(which func(*upload) bool) {
	var out []*upload
	p.mu.Lock()
	for _, mine := range p.open {
		for _, u := range mine {
			if which(u) {
				out = append(out, u)
				p.remove(u)
			}
		}
	}
	p.mu.Unlock()
	for _, u := range out {
		u.mu.Lock()
		u.drop(context.Background())
		u.mu.Unlock()
	}
}

// remove takes u out; the lock is held.
func (p *uploads) remove(u *upload) {
	mine := p.open[u.key.scope.Principal]
	if mine[u.key] != u {
		return
	}
	if delete(mine, u.key); len(mine) == 0 {
		delete(p.open, u.key.scope.Principal)
	}
}

// drop ends an upload, whose lock is held. Unfinished bytes that cannot be removed are left to who collects them.
func (u *upload) drop(ctx context.Context) {
	u.all.mu.Lock()
	u.all.remove(u)
	u.all.mu.Unlock()
	if u.ended {
		return
	}
	u.ended = true
	if u.writer != nil {
		_ = u.writer.Abort()
	}
	u.cancel()
	u.holder.end(ctx)
	u.chunks = nil
}

// state says how far the upload is.
func (u *upload) state() UploadState {
	u.all.mu.Lock()
	defer u.all.mu.Unlock()
	return UploadState{Next: u.next, Expires: u.expires.UTC().Truncate(time.Millisecond)}
}

// take takes a part. What of it was sent before is compared, piece by piece as it was sent; the rest goes on.
func (u *upload) take(offset int64, data []byte) error {
	switch {
	case u.named != nil:
		return uploadConflict("all of the upload is there already", "Commit it.")
	case offset < 0:
		return invalid("the offset is negative", "The first part begins at 0.")
	case offset > u.next:
		return uploadConflict("there is a gap before this part", "Send the parts in order, each where the one before ended.")
	case int64(len(data)) > u.begin.Bytes-offset:
		return uploadConflict("there is more than was announced", "Begin the upload again with its size.")
	}
	for offset < u.next && len(data) > 0 {
		n, ok := u.same(offset, data)
		if !ok {
			return uploadConflict("other bytes, or other pieces, were sent there before", "Send a part again as it was, or go on where the last one ended.")
		}
		offset, data = offset+n, data[n:]
	}
	if len(data) == 0 {
		return nil
	}
	if len(u.chunks) == maxChunks {
		return invalid("the upload comes in too many parts", "Send larger parts.")
	}
	if _, err := u.writer.Write(data); err != nil {
		return err
	}
	u.chunks = append(u.chunks, chunk{offset, maphash.Bytes(chunkSeed, data)})
	u.next += int64(len(data))
	return nil
}

// same reports whether data begins with the part that begins at offset, and how long that is.
func (u *upload) same(offset int64, data []byte) (n int64, ok bool) {
	i, ok := slices.BinarySearchFunc(u.chunks, offset, func(c chunk, at int64) int { return int(min(1, max(-1, c.at-at))) })
	if !ok {
		return 0, false
	}
	n = u.next - offset
	if i+1 < len(u.chunks) {
		n = u.chunks[i+1].at - offset
	}
	return n, n <= int64(len(data)) && maphash.Bytes(chunkSeed, data[:n]) == u.chunks[i].sum
}

// bytes gives what was uploaded its name, leased, once it is what was announced.
func (u *upload) bytes(ctx context.Context) (store.Blob, error) {
	if u.named != nil { // by a commit whose append has failed
		return *u.named, u.stillThere(ctx)
	}
	if u.next != u.begin.Bytes {
		return store.Blob{}, uploadConflict("not all of the upload is there", "Begin it again, and commit it after its last part.")
	}
	if blob := u.writer.Blob(); blob.SHA256 != u.begin.SHA256 {
		return store.Blob{}, uploadConflict("its bytes do not have the digest that was announced", "Begin the upload again.")
	}
	blob, err := u.writer.Commit(ctx)
	if err == nil {
		u.named = &blob
	}
	return blob, err
}

// stillThere leases the bytes anew. They may have been removed where the first lease was over.
func (u *upload) stillThere(ctx context.Context) error {
	if err := u.holder.one(ctx, *u.named); err != nil {
		return err
	}
	_, err := u.all.host.blobs.Stat(ctx, u.named.SHA256)
	if readapi.CodeOf(err) == readapi.CodeNotFound {
		return uploadConflict("its bytes were removed before it was committed", "Begin the upload again.")
	}
	return err
}
