package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const sessionImportLong = `Add the events of session logs, one JSON object per line, as "glovebox session append"
takes them, of any size. A line that is no event is told by its number and left out, and the
exit code is 1 then; all others are in. Importing the same file again adds nothing, and
goes on where an import was interrupted.

Without --session each file is a session of its own, called as the file without its ending.
A file that "glovebox session export" made has its sessions in it, and takes no --session:
they come back as they were, and files whose bytes are missing are told.`

func (a *app) sessionImportCommand() *cobra.Command {
	var flag sessionFlag
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add session logs, or sessions that were exported",
		Long:  sessionImportLong,
		Example: `  glovebox session import logs/*.jsonl
  glovebox session import --session chat-42 part-1.jsonl part-2.jsonl
  zcat chat-42.jsonl.gz | glovebox session import --session chat-42 -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("session import needs a file", `Name files, or "-" for standard input.`)
			}
			return oneStdin(args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // files
		},
		RunE: func(c *cobra.Command, args []string) error {
			if flag != "" {
				if _, err := flag.id(c.CommandPath()); err != nil {
					return err
				}
			}
			for _, arg := range args {
				if err := a.importFile(c.Context(), flag, arg, len(args) > 1); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flag.register(c.Flags(), "the session `S` that gets the events")
	complete(c, "session", a.completeSessions)
	return c
}

// importedDocument is what session import prints as JSON of a log.
type importedDocument struct {
	ID readapi.SessionID `json:"session_id"`
	ledger.Report
}

// exportBegins is how a file begins that session export made.
const exportBegins = `{"glovebox_export":`

// importFile imports what the user calls arg; several says that it is one of several.
func (a *app) importFile(ctx context.Context, flag sessionFlag, arg string, several bool) error {
	p := a.newProgress()
	defer p.close()
	in, name, end, err := a.importSource(ctx, p, arg)
	if err != nil {
		return a.importFailure(arg, several, err)
	}
	defer end()
	r := bufio.NewReader(in)
	head, err := r.Peek(len(exportBegins) + 3)
	if err != nil && err != io.EOF && len(head) == 0 {
		return a.importFailure(arg, several, fileFailure(arg, err))
	}
	if bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte(exportBegins)) {
		p.close() // an export is shown by what is in it
		return a.importFailure(arg, several, a.importExport(ctx, flag, arg, r))
	}
	id, err := importSession(flag, arg)
	if err != nil {
		return a.importFailure(arg, several, err)
	}
	doc := importedDocument{ID: id}
	err = a.look(ctx, func(k keeper) error {
		doc.Report, err = k.session(id).Import(ctx, r, ledger.ImportOptions{Name: name})
		return err
	})
	p.close()
	if !a.global.json {
		a.tellBad(arg, doc.Report)
	}
	if err != nil {
		return a.importFailure(arg, several, err)
	}
	return a.printImported(arg, several, doc)
}

// importSource opens what the user calls arg, and gives it the name by which its events are told apart from those of another file.
func (a *app) importSource(ctx context.Context, p *progress, arg string) (in io.Reader, name string, end func(), err error) {
	if arg == stdinName {
		return interruptible(ctx, a.in), "stdin", func() {}, nil
	}
	s, err := openFile(ctx, arg, arg, spoolMost)
	if err != nil {
		return nil, "", nil, err
	}
	b := p.copying("importing", arg, s.size)
	return &watched{r: &contextReader{ctx, io.NewSectionReader(s, 0, s.size)}, bar: b}, filepath.Base(arg), func() {
		b.done()
		_ = s.close() // it was only read
	}, nil
}

// importSession is the session that a log goes to: the one that was named, else the one that the file is called after.
func importSession(flag sessionFlag, arg string) (readapi.SessionID, error) {
	if flag != "" {
		return sessionID(string(flag))
	}
	if arg == stdinName {
		return "", usage("standard input has no name to call a session after", "Give --session S.")
	}
	base, _, _ := strings.Cut(filepath.Base(arg), ".")
	id := readapi.SessionID(base)
	if !id.Valid() {
		f := usage("the name of the file is not the id of a session", "Give --session S. A session id is 1 to 128 characters of A-Z a-z 0-9 _ -.")
		f.subject = arg
		return "", f
	}
	return id, nil
}

// importExport puts the sessions of an export back.
func (a *app) importExport(ctx context.Context, flag sessionFlag, arg string, r io.Reader) error {
	if flag != "" {
		return usage("an export has its sessions in it, and takes no --session", "Leave --session out, and GLOVEBOX_SESSION.")
	}
	return into(ctx, a.store(), func(s *openedStore) error {
		return a.transferring("importing "+arg, "imported from "+arg, func(progress func(transfer.Counts)) (*transfer.Report, error) {
			return transfer.Import(ctx, s.Blobs, s.Index, r, transfer.ImportOptions{Progress: progress})
		})
	})
}

// importFailure is what failed with a file: of several, JSON says which one it was, and the others go on.
func (a *app) importFailure(arg string, several bool, err error) error {
	if err == nil {
		return nil
	}
	f := asFailure(arg, storeFailure(err))
	if !several || f.exit != exitFailed {
		return f
	}
	a.exit = exitFailed
	if a.global.json {
		return a.out.printLine(arg, errorDocument{f.err})
	}
	a.complain(f)
	return nil
}

// tellBad tells people which lines of a file were left out.
func (a *app) tellBad(arg string, r ledger.Report) {
	for _, bad := range r.Errors {
		a.complain(asFailure(fmt.Sprintf("%s: line %d", arg, bad.Line), bad.Error))
	}
	if more := r.Bad - int64(len(r.Errors)); more > 0 {
		fmt.Fprintf(a.err, "glovebox: %s: and %s more\n", readapi.EscapeLine(arg), counted(int(more), "bad line"))
	}
}

func (a *app) printImported(arg string, several bool, doc importedDocument) error {
	if doc.Bad > 0 {
		a.exit = exitFailed
	}
	switch {
	case a.global.json && several:
		return a.out.printLine(arg, doc)
	case a.global.json:
		return a.printDone(doc)
	}
	fmt.Fprintf(a.out, "%s: %s in %s", readapi.EscapeLine(arg), counted(int(doc.Appended), "event"), doc.ID)
	if doc.Known > 0 {
		fmt.Fprintf(a.out, ", %d there before", doc.Known)
	}
	if doc.Bad > 0 {
		fmt.Fprintf(a.out, ", %s left out", counted(int(doc.Bad), "bad line"))
	}
	fmt.Fprintln(a.out)
	return nil
}

// watched moves a bar while it is read.
type watched struct {
	r   io.Reader
	bar *bar
}

// Read implements io.Reader.
func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.bar.add(n)
	return n, err
}
