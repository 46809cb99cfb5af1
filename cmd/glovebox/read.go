package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// readFlags are the flags of read.
type readFlags struct {
	session                     sessionFlag
	units, pages, lines, frames string
	cursor                      string
	all                         bool
	child, password             string
	form                        string
	unescaped                   bool
	out                         string
	jobs                        int
	original                    bool
	profile                     profileFlags
	limits                      limitFlags
}

func (r *readFlags) register(f *pflag.FlagSet) {
	f.SortFlags = false
	r.session.register(f, "the session `S` that reads by address")
	f.StringVar(&r.units, "units", "", "`UNITS` to read, by whatever the file counts by: \"3\", \"1-3,7\", \"10-\"")
	f.StringVar(&r.pages, "pages", "", "the same for a file of `PAGES`")
	f.StringVar(&r.lines, "lines", "", "the same for a file of `LINES`")
	f.StringVar(&r.frames, "frames", "", "the same for a file of `FRAMES`")
	f.StringVar(&r.cursor, "cursor", "", "go on where a former answer ended, at its `CURSOR`")
	f.BoolVar(&r.all, "all", false, "read to the end, however long it is")
	f.StringVar(&r.child, "child", "", "read a file inside the file, by its number: \"2\", or \"2/1\" for one inside that `PATH`")
	f.Var((*formValue)(&r.form), "form", "auto, text, image, or source: the decoded text exactly as it stands")
	f.StringVar(&r.password, "password-file", "", "open an encrypted file with the first line of `FILE`, - for standard input")
	f.BoolVar(&r.unescaped, "unescaped", false, "show control, bidirectional and tag characters raw, and text that a PDF hides from its readers")
	f.StringVar(&r.out, "out", "", "write pictures as files into `DIR`")
	r.profile.register(f, true)
	f.BoolVar(&r.original, "original", false, "give a picture that fits, and holds nothing but pixels, as the bytes that it is")
	f.IntVar(&r.jobs, "jobs", defaultJobs(), "read `N` files at once")
	r.limits.register(f)
}

// formValue is a readapi.Form as a flag.
type formValue string

func (v *formValue) String() string { return string(*v) }

func (v *formValue) Type() string { return "form" }

func (v *formValue) Set(s string) error {
	if !readapi.Form(s).Valid() {
		return fmt.Errorf("%q is none of auto, text, image, source", s)
	}
	*v = formValue(s)
	return nil
}

const readLong = `Read files and print what they hold: text as text, pictures as a description (with
--out they are written as files, scaled to what a model takes and without metadata).

FILE is a file, a folder (its files are read, and those of the folders in it; names
that begin with a dot and symbolic links are left out) or - for standard input. What
holds "://" is the ADDRESS of an attachment, and is read as the session of --session
may. With several of them or a folder, --json prints one line per file, in order, that
begins with the key "file"; the exit code is 1 if any file failed.

An answer ends at a unit (page, line, frame) within a budget of about 20,000 tokens
and says how to go on; on a terminal and with --all nothing is held back. Characters
that are not seen and can mislead are shown as \u{202E} unless --unescaped is given.
With --form source standard output has the text of the file and nothing else.

A web page, mail, mailbox, notebook or RTF is shown as what it says, CSV as its lines;
--form source shows how it stands. Links, form fields and notes are a line each. With
--json they are data, and so are the cells of tables, the outline and the metadata;
docs/text.md and docs/pdf.md describe them.

A file may have files inside: the attachments of a mail, what is embedded in a PDF, the
pictures of a page or notebook. An answer lists them by number, --child 2 reads number
2, and --child 2/1 number 1 inside that. With --form image the pages of a PDF are given
as the pictures that they were scanned into.

Pictures are made as a model takes them. --profile says for which provider: claude,
openai, gemini, or safe for any of them. "glovebox profile list" shows what that means,
and docs/images.md what a picture gives. HEIC, AVIF and JPEG XL are not decoded; the
error names their size as far as it is found.

Pictures in --out are named after their file and unit: photo.jpg-frame1.jpg. A file
that is there already is never overwritten: the same content is left as it is, other
content is an error.`

const readExample = `  glovebox read report.pdf
  glovebox read --pages 3-5 report.pdf
  glovebox read --json --max-tokens 4000 report.pdf
  glovebox read --form source --all legacy.txt > utf8.txt
  glovebox read --out pictures --frames 1- animation.gif
  glovebox read --form image --out pictures scan.pdf
  glovebox read --profile claude --json photo.jpg
  glovebox read --child 1 mail.eml
  glovebox read --json prices.csv
  glovebox read --password-file secret.txt locked.pdf
  curl -s https://example.org/a.pdf | glovebox read -
  glovebox read --json --all folder > lines.jsonl
  glovebox read --session chat-42 maka://runtime/attachments/ID`

func (a *app) readCommand() *cobra.Command {
	var flags readFlags
	c := &cobra.Command{
		Use:     "read {FILE | ADDRESS}...",
		Short:   "Read files, or attachments by address, behind the wall",
		Long:    readLong,
		Example: readExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("read needs a file", `Name files or folders, "-" for standard input, or addresses.`)
			}
			return oneStdin(args)
		},
		ValidArgsFunction: a.completeReadable,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.newRead(c.Flags(), &flags, args)
			if err != nil {
				return err
			}
			return r.run(c.Context())
		},
	}
	flags.register(c.Flags())
	complete(c, "session", a.completeSessions)
	complete(c, "out", directories)
	completeProfileFlags(c, &flags.profile)
	complete(c, "form", cobra.FixedCompletions([]string{
		"auto\twhat the decoder does best", "text\ttext", "image\tpictures", "source\tthe decoded text exactly as it stands",
	}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// reading is one run of read.
type reading struct {
	app     *app
	args    []string
	several bool
	jobs    int
	out     string
	opts    glovebox.ReadOptions
	profile profileFlags
	own     []readapi.Profile // of --profiles
	unit    readapi.Unit      // that the file must have, "" for any
	id      readapi.SessionID
	reader  reader    // nil without files
	session session   // nil without addresses
	images  *imageDir // nil without --out
}

// newRead checks the flags and turns them into a request.
func (a *app) newRead(set *pflag.FlagSet, f *readFlags, args []string) (*reading, error) {
	r := &reading{app: a, args: args, several: severalInputs(args), jobs: f.jobs, out: f.out, profile: f.profile}
	r.opts = glovebox.ReadOptions{Cursor: f.cursor, Form: readapi.Form(f.form), All: f.all, Unescaped: f.unescaped, MaxTokens: f.limits.tok}
	r.opts.Profile, r.opts.Original = glovebox.Profile(f.profile.name), f.original
	r.opts.Words = !a.global.json
	limits, err := f.limits.limits()
	if err != nil {
		return nil, err
	}
	r.opts.Limits = &limits
	if r.opts.Units, r.unit, err = f.selection(set); err != nil {
		return nil, err
	}
	if r.opts.Child, err = f.childPath(set); err != nil {
		return nil, err
	}
	if uri := firstAddress(args); uri != "" {
		if r.id, err = f.session.id("reading by address"); err != nil {
			failure := asFailure("", err)
			failure.subject = uri
			return nil, failure
		}
	}
	switch {
	case f.jobs < 1 || f.jobs > maxJobs:
		return nil, usage(fmt.Sprintf("--jobs is a number from 1 to %d", maxJobs), "")
	case f.cursor != "" && r.several:
		return nil, usage("--cursor belongs to one file", "Name that file alone.")
	case f.password == stdinName && slices.Contains(args, stdinName):
		return nil, usage(`standard input ("-") can be read once`, "Have the password in a file.")
	case f.all && set.Changed("max-tokens"):
		return nil, usage("--all reads to the end and --max-tokens stops before it", "Give one of them.")
	case f.all, f.limits.tok == 0 && a.out.tty:
		r.opts.MaxTokens = -1
	}
	if set.Changed("password-file") {
		r.opts.Password, err = a.password(f.password)
	}
	return r, err
}

// childPath is the value of --child.
func (f *readFlags) childPath(set *pflag.FlagSet) (string, error) {
	if !set.Changed("child") {
		return "", nil
	}
	if set.Changed("cursor") {
		return "", usage("--child and --cursor exclude each other", "A cursor knows which file inside the file it is of.")
	}
	_, err := readapi.ParseChild(f.child)
	if e, ok := errors.AsType[*readapi.Error](err); ok && e.Code == readapi.CodeInvalidRequest {
		return "", usage("--child: "+e.Detail, e.Hint)
	}
	return f.child, err
}

// selection is the units that were asked for, with the unit that the file must have.
func (f *readFlags) selection(set *pflag.FlagSet) (units string, unit readapi.Unit, err error) {
	var given []string
	for _, s := range []struct {
		flag, value string
		unit        readapi.Unit
	}{{"units", f.units, ""}, {"pages", f.pages, readapi.UnitPage}, {"lines", f.lines, readapi.UnitLine}, {"frames", f.frames, readapi.UnitFrame}} {
		if !set.Changed(s.flag) {
			continue
		}
		given = append(given, "--"+s.flag)
		units, unit = s.value, s.unit
		_, err := readapi.ParseUnits(s.value)
		if e, ok := errors.AsType[*readapi.Error](err); ok {
			return "", "", usage("--"+s.flag+": "+e.Detail, e.Hint)
		}
	}
	if set.Changed("cursor") {
		given = append(given, "--cursor")
	}
	if len(given) > 1 {
		return "", "", usage(strings.Join(given, " and ")+" exclude each other", "Give one of them.")
	}
	return units, unit, nil
}

// answer is what came of one input.
type answer struct {
	in  input
	doc *readapi.Document
	err error
}

// run opens what the inputs need and reads them.
func (r *reading) run(ctx context.Context) (err error) {
	if r.own, err = r.profile.known(ctx); err != nil {
		return err
	}
	p := r.app.newProgress()
	defer p.close()
	if r.out != "" {
		if r.images, err = openImageDir(r.out); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, r.images.close()) }()
	if !onlyAddresses(r.args) {
		if r.reader, err = r.app.reader(p, r.readerOptions()); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.reader.Close()) }()
	}
	if firstAddress(r.args) == "" { // a file needs no data directory, and does not make one
		return r.readAll(ctx)
	}
	o := r.readerOptions()
	o.Limits = *r.opts.Limits
	return r.app.keep(ctx, p, o, func(k keeper) error {
		r.session = k.session(r.id)
		return r.readAll(ctx)
	})
}

// readAll reads every input, some at once, and prints the answers in order.
func (r *reading) readAll(ctx context.Context) error {
	first := true
	inOrder(ctx, r.jobs, inputs(ctx, r.args), func(ctx context.Context, in input) answer {
		doc, err := guard(func() (*readapi.Document, error) { return r.read(ctx, in) })
		return answer{in, doc, err}
	}, func(ans answer) bool {
		r.print(ans, first)
		first = first && ans.err != nil // nothing stands on standard output then
		return r.app.out.err == nil
	})
	return ctx.Err()
}

// readerOptions are such that the files that are read at once have room beside each other: none of them is busy because of the others.
func (r *reading) readerOptions() *glovebox.Options {
	if !r.several {
		return &glovebox.Options{Profiles: r.own, OneShot: true, MaxTotalMemoryBytes: roomFor(1, r.opts.Limits.MaxMemoryBytes)}
	}
	return &glovebox.Options{Profiles: r.own, MaxInstances: r.jobs, MaxTotalMemoryBytes: roomFor(r.jobs, r.opts.Limits.MaxMemoryBytes)}
}

// roomFor is the memory that n guests may take together, each of which may take most: at least the front door's default, and one more
// than n for what a decoder takes while it is made ready.
func roomFor(n int, most int64) int64 {
	const byDefault = 2 << 30
	if most > math.MaxInt64/int64(n+1) {
		return math.MaxInt64
	}
	return max(byDefault, int64(n+1)*most)
}

// read reads one input.
func (r *reading) read(ctx context.Context, in input) (*readapi.Document, error) {
	if in.fail != nil {
		return nil, in.fail
	}
	doc, err := r.open(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.uri != "" {
		in.name = doc.Name
	}
	if r.unit != "" && doc.Unit != r.unit {
		f := failed(in.shown, readapi.CodeInvalidRequest, fmt.Sprintf("the file has no %ss, it counts by %s", r.unit, doc.Unit), nil)
		f.err.Hint = "--units takes whatever a file counts by."
		return nil, f
	}
	if r.images != nil {
		if err := r.images.save(in, doc); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// open reads what was asked for of a file or an attachment.
func (r *reading) open(ctx context.Context, in input) (doc *readapi.Document, err error) {
	var src *source
	switch {
	case in.uri != "":
		opts := r.opts
		doc, err := r.session.Read(ctx, in.uri, &opts)
		if err != nil {
			return nil, err
		}
		return whole(doc)
	case in.stdin:
		src, err = r.app.openStdin(ctx, r.opts.Limits.MaxInputBytes)
	default:
		src, err = openFile(ctx, in.shown, in.path, r.opts.Limits.MaxInputBytes)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	return r.decode(ctx, src, in)
}

// decode reads what was asked for of an open file.
func (r *reading) decode(ctx context.Context, src *source, in input) (*readapi.Document, error) {
	opts := r.opts
	doc, err := r.reader.ReadFile(ctx, src, src.size, in.name, &opts)
	if err != nil {
		return nil, err
	}
	return whole(doc)
}

// print prints one answer.
func (r *reading) print(ans answer, first bool) {
	a := r.app
	if ans.err != nil {
		a.broken = a.broken || errors.Is(ans.err, errPanic)
		f := asFailure(ans.in.shown, storeFailure(ans.err))
		if f.exit == exitInterrupted || f.err.Code == readapi.CodeCanceled {
			return
		}
		a.exit = max(a.exit, f.exit)
		switch {
		case a.global.json && r.several:
			_ = a.out.printLine(ans.in.shown, errorDocument{f.err})
		case a.global.json:
			_ = a.out.printJSON(errorDocument{f.err})
		default:
			a.complain(f)
		}
		return
	}
	switch {
	case a.global.json && r.several:
		_ = a.out.printLine(ans.in.shown, ans.doc)
	case a.global.json:
		_ = a.out.printJSON(ans.doc)
	default:
		v := view{out: a.out, err: a.err, shown: ans.in.shown, dir: r.out, form: r.opts.Form, units: r.opts.Units, several: r.several, goesOn: r.opts.Cursor != ""}
		v.print(ans.doc, first)
	}
	a.tellUnkept()
}
