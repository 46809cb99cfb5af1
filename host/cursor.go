package host

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// cursorVersion is the first byte of a cursor. A cursor outlives a process: an old version is stale_cursor, never misread.
const cursorVersion = 1

// cursorKey is how many bytes of each digest a cursor carries: enough that two files in one conversation never share them.
const cursorKey = 8

// cursor is where an answer continues, bound to the bytes and to the decoder that gave the answer before; inside a file to the bytes of
// that, and to the decoders of both. It is no credential: whoever
// may read the file may read all of it.
type cursor struct {
	blob, decoder [cursorKey]byte
	form          readapi.Form
	next          readapi.Position
	units         []readapi.Range
	child         []int
}

func digestKey(hexDigest string) (k [cursorKey]byte) {
	b, err := hex.DecodeString(hexDigest)
	if err == nil {
		copy(k[:], b)
	}
	return k
}

// decoderKey names a decoder, and those that read the files around the file that it reads.
func decoderKey(around []readapi.DecoderInfo, d readapi.DecoderInfo) [cursorKey]byte {
	if len(around) == 0 {
		return digestKey(d.Digest)
	}
	h := sha256.New()
	for _, a := range around {
		_, _ = io.WriteString(h, a.Digest+"/") // never fails
	}
	_, _ = io.WriteString(h, d.Digest)
	return [cursorKey]byte(h.Sum(nil))
}

// narrow leaves the one of able that the cursor is for.
func (c *cursor) narrow(able []accepted, around []readapi.DecoderInfo) ([]accepted, error) {
	for _, a := range able {
		if decoderKey(around, a.decoder) == c.decoder {
			return []accepted{a}, nil
		}
	}
	return nil, c.stale("the decoder is not the one that the cursor is for")
}

// String encodes c: base64url of version, digests, form, position, units, child and a checksum that tells a mistyped cursor from an
// old one.
func (c cursor) String() string {
	b := []byte{cursorVersion}
	b = append(b, c.blob[:]...)
	b = append(b, c.decoder[:]...)
	b = append(b, byte(len(c.form)))
	b = append(b, c.form...)
	b = binary.AppendUvarint(b, uint64(c.next.At))
	b = binary.AppendUvarint(b, uint64(c.next.Part))
	b = binary.AppendUvarint(b, uint64(c.next.Offset))
	b = binary.AppendUvarint(b, uint64(len(c.units)))
	for _, r := range c.units {
		b = binary.AppendUvarint(b, uint64(r.From))
		b = binary.AppendUvarint(b, uint64(r.To))
	}
	b = binary.AppendUvarint(b, uint64(len(c.child)))
	for _, n := range c.child {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// maxCursor bounds the text of a cursor.
const maxCursor = 16 << 10

// parseCursor is the inverse of String. What is no cursor is invalid_request.
func parseCursor(s string) (c cursor, err error) {
	bad := &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "this is not a cursor", Hint: "Pass the next value of a former answer as it is, or leave the cursor out to start again."}
	if len(s) > maxCursor {
		return c, bad
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 1+2*cursorKey+1+4 {
		return c, bad
	}
	body, sum := b[:len(b)-4], b[len(b)-4:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return c, bad
	}
	if body[0] != cursorVersion {
		return c, &readapi.Error{Code: readapi.CodeStaleCursor, Detail: "it was made by another version", Hint: "Leave the cursor out to start again."}
	}
	r := cursorReader{b: body[1:]}
	copy(c.blob[:], r.take(cursorKey))
	copy(c.decoder[:], r.take(cursorKey))
	c.form = readapi.Form(r.take(int(r.uint(255))))
	c.next = readapi.Position{At: r.number(), Part: r.number(), Offset: r.number()}
	for range r.uint(maxCursor) {
		c.units = append(c.units, readapi.Range{From: r.number(), To: r.number()})
	}
	for range r.uint(maxCursor) {
		c.child = append(c.child, int(r.uint(1<<31-1)))
	}
	if r.bad || len(r.b) > 0 || !c.form.Valid() || c.next.At < 1 || readapi.CheckChild(c.child) != nil {
		return c, bad
	}
	return c, nil
}

// cursorReader reads a cursor's fields; after a field that does not fit everything is zero and bad is set.
type cursorReader struct {
	b   []byte
	bad bool
}

func (r *cursorReader) take(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *cursorReader) uint(most uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > most {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *cursorReader) number() int64 { return int64(r.uint(1<<63 - 1)) }

// stale is the error for a cursor whose decoder has changed: it says at which unit to start again.
func (c cursor) stale(detail string) error {
	at := strconv.FormatInt(c.next.At, 10)
	return &readapi.Error{
		Code: readapi.CodeStaleCursor, Detail: detail, Hint: "Start again at unit " + at + ", without the cursor.",
		Limit: &readapi.LimitHit{Name: "unit", Value: c.next.At},
	}
}

// foreign is the error for a cursor of other bytes: another file, whose units are others, or a changed one, where the unit may still help.
func (c cursor) foreign() error {
	return &readapi.Error{
		Code: readapi.CodeStaleCursor, Detail: "the file is not the one that the cursor is for", Hint: "Start again without the cursor.",
		Limit: &readapi.LimitHit{Name: "unit", Value: c.next.At},
	}
}
