package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// pluginDocuments are decoders as they are printed, with the form that every decoder has.
func pluginDocuments(decoders []glovebox.DecoderStatus) []glovebox.DecoderStatus {
	out := make([]glovebox.DecoderStatus, 0, len(decoders))
	for _, d := range decoders {
		d.Forms = withAuto(d.Forms)
		out = append(out, d)
	}
	return out
}

// withAuto puts the form that every decoder has before those that it names.
func withAuto(forms []readapi.Form) []readapi.Form {
	return append([]readapi.Form{readapi.FormAuto}, forms...)
}

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Look at the decoders",
		Long: `Decoders are WebAssembly modules; each reads some media types. A file goes to the
first decoder that accepts its type.`,
		Example: `  glovebox plugin list
  glovebox plugin inspect pdf`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	c.AddCommand(a.pluginListCommand(), a.pluginInspectCommand())
	return c
}

// needsSubcommand is the RunE of a command that only groups others.
func needsSubcommand(c *cobra.Command, _ []string) error {
	return usage(c.CommandPath()+" needs a command", `"`+c.CommandPath()+` --help" lists them.`)
}

func (a *app) pluginListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the decoders, in the order in which they are asked",
		Example: "  glovebox plugin list\n  glovebox plugin list --json",
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := a.reader(a.newProgress(), &glovebox.Options{OneShot: true})
			if err != nil {
				return err
			}
			decoders := pluginDocuments(r.Decoders())
			if err := r.Close(); err != nil {
				return err
			}
			if a.global.json {
				return a.printDone(map[string]any{"plugins": decoders})
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tVERSION\tUNIT\tFORMS\tSTATE\tMEDIA TYPES")
			for _, d := range decoders {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, d.Version, d.Unit, join(d.Forms), state(d), abridged(d.MediaTypes))
			}
			_ = w.Flush() // output remembers a failed write
			return nil
		},
	}
}

func (a *app) pluginInspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect NAME",
		Short:   "Show all that is known of one decoder",
		Example: "  glovebox plugin inspect pdf\n  glovebox plugin inspect --json image",
		Args:    exactly(1, "the name of one decoder"),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.decoderNames(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.reader(a.newProgress(), &glovebox.Options{OneShot: true})
			if err != nil {
				return err
			}
			decoders := pluginDocuments(r.Decoders())
			if err := r.Close(); err != nil {
				return err
			}
			for _, d := range decoders {
				if d.Name == args[0] {
					return a.printPlugin(d)
				}
			}
			f := failed(args[0], readapi.CodeNotFound, "no such decoder", nil)
			f.err.Hint = `"glovebox plugin list" names them.`
			return f
		},
	}
}

// decoderNames are the completions of a decoder's name; none when the decoders cannot be listed.
func (a *app) decoderNames(c *cobra.Command) []string {
	r, err := a.reader(&progress{}, &glovebox.Options{OneShot: true})
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range r.Decoders() {
		names = append(names, d.Name)
	}
	if r.Close() != nil {
		return nil
	}
	return names
}

func (a *app) printPlugin(d glovebox.DecoderStatus) error {
	if a.global.json {
		return a.printDone(d)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"name", d.Name}, {"version", d.Version}, {"digest", "sha256:" + d.Digest}, {"size", formatBytes(d.Bytes)}, {"state", state(d)},
		{"unit", string(d.Unit)}, {"forms", join(d.Forms)}, {"media types", join(d.MediaTypes)},
	} {
		fmt.Fprintf(w, "%s:\t%s\n", row[0], readapi.EscapeLine(row[1]))
	}
	_ = w.Flush() // output remembers a failed write
	return nil
}

// printDone prints the result of a command as JSON. Whether that could be written is asked once, at the end of run.
func (a *app) printDone(v any) error {
	if err := a.out.printJSON(v); err != nil && a.out.err == nil {
		return err
	}
	return nil
}

// state is what a decoder's flags mean for people.
func state(d glovebox.DecoderStatus) string {
	switch {
	case !d.Enabled:
		return "disabled"
	case d.Compiled:
		return "ready"
	}
	return "not compiled yet"
}

func join[T ~string](items []T) string {
	var b strings.Builder
	for i, s := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return b.String()
}

// abridged is join with only the first few of a long list.
func abridged[T ~string](items []T) string {
	const most = 4
	if len(items) <= most+1 {
		return join(items)
	}
	return fmt.Sprintf("%s and %d more", join(items[:most]), len(items)-most)
}
