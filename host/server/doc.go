// Package server opens doors to a session for programs that are not written in Go. The one that there is speaks the Model Context Protocol
// over standard input and output.
//
//	err := server.ServeStdio(ctx, session, os.Stdin, os.Stdout, &server.MCPOptions{Version: "1.0"})
//
// What a model reads is made by package host/tools, the same for every door. This package adds the protocol: framing, resources, errors as
// clients know them, cancellation and progress. A session is chosen when the door is opened and nothing that comes through it names another.
package server
