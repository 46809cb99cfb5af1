package server

import (
	"bufio"
	"io"
	"testing"
)

// BenchmarkCall is what the door adds to a read: a line in, a labelled answer out.
func BenchmarkCall(b *testing.B) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- ServeStdio(b.Context(), newFake(), inR, outW, nil) }()
	out := bufio.NewReaderSize(outR, 64<<10)
	ask := func(line string) {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := out.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	ask(hello)
	for b.Loop() {
		ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_attachment","arguments":{"uri":"maka://runtime/attachments/notes"}}}`)
	}
	_ = inW.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
