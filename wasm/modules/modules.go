// Package modules holds the built-in decoders: wasm modules that were admitted, rewritten and described when they were built, embedded
// compressed, each known by the digest of the bytes that run.
//
//	for _, m := range modules.All() {
//		wasm, err := m.Wasm() // rewritten, digest checked
//	}
//
// `make wasm` builds them; `make wasm-check` builds them again and compares digests.
package modules

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

//go:embed built
var built embed.FS

// Dir is where the built modules lie, relative to this package; IndexFile is the name of their list in it.
const (
	Dir       = "built"
	IndexFile = "modules.json"
)

// maxModuleBytes bounds what a compressed module may grow to: the embedded files are ours, the bound catches a broken build.
const maxModuleBytes = 64 << 20

// Index is the content of IndexFile.
type Index struct {
	Version int      `json:"version"` // of this format: 1
	Go      string   `json:"go"`      // toolchain that built the modules
	Modules []Module `json:"modules"` // in the order in which they are asked
}

// Module is one built-in decoder.
type Module struct {
	Name        string          `json:"name"`
	File        string          `json:"file"`     // in Dir, gzip
	Bytes       int64           `json:"bytes"`    // uncompressed
	Digest      string          `json:"digest"`   // sha256 of the uncompressed, rewritten module, lower-case hex
	Original    string          `json:"original"` // sha256 of the module as the toolchain built it
	Description abi.Description `json:"description"`
	Samples     [][]byte        `json:"samples"` // what the snapshot's warm-up reads, by Description.Samples
}

// All returns the built-in decoders, the preferred one first. The list is parsed once and must not be changed.
func All() []Module { return index().Modules }

var index = sync.OnceValue(func() Index {
	var x Index
	b, err := built.ReadFile(Dir + "/" + IndexFile)
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err != nil {
		panic("modules: the embedded index is broken: " + err.Error()) // a build without its index cannot be shipped
	}
	return x
})

// Toolchain returns the Go version that built the modules.
func Toolchain() string { return index().Go }

// Wasm returns the module's bytes, decompressed and checked against the digest.
func (m Module) Wasm() ([]byte, error) {
	b, err := built.ReadFile(Dir + "/" + m.File)
	if err != nil {
		return nil, fmt.Errorf("modules: %s: %w", m.Name, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("modules: %s: %w", m.Name, err)
	}
	out := bytes.NewBuffer(make([]byte, 0, min(m.Bytes, maxModuleBytes)+bytes.MinRead))
	if _, err := io.Copy(out, io.LimitReader(z, maxModuleBytes)); err != nil {
		return nil, fmt.Errorf("modules: %s: %w", m.Name, err)
	}
	if sum := sha256.Sum256(out.Bytes()); hex.EncodeToString(sum[:]) != m.Digest {
		return nil, fmt.Errorf("modules: %s does not have its digest", m.Name)
	}
	return out.Bytes(), nil
}
