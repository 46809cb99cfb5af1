package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// attachFlags are the flags of attach.
type attachFlags struct {
	session       sessionFlag
	message, name string
	max           byteSize
}

func (f *attachFlags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	f.session.register(set, "the session `S` that gets the files")
	set.StringVar(&f.message, "message", "", "`TEXT` of the message that carries them")
	set.StringVar(&f.name, "name", "", "call the one file `NAME`")
	registerMaxAttachment(set, &f.max)
}

const attachLong = `Keep files in a session: they become one message of the user, with --message as its
text, that carries them, at most 8. All of them are kept or none is.

FILE is a file or - for standard input. Each is stored under an id of its own, and has
an address if a decoder reads files of its kind; "glovebox read ADDRESS" opens it then,
in this session and in no other. A file without an address is kept all the same.`

const attachExample = `  glovebox attach --session chat-42 q3.pdf
  glovebox attach --session chat-42 --message "both drafts" a.txt b.txt
  curl -s https://example.org/a.pdf | glovebox attach --session chat-42 --name a.pdf -`

func (a *app) attachCommand() *cobra.Command {
	var flags attachFlags
	c := &cobra.Command{
		Use:     "attach FILE...",
		Short:   "Keep files in a session",
		Long:    attachLong,
		Example: attachExample,
		Args:    func(_ *cobra.Command, args []string) error { return checkUploads(args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // files
		},
		RunE: func(c *cobra.Command, args []string) error { return a.attach(c, &flags, args) },
	}
	flags.register(c.Flags())
	complete(c, "session", a.completeSessions)
	return c
}

// checkUploads is the failure of arguments that attach cannot take at all.
func checkUploads(args []string) error {
	if len(args) == 0 {
		return usage("attach needs a file", `Name files, or "-" for standard input.`)
	}
	for _, arg := range args {
		if readapi.IsURI(arg) {
			f := usage("this is an address, and attach takes files", `"glovebox attachment cat" gives the bytes behind an address.`)
			f.subject = arg
			return f
		}
	}
	return oneStdin(args)
}

func (a *app) attach(c *cobra.Command, flags *attachFlags, args []string) (err error) {
	id, err := flags.session.id("attach")
	if err != nil {
		return err
	}
	if c.Flags().Changed("name") && len(args) > 1 {
		return usage("--name is for one file", "Attach that file alone.")
	}
	p := a.newProgress()
	defer p.close()
	ups := make([]*upload, len(args))
	for i, arg := range args {
		if ups[i], err = a.newUpload(c.Context(), p, arg); err != nil {
			return a.attachFailure(args, ups[:i], err)
		}
		defer ups[i].close()
		if c.Flags().Changed("name") {
			ups[i].name = flags.name
		}
	}
	var done *glovebox.Appended
	o := &glovebox.Options{OneShot: true, MaxAttachmentBytes: int64(flags.max)}
	err = a.keep(c.Context(), p, o, func(k keeper) error {
		done, err = k.session(id).Append(c.Context(), message(flags.message, ups))
		return err
	})
	p.close()
	if err != nil {
		return a.attachFailure(args, ups, err)
	}
	return a.printAttached(done)
}

// message is the message of the user that carries the uploads.
func message(text string, ups []*upload) host.Message {
	m := host.Message{Text: text}
	for _, u := range ups {
		m.Files = append(m.Files, host.NewFile{Name: u.name, Size: u.size, SizeKnown: u.sizeKnown, Content: u})
	}
	return m
}

// attachFailure is what a failed attach means. What went wrong with a file is told by the file: the host, which reads it, does not know
// what the user calls it. With several files JSON says which one it was, as read does.
func (a *app) attachFailure(args []string, ups []*upload, err error) error {
	for _, u := range ups {
		if u.fail != nil {
			err = u.fail
			break
		}
	}
	f := asFailure("", err)
	if f.subject == "" && f.err.Code == readapi.CodeTooLarge && f.err.Limit != nil {
		c := *f
		c.subject = tooLarge(ups, f.err.Limit.Value)
		f = &c
	}
	if !a.global.json || len(args) < 2 || f.subject == "" || f.exit != exitFailed {
		return f
	}
	a.exit = f.exit
	_ = a.out.printLine(f.subject, errorDocument{f.err})
	return nil
}

// tooLarge is the first of the uploads with more than most bytes, as far as they are known; else the one that was read last.
func tooLarge(ups []*upload, most int64) (shown string) {
	for _, u := range ups {
		if u.size > most || u.read > most {
			return u.shown
		}
		if u.read > 0 {
			shown = u.shown
		}
	}
	return shown
}

func (a *app) printAttached(done *glovebox.Appended) error {
	if a.global.json {
		return a.printDone(host.Attached{MessageID: done.ID, Attachments: append([]readapi.Attachment{}, done.Files...)})
	}
	a.printAttachments(done.Files)
	return nil
}

// printAttachments lists files for people.
func (a *app) printAttachments(files []readapi.Attachment) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tVERSION\tMEDIA TYPE\tSIZE\tADDRESS")
	for _, f := range files {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", readapi.EscapeLine(f.Name), f.Version, readapi.EscapeLine(string(f.MediaType)), formatBytes(f.Bytes), place(f))
	}
	_ = w.Flush() // output remembers a failed write
}

// place is where a file can be read, or why it cannot and which one it is.
func place(f readapi.Attachment) string {
	if f.Resource != "" {
		return f.Resource
	}
	return fmt.Sprintf("none, id %s: %s", f.ID, whyNot(f.Unavailable))
}

// whyNot says why a file has no address.
func whyNot(code readapi.Code) string {
	switch code {
	case readapi.CodeGone:
		return "it was deleted"
	case readapi.CodeUnsupportedKind:
		return "no decoder reads its kind"
	case readapi.CodeTooLarge:
		return "it is larger than what a decoder may read"
	case readapi.CodeNotFound, "":
		return "it is not of this session, or was purged"
	}
	return string(code)
}

// newUpload looks at the file that the user calls arg. It is opened when it is read.
func (a *app) newUpload(ctx context.Context, p *progress, arg string) (*upload, error) {
	u := &upload{ctx: ctx, shown: arg, progress: p, most: spoolMost}
	if arg == stdinName {
		u.name = "stdin"
		u.src, u.opened = interruptible(ctx, a.in), true
		return u, nil
	}
	info, err := os.Stat(arg)
	if err == nil {
		err = regular(arg, info)
	}
	if err != nil {
		f := fileFailure(arg, err)
		if info != nil && info.IsDir() {
			f.err.Hint = "Name the files in it."
		}
		return nil, f
	}
	u.path, u.name = arg, filepath.Base(arg)
	u.size, u.sizeKnown = info.Size(), info.Size() > 0
	return u, nil
}
