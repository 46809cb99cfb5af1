// Package glovebox is a Read host for agent hosts: it keeps the files that people attach to messages, finds them again, gives them an
// address where a read will work, and parses their bytes only inside a WebAssembly sandbox.
//
//	g, err := glovebox.Open(ctx, dataDir, nil)
//	defer g.Close()
//	s := g.Session("chat-42") // what belongs to another session is as if it were not there
//	msg, err := s.Append(ctx, glovebox.User("see attached", glovebox.File("q3.pdf", f)))
//	offers, err := s.Offer(ctx, msg.Attachments...) // a URI or a reason
//	doc, err := s.Read(ctx, offers[0].URI, &glovebox.ReadOptions{Units: "1-3"})
//	for part, err := range doc.Parts() {
//		fmt.Println(part.Unit, part.At, part.Text)
//	}
//	hits, err := s.Recall(ctx, "q3", "流水线")
//
// Files that belong to no session are read by ReadFile, or by a Reader with limits, a cache or a logger of one's own. The built-in decoders
// for PDF, images and text are part of the module and are compiled once into a cache.
//
// What happens behind the calls is told in package host (who may read what, and the checks on what leaves), host/store (what is kept),
// host/recall, plugins (which decoder) and wasm/sandbox (the wall).
package glovebox
