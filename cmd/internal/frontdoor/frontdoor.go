// Package glovebox stands where the root package will be until that has its reader; it reads UTF-8 text only and has no wall. It goes
// away with the first merge that brings the real one.
package glovebox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// ReadOptions is what a caller asks for.
type ReadOptions struct {
	Units, Cursor string
	Form          readapi.Form
	MaxTokens     int64
	MaxBytes      int64
	Unescaped     bool
	Limits        *readapi.Limits
	MediaType     readapi.MediaType
	All           bool
}

// Document is one answer.
type Document struct{ readapi.Document }

// Parts walks the parts.
func (d *Document) Parts() iter.Seq2[readapi.Part, error] {
	return func(yield func(readapi.Part, error) bool) {
		for _, p := range d.Document.Parts {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// Answers walks the answers.
func (d *Document) Answers() iter.Seq2[*readapi.Document, error] {
	return func(yield func(*readapi.Document, error) bool) { yield(&d.Document, nil) }
}

// Engine is how decoders run.
type Engine string

// DefaultCacheDir is the cache.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "glovebox", "compiled")
}

// Options configures a Reader.
type Options struct {
	CacheDir  string
	OneShot   bool
	Engine    Engine
	Limits    readapi.Limits
	Logger    *slog.Logger
	OnCompile func(decoder string) (done func())
}

// DecoderStatus describes a decoder.
type DecoderStatus struct {
	readapi.DecoderInfo
	MediaTypes []readapi.MediaType `json:"media_types"`
	Unit       readapi.Unit        `json:"unit"`
	Forms      []readapi.Form      `json:"forms"`
	Bytes      int64               `json:"bytes"`
	Enabled    bool                `json:"enabled"`
	Compiled   bool                `json:"compiled"`
}

// Reader reads files.
type Reader struct{ opts Options }

// NewReader returns a Reader.
func NewReader(o *Options) (*Reader, error) {
	return &Reader{opts: *o}, nil
}

// Close ends the reader.
func (r *Reader) Close() error { return nil }

// Decoders lists the decoders.
func (r *Reader) Decoders() []DecoderStatus {
	return []DecoderStatus{{
		DecoderInfo: readapi.DecoderInfo{Name: "text", Version: "0.0.1", Digest: strings.Repeat("0", 64)},
		MediaTypes:  []readapi.MediaType{"text/plain"}, Unit: readapi.UnitLine, Forms: []readapi.Form{readapi.FormText, readapi.FormSource}, Enabled: true,
	}}
}

// Warm compiles.
func (r *Reader) Warm(context.Context) error {
	return nil
}

// ReadFile reads UTF-8 text.
func (r *Reader) ReadFile(_ context.Context, in io.ReaderAt, size int64, name string, o *ReadOptions) (*Document, error) {
	l, err := r.opts.Limits.WithDefaults()
	if err != nil {
		return nil, err
	}
	if size > l.MaxInputBytes {
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_input_bytes", Value: l.MaxInputBytes, Actual: size}}
	}
	b := make([]byte, size)
	if _, err := in.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if !utf8.Valid(b) || size == 0 {
		return nil, &readapi.Error{Op: "host.Read", Code: readapi.CodeMalformed}
	}
	sum := sha256.Sum256(b)
	text, _ := readapi.Escape(string(b))
	d := &Document{readapi.Document{
		Name: name, MediaType: "text/plain", Kind: readapi.KindOf("text/plain", name), Bytes: size, SHA256: hex.EncodeToString(sum[:]), Unit: readapi.UnitLine,
		Parts: []readapi.Part{{Type: readapi.PartText, Unit: readapi.UnitLine, At: 1, Text: text}},
	}}
	d.Total = int64(strings.Count(text, "\n"))
	d.Covers = readapi.Range{From: 1, To: d.Total}
	return d, nil
}
