package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// reader is what the commands need of *glovebox.Reader.
type reader interface {
	ReadFile(ctx context.Context, in io.ReaderAt, size int64, name string, opts *glovebox.ReadOptions) (*glovebox.Document, error)
	Decoders() []glovebox.DecoderStatus
	Warm(ctx context.Context) error
	Close() error
}

// app is one run of the program.
type app struct {
	in     io.Reader
	out    *output
	err    io.Writer
	getenv func(string) string
	open   func(o *glovebox.Options) (reader, error)
	global global
	config config
	exit   int // of a command that printed its own failures

	broken     bool // a read ended with a panic
	serving    bool // it goes on until it is told to end: a host of the store on which others count
	openKeeper func(ctx context.Context, dir string, o *glovebox.Options) (keeper, error)

	unkept     atomic.Bool // a decoder was compiled that the cache did not have afterwards
	toldUnkept bool
}

func newApp(in io.Reader, out, err io.Writer) *app {
	return &app{in: in, out: newOutput(out), err: err, getenv: os.Getenv, open: openReader, openKeeper: openFrontDoor}
}

func openReader(o *glovebox.Options) (reader, error) {
	r, err := glovebox.NewReader(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// run carries out args and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	// A command line that cannot be parsed is still reported in the form that it asks for.
	flags := args
	if i := slices.Index(args, "--"); i >= 0 {
		flags = args[:i]
	}
	env, _ := strconv.ParseBool(a.getenv(envName("json")))
	wanted := slices.Contains(flags, "--json") || slices.Contains(flags, "--json=true") || env && !slices.Contains(flags, "--json=false")

	_, err := guard(func() (struct{}, error) {
		root := a.root()
		root.SetArgs(args)
		return struct{}{}, root.ExecuteContext(ctx)
	})
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if f := a.out.failure(); f != nil {
		a.report(f)
		return f.exit
	}
	if err == nil {
		return a.exit
	}
	f := asCommandFailure(err)
	a.global.json = a.global.json || wanted && f.exit == exitUsage // the flags may not have been read to their end
	a.report(f)
	if g := a.out.failure(); g != nil {
		return g.exit
	}
	return f.exit
}

// asCommandFailure gives an error of the command tree its exit code. Errors that are neither failures nor errors of ours come from the flag
// parser and the command tree, so they are about the command line.
func asCommandFailure(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if readapi.CodeOf(err) != readapi.CodeInternal {
		return asFailure("", err)
	}
	if _, ok := errors.AsType[*readapi.Error](err); ok {
		return asFailure("", err)
	}
	plain, _, _ := strings.Cut(err.Error(), "\n") // the tree's suggestions follow on further lines
	return usage(plain, `"glovebox --help" and "glovebox COMMAND --help" list what there is.`)
}

const rootLong = `Glovebox reads files that strangers sent: PDFs, pictures, and texts in any encoding.
Their bytes are parsed by WebAssembly modules in a sandbox without files, network
or clock, within limits of memory, work and time.

It also keeps the files of conversations: "attach" stores them in a session, "recall"
finds them again by what was said or by their names, and "read" opens an address. "gc",
"fsck", "backup" and "migrate" look after all that is kept, on this machine or, with --index
and --blobs, in a database and a bucket that many hosts share.

Flags may also be set by environment variables (GLOVEBOX_MAX_INPUT=200MiB) and by
the configuration file (max_input = "200MiB"); "glovebox doctor" says where it is.

Exit codes: 0 done, 1 failed (the code of the error is printed), 2 wrong usage,
3 the environment is at fault (configuration, data directory, cache, output folder),
130 interrupted.`

const rootExample = `  glovebox read report.pdf                  a PDF, page by page
  glovebox read --json photo.jpg            one JSON document
  glovebox read --lines 1-40 old-notes.txt  some lines of a text in any encoding
  glovebox attach --session chat q3.pdf     keep a file in a session
  glovebox recall --session chat q3         find it again
  glovebox backup /backups/glovebox         copy all that is kept
  glovebox doctor                           is everything in order?`

// root builds the command tree.
func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:           "glovebox",
		Short:         "Read files from strangers behind a wall, and keep those of conversations",
		Long:          rootLong,
		Example:       rootExample,
		Args:          cobra.NoArgs,
		Version:       thisVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, _ []string) error {
			if a.global.json {
				return usage("no command is given", `"glovebox --help" lists the commands.`)
			}
			return c.Help()
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return a.configure(c) },
	}
	c.SetIn(a.in)
	c.SetOut(a.out)
	c.SetErr(a.err)
	c.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	a.global.register(c.PersistentFlags())
	for _, dir := range []string{"data", "cache"} {
		complete(c, dir, directories)
	}
	complete(c, "isolation", cobra.FixedCompletions(isolations, cobra.ShellCompDirectiveNoFileComp))
	c.AddCommand(a.readCommand(), a.attachCommand(), a.attachmentCommand(), a.recallCommand(), a.sessionCommand(), a.mcpCommand())
	c.AddCommand(a.gcCommand(), a.fsckCommand(), a.backupCommand(), a.restoreCommand(), a.migrateCommand())
	c.AddCommand(a.pluginCommand(), a.profileCommand(), a.cacheCommand(), a.doctorCommand(), a.versionCommand())
	strict(c)
	return c
}

// strict makes the commands that the tree brings along, completion and help, refuse what they do not know, as the others do.
func strict(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = cobra.NoArgs, needsSubcommand
		case "help":
			c.RunE = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return usage(fmt.Sprintf("there is no command %q", strings.Join(args, " ")), `"glovebox --help" lists the commands.`)
				}
				return about.Help()
			}
		}
	}
}

// unconfigured marks a command that runs without the configuration: it must work, or report, when that is broken.
const unconfigured = "unconfigured"

// configure fills the flags of the command c that were not typed.
func (a *app) configure(c *cobra.Command) error {
	for p := c; p != nil; p = p.Parent() {
		if p.Annotations[unconfigured] != "" || p.Name() == "completion" || p.Name() == "help" || strings.HasPrefix(p.Name(), cobra.ShellCompRequestCmd) {
			return nil
		}
	}
	if err := a.loadConfig(); err != nil {
		return err
	}
	return configure(c.Flags(), a.getenv, a.config.flags)
}

// loadConfig reads the configuration file, if there is one.
func (a *app) loadConfig() (err error) {
	if path := configFile(); path != "" {
		a.config, err = loadConfig(path)
	}
	return err
}

// reader opens the front door for a command that reads files of no session, with the options that are the command's own.
func (a *app) reader(p *progress, o *glovebox.Options) (reader, error) {
	o.CacheDir = a.global.cacheDir()
	if err := a.global.wall(o); err != nil {
		return nil, err
	}
	var r reader
	a.watchCompiling(p, o, func() []glovebox.DecoderStatus { return r.Decoders() })
	r, err := a.open(o)
	if err != nil {
		return nil, asFailure("", err)
	}
	return r, nil
}

// watchCompiling makes o show on p what is compiled, and remember whether the cache has it afterwards, which decoders knows.
func (a *app) watchCompiling(p *progress, o *glovebox.Options, decoders func() []glovebox.DecoderStatus) {
	o.OnCompile = func(decoder string) func() {
		done := p.compiling(decoder)
		return func() {
			done()
			kept := func(d glovebox.DecoderStatus) bool { return d.Name == decoder && d.Compiled }
			if o.CacheDir != "" && o.CacheDir != "-" && !slices.ContainsFunc(decoders(), kept) {
				a.unkept.Store(true)
			}
		}
	}
}

// tellUnkept tells people, once, why each run of theirs takes seconds. It is no failure: the answer is right all the same. It is for behind
// an answer: when a read was stopped while its decoder was compiled, the cache has nothing and nothing is wrong with it.
func (a *app) tellUnkept() {
	if a.toldUnkept || !a.unkept.Load() {
		return
	}
	a.toldUnkept = true
	_, _ = io.WriteString(a.err, "glovebox: the compiled decoder could not be kept, so the next run compiles it again; \"glovebox doctor\" says why\n")
}

// exactly is cobra.ExactArgs with a sentence for people.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage(c.CommandPath()+" takes "+what, `"`+c.CommandPath()+` --help" shows examples.`)
	}
}

// completer lists the values of a flag or an argument for the shell.
type completer = cobra.CompletionFunc

func complete(c *cobra.Command, flag string, f completer) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag does not exist: a slip that every test shows
	}
}

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
