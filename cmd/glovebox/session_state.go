package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// stateDocument is what the commands print as JSON that change the state of a session.
type stateDocument struct {
	ID    readapi.SessionID `json:"session_id"`
	State string            `json:"state"` // live, archived, deleted or purged
}

// changeSession makes a command that takes one session to another state: do carries it out, or asks first.
func (a *app) changeSession(c *cobra.Command, do func(ctx context.Context, id readapi.SessionID) (state, told string, err error)) *cobra.Command {
	c.Args = exactly(1, "the id of one session")
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = a.completeSessionArgument
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := sessionArgument(args)
		if err != nil {
			return err
		}
		state, told, err := do(c.Context(), id)
		if err != nil {
			return sessionFailure(args[0], err)
		}
		if a.global.json {
			return a.printDone(stateDocument{id, state})
		}
		fmt.Fprintf(a.out, "%s %s\n", id, told)
		return nil
	}
	return c
}

// sessionFailure names the session that was not found or is gone, and where the others are.
func sessionFailure(id string, err error) error {
	f := asFailure(id, storeFailure(err))
	if f.err.Code == readapi.CodeNotFound && f.err.Hint == "" {
		c := *f.err
		c.Hint = `"glovebox session list" names the sessions of the principal.`
		f.err = &c
	}
	return f
}

func (a *app) sessionArchiveCommand() *cobra.Command {
	var undo bool
	c := &cobra.Command{
		Use:   "archive SESSION",
		Short: "Put a session away, or with --undo back",
		Long: `Put a session away: it is listed as archived, and everything in it still can be read and
found. --undo brings it back.`,
		Example: "  glovebox session archive chat-42\n  glovebox session archive --undo chat-42",
	}
	c.Flags().BoolVar(&undo, "undo", false, "bring it back")
	return a.changeSession(c, func(ctx context.Context, id readapi.SessionID) (state, told string, err error) {
		state, told = "archived", "is archived"
		if undo {
			state, told = "live", "is no longer archived"
		}
		return state, told, a.look(ctx, func(k keeper) error { return k.session(id).SetArchived(ctx, !undo) })
	})
}

func (a *app) sessionDeleteCommand() *cobra.Command {
	return a.changeSession(&cobra.Command{
		Use:   "delete SESSION",
		Short: "Delete a session and its files: no address of it opens any more",
		Long: `Delete a session with its files: no address of it opens any more, recall does not find it,
and nothing can be added to it. What it held stays in the store until it is purged, by
"glovebox session purge" or by the rules of "glovebox gc". It does not come back.
Copies of its files in other sessions stay.`,
		Example: "  glovebox session delete chat-42",
	}, func(ctx context.Context, id readapi.SessionID) (state, told string, err error) {
		return "deleted", "is deleted", a.look(ctx, func(k keeper) error { return k.session(id).DeleteSession(ctx) })
	})
}

func (a *app) sessionPurgeCommand() *cobra.Command {
	var yes yesFlag
	c := &cobra.Command{
		Use:   "purge SESSION",
		Short: "Remove a session for good: its messages, its files and their bytes",
		Long: `Remove a session for good: what was said in it, its files, and their bytes, unless another
session has the same file. It need not have been deleted before. Nothing brings it back.
A terminal is asked first; elsewhere --yes has to be given.`,
		Example:           "  glovebox session purge chat-42\n  glovebox session purge --yes chat-42",
		ValidArgsFunction: a.completePurgeable,
	}
	yes.register(c.Flags())
	return a.changeSession(c, func(ctx context.Context, id readapi.SessionID) (state, told string, err error) {
		if err := a.confirm(ctx, yes, "session purge", fmt.Sprintf("Remove the session %s and all that is in it for good?", id)); err != nil {
			return "", "", err
		}
		return "purged", "is purged", a.look(ctx, func(k keeper) error { return k.session(id).PurgeSession(ctx) })
	})
}

// copiedDocument is what session copy prints as JSON.
type copiedDocument struct {
	ID     readapi.SessionID `json:"session_id"`
	Source readapi.SessionID `json:"source_session_id"`
	Events int64             `json:"events"`
	Files  int64             `json:"files"`
}

func (a *app) sessionCopyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "copy SOURCE DESTINATION",
		Short: "Copy a session, with its files, to a new one",
		Long: `Copy what happened in a session, and its files, to a new session of the same principal.
The copy has files of its own: it stays whole when the source is deleted or purged. The
bytes are kept once. Copying again adds nothing, and goes on where a copy was cut short;
a destination that holds anything else is a conflict. A session whose messages carry a file
that was purged cannot be copied.`,
		Example: "  glovebox session copy chat-42 chat-42-again",
		Args:    exactly(2, "the ids of two sessions, the source and the destination"),
		ValidArgsFunction: func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return a.completeSessionArgument(c, args, toComplete) // the destination is a new name
		},
		RunE: func(c *cobra.Command, args []string) error {
			src, err := sessionArgument(args)
			if err != nil {
				return err
			}
			dst, err := sessionArgument(args[1:])
			if err != nil {
				return err
			}
			doc := copiedDocument{ID: dst, Source: src}
			err = a.look(c.Context(), func(k keeper) error {
				done, err := k.session(src).CopyTo(c.Context(), dst)
				if err == nil {
					doc.Events, doc.Files = done.Events, done.Files
				}
				return err
			})
			switch {
			case err != nil:
				return sessionFailure(args[0], err)
			case a.global.json:
				return a.printDone(doc)
			}
			if doc.Events+doc.Files == 0 {
				fmt.Fprintf(a.out, "%s has all of %s already\n", dst, src)
				return nil
			}
			fmt.Fprintf(a.out, "%s and %s of %s copied to %s\n", counted(int(doc.Events), "event"), counted(int(doc.Files), "file"), src, dst)
			return nil
		},
	}
}
