package host

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"

	"github.com/maypok86/otter/v2"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// cacheKey is the digest of everything that shapes an answer.
type cacheKey [sha256.Size]byte

// answers keeps finished answers. An answer can stay for as long as its key can be asked for: the bytes under a digest do not change, and
// neither does what a decoder of one digest makes of them. A nil *answers keeps nothing.
type answers struct {
	most  int64 // bytes that one answer may have
	key   []byte
	cache *otter.Cache[cacheKey, kept]
}

type kept struct {
	doc   *readapi.Document
	bytes int64
}

// newAnswers returns the cache of at most size bytes, by estimate; nil for a negative size.
func newAnswers(size int64) (*answers, error) {
	if size < 0 {
		return nil, nil
	}
	c, err := otter.New(&otter.Options[cacheKey, kept]{
		MaximumWeight: uint64(size),
		Weigher:       func(_ cacheKey, k kept) uint32 { return uint32(min(k.bytes, math.MaxUint32)) },
		Executor:      func(task func()) { task() }, // the cache never outgrows its size behind a caller's back, and leaves no goroutine
	})
	if err != nil {
		return nil, err
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	return &answers{most: min(size/8, math.MaxUint32), key: key, cache: c}, nil
}

// mask is a digest of a password that means nothing outside this process.
func (a *answers) mask(password string) string {
	if a == nil {
		return ""
	}
	m := hmac.New(sha256.New, a.key)
	_, _ = m.Write([]byte(password)) // never fails
	return hex.EncodeToString(m.Sum(nil))
}

// get returns a copy of the answer under key, or nil.
func (a *answers) get(key cacheKey) *readapi.Document {
	if a == nil {
		return nil
	}
	k, ok := a.cache.GetIfPresent(key)
	if !ok {
		return nil
	}
	return cloneDocument(k.doc)
}

// put keeps a copy of doc, unless one answer would take too much of the cache.
func (a *answers) put(key cacheKey, doc *readapi.Document) {
	if a == nil {
		return
	}
	if n := documentBytes(doc); n <= a.most {
		a.cache.Set(key, kept{cloneDocument(doc), n})
	}
}

// cached returns the answer under key, the caller's, or nil. What the shared cache has, the host keeps for itself too.
func (h *Host) cached(ctx context.Context, key cacheKey, ask asked) *readapi.Document {
	if doc := h.answers.get(key); doc != nil {
		return doc
	}
	if ask.req.Password != "" {
		return nil
	}
	doc := h.shared.get(ctx, key)
	if doc != nil {
		h.answers.put(key, doc)
	}
	return doc
}

// keep keeps a copy of doc. What a password has opened stays in this process, where the password's digest means something.
func (h *Host) keep(ctx context.Context, key cacheKey, ask asked, doc *readapi.Document) {
	h.answers.put(key, doc)
	if h.shared != nil && ask.req.Password == "" {
		h.shared.put(ctx, key, cloneDocument(doc))
	}
}

// keyOf is the key of an answer. The principal is in it because Usage.Cached and the time of an answer would else tell one principal what
// another has read.
//
// What a file inside the file is read by is not known yet: then the whole set of decoders is in it, and what may be read at all. A password
// is in it as what a keyed digest makes of it, which nobody can try passwords against.
func (h *Host) keyOf(row store.Artifact, able []accepted, ask asked, lim readapi.Limits, v *view) cacheKey {
	type one struct {
		MediaType readapi.MediaType
		Decoder   readapi.DecoderInfo
	}
	type inside struct {
		Set                [sha256.Size]byte
		Decoders           []readapi.DecoderInfo
		MaxBytes, MaxImage int64
	}
	k := struct {
		Principal            readapi.PrincipalID
		Blob                 string
		MediaType, Declared  readapi.MediaType
		Mismatch             bool
		Asked                []one
		Request              readapi.Request // with the name
		MaxOutputBytes, Size int64
		From                 [cursorKey]byte // the decoders of the cursor
		Inside               *inside
	}{
		Principal: row.Scope.Principal, Blob: row.Blob, MediaType: row.MediaType, Declared: row.Declared,
		Mismatch: row.Mismatch, Request: ask.req, MaxOutputBytes: lim.MaxOutputBytes, Size: row.Bytes,
	}
	for _, a := range able {
		k.Asked = append(k.Asked, one{a.mediaType, a.decoder})
	}
	if ask.req.Password != "" {
		k.Request.Password = h.answers.mask(ask.req.Password)
	}
	if ask.from != nil {
		k.From = ask.from.decoder
	}
	if len(ask.req.Child) > 0 || ask.req.Form == readapi.FormImage {
		k.Inside = &inside{v.sum, h.decoders.All(), lim.MaxInputBytes, lim.MaxImageInputBytes}
	}
	b, err := json.Marshal(k)
	if err != nil {
		panic("host: a cache key that is not JSON: " + err.Error())
	}
	return sha256.Sum256(b)
}

// documentBytes estimates what doc takes in memory.
func documentBytes(doc *readapi.Document) int64 {
	const fixed, each = 1024, 160
	n := fixed + len(doc.Next) + len(doc.Name)
	for _, p := range doc.Parts {
		n += each + len(p.Text) + len(p.Data)
		if p.Image != nil {
			n += each + len(p.Image.Bytes)
		}
	}
	for _, c := range doc.Children {
		n += each + len(c.Name)
	}
	for _, w := range doc.Warnings {
		n += each + len(w.Detail)
	}
	return int64(n + metaBytes(doc.Meta))
}

func metaBytes(v any) int {
	const each = 64
	n := each
	switch v := v.(type) {
	case string:
		n += len(v)
	case map[string]any:
		for k, e := range v {
			n += len(k) + metaBytes(e)
		}
	case []any:
		for _, e := range v {
			n += metaBytes(e)
		}
	}
	return n
}

// cloneDocument returns a document that shares nothing with doc that could be changed.
func cloneDocument(doc *readapi.Document) *readapi.Document {
	c := *doc
	c.Meta, _ = cloneMeta(doc.Meta).(map[string]any)
	c.Parts = slices.Clone(doc.Parts)
	for i := range c.Parts {
		p := &c.Parts[i]
		p.Data = bytes.Clone(p.Data)
		if p.Image != nil {
			img := *p.Image
			img.Bytes = bytes.Clone(img.Bytes)
			p.Image = &img
		}
	}
	c.Children, c.Warnings = slices.Clone(doc.Children), slices.Clone(doc.Warnings)
	return &c
}

// cloneMeta copies what escapeMeta lets through: strings, numbers, booleans, and maps and lists of them.
func cloneMeta(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cloneMeta(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cloneMeta(e)
		}
		return out
	}
	return v
}
