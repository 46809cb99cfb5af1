package text

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/transform"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// chunkBytes is how much of the input is read and converted at a time.
const chunkBytes = 64 << 10

// source gives the text of an input as UTF-8, chunk by chunk, without its byte order mark. As long as there is nothing but ASCII the
// charset stays open: the first byte above it decides, with a sample that begins there, however far into the file that is.
type source struct {
	in       readapi.Input
	off, end int64 // of the bytes not converted yet
	head     []byte
	raw, out []byte

	charset  charset.Charset
	decided  bool
	convert  transform.Transformer // nil for UTF-8
	replaced int64
	padding  int64
}

// open looks at the input's beginning and refuses what is no text. trim leaves out NULs at the end.
func open(in readapi.Input, trim bool) (*source, error) {
	s := &source{in: in, end: in.Size()}
	var err error
	if s.head, err = s.read(make([]byte, min(s.end, readapi.TextPrefixBytes)), 0); err != nil {
		return nil, err
	}
	class := readapi.ClassifyText(s.head, s.whole())
	if !class.Text {
		return nil, pdk.Malformed("the bytes are not text")
	}
	if trim {
		if err := s.trim(class.Charset); err != nil {
			return nil, err
		}
	}
	s.charset = charset.Charset{Label: "utf-8", Source: charset.SourceUTF8, Percent: 100}
	s.raw = make([]byte, min(s.end, chunkBytes))
	if class.BOM > 0 || class.Charset != "utf-8" && class.Charset != "" || charset.SevenBit(s.head) != "" {
		err = s.decide(s.head)
	}
	s.off = int64(class.BOM)
	return s, err
}

func (s *source) whole() bool { return int64(len(s.head)) == s.in.Size() }

// read fills p from off, short only at the end of the input.
func (s *source) read(p []byte, off int64) ([]byte, error) {
	n, err := s.in.ReadAt(p, off)
	if err != nil && !(errors.Is(err, io.EOF) && off+int64(n) == s.in.Size()) {
		return nil, err
	}
	return p[:n], nil
}

// trim moves the end in front of trailing NULs: whole units of them in UTF-16 and UTF-32.
func (s *source) trim(charset string) error {
	unit := int64(1)
	switch {
	case strings.HasPrefix(charset, "utf-16"):
		unit = 2
	case strings.HasPrefix(charset, "utf-32"):
		unit = 4
	}
	if s.end%unit != 0 {
		return nil // the file was cut inside a unit, so it does not end in padding
	}
	end := s.end
	buf := make([]byte, min(end, 4<<10))
	for end > 0 {
		b, err := s.read(buf[:min(end, int64(len(buf)))], end-min(end, int64(len(buf))))
		if err != nil {
			return err
		}
		rest := (int64(len(bytes.TrimRight(b, "\x00"))) + unit - 1) / unit * unit
		end -= int64(len(b)) - rest
		if rest > 0 {
			break
		}
	}
	s.padding, s.end = s.end-end, end
	return nil
}

// decide fixes the charset from a sample that begins where the text stops being ASCII.
func (s *source) decide(sample []byte) error {
	s.decided = true
	s.charset = charset.Detect(charset.Sample{Head: s.head, Body: sample, Whole: s.whole()})
	if s.charset.Label == "utf-8" {
		return nil
	}
	if s.convert = charset.Decoder(s.charset.Label, s.end); s.convert == nil {
		return pdk.Unsupported("the charset " + s.charset.Label)
	}
	s.out = make([]byte, min(chunkBytes, 64+4*s.end)) // no charset makes more than four bytes of one
	return nil
}

// next returns the next piece of valid UTF-8, or io.EOF. It is valid until the next call.
func (s *source) next() ([]byte, error) {
	out, _, err := s.looked()
	return out, err
}

// looked is next with what a look at the piece tells.
func (s *source) looked() (out []byte, f facts, err error) {
	for s.off < s.end {
		raw, err := s.read(s.raw[:min(int64(len(s.raw)), s.end-s.off)], s.off)
		if err != nil {
			return nil, facts{}, err
		}
		if len(raw) == 0 {
			return nil, facts{}, io.ErrUnexpectedEOF
		}
		out, f, n, err := s.piece(raw, s.off+int64(len(raw)) == s.end)
		if err != nil {
			return nil, facts{}, err
		}
		s.off += int64(n)
		if len(out) > 0 {
			return out, f, nil
		}
	}
	return nil, facts{}, io.EOF
}

// piece converts the beginning of raw and says how much that was.
func (s *source) piece(raw []byte, last bool) (out []byte, f facts, n int, err error) {
	switch {
	case !s.decided:
		return s.undecided(raw)
	case s.convert == nil:
		return s.utf8(raw, last)
	}
	nOut, n, err := s.convert.Transform(s.out, raw, last)
	switch {
	case err == nil, errors.Is(err, transform.ErrShortDst), errors.Is(err, transform.ErrShortSrc) && !last:
		if nOut == 0 && n == 0 {
			return nil, facts{}, 0, pdk.Malformed("a sequence that does not end")
		}
	default:
		return nil, facts{}, 0, pdk.Malformed("the charset's decoder gives up")
	}
	out = s.out[:nOut]
	f = look(out)
	s.replaced += f.replacements
	return out, f, n, nil
}

// undecided gives the ASCII that raw begins with, or decides by what follows.
func (s *source) undecided(raw []byte) (out []byte, f facts, n int, err error) {
	escaped := raw[0] == escape
	if f = look(raw); !f.ascii || f.odd {
		n = charset.ASCIIPrefix(raw)
		if i := bytes.IndexByte(raw[:n], escape); i >= 0 && charset.ISO2022(raw[i:n]) != "" {
			n = i // what follows is no ASCII, though it looks so
		}
		if n < len(raw) {
			f = look(raw[:n])
		}
		raw = raw[:n]
	}
	if len(raw) > 0 {
		return raw, f, len(raw), nil
	}
	return nil, facts{}, 0, s.decideHere(escaped)
}

// decideHere fixes the charset from a sample of the input where the text stops being ASCII: at the next byte, which may be an escape.
func (s *source) decideHere(escaped bool) error {
	const before = 64 // of ASCII, so that the first word is whole
	from := max(0, s.off-before)
	if escaped {
		from = s.off
	}
	sample, err := s.read(make([]byte, min(charset.SampleBytes, s.end-from)), from)
	if err != nil {
		return err
	}
	return s.decide(sample)
}

// utf8 gives raw itself where it is valid.
func (s *source) utf8(raw []byte, last bool) (out []byte, f facts, n int, err error) {
	body := raw
	if !last {
		body = raw[:len(raw)-charset.CutTail(raw)]
	}
	if f = look(body); f.valid {
		return body, f, len(body), nil
	}
	var replaced int64
	s.out, replaced = charset.Repair(s.out[:0], body)
	s.replaced += replaced
	return s.out, look(s.out), len(body), nil
}
