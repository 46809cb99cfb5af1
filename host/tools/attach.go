package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	maxPath = 4096 // characters
	maxName = 1024 // characters; what is stored is shorter
)

// attach runs the tool of this name. The message that carries the file has no text: what a model says is not what the user said, and recall
// would show it as that.
func (s *Set) attach(ctx context.Context, raw json.RawMessage) (*Result, error) {
	a := parseArgs(raw, "", "path", "name")
	path, name := a.required("path", maxPath), a.text("name", maxName)
	if a.err != nil {
		return nil, a.err
	}
	file, err := s.opts.Attach(ctx, path)
	if err != nil {
		return nil, err
	}
	if c, ok := file.Content.(io.Closer); ok {
		defer func() { _ = c.Close() }() // it was only read from: what was attached stands
	}
	if name != "" {
		file.Name = name
	}
	done, err := s.session.Attach(ctx, host.Message{Files: []host.NewFile{file}})
	if err != nil {
		return nil, err
	}
	out := *done
	out.Attachments = append([]readapi.Attachment{}, done.Attachments...)
	for i := range out.Attachments {
		out.Attachments[i].Name = line(out.Attachments[i].Name)
	}
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &Result{Text: attached(&out), Structured: structured}, nil
}

func attached(done *host.Attached) string {
	text := ""
	for _, f := range done.Attachments {
		text += fmt.Sprintf("Attached %s (%s, %d bytes) as message %s. ", quoted(f.Name), f.MediaType, f.Bytes, line(done.MessageID))
		if f.Resource != "" {
			text += "Its address is " + f.Resource + "\n"
			continue
		}
		text += fmt.Sprintf("It is kept, but nothing reads it (%s).\n", f.Unavailable)
	}
	return text
}
