package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox"
)

func (a *app) cacheCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "cache",
		Short:   "Prepare the compiled decoders",
		Long:    "Decoders are compiled once for this machine and kept in a cache; an entry that is damaged is compiled again.",
		Example: "  glovebox cache warm",
		Args:    cobra.NoArgs,
		RunE:    needsSubcommand,
	}
	c.AddCommand(a.cacheWarmCommand())
	return c
}

func (a *app) cacheWarmCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "warm",
		Short: "Compile all decoders now, so that no later run has to",
		Example: `  glovebox cache warm
  glovebox cache warm --cache /var/cache/glovebox    when an image or a package is built`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			dir := a.global.cacheDir()
			if dir == "" || dir == "-" {
				return usage("there is no cache to warm", "Give one with --cache DIR.")
			}
			if err := usable(dir); err != nil {
				f := asFailure("", err)
				f.subject = dir
				return f
			}
			p := a.newProgress()
			defer p.close()
			r, err := a.reader(p, &glovebox.Options{})
			if err != nil {
				return err
			}
			err = r.Warm(c.Context())
			decoders := pluginDocuments(r.Decoders())
			if closeErr := r.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return asFailure("", err)
			}
			if slices.ContainsFunc(decoders, func(d glovebox.DecoderStatus) bool { return !d.Compiled }) {
				f := environment("cache directory", "a compiled decoder could not be kept", nil)
				f.err.Hint = `"glovebox doctor" says why.`
				return f
			}
			if a.global.json {
				return a.printDone(map[string]any{"plugins": decoders})
			}
			for _, d := range decoders {
				fmt.Fprintf(a.out, "%s is ready\n", d.Name)
			}
			return nil
		},
	}
}
