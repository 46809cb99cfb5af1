package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// exportFlags are the flags of session export.
type exportFlags struct {
	out string
	all bool
}

func (a *app) sessionExportCommand() *cobra.Command {
	var flags exportFlags
	c := &cobra.Command{
		Use:   "export [SESSION...]",
		Short: "Write sessions as JSON lines, without the bytes of their files",
		Long: `Write sessions as JSON lines, on standard output or to a new file: their states, events and
files by digest, not the bytes of those. Without SESSION these are all sessions of the
principal, with --all everybody's and the decoders that are on and off too: from that
and the bytes "glovebox session import" makes the index anew. docs/store.md describes it.`,
		Example: `  glovebox session export chat-42
  glovebox session export --all --out index.jsonl`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeSessions,
		RunE: func(c *cobra.Command, args []string) error {
			if flags.all && len(args) > 0 {
				return usage("--all is everybody's sessions and takes no SESSION", "")
			}
			principal, err := a.principal()
			if err != nil {
				return err
			}
			o := transfer.ExportOptions{Principal: principal}
			if flags.all {
				o.Principal = "" // everybody
			}
			for i := range args {
				id, err := sessionArgument(args[i:])
				if err != nil {
					return err
				}
				o.Sessions = append(o.Sessions, id)
			}
			return a.maintain(c.Context(), func(s *openedStore) error { return a.export(c.Context(), s, o, flags.out) })
		},
	}
	c.Flags().StringVar(&flags.out, "out", "", "write a new `FILE` instead")
	c.Flags().BoolVar(&flags.all, "all", false, "everybody's sessions, and the decoders that are on and off")
	complete(c, "out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	})
	return c
}

// export writes sessions to out, "" for standard output, which has nothing else then.
func (a *app) export(ctx context.Context, s *openedStore, o transfer.ExportOptions, out string) error {
	if out != "" {
		return a.transferring("exporting", "exported to "+out, func(progress func(transfer.Counts)) (*transfer.Report, error) {
			o.Progress = progress
			return exportFile(ctx, s, o, out)
		})
	}
	var w io.Writer = a.out
	if a.out.tty {
		w = &visibleLines{w: a.out}
	}
	report, err := transfer.Export(ctx, s.Blobs, s.Index, w, o)
	if err == nil || a.out.err != nil { // what a write did is asked once, at the end of run
		return nil
	}
	if report != nil {
		a.tellProblems(report)
	}
	if !onlyProblems(report, err) {
		return noSession(err)
	}
	a.exit = exitFailed
	return nil
}

// exportFile makes the file at path, whole or not at all. One that names missing bytes is whole.
func exportFile(ctx context.Context, s *openedStore, o transfer.ExportOptions, path string) (report *transfer.Report, err error) {
	pr, pw := io.Pipe()
	var exportErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, exportErr = transfer.Export(ctx, s.Blobs, s.Index, pw, o)
		if onlyProblems(report, exportErr) {
			_ = pw.Close() // it never fails
			return
		}
		_ = pw.CloseWithError(exportErr)
	}()
	err = writeNew(path, pr)
	_ = pr.CloseWithError(err) // whoever still writes
	<-done
	if err == nil {
		err = exportErr
	}
	return report, noSession(err)
}

// noSession names the session that is not there.
func noSession(err error) error {
	if e, ok := errors.AsType[*readapi.Error](err); ok && e.Code == readapi.CodeNotFound && e.Ref != "" {
		return asFailure(e.Ref, err)
	}
	return err
}

// visibleLines shows JSON lines on a terminal, in the escapes that a document has there.
type visibleLines struct {
	w    io.Writer
	rest []byte
}

// Write implements io.Writer. The last line of what is written has to have an end.
func (v *visibleLines) Write(b []byte) (int, error) {
	v.rest = append(v.rest, b...)
	end := bytes.LastIndexByte(v.rest, '\n') + 1
	if _, err := v.w.Write(visible(v.rest[:end])); err != nil {
		return 0, err
	}
	v.rest = append(v.rest[:0], v.rest[end:]...)
	return len(b), nil
}
