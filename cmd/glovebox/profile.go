package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/profile"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// profileFlags say for whom pictures are made.
type profileFlags struct {
	name, file string
}

// register adds the flags; named leaves --profile out, for a command that is about all of them.
func (p *profileFlags) register(f *pflag.FlagSet, named bool) {
	if named {
		f.StringVar(&p.name, "profile", "", "make pictures for `NAME`: claude, openai, gemini, safe, … (\"glovebox profile list\")")
	}
	f.StringVar(&p.file, "profiles", "", "`FILE` with profiles of your own")
}

// maxProfilesFile is more than a file of profiles may have.
const maxProfilesFile = 4 << 20

// own are the profiles of --profiles.
func (p *profileFlags) own(ctx context.Context) (list []readapi.Profile, err error) {
	if p.file == "" {
		return nil, nil
	}
	src, err := openFile(ctx, p.file, p.file, maxProfilesFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, min(src.size, maxProfilesFile)))
	if err != nil {
		return nil, fileFailure(p.file, err)
	}
	if list, err = glovebox.ParseProfiles(b); err == nil {
		_, err = profile.NewSet(list)
	}
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		f := failed(p.file, e.Code, e.Detail, err)
		f.err.Hint, f.err.Limit = e.Hint, e.Limit
		return nil, f
	}
	return list, err
}

// set are all profiles.
func (p *profileFlags) set(ctx context.Context) (*profile.Set, []readapi.Profile, error) {
	own, err := p.own(ctx)
	if err != nil {
		return nil, nil, err
	}
	set, err := profile.NewSet(own)
	return set, own, err
}

// known are the profiles of --profiles, once it is known that --profile names one that there is.
func (p *profileFlags) known(ctx context.Context) ([]readapi.Profile, error) {
	set, own, err := p.set(ctx)
	if err != nil || p.name == "" {
		return own, err
	}
	if _, err := set.Find(p.name); err != nil {
		return nil, usage(fmt.Sprintf("--profile: there is no profile %q", readapi.EscapeLine(p.name)), "Profiles are "+strings.Join(set.Names(), ", ")+".")
	}
	return own, nil
}

// completeProfiles names the profiles, those of --profiles too.
func completeProfiles(p *profileFlags) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		set, _, err := p.set(c.Context())
		if err != nil {
			if set, err = profile.NewSet(nil); err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
		}
		var out []string
		for _, one := range set.List() {
			out = append(out, cobra.CompletionWithDesc(one.Name, "as of "+one.AsOf))
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeProfileFlags completes --profile and --profiles of c.
func completeProfileFlags(c *cobra.Command, p *profileFlags) {
	complete(c, "profile", completeProfiles(p))
	complete(c, "profiles", jsonFiles)
}

var jsonFiles = cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt)

func (a *app) profileCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "profile",
		Short: "Look at what models take of pictures",
		Long: `A profile says what a model provider takes of pictures: how large they may be, in
which types, and what they cost. "read --profile NAME" makes pictures for it.`,
		Example: "  glovebox profile list\n  glovebox read --profile claude --out pictures photo.jpg",
		Args:    cobra.NoArgs,
		RunE:    needsSubcommand,
	}
	c.AddCommand(a.profileListCommand())
	return c
}

const profileListLong = `List the profiles, the built-in ones first, each with the day on which its numbers
were looked at. What --json prints is also the form of the file that --profiles takes:
a profile in it has name, as_of and source, and of the rest what it changes.`

func (a *app) profileListCommand() *cobra.Command {
	var flags profileFlags
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the profiles",
		Long:    profileListLong,
		Example: "  glovebox profile list\n  glovebox profile list --json > profiles.json",
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			set, _, err := flags.set(c.Context())
			if err != nil {
				return err
			}
			if a.global.json {
				return a.printDone(profilesDocument{1, set.List()})
			}
			a.printProfiles(set.List())
			return nil
		},
	}
	flags.register(c.Flags(), false)
	complete(c, "profiles", jsonFiles)
	return c
}

// profilesDocument is what "profile list --json" prints, and a file of profiles.
type profilesDocument struct {
	Version  int               `json:"version"`
	Profiles []readapi.Profile `json:"profiles"`
}

func (a *app) printProfiles(list []readapi.Profile) {
	bound := func(n int64) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprint(n)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tAS OF\tEDGE\tSIDE\tPIXELS\tBYTES\tPICTURES\tCOST\tTYPES")
	for _, p := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, p.AsOf, bound(p.MaxEdge), bound(p.MaxSide), bound(p.MaxPixels), bound(p.MaxBytes),
			bound(p.MaxPictures), p.Cost, strings.ReplaceAll(join(p.MediaTypes), "image/", ""))
	}
	_ = w.Flush() // output remembers a failed write
}
