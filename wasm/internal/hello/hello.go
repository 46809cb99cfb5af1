// Package hello is the first word between a process and a helper that it starts: what is wanted, and whether the two understand each other.
//
//	hello.Write(in, hello.Request{Version: hello.Version, Task: hello.Compile, Args: args})
//	err := hello.Read(out, &reply)
//
// A message is a little-endian uint32 with its length and then JSON. What comes after the first message is the task's own.
package hello

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// Version is that of everything that a process and its helper say to each other. The shape of Request and Reply is for all versions: that is
// how a helper of another version can say so.
const Version = 1

// The tasks of a helper.
const (
	Compile = "compile"
	Run     = "run"
)

// MaxBytes is the longest message that is read.
const MaxBytes = 64 << 10

// Request is the first message to a helper.
type Request struct {
	Version int             `json:"version"`
	Task    string          `json:"task"`
	Args    json.RawMessage `json:"args,omitempty"`
}

// Reply is a helper's answer.
type Reply struct {
	Version int    `json:"version"`
	Result  string `json:"result"`
	Detail  string `json:"detail,omitempty"` // for the log only
}

// OtherVersion is the result with which a helper answers a request of a version, or with a task, that it does not know.
const OtherVersion = "other_version"

// Write writes v as a message.
func Write(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > MaxBytes {
		return errors.New("hello: the message is too long")
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

// Read reads a message into v, and not a byte more. The length is checked before anything is allocated.
func Read(r io.Reader, v any) error {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint32(n[:])
	if size > MaxBytes {
		return errors.New("hello: the message is too long")
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// CompileArgs are those of Compile. The module follows the message. The helper answers with a Reply and ends.
type CompileArgs struct {
	Build          string `json:"build"`  // of the one who asks; machine code of another build is of no use
	Engine         string `json:"engine"` // "compiler", or "interpreter": lower it, to show that it can be done within the limits
	Dir            string `json:"dir"`    // an empty folder for the machine code, and the only place that is written to
	Digest         string `json:"digest"` // sha256 of the module, lower-case hex
	Bytes          int64  `json:"bytes"`  // its length
	MaxMemoryBytes int64  `json:"max_memory_bytes"`
	MaxCodeBytes   int64  `json:"max_code_bytes"`
}

// The results of Compile.
const (
	Done       = "done"
	Refused    = "refused"     // the module does not compile
	OverMemory = "over_memory" // also told by ExitMemory, when there was no time for words
	OverCode   = "over_code"
	NoPlace    = "no_place" // for the machine code: the disk is full, say
	OtherBuild = "other_build"
	Failed     = "failed" // something else, which is not the module's fault
)

// ExitMemory is the exit code of a helper that ends itself because it has too much memory.
const ExitMemory = 83
