package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"path"
	"path/filepath"
	"runtime"
)

// An entry is the machine code of one module as wazero's compile cache keeps it. wazero compiles whatever it does not find there, finds
// entries by a name that it computes, and takes an entry of another version for none. So whoever wants it to compile nothing must know the
// name and the format. Both are internal to wazero 1.12 (internal/engine/wazevo/engine_cache.go); tests pin them.

// entryPath is where wazero looks for the entry of m below the folder of a cache, with slashes.
func entryPath(wasm []byte) string {
	return path.Join(entryFolder(), entryName(wasm))
}

// entryFolder is the folder that wazero makes for its version (its cache.go, ensuresFileCache).
func entryFolder() string {
	return "wazero-" + wazeroVersion() + "-" + runtime.GOARCH + "-" + runtime.GOOS
}

// entryMagic begins every entry, and is part of its name.
const entryMagic = "WAZEVO"

// entryName is wazero's fileCacheKey: of the module's id, the magic and the CPU's features. The id is of the module and of whether the code
// looks at its context, which ours never does; we register no listeners, which would be part of it too.
func entryName(wasm []byte) string {
	h := sha256.New()
	h.Write(wasm)
	h.Write([]byte{0}) // WithCloseOnContextDone is off
	id := h.Sum(nil)
	h.Reset()
	h.Write(id)
	h.Write([]byte(entryMagic))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(cpuFeatures())))
	return hex.EncodeToString(h.Sum(nil))
}

var errEntry = errors.New("it is not the machine code of this module")

// checkEntry checks that wazero, given this entry for a module, would load it and nothing else: not refuse it, not compile, not allocate more
// than the entry is long. The machine code itself cannot be checked; whose it is, is the question of who wrote it.
func checkEntry(b, wasm []byte) error {
	funcs, err := countFuncs(wasm)
	if err != nil {
		return err
	}
	head := entryMagic + string([]byte{byte(len(wazeroVersion()))}) + wazeroVersion()
	rest, ok := bytes.CutPrefix(b, []byte(head))
	if !ok || len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) != funcs {
		return errEntry
	}
	rest = rest[4:]
	if uint64(len(rest)) < 8*funcs+8 {
		return errEntry
	}
	offsets, rest := rest[:8*funcs], rest[8*funcs:]
	size := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	// After the code: its checksum, no source map, and an empty table of catch clauses.
	if uint64(len(rest)) < 9 || uint64(len(rest))-9 != size {
		return errEntry
	}
	code, rest := rest[:size], rest[size:]
	var last uint64
	for i := uint64(0); i < funcs; i++ {
		at := binary.LittleEndian.Uint64(offsets[8*i:])
		if at >= size || at%16 != 0 || i > 0 && at <= last {
			return errEntry
		}
		last = at
	}
	if binary.LittleEndian.Uint32(rest) != crc32.Checksum(code, crc32.MakeTable(crc32.Castagnoli)) || !bytes.Equal(rest[4:], make([]byte, 5)) {
		return errEntry
	}
	return nil
}

// countFuncs is how many functions a module has itself: the count at the head of its function section.
func countFuncs(wasm []byte) (uint64, error) {
	const header, functionSection = 8, 3
	bad := errors.New("it is not a module")
	if len(wasm) < header {
		return 0, bad
	}
	for b := wasm[header:]; len(b) > 0; {
		id := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || uint64(len(b)-1-n) < size {
			return 0, bad
		}
		body := b[1+n:][:size]
		if id == functionSection {
			count, n := binary.Uvarint(body)
			if n <= 0 || count > size {
				return 0, bad
			}
			return count, nil
		}
		b = b[1+n:][size:]
	}
	return 0, nil
}

// maxEntryBytes is how long an entry is with so much machine code.
func maxEntryBytes(wasm []byte, code int64) int64 {
	funcs, _ := countFuncs(wasm)
	head := len(entryMagic) + 1 + len(wazeroVersion()) + 4
	return int64(head) + int64(8*funcs) + 8 + code + 9
}

// readEntry returns the entry of m in folder, when that holds the entry, a manifest with its digest, and nothing else. It is read once: what was
// verified is what is returned. The error is fs.ErrNotExist only when there is no folder.
func readEntry(folder string, m Module, code int64) ([]byte, error) {
	if err := verifyHead(folder); err != nil {
		return nil, err
	}
	list, err := readManifest(folder)
	if err != nil {
		return nil, notAbsent("its manifest", err)
	}
	if list.Module != m.Digest || len(list.Files) != 1 || list.Files[0].Path != entryPath(m.Wasm) {
		return nil, errors.New("its manifest is of another module")
	}
	if err := list.names(folder); err != nil {
		return nil, notAbsent("its files", err)
	}
	b, err := readPlain(filepath.Join(folder, filepath.FromSlash(list.Files[0].Path)), maxEntryBytes(m.Wasm, code))
	if err != nil {
		return nil, notAbsent("its machine code", err)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != list.Files[0].SHA256 {
		return nil, errors.New("its machine code has another digest")
	}
	return b, checkEntry(b, m.Wasm)
}
