package host

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// An answer in a shared cache: magic, and sealed by AES-GCM the length of a header, the header, and behind it the bytes of the parts, as they
// are. The header is the document in JSON, with lengths where the parts have bytes. It reads back exactly, which the document's public JSON does
// not: that writes structured data anew.
//
// The key of the seal comes from what names the answer in this process, among it the file's digest, and the cache knows only a digest of that.
// So what is not whole does not open, nor what lies under another answer's name; and once the rows of a file are purged, nobody who does not have
// the file can open what the cache has left of it.

// sealedMagic changes with this form, and when the host makes other answers of what decoders say.
const sealedMagic = "gba1"

type bareDocument readapi.Document // without its methods

type sealedDocument struct {
	bareDocument
	Next  string       `json:"next"`
	Parts []sealedPart `json:"parts"`
}

type sealedPart struct {
	Type       readapi.PartType
	Unit       readapi.Unit
	At, Offset int64
	Text       int64 // bytes
	Data       int64 // bytes; -1: none
	Image      *sealedImage
	EstTokens  int64
	Truncated  bool
}

type sealedImage struct {
	MediaType     readapi.MediaType
	Width, Height int
	Bytes         int64 // -1: none
	File          string
}

// sealer is the cipher of a key, with a random nonce in front of what it seals.
func sealer(secret [sha256.Size]byte) cipher.AEAD {
	block, err := aes.NewCipher(secret[:])
	if err == nil {
		var g cipher.AEAD
		if g, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return g
		}
	}
	panic("host: no cipher: " + err.Error()) // of a key of 32 bytes there is one
}

// seal writes doc for a cache; nil when it would not read back as it is.
func seal(secret [sha256.Size]byte, doc *readapi.Document) []byte {
	if !plainMeta(doc.Meta) {
		return nil
	}
	d := sealedDocument{bareDocument: bareDocument(*doc), Next: doc.Next}
	var body []byte
	size := func(b []byte) int64 {
		if b == nil {
			return -1
		}
		body = append(body, b...)
		return int64(len(b))
	}
	if doc.Parts != nil {
		d.Parts = make([]sealedPart, 0, len(doc.Parts))
	}
	for _, p := range doc.Parts {
		s := sealedPart{Type: p.Type, Unit: p.Unit, At: p.At, Offset: p.Offset, EstTokens: p.EstTokens, Truncated: p.Truncated}
		s.Text, s.Data = size([]byte(p.Text)), size(p.Data)
		if i := p.Image; i != nil {
			s.Image = &sealedImage{i.MediaType, i.Width, i.Height, size(i.Bytes), i.File}
		}
		d.Parts = append(d.Parts, s)
	}
	header, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	plain := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(header)+len(body)), uint64(len(header)))
	plain = append(append(plain, header...), body...)
	return sealer(secret).Seal([]byte(sealedMagic), nil, plain, nil)
}

// unseal is the inverse; nil for what is not whole, or was sealed under another key.
func unseal(secret [sha256.Size]byte, b []byte) *readapi.Document {
	b, ok := bytes.CutPrefix(b, []byte(sealedMagic))
	if !ok {
		return nil
	}
	b, err := sealer(secret).Open(nil, nil, b, nil)
	if err != nil {
		return nil
	}
	n, width := binary.Uvarint(b)
	if width <= 0 || n > uint64(len(b)-width) {
		return nil
	}
	var d sealedDocument
	if err := json.Unmarshal(b[width:width+int(n)], &d); err != nil {
		return nil
	}
	body := b[width+int(n):]
	take := func(n int64) []byte {
		if n < 0 {
			return nil
		}
		if n > int64(len(body)) {
			ok = false
			return nil
		}
		out := body[:n:n]
		body = body[n:]
		return out
	}
	doc := readapi.Document(d.bareDocument)
	doc.Next, doc.Parts = d.Next, nil
	if d.Parts != nil {
		doc.Parts = make([]readapi.Part, 0, len(d.Parts))
	}
	for _, s := range d.Parts {
		p := readapi.Part{Type: s.Type, Unit: s.Unit, At: s.At, Offset: s.Offset, EstTokens: s.EstTokens, Truncated: s.Truncated}
		p.Text, p.Data = string(take(s.Text)), take(s.Data)
		if i := s.Image; i != nil {
			p.Image = &readapi.Image{MediaType: i.MediaType, Width: i.Width, Height: i.Height, Bytes: take(i.Bytes), File: i.File}
		}
		doc.Parts = append(doc.Parts, p)
	}
	if !ok || len(body) > 0 {
		return nil
	}
	return &doc
}

// plainMeta reports whether v is of the kinds of values that JSON reads as.
func plainMeta(v any) bool {
	switch v := v.(type) {
	case nil, string, bool, float64:
		return true
	case map[string]any:
		for _, e := range v {
			if !plainMeta(e) {
				return false
			}
		}
		return true
	case []any:
		for _, e := range v {
			if !plainMeta(e) {
				return false
			}
		}
		return true
	}
	return false
}
