package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func (a *app) attachmentCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "attachment",
		Short: "Look at the files of a session",
		Long: `The files of a session are its own: another session cannot list, read or delete them,
and is not told that they are there.`,
		Example: `  glovebox attachment list --session chat-42
  glovebox attachment cat --session chat-42 --out copy.pdf ADDRESS
  glovebox attachment open --session chat-42 chat-17/ID`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	c.AddCommand(a.attachmentListCommand(), a.attachmentCatCommand(), a.attachmentOpenCommand(), a.attachmentDeleteCommand(), a.attachmentPurgeCommand())
	return c
}

// attachmentsDocument is what attachment list prints as JSON.
type attachmentsDocument struct {
	Attachments []readapi.Attachment `json:"attachments"`
}

func (a *app) attachmentListCommand() *cobra.Command {
	var flag sessionFlag
	c := &cobra.Command{
		Use:   "list",
		Short: "List the files of a session in the order in which they came, deleted ones too",
		Long: `List the files of a session in the order in which they came, deleted ones too: each with
its address, or with the reason why it has none.`,
		Example: "  glovebox attachment list --session chat-42\n  glovebox attachment list --session chat-42 --json",
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			id, err := flag.id(c.CommandPath())
			if err != nil {
				return err
			}
			doc := attachmentsDocument{Attachments: []readapi.Attachment{}}
			err = a.look(c.Context(), func(k keeper) error {
				doc.Attachments, err = collect(doc.Attachments, k.session(id).Attachments(c.Context()))
				return err
			})
			switch {
			case err != nil:
				return err
			case a.global.json:
				return a.printDone(doc)
			case len(doc.Attachments) == 0:
				fmt.Fprintln(a.out, "The session has no files.")
			default:
				a.printAttachments(doc.Attachments)
			}
			return nil
		},
	}
	flag.register(c.Flags(), "the session `S` whose files they are")
	complete(c, "session", a.completeSessions)
	return c
}

// collect appends what seq yields to all.
func collect[T any](all []T, seq func(yield func(T, error) bool)) ([]T, error) {
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// look is keep for a command that decodes nothing.
func (a *app) look(ctx context.Context, f func(keeper) error) error {
	return a.keep(ctx, &progress{}, &glovebox.Options{OneShot: true}, f)
}

// address is what a user calls an attachment: its address, or the bare id that a list shows of one without an address. Anything else goes
// on as it is, and is refused as an address.
func address(arg string) string {
	if id := readapi.ArtifactID(arg); id.Valid() {
		return id.URI()
	}
	return arg
}

// changeAttachment makes a command that takes one file of a session to another state: do carries it out, or asks first. named is what the
// user calls the file.
func (a *app) changeAttachment(c *cobra.Command, status readapi.Status, do func(ctx context.Context, id readapi.SessionID, uri, named string) error) *cobra.Command {
	var flag sessionFlag
	c.Args = exactly(1, "one address")
	c.ValidArgsFunction = a.completeAddress
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := flag.id(c.CommandPath())
		if err != nil {
			return err
		}
		uri := address(args[0])
		artifact, err := readapi.ParseURI(uri)
		if err == nil {
			err = do(c.Context(), id, uri, args[0])
		}
		if err != nil {
			return asFailure(args[0], storeFailure(err))
		}
		if a.global.json {
			return a.printDone(deletedDocument{artifact, status})
		}
		fmt.Fprintf(a.out, "%s is %s\n", artifact, status)
		return nil
	}
	flag.register(c.Flags(), "the session `S` whose file it is")
	complete(c, "session", a.completeSessions)
	return c
}

func (a *app) attachmentDeleteCommand() *cobra.Command {
	return a.changeAttachment(&cobra.Command{
		Use:   "delete ADDRESS",
		Short: "Delete a file of a session: its address opens no more",
		Long: `Delete a file of a session: its address opens no more, here or anywhere, while messages
still name it. Deleting it again does nothing.`,
		Example: "  glovebox attachment delete --session chat-42 maka://runtime/attachments/ID",
	}, readapi.StatusDeleted, func(ctx context.Context, id readapi.SessionID, uri, _ string) error {
		return a.look(ctx, func(k keeper) error { return k.session(id).Delete(ctx, uri) })
	})
}

func (a *app) attachmentPurgeCommand() *cobra.Command {
	var yes yesFlag
	c := &cobra.Command{
		Use:   "purge ADDRESS",
		Short: "Remove a file of a session for good, its bytes too",
		Long: `Remove a file of a session for good. Its bytes go too, unless another file, of this
session or of another, has the same. It need not have been deleted before. Messages still
name it. Purging it again does nothing.

A terminal is asked first; elsewhere --yes has to be given.`,
		Example: "  glovebox attachment purge --yes --session chat-42 maka://runtime/attachments/ID",
	}
	yes.register(c.Flags())
	return a.changeAttachment(c, "purged", func(ctx context.Context, id readapi.SessionID, uri, named string) error {
		if err := a.confirm(ctx, yes, "attachment purge", fmt.Sprintf("Remove %s for good?", named)); err != nil {
			return err
		}
		return a.look(ctx, func(k keeper) error { return k.session(id).Purge(ctx, uri) })
	})
}

// deletedDocument is what attachment delete and attachment purge print as JSON.
type deletedDocument struct {
	ID     readapi.ArtifactID `json:"id"`
	Status readapi.Status     `json:"status"` // deleted or purged
}

// bytesDocument is what attachment cat prints as JSON: the file is in Data, or in the file that --out names.
type bytesDocument struct {
	ID        readapi.ArtifactID `json:"id"`
	Name      string             `json:"name"`
	MediaType readapi.MediaType  `json:"media_type"`
	Kind      readapi.Kind       `json:"kind"`
	Bytes     int64              `json:"bytes"`
	Data      *[]byte            `json:"data,omitempty"`
	File      string             `json:"file,omitempty"`
}

func (a *app) attachmentCatCommand() *cobra.Command {
	var flag sessionFlag
	var out string
	c := &cobra.Command{
		Use:   "cat ADDRESS",
		Short: "Give the original bytes of a file of a session",
		Long: `Give the original bytes of a file of a session, exactly as they came and verified: on
standard output or, with --out, in a new file. Nothing is overwritten. What no decoder
reads can be had too, by the id that "glovebox attachment list" shows.

A terminal is given short texts without control characters only: a stranger's bytes
could change what it shows. "glovebox read" shows what a file holds; --out - insists.`,
		Example: `  glovebox attachment cat --session chat-42 --out q3.pdf maka://runtime/attachments/ID
  glovebox attachment cat --session chat-42 ID | sha256sum`,
		Args:              exactly(1, "one address"),
		ValidArgsFunction: a.completeAddress,
		RunE: func(c *cobra.Command, args []string) error {
			id, err := flag.id(c.CommandPath())
			if err != nil {
				return err
			}
			return a.look(c.Context(), func(k keeper) error {
				b, err := k.session(id).OpenBytes(c.Context(), address(args[0]))
				if err != nil {
					return asFailure(args[0], storeFailure(err))
				}
				defer func() { _ = b.Close() }() // it was only read
				return a.cat(c.Context(), b, args[0], out)
			})
		},
	}
	flag.register(c.Flags(), "the session `S` whose file it is")
	c.Flags().StringVar(&out, "out", "", "write a new `FILE` instead, - for a terminal all the same")
	complete(c, "session", a.completeSessions)
	complete(c, "out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	})
	return c
}

// cat gives the bytes of an open attachment, which the user calls shown.
func (a *app) cat(ctx context.Context, b *host.Bytes, shown, out string) error {
	at := b.Attachment
	doc := bytesDocument{ID: at.ID, Name: at.Name, MediaType: at.MediaType, Kind: at.Kind, Bytes: at.Bytes}
	in := &contextReader{ctx, b}
	switch {
	case out != "" && out != stdinName:
		if err := writeNew(out, in); err != nil {
			return asFailure(shown, err)
		}
		if doc.File = out; a.global.json {
			return a.printDone(doc)
		}
		fmt.Fprintf(a.out, "%s: %s, %s\n", readapi.EscapeLine(out), at.MediaType, formatBytes(at.Bytes))
		return nil
	case a.global.json:
		data, err := io.ReadAll(in)
		if err != nil {
			return asFailure(shown, err)
		}
		doc.Data = &data
		return a.printDone(doc)
	}
	var rest io.Reader = in
	if a.out.tty && out != stdinName {
		head, err := io.ReadAll(io.LimitReader(in, maxShown+1))
		if err != nil {
			return asFailure(shown, err)
		}
		if !harmless(head) {
			f := failed(shown, readapi.CodeInvalidRequest, "these bytes are not for a terminal", nil)
			f.err.Hint = "Send them elsewhere, or give --out FILE; \"glovebox read\" shows what the file holds."
			return f
		}
		rest = bytes.NewReader(head)
	}
	if _, err := io.Copy(a.out, rest); err != nil && a.out.err == nil { // what a write did is asked once, at the end of run
		return asFailure(shown, err)
	}
	return nil
}

// maxShown is the most bytes that cat shows on a terminal.
const maxShown = 1 << 20

// harmless reports whether b is a short text with nothing in it that a terminal would obey.
func harmless(b []byte) bool {
	return len(b) <= maxShown && utf8.Valid(b) && !bytes.ContainsFunc(b, readapi.Hidden) && !bytes.ContainsRune(b, '\r')
}

// writeNew makes the file at path with what r gives, whole or not at all. A file that is there is never overwritten.
func writeNew(path string, r io.Reader) (err error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return outFailure(filepath.Dir(path), err)
	}
	d := &imageDir{root: root, shown: filepath.Dir(path)}
	defer func() { err = errors.Join(err, root.Close()) }()
	name := filepath.Base(path)
	tmp, err := d.temporary(r)
	if _, ours := errors.AsType[*readapi.Error](err); ours || errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return outFailure(d.shown, err)
	}
	err = root.Link(tmp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = claim(root, tmp, name)
	}
	err = errors.Join(err, ignoreAbsent(root.Remove(tmp)))
	switch {
	case errors.Is(err, fs.ErrExist):
		return taken(path, err)
	case err != nil:
		return outFailure(d.shown, err)
	}
	return nil
}

// claim gives the file tmp its name on a file system without hard links: the name is taken first, so that nothing foreign is overwritten.
func claim(root *os.Root, tmp, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Close(), root.Rename(tmp, name)); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func taken(path string, cause error) *failure {
	f := failed(path, readapi.CodeInvalidRequest, "there is a file of this name already", cause)
	f.err.Hint = "Nothing is overwritten: remove that file or give another name."
	return f
}
