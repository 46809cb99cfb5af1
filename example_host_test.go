package glovebox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// keepAndRead appends a message with a file to a session, finds the file by its name, and reads its first page by its address.
func keepAndRead(ctx context.Context, dir string, file io.Reader) error {
	g, err := glovebox.Open(ctx, dir, nil) // a database and files; the decoders are sealed
	if err != nil {
		return err
	}
	defer g.Close()
	chat := g.Session("chat-42")
	if _, err := chat.Append(ctx, glovebox.User("see attached", glovebox.File("q3.pdf", file))); err != nil {
		return err
	}
	found, err := chat.Recall(ctx, "q3") // in a later turn, by the name of the file
	if err != nil {
		return err
	}
	material := found.Passages[0].Messages[0].Materials[0]
	doc, err := chat.Read(ctx, material.Resource, &glovebox.ReadOptions{Units: "1"})
	if err != nil {
		return err
	}
	fmt.Printf("%s, page 1 of %d: %s", material.Name, doc.Total, doc.Document.Parts[0].Text)
	return nil
}

// scratch is a folder that an example throws away.
func scratch() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// letter is a small PDF.
func letter() io.Reader {
	return strings.NewReader(string(samples.PDF([][]string{{"Dear reader,"}, {"Yours, the writer"}})))
}

func ExampleOpen() {
	dir, remove := scratch()
	defer remove()
	if err := keepAndRead(context.Background(), dir, letter()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// q3.pdf, page 1 of 2: Dear reader,
}

// An offer is an address or a reason, and a read does what the offer said.
func ExampleSession_Offer() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	g, err := glovebox.Open(ctx, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	chat, other := g.Session("chat-42"), g.Session("chat-43")
	msg, err := chat.Append(ctx, glovebox.User("", glovebox.File("letter.pdf", letter()), glovebox.File("data.bin", strings.NewReader("\x00\x01\x02\x03"))))
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(s *glovebox.Session) {
		offers, err := s.Offer(ctx, msg.Attachments...)
		for i, o := range offers {
			fmt.Printf("%s %s: address %t, reason %q\n", s.ID(), msg.Attachments[i].Name, o.URI != "", o.Unavailable)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	show(chat)
	show(other)
	_, err = other.Read(ctx, msg.Files[0].Resource, nil)
	fmt.Println(readapi.CodeOf(err))
	// Output:
	// chat-42 letter.pdf: address true, reason ""
	// chat-42 data.bin: address false, reason "unsupported_kind"
	// chat-43 letter.pdf: address false, reason "not_found"
	// chat-43 data.bin: address false, reason "not_found"
	// not_found
}

// What a model is given is a reference; the bytes come back when they are asked for.
func ExampleSession_OpenBytes() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	g, err := glovebox.Open(ctx, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	msg, err := g.Session("chat-42").Append(ctx, glovebox.User("", glovebox.File("a.txt", strings.NewReader("exactly these bytes"))))
	if err != nil {
		fmt.Println(err)
		return
	}
	original, err := g.Session("chat-42").OpenBytes(ctx, msg.Files[0].Resource)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer original.Close()
	b, err := io.ReadAll(original)
	fmt.Println(string(b), err)
	// Output:
	// exactly these bytes <nil>
}

// An agent loop gives the tools to its model and passes the calls on.
func ExampleSession_Tools() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	g, err := glovebox.Open(ctx, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	chat := g.Session("chat-42")
	if _, err := chat.Append(ctx, glovebox.User("my notes", glovebox.File("notes.txt", strings.NewReader("Buy milk.\n")))); err != nil {
		fmt.Println(err)
		return
	}
	tools := chat.Tools()
	for _, t := range tools.List() {
		fmt.Println(t.Name, json.Valid(t.InputSchema))
	}
	result, err := tools.Call(ctx, "recall", json.RawMessage(`{"terms": ["notes"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(result.Text, readapi.URIPrefix))
	// Output:
	// read_attachment true
	// recall true
	// true
}
