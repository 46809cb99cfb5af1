// Package host keeps the files of sessions, says which of them can be read, and turns bytes into Documents: it decides what a file is, asks
// the decoders that accept it, checks what they let out, and builds the answer. It never parses a file itself beyond the bounded prefix
// that package host/sniff looks at.
//
//	h, err := host.New(ctx, blobs, index, registry, nil)
//	s := h.Session(readapi.Scope{Principal: readapi.LocalPrincipal, Session: "chat-42"})
//	msg, err := s.Attach(ctx, host.Message{Text: "see attached", Files: []host.NewFile{{Name: "q3.pdf", Content: f}}})
//	doc, err := s.Read(ctx, msg.Attachments[0].Resource, readapi.Selection{Units: units}, nil)
//
// An address is offered if, and only if, it opens: one predicate, accept, answers for both. A Reader is the part of it that reads files of
// no session. Rows and bytes are kept by package host/store, history by host/ledger; the decoders come as an interface: package plugins
// implements it on top of the sandbox, which this package must not know.
package host
