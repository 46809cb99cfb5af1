//go:build !wasip1

package abi

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxNameBytes bounds names and media types in a frame.
const maxNameBytes = 4096

// Frame is a decoded frame: Value is the header as the kind's type (*Description, map[string]any, *Part, *readapi.Warning, *Failure,
// *readapi.Child, *File, *End), or nil when the kind is one that this version does not know. Body points into the payload.
type Frame struct {
	Kind  Kind
	Value any
	Body  []byte
}

// ParseFrame decodes the payload of a frame and checks it: header length, JSON, UTF-8 in text bodies, numbers in range. It never panics
// and never allocates more than a small multiple of the payload. The error is for the host's log; the read is bad_output.
func ParseFrame(kind Kind, payload []byte) (Frame, error) {
	f := Frame{Kind: kind}
	if kind < KindDescribe || kind > KindFile {
		return f, nil
	}
	if len(payload) < 4 {
		return f, fmt.Errorf("abi: a frame of kind %d has %d bytes", kind, len(payload))
	}
	n := binary.LittleEndian.Uint32(payload)
	if n > MaxHeaderBytes || uint64(n) > uint64(len(payload)-4) {
		return f, errHeader
	}
	header := payload[4 : 4+n]
	f.Body = payload[4+n:]
	f.Value = newHeader(kind)
	target := f.Value
	if kind == KindMeta {
		target = new(map[string]any)
	}
	if err := json.Unmarshal(header, target); err != nil {
		return f, fmt.Errorf("abi: header of kind %d: %w", kind, err)
	}
	if m, ok := target.(*map[string]any); ok {
		f.Value = *m
	}
	return f, f.check()
}

func newHeader(kind Kind) any {
	switch kind {
	case KindDescribe:
		return new(Description)
	case KindText, KindImage, KindData:
		return new(Part)
	case KindWarning:
		return new(readapi.Warning)
	case KindError:
		return new(Failure)
	case KindChild:
		return new(readapi.Child)
	case KindEnd:
		return new(End)
	case KindFile:
		return new(File)
	}
	return nil
}

func (f *Frame) check() error {
	switch v := f.Value.(type) {
	case *Description:
		return v.check(len(f.Body))
	case *Part:
		return f.checkPart(v)
	case *readapi.Warning:
		if v.Code == "" || len(v.Code) > 64 || v.At < 0 {
			return errors.New("abi: warning without a code or with a negative unit")
		}
	case *Failure:
		if !Reportable(v.Code) {
			return fmt.Errorf("abi: a guest may not report the code %.40q", v.Code)
		}
		if v.Limit != nil && !word(v.Limit.Name, "_") {
			return errors.New("abi: the name of a limit is none")
		}
	case *readapi.Child:
		return checkChild(v)
	case *File:
		if v.At < 0 {
			return errors.New("abi: file out of range")
		}
		return checkChild(&v.Child)
	case *End:
		if v.Total < 0 || v.Next != nil && (v.Next.At < 1 || v.Next.Part < 0 || v.Next.Offset < 0) {
			return errors.New("abi: end out of range")
		}
	}
	return nil
}

func checkChild(c *readapi.Child) error {
	if c.N < 1 || c.Bytes < 0 || len(c.Name) > maxNameBytes || len(c.MediaType) > maxNameBytes {
		return errors.New("abi: child out of range")
	}
	return nil
}

func (f *Frame) checkPart(p *Part) error {
	if p.At < 1 || p.To != 0 && p.To < p.At || p.Offset < 0 || p.Width < 0 || p.Height < 0 {
		return errors.New("abi: part out of range")
	}
	switch f.Kind {
	case KindText:
		if !utf8.Valid(f.Body) {
			return errors.New("abi: text part is not UTF-8")
		}
	case KindImage:
		if p.MediaType != "image/png" && p.MediaType != "image/jpeg" {
			return errors.New("abi: image part is neither PNG nor JPEG")
		}
	case KindData:
		if !json.Valid(f.Body) {
			return errors.New("abi: data part is not JSON")
		}
	}
	return nil
}

func (d *Description) check(body int) error {
	if d.ABI != Version {
		return fmt.Errorf("abi: version %d, want %d", d.ABI, Version)
	}
	if d.Name == "" || len(d.Name) > 64 || len(d.Version) > 64 || len(d.MediaTypes) == 0 || len(d.MediaTypes) > 256 || d.Unit == "" || len(d.Unit) > 64 {
		return errors.New("abi: description lacks a name, a media type or a unit")
	}
	if !word(d.Name, "._-") || !word(string(d.Unit), "_-") || !plain(d.Version) {
		return errors.New("abi: a name, version or unit is more than a word") // they are shown as the host's own words
	}
	if len(d.Names) > 256 {
		return errors.New("abi: description names too many media types")
	}
	for _, list := range [][]readapi.MediaType{d.MediaTypes, d.Names} {
		for _, m := range list {
			if c, ok := readapi.ParseMediaType(string(m)); !ok || c != m || strings.Contains(string(m), "*") {
				return fmt.Errorf("abi: media type %.80q is not canonical", m)
			}
		}
	}
	for _, form := range d.Forms {
		if !form.Valid() {
			return fmt.Errorf("abi: form %.40q is not known", form)
		}
	}
	for _, s := range d.Samples {
		if s.Bytes < 0 || s.Bytes > body {
			return errors.New("abi: samples do not fit the describe frame")
		}
		body -= s.Bytes
	}
	return nil
}

// word reports whether s is a short lower-case word, with digits and the characters in also behind its first letter.
func word(s, also string) bool {
	const most = 64
	for i, r := range s {
		letter, digit := 'a' <= r && r <= 'z', '0' <= r && r <= '9'
		if !letter && (i == 0 || !digit && !strings.ContainsRune(also, r)) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// plain reports whether s is a version: letters, digits and what stands between them.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".+-_", r))
	})
}

// SplitSamples returns the samples' bytes from a describe frame's body, in order; they point into body.
func (d *Description) SplitSamples(body []byte) [][]byte {
	out := make([][]byte, 0, len(d.Samples))
	for _, s := range d.Samples {
		out = append(out, body[:s.Bytes])
		body = body[s.Bytes:]
	}
	return out
}
