// Package glovebox is a Read host for agent hosts: it reads the files that people attach to messages, and parses their bytes only inside
// a WebAssembly sandbox.
//
//	f, err := os.Open("report.pdf")
//	info, err := f.Stat()
//	doc, err := glovebox.ReadFile(ctx, f, info.Size(), "report.pdf", &glovebox.ReadOptions{Units: "1-3"})
//	for part, err := range doc.Parts() {
//		fmt.Println(part.Unit, part.At, part.Text)
//	}
//
// ReadFile needs no set-up: the built-in decoders for PDF, images and text are part of the module and are compiled once into a cache.
// A program that wants its own limits, cache or logger opens a Reader. What happens behind the call is told in package host (routing and
// the checks on what leaves), plugins (which decoder) and wasm/sandbox (the wall).
package glovebox
