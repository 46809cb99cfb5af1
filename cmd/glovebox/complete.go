package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Completions look into the data directory. They make none, say nothing when they cannot, and never keep a shell waiting.

// maxCompletions is how many names a shell is given.
const maxCompletions = 200

// patience is how long a completion may take.
const patience = 2 * time.Second

// peek gives f the data directory, if there is one that can be opened. Flags of the command that is being completed are not filled from the
// environment yet.
func (a *app) peek(c *cobra.Command, f func(context.Context, keeper) error) {
	if a.loadConfig() != nil || configure(c.Flags(), a.getenv, a.config.flags) != nil || !a.store().kept() {
		return
	}
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	// What is not right, "glovebox doctor" tells.
	_ = a.look(ctx, func(k keeper) error { return f(ctx, k) })
}

// completeSessions names the sessions of the principal, newest first.
func (a *app) completeSessions(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	var out []string
	a.peek(c, func(ctx context.Context, k keeper) error {
		for s, err := range k.Sessions(ctx, true) {
			if err != nil || len(out) == maxCompletions {
				return err
			}
			if strings.HasPrefix(string(s.ID), toComplete) {
				out = append(out, cobra.CompletionWithDesc(string(s.ID), fmt.Sprintf("%s, %s", counted(int(s.Messages), "message"), clock(s.Updated))))
			}
		}
		return nil
	})
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeSessionArgument is completeSessions for a command whose one argument is a session.
func (a *app) completeSessionArgument(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeSessions(c, args, toComplete)
}

// completePurgeable is completeSessionArgument with the deleted sessions, which only the store names.
func (a *app) completePurgeable(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || a.loadConfig() != nil || configure(c.Flags(), a.getenv, a.config.flags) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	var out []string
	// What is not right, "glovebox doctor" tells.
	_ = a.maintain(ctx, func(s *openedStore) error {
		for s, err := range s.Index.SessionsOf(ctx, readapi.PrincipalID(a.global.principal), withDeleted) {
			if err != nil || len(out) == maxCompletions {
				return err
			}
			if what := counted(int(s.Messages), "message"); strings.HasPrefix(string(s.ID), toComplete) {
				if !s.Deleted.IsZero() {
					what += ", deleted"
				}
				out = append(out, cobra.CompletionWithDesc(string(s.ID), what))
			}
		}
		return nil
	})
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeAddresses names the files of the session that can be read, newest first.
func (a *app) completeAddresses(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	var out []string
	a.peek(c, func(ctx context.Context, k keeper) error {
		id := readapi.SessionID(c.Flags().Lookup("session").Value.String())
		if !id.Valid() {
			return nil
		}
		for f, err := range k.session(id).Attachments(ctx) {
			if err != nil {
				return err
			}
			if f.Resource != "" && strings.HasPrefix(f.Resource, toComplete) {
				out = append(out, cobra.CompletionWithDesc(f.Resource, readapi.EscapeLine(f.Name)))
			}
		}
		return nil
	})
	slices.Reverse(out)
	return out[:min(len(out), maxCompletions)], cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeAddress is completeAddresses for a command that takes one.
func (a *app) completeAddress(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeAddresses(c, args, toComplete)
}

// completeRef names files of the other sessions: first the session, then what is in it, newest first.
func (a *app) completeRef(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	session, begun, in := strings.Cut(toComplete, "/")
	if !in {
		own := c.Flags().Lookup("session").Value.String()
		sessions, directive := a.completeSessions(c, nil, toComplete)
		var out []string
		for _, s := range sessions {
			if id, what, _ := strings.Cut(s, "\t"); id != own {
				out = append(out, cobra.CompletionWithDesc(id+"/", what))
			}
		}
		return out, directive | cobra.ShellCompDirectiveNoSpace
	}
	var out []string
	a.peek(c, func(ctx context.Context, k keeper) error {
		id := readapi.SessionID(session)
		if !id.Valid() {
			return nil
		}
		for f, err := range k.session(id).Attachments(ctx) {
			if err != nil {
				return err
			}
			if f.Status == readapi.StatusLive && strings.HasPrefix(string(f.ID), begun) {
				out = append(out, cobra.CompletionWithDesc(session+"/"+string(f.ID), readapi.EscapeLine(f.Name)))
			}
		}
		return nil
	})
	slices.Reverse(out)
	return out[:min(len(out), maxCompletions)], cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeReadable completes what read takes: addresses where one was begun, else files.
func (a *app) completeReadable(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	begun := toComplete != "" && (strings.HasPrefix(readapi.URIPrefix, toComplete) || strings.HasPrefix(toComplete, readapi.URIPrefix))
	if begun {
		if out, directive := a.completeAddresses(c, args, toComplete); len(out) > 0 {
			return out, directive
		}
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeDecoder names the decoders, for a command that takes one.
func (a *app) completeDecoder(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	if a.loadConfig() != nil || configure(c.Flags(), a.getenv, a.config.flags) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	decoders, err := a.decoders(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, d := range decoders {
		names = append(names, cobra.CompletionWithDesc(d.Name, state(d)))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// decoders are those of the data directory, if there is one, else the built-in ones, all of which are enabled.
func (a *app) decoders(ctx context.Context) (decoders []glovebox.DecoderStatus, err error) {
	if a.store().kept() {
		err = a.look(ctx, func(k keeper) error {
			decoders, err = k.Decoders(ctx)
			return err
		})
		return decoders, err
	}
	r, err := a.reader(&progress{}, &glovebox.Options{OneShot: true})
	if err != nil {
		return nil, err
	}
	decoders = r.Decoders()
	return decoders, r.Close()
}
