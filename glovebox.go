package glovebox

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Engine says how decoders run.
type Engine string

// The engines. Both give the same answers for the same fuel; the interpreter runs where no compiler does, about a hundred times slower.
const (
	EngineCompiler    Engine = "compiler"
	EngineInterpreter Engine = "interpreter"
)

// Isolation says where decoders run.
type Isolation string

// The isolations. A process of its own adds rlimits, seccomp and Landlock around the sandbox, where the system has them, and about two
// milliseconds to a read; it needs Options.Helper.
const (
	IsolationInProcess Isolation = "in-process"
	IsolationProcess   Isolation = "process"
)

// Options of a Reader or a Host; nil means all defaults.
type Options struct {
	Limits   readapi.Limits // of every read; see readapi.DefaultLimits
	Engine   Engine         // default: compiler where the machine has one, else interpreter
	CacheDir string         // compiled decoders; default DefaultCacheDir, "-": no cache
	Logger   *slog.Logger   // what decoders log, escaped; nil: nowhere

	// OneShot is for a process that reads once: only the decoder that is needed is loaded, and no snapshot is taken.
	OneShot bool

	// OnCompile is called before a decoder is compiled that the cache does not have, and the function that it returns when that is done.
	OnCompile func(decoder string) (done func())

	MaxTotalMemoryBytes int64 // all guests together; see plugins.Options
	MaxInstances        int   // of one decoder at once; see plugins.Options

	// Decoders are asked behind the built-in ones, which read all texts, unless Order says otherwise: what plugins.FromModule made, usually.
	Decoders []plugins.Decoder

	// Order names decoders that are asked first. A Host keeps that in its store, for all that use it, until it is told another order.
	Order []string

	// Isolation says where decoders run; default: in this process.
	Isolation Isolation

	// Helper is the command line of a program that serves as helper, as the program glovebox does for "glovebox helper". Foreign decoders are
	// compiled by it, and IsolationProcess runs decoders in it. The embedder's own program is one if it calls helper.Main.
	Helper []string

	MaxQueue         int // reads that wait for their turn; see plugins.Options
	MaxQueuePerParty int // the same of one session; see plugins.Options
	RestAfter        int // failures of a decoder's own after which it rests; see plugins.Options
	CrossCheck       int // every so manieth read is compared with the other engine; see plugins.Options

	IdleTimeout   time.Duration         // of decoders' instances that no read uses; see plugins.Options
	CompileLimits sandbox.CompileLimits // of the helper that compiles a foreign decoder
	InitLimits    sandbox.Limits        // of what runs before a decoder's first read; see sandbox.Options

	// Report hears of decoders and files that are taken out of service; see plugins.Options.
	Report func(plugins.Incident)

	// Profile is for whom the pictures of a read are made that names nobody. Profiles are the embedder's own, on top of the built-in ones: one of
	// a name that is there changes what it says, one of a new name begins as a copy of ProfileSafe.
	Profile  Profile
	Profiles []readapi.Profile

	// The rest is for a Host only.

	Principal          readapi.PrincipalID // whose sessions these are; default readapi.LocalPrincipal
	MaxAttachmentBytes int64               // of one file; default 50 MiB
	MaxAttachments     int                 // of one message; default readapi.MaxAttachments
	CacheBytes         int64               // of decoded answers that are kept, in memory; default 64 MiB, -1: none are
	Quota              store.Quota         // of what is kept; default none
	MaxUploads         int                 // that a principal may have under way; default 16
	MaxUploadBytes     int64               // of those; default 128 MiB, or one file of MaxAttachmentBytes where that is more
	UploadTTL          time.Duration       // how long an upload waits for its next part; default 5 minutes
	URIPrefix          string              // of addresses; default readapi.URIPrefix

	// Index and Blobs are where rows and files are kept, each instead of the data directory: PostgreSQL and a bucket, say, which many hosts use.
	// They stay the caller's to close, after the host.
	Index store.IndexDriver
	Blobs store.BlobDriver

	// Cache keeps decoded answers for other hosts, and over restarts; nil: the folder answers of the data directory does, where there is one and
	// CacheBytes is not -1; it may be removed at any time. Cache stays the caller's to close, after the host. What a password opened is not kept.
	Cache            store.CacheDriver
	SharedCacheBytes int64 // of all answers in Cache; default 256 MiB, -1: no cache but the one in memory

	// Alone is for a process that soon ends, a command: it is none of the hosts of the store on which the others count. HostTTL is how long they
	// count on one that they do not hear from; default 30 s.
	Alone   bool
	HostTTL time.Duration

	// Audit hears of every access and refusal with its real cause, one at a time, in order, behind the call; Close waits for it. It must
	// not call the host. nil: nobody is told.
	Audit func(host.AuditEvent)
}

// DefaultCacheDir is where compiled decoders are kept unless Options say otherwise: a folder of the user's cache directory, or "" where
// there is none (decoders are then compiled by each process).
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "glovebox", "compiled")
}

// Reader reads files through the sealed decoders. It is safe for concurrent use; Close it when done.
type Reader struct {
	registry *plugins.Registry
	host     *host.Reader
	profiles *profile.Set
	closed   atomic.Bool
}

// NewReader returns a Reader with the built-in decoders. Nothing is compiled before it is needed. A negative limit, an unknown engine, or a
// profile that cannot be or is not there, is invalid_request.
func NewReader(opts *Options) (*Reader, error) {
	if opts == nil {
		opts = &Options{}
	}
	engine, err := engineOf(opts.Engine)
	if err != nil {
		return nil, err
	}
	lim, err := opts.Limits.WithDefaults()
	if err != nil {
		return nil, readapi.AsError("glovebox.NewReader", err)
	}
	known, err := profile.NewSet(opts.Profiles)
	if err != nil {
		return nil, readapi.AsError("glovebox.NewReader", err)
	}
	cache := opts.CacheDir
	switch cache {
	case "":
		cache = DefaultCacheDir()
	case "-":
		cache = ""
	}
	isolation, err := isolationOf(opts.Isolation)
	if err != nil {
		return nil, err
	}
	reg, err := plugins.New(&plugins.Options{
		Engine: engine, CacheDir: cache, MaxTotalMemoryBytes: opts.MaxTotalMemoryBytes, MaxInstances: opts.MaxInstances,
		OneShot: opts.OneShot, Logger: opts.Logger, OnCompile: opts.OnCompile,
		Isolation: isolation, Helper: opts.Helper, MaxQueue: opts.MaxQueue, MaxQueuePerParty: opts.MaxQueuePerParty,
		RestAfter: opts.RestAfter, CrossCheck: opts.CrossCheck, Report: opts.Report,
		IdleTimeout: opts.IdleTimeout, CompileLimits: opts.CompileLimits, InitLimits: opts.InitLimits,
	})
	if err != nil {
		return nil, readapi.AsError("glovebox.NewReader", err)
	}
	for _, d := range slices.Concat(plugins.Builtin(), opts.Decoders) {
		if err := reg.Add(d); err != nil {
			_ = reg.Close(context.Background()) // nothing runs in it yet
			return nil, readapi.AsError("glovebox.NewReader", err)
		}
	}
	if err := reg.Order(opts.Order...); err != nil {
		_ = reg.Close(context.Background())
		return nil, readapi.AsError("glovebox.NewReader", err)
	}
	h, err := host.NewReader(reg, &host.ReaderOptions{Limits: lim, Profiles: opts.Profiles, Profile: string(opts.Profile)})
	if err != nil {
		_ = reg.Close(context.Background())
		return nil, readapi.AsError("glovebox.NewReader", err)
	}
	return &Reader{registry: reg, host: h, profiles: known}, nil
}

func engineOf(e Engine) (sandbox.Engine, error) {
	switch {
	case e == EngineInterpreter || e == "" && !sandbox.CompilerSupported():
		return sandbox.Interpreter, nil
	case e == "" || e == EngineCompiler && sandbox.CompilerSupported():
		return sandbox.Compiler, nil
	case e == EngineCompiler:
		return 0, &readapi.Error{Op: "glovebox.NewReader", Code: readapi.CodeCapabilityUnavailable, Detail: "this machine has no compiler engine", Hint: "Use the interpreter engine."}
	}
	return 0, &readapi.Error{Op: "glovebox.NewReader", Code: readapi.CodeInvalidRequest, Detail: "there is no such engine", Hint: "Engines are compiler and interpreter."}
}

func isolationOf(i Isolation) (plugins.Isolation, error) {
	switch i {
	case "", IsolationInProcess:
		return plugins.InProcess, nil
	case IsolationProcess:
		return plugins.Process, nil
	}
	return 0, &readapi.Error{Op: "glovebox.NewReader", Code: readapi.CodeInvalidRequest, Detail: "there is no such isolation", Hint: "It is in-process or process."}
}

// Close waits for the reads that run and frees the decoders. It is idempotent.
func (r *Reader) Close() error {
	r.closed.Store(true)
	return r.registry.Close(context.Background())
}

// ReadOptions say what to read of a file, and how; nil means the whole file in its best form, within the default budgets.
type ReadOptions struct {
	Units     string            // "1-3,7": pages, lines, frames, as the decoder counts; "": all
	Child     string            // "2" or "2/1": the file inside the file, by its number, at most four deep; "": the file itself
	Password  string            // opens an encrypted file, and those inside it; a cursor does not carry it
	Cursor    string            // continue a former answer
	Form      readapi.Form      // "": auto
	MaxTokens int64             // budget in estimated tokens; 0: the default of 20,000, -1: none
	MaxBytes  int64             // budget in bytes; 0: the default
	Unescaped bool              // show control, bidi and tag characters raw, and text that a reader would not see
	Words     bool              // the answer is read as words: tables whose cells stand in the text are left out of the parts, which leaves room for more text
	MediaType readapi.MediaType // what the sender called it; a hint; for ReadFile only
	Limits    *readapi.Limits   // instead of the Reader's or Host's; nil: those. By address the Host's limits of input hold: an offer counts on them

	Profile  Profile // for whom pictures are made; "": the default of the Reader or Host
	Original bool    // a picture that fits the profile, and holds nothing but pixels, is given as the bytes that it is

	// All makes Parts go on behind the first answer, reading cursor by cursor, to the end of what was selected.
	All bool
}

// ReadFile decodes the part of a file that opts selects. in must have size bytes and stay readable, and the same, until the Document is
// done with; name is the file's name as a user knows it, a hint.
//
// Errors: invalid_request, stale_cursor, too_large, unsupported_kind, malformed_input and the other codes of readapi. When ctx ends, the
// decoder is stopped and the code is canceled or limit_time; a ReadAt of in that is under way then ends in its own time. A Reader that was
// closed is canceled.
func (r *Reader) ReadFile(ctx context.Context, in io.ReaderAt, size int64, name string, opts *ReadOptions) (*Document, error) {
	if opts == nil {
		opts = &ReadOptions{}
	}
	if in == nil || size < 0 { // a SectionReader would take a negative size for a very large one
		return nil, &readapi.Error{
			Op: "glovebox.ReadFile", Code: readapi.CodeInvalidRequest, Detail: "there is no file, or its size is negative", Hint: "Give the file and say how many bytes it has.",
		}
	}
	f := host.File{Input: io.NewSectionReader(in, 0, size), Name: name, Declared: opts.MediaType, Limits: opts.Limits}
	return opts.document(func(sel readapi.Selection) (*readapi.Document, error) {
		doc, err := r.read(ctx, f, sel)
		if err == nil {
			f.SHA256 = doc.SHA256 // the answers behind this one need not compute it again
		}
		return doc, err
	})
}

// document reads what o selects with read, which is called again for each answer behind the first.
func (o *ReadOptions) document(read func(readapi.Selection) (*readapi.Document, error)) (*Document, error) {
	sel := readapi.Selection{Cursor: o.Cursor, Form: o.Form, MaxTokens: o.MaxTokens, MaxBytes: o.MaxBytes, Unescaped: o.Unescaped, Password: o.Password}
	sel.Profile, sel.Original, sel.Words = string(o.Profile), o.Original, o.Words
	var err error
	if o.Units != "" {
		if sel.Units, err = readapi.ParseUnits(o.Units); err != nil {
			return nil, err
		}
	}
	if o.Child != "" {
		if sel.Child, err = readapi.ParseChild(o.Child); err != nil {
			return nil, err
		}
	}
	doc, err := read(sel)
	if err != nil {
		return nil, err
	}
	out := &Document{Document: *doc}
	if o.All {
		out.more = func(cursor string) (*readapi.Document, error) {
			next := sel
			next.Cursor, next.Form, next.Units, next.Child = cursor, "", nil, nil // which the cursor carries
			return read(next)
		}
	}
	return out, nil
}

// read is the host's, told that nobody accepts a file any more because the decoders are closed.
func (r *Reader) read(ctx context.Context, f host.File, sel readapi.Selection) (*readapi.Document, error) {
	doc, err := r.host.Read(ctx, f, sel)
	if r.closed.Load() && readapi.CodeOf(err) == readapi.CodeUnsupportedKind {
		return nil, &readapi.Error{Op: "glovebox.ReadFile", Code: readapi.CodeCanceled, Detail: "the reader is closed", Final: true}
	}
	return doc, err
}

// Document is an answer to a read. Its JSON is that of readapi.Document.
type Document struct {
	readapi.Document
	more func(cursor string) (*readapi.Document, error)
}

// Parts yields the parts in order. With ReadOptions.All it goes on behind the first answer; a failure there is yielded once, with a zero
// part, and ends it. Without All there is no error.
func (d *Document) Parts() iter.Seq2[readapi.Part, error] {
	return func(yield func(readapi.Part, error) bool) {
		for doc, err := range d.Answers() {
			if err != nil {
				yield(readapi.Part{}, err)
				return
			}
			for _, p := range doc.Parts {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// Answers yields this answer and, with ReadOptions.All, the ones behind it, each with its own warnings, cover and usage.
func (d *Document) Answers() iter.Seq2[*readapi.Document, error] {
	return func(yield func(*readapi.Document, error) bool) {
		doc := &d.Document
		for yield(doc, nil) && d.more != nil && doc.Next != "" {
			next, err := d.more(doc.Next)
			if err != nil {
				yield(nil, err)
				return
			}
			doc = next
		}
	}
}

// Decoders says which decoders the Reader has, in the order in which they are asked.
func (r *Reader) Decoders() []DecoderStatus {
	var out []DecoderStatus
	for _, s := range r.registry.List() {
		out = append(out, DecoderStatus{
			DecoderInfo: s.Info(), MediaTypes: s.MediaTypes, Unit: s.Unit, Forms: s.Forms, Bytes: s.Bytes, Enabled: s.Enabled, Compiled: s.Cached, State: s.State,
		})
	}
	return out
}

// DecoderStatus describes a decoder.
type DecoderStatus struct {
	readapi.DecoderInfo
	MediaTypes []readapi.MediaType `json:"media_types"`
	Unit       readapi.Unit        `json:"unit"`
	Forms      []readapi.Form      `json:"forms"` // besides auto
	Bytes      int64               `json:"bytes"` // size of the module
	Enabled    bool                `json:"enabled"`
	Compiled   bool                `json:"compiled"`        // in the cache: its first read starts at once
	State      plugins.State       `json:"state,omitempty"` // whether it is in service in this process; "": not loaded
}

// EnableDecoder switches a decoder of this Reader on or off. Switching one on also ends its quarantine, and that of the files that failed with
// it. A name that no decoder has is not_found.
func (r *Reader) EnableDecoder(name string, on bool) error { return r.registry.Enable(name, on) }

// Warm compiles every decoder into the cache, so that later processes start at once.
func (r *Reader) Warm(ctx context.Context) error { return r.registry.Warm(ctx) }

// ReadFile is Reader.ReadFile on a Reader with all defaults that the process shares; it is made at the first call and lives as long as
// the process.
func ReadFile(ctx context.Context, in io.ReaderAt, size int64, name string, opts *ReadOptions) (*Document, error) {
	r, err := shared()
	if err != nil {
		return nil, err
	}
	return r.ReadFile(ctx, in, size, name, opts)
}

var shared = sync.OnceValues(func() (*Reader, error) { return NewReader(nil) })
