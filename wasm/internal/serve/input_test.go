package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
)

// parent answers the questions of a remote input with pieces of data; what lies at or beyond broken cannot be read. It counts what it sends.
func parent(t interface{ Fatal(...any) }, c *wire.Conn, data []byte, broken int64, sent *int64) {
	for {
		k, n, err := c.Next()
		if err != nil {
			return
		}
		span, err := c.ReadSpan(n, int64(len(data)))
		if k != wire.Read || err != nil {
			t.Fatal("a question that a parent would not answer:", k, err)
		}
		head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, 1), uint64(span.Off))
		if span.Off+int64(span.N) > broken {
			b, _ := json.Marshal(wire.Failure{Code: readapi.CodeCorrupt})
			_ = c.Send(wire.NoData, head, b)
			continue
		}
		*sent += int64(span.N)
		_ = c.Send(wire.Data, head, data[span.Off:][:span.N])
	}
}

// connected is a remote input of data whose parent runs until end is called.
func connected(t interface{ Fatal(...any) }, data []byte, broken int64) (r *remote, sent *int64, end func()) {
	sent = new(int64)
	toHelper, fromParent := io.Pipe()
	toParent, fromHelper := io.Pipe()
	s := &server{conn: wire.NewConn(toHelper, fromHelper), pieces: make(chan piece, maxAsked), call: 1, stop: func() {}}
	done := make(chan bool, 2)
	go func() { s.receive(nil); done <- true }()
	go func() { parent(t, wire.NewConn(toParent, fromParent), data, broken, sent); done <- true }()
	return &remote{server: s, size: int64(len(data)), end: -1, gone: make(chan struct{})}, sent, func() {
		fromHelper.Close()
		fromParent.Close()
		<-done
		<-done
	}
}

// Whatever is read in whatever order, it is what the parent has, or the parent's error where that could not be read.
func TestRemoteInput(t *testing.T) {
	data := make([]byte, 5<<20+123)
	for i := range data {
		data[i] = byte(i * 7 / 3)
	}
	rapid.Check(t, func(t *rapid.T) {
		broken := int64(len(data))
		if rapid.Bool().Draw(t, "breaks") {
			broken = rapid.Int64Range(0, int64(len(data))).Draw(t, "broken")
		}
		r, _, end := connected(t, data, broken)
		defer end()
		off := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "reads") {
			if rapid.Bool().Draw(t, "jump") {
				off = rapid.Int64Range(0, int64(len(data))+10).Draw(t, "off")
			}
			b := make([]byte, rapid.IntRange(0, 300<<10).Draw(t, "n"))
			n, err := r.ReadAt(b, off)
			want := min(int64(len(b)), max(0, int64(len(data))-off))
			switch {
			case off+want <= broken && int64(n) != want:
				t.Fatalf("%d bytes at %d: got %d, %v", len(b), off, n, err)
			case want > 0 && off+want > broken && !errors.Is(err, readapi.CodeCorrupt):
				t.Fatalf("%d bytes at %d, of which some cannot be read: got %d, %v", len(b), off, n, err)
			case n > 0 && !bytes.Equal(b[:n], data[off:][:n]):
				t.Fatalf("%d bytes at %d are others", n, off)
			}
			off += int64(n)
		}
	})
}

// A page of a large file does not cost the whole file, and reading straight through costs it once.
func TestRemoteInputIsFrugal(t *testing.T) {
	data := make([]byte, 16<<20)
	r, sent, end := connected(t, data, int64(len(data)))
	b := make([]byte, 1000)
	for _, off := range []int64{12 << 20, 3 << 20, 12<<20 + 5000} {
		if _, err := r.ReadAt(b, off); err != nil {
			t.Fatal(err)
		}
	}
	end()
	if *sent > 3*firstStep {
		t.Errorf("three small reads moved %d bytes", *sent)
	}
	r, sent, end = connected(t, data, int64(len(data)))
	for off := int64(0); off < int64(len(data)); off += 1 << 16 {
		if _, err := r.ReadAt(make([]byte, 1<<16), off); err != nil {
			t.Fatal(err)
		}
	}
	end()
	if *sent != int64(len(data)) {
		t.Errorf("reading %d bytes once moved %d", len(data), *sent)
	}
}
