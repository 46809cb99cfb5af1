package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/server"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	session sessionFlag
	root    string
	profile profileFlags
}

func (f *mcpFlags) register(set *pflag.FlagSet) {
	f.session.register(set, "the session `S` whose files are offered")
	f.profile.register(set, true)
	set.StringVar(&f.root, "root", "", "folder `DIR` whose files the client may attach (default: none)")
}

const mcpLong = `Open one session to a client of the Model Context Protocol, over standard input and
output: tools to read and recall, the session's files as resources, and with --root a
tool that attaches files of a folder. A client starts this command itself; how it is
configured is told in docs/mcp.md.

Standard output has the protocol and nothing else, so --json changes nothing here; what
keeps the command from starting is told on standard error. It ends when its input ends.`

const mcpExample = `  glovebox mcp --session chat-42
  glovebox mcp --session chat-42 --root ~/Documents --profile claude`

func (a *app) mcpCommand() *cobra.Command {
	var flags mcpFlags
	c := &cobra.Command{
		Use:     "mcp",
		Short:   "Offer a session to an MCP client",
		Long:    mcpLong,
		Example: mcpExample,
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			a.global.json = false
			return a.mcp(c.Context(), &flags, c.Flags().Changed("root"))
		},
	}
	flags.register(c.Flags())
	complete(c, "session", a.completeSessions)
	complete(c, "root", directories)
	completeProfileFlags(c, &flags.profile)
	return c
}

// mcp speaks the protocol until the input ends.
func (a *app) mcp(ctx context.Context, flags *mcpFlags, rooted bool) (err error) {
	id, err := flags.session.id("mcp")
	if err != nil {
		return err
	}
	limits, err := a.standingLimits()
	if err != nil {
		return err
	}
	own, err := flags.profile.known(ctx)
	if err != nil {
		return err
	}
	opts := &server.MCPOptions{Version: thisVersion().Version, MaxTokens: max(0, limits.MaxTokens)} // none is too much for a model
	if rooted {
		if opts.Root, err = openRoot(flags.root); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, opts.Root.Close()) }()
	}
	p := a.newProgress()
	defer p.close()
	a.serving = true
	report, end := a.incidents()
	defer end()
	return a.keep(ctx, p, &glovebox.Options{Limits: limits, Report: report, Profiles: own, Profile: glovebox.Profile(flags.profile.name)}, func(k keeper) error {
		s, ok := k.session(id).(interface{ Core() *host.Session })
		if !ok {
			return readapi.CodeInternal
		}
		return server.ServeStdio(ctx, s.Core(), a.in, a.out, opts)
	})
}

// openRoot opens the folder that the user called dir.
func openRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() { // looked at first: to open a FIFO would wait for a writer
		return nil, failed(dir, readapi.CodeInvalidRequest, "this is not a folder", nil)
	}
	if err != nil {
		return nil, fileFailure(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fileFailure(dir, err)
	}
	return root, nil
}
