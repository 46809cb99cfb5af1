// Package host turns bytes into Documents: it decides what a file is, asks the decoders that accept it, checks what they let out, and
// builds the answer. It never parses a file itself beyond the bounded prefix that package host/sniff looks at.
//
//	r, err := host.NewReader(registry, nil)
//	doc, err := r.Read(ctx, host.File{Input: f, Name: "q3.pdf"}, readapi.Selection{Units: units})
//
// The decoders come as an interface: package plugins implements it on top of the sandbox, which this package must not know.
package host
