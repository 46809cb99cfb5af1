package main

import (
	"errors"
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
		Short: "Look at the decoders, and switch them on and off",
		Long: `Decoders are WebAssembly modules; each reads some media types. A file goes to the
first decoder that accepts its type. Which of them are enabled is kept in the data
directory, for all that use it; "glovebox read FILE", which needs none, reads with all.`,
		Example: `  glovebox plugin list
  glovebox plugin inspect pdf
  glovebox plugin disable pdf`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	c.AddCommand(a.pluginListCommand(), a.pluginInspectCommand(), a.pluginSwitchCommand(true), a.pluginSwitchCommand(false), a.pluginCheckCommand())
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
			decoders, err := a.decoders(c.Context())
			if err != nil {
				return err
			}
			decoders = pluginDocuments(decoders)
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
		Use:               "inspect NAME",
		Short:             "Show all that is known of one decoder",
		Example:           "  glovebox plugin inspect pdf\n  glovebox plugin inspect --json image",
		Args:              exactly(1, "the name of one decoder"),
		ValidArgsFunction: a.completeDecoder,
		RunE: func(c *cobra.Command, args []string) error {
			decoders, err := a.decoders(c.Context())
			if err != nil {
				return err
			}
			decoders = pluginDocuments(decoders)
			for _, d := range decoders {
				if d.Name == args[0] {
					return a.printPlugin(d)
				}
			}
			return noDecoder(args[0], nil)
		},
	}
}

func noDecoder(name string, cause error) *failure {
	f := failed(name, readapi.CodeNotFound, "no such decoder", cause)
	f.err.Hint = `"glovebox plugin list" names them.`
	return f
}

// pluginSwitchCommand is plugin enable or plugin disable.
func (a *app) pluginSwitchCommand(on bool) *cobra.Command {
	verb, short, long := "enable", "Switch a decoder on", "Switch a decoder on: the addresses of the files that it reads come back."
	if !on {
		verb, short, long = "disable", "Switch a decoder off", "Switch a decoder off: files that no other decoder reads have no address while it is off.\nThey are kept, and can be had with \"glovebox attachment cat\"."
	}
	return &cobra.Command{
		Use:               verb + " NAME",
		Short:             short + ", for all that use the data directory",
		Long:              long,
		Example:           "  glovebox plugin " + verb + " pdf",
		Args:              exactly(1, "the name of one decoder"),
		ValidArgsFunction: a.completeDecoder,
		RunE: func(c *cobra.Command, args []string) error {
			var decoders []glovebox.DecoderStatus
			err := a.look(c.Context(), func(k keeper) (err error) {
				if err = k.EnableDecoder(c.Context(), args[0], on); err == nil {
					decoders, err = k.Decoders(c.Context())
				}
				return err
			})
			if errors.Is(err, readapi.CodeNotFound) {
				return noDecoder(args[0], err)
			}
			if err != nil {
				return err
			}
			for _, d := range pluginDocuments(decoders) {
				if d.Name == args[0] && a.global.json {
					return a.printDone(d)
				}
			}
			fmt.Fprintf(a.out, "%s is %sd\n", readapi.EscapeLine(args[0]), verb)
			return nil
		},
	}
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
