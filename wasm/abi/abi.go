package abi

import "github.com/glovebox-wasm/glovebox/readapi"

// Version is the ABI that this package speaks.
const Version = 1

// Names of what a guest exports.
const (
	ExportMemory     = "memory"
	ExportInitialize = "_initialize"
	ExportABI        = "glovebox_abi"
	ExportDescribe   = "glovebox_describe"
	ExportDecode     = "glovebox_decode"
)

// HostModule is the import module of the functions that the host gives a guest.
const HostModule = "glovebox"

// Names of what a guest may import from HostModule.
const (
	ImportRequestLen  = "request_len"
	ImportRequestRead = "request_read"
	ImportInputLen    = "input_len"
	ImportInputRead   = "input_read"
	ImportEmit        = "emit"
	ImportLog         = "log"
)

// Kind is the kind of a frame.
type Kind uint32

// The frame kinds of version 1.
const (
	KindDescribe Kind = 1  // Description; body: the samples' bytes, one after the other
	KindMeta     Kind = 2  // a JSON object, merged into the document's meta
	KindText     Kind = 3  // Part; body: UTF-8 text
	KindImage    Kind = 4  // Part; body: an encoded PNG or JPEG
	KindData     Kind = 5  // Part; body: one JSON value
	KindWarning  Kind = 6  // readapi.Warning
	KindError    Kind = 7  // Failure; ends the decode
	KindChild    Kind = 8  // readapi.Child
	KindEnd      Kind = 9  // End; ends the decode
	KindFile     Kind = 10 // File; body: bytes of a file inside the file
)

// Description is what a decoder says of itself.
type Description struct {
	ABI        int                 `json:"abi"` // Version
	Name       string              `json:"name"`
	Version    string              `json:"version"`
	MediaTypes []readapi.MediaType `json:"media_types"` // canonical, exact: no wildcards
	Unit       readapi.Unit        `json:"unit"`
	Forms      []readapi.Form      `json:"forms"` // without FormAuto, which every decoder has
	Children   bool                `json:"children,omitempty"`
	Names      []readapi.MediaType `json:"names,omitempty"`   // of files that it does not read, but can say what they are
	Samples    []Sample            `json:"samples,omitempty"` // small inputs that warm the decoder up before its snapshot is taken
}

// Sample is a small valid input. Bytes is how much of the describe frame's body belongs to it.
type Sample struct {
	MediaType readapi.MediaType `json:"media_type"`
	Bytes     int               `json:"bytes"`
}

// Part is the header of a part frame.
type Part struct {
	At        int64             `json:"at"`
	To        int64             `json:"to,omitempty"`     // last unit that a text part runs over; 0: At
	Offset    int64             `json:"offset,omitempty"` // see readapi.Part
	MediaType readapi.MediaType `json:"media_type,omitempty"`
	Width     int               `json:"width,omitempty"`
	Height    int               `json:"height,omitempty"`
	Truncated bool              `json:"truncated,omitempty"`
}

// Failure is the header of an error frame. Its code may be one of those that Reportable allows.
type Failure struct {
	Code   readapi.Code      `json:"code"`
	Detail string            `json:"detail,omitempty"`
	Limit  *readapi.LimitHit `json:"limit,omitempty"`
}

// File is the header of a file frame: bytes of a file inside the file, for a decoder of its own type. At 0 it is the child that the request
// names; else it is the picture of unit At, whose parts belong there. More means that the next frame goes on with the same file.
type File struct {
	At    int64         `json:"at,omitempty"`
	Child readapi.Child `json:"child"`
	More  bool          `json:"more,omitempty"`
}

// End is the header of an end frame.
type End struct {
	Total   int64             `json:"total"`
	AtLeast bool              `json:"at_least,omitempty"`
	Next    *readapi.Position `json:"next,omitempty"`
}

// Bounds on one answer that are the protocol's own, whatever the caller's limits. A guest ends its answer before it breaks one.
const (
	MaxParts    = 1 << 16
	MaxWarnings = 1 << 10
	maxChildren = 1 << 14
	maxMetaKeys = 1 << 10
	maxFiles    = 1 << 10
)

// Reportable reports whether a guest may send c in an error frame. The other codes belong to the host; a guest that sends one is
// bad_output.
func Reportable(c readapi.Code) bool {
	switch c {
	case readapi.CodeInvalidRequest, readapi.CodeMalformed, readapi.CodeEncrypted, readapi.CodeUnsupportedFeature, readapi.CodeTooLarge,
		readapi.CodeLimitMemory, readapi.CodeLimitOutput, readapi.CodeLimitPixels, readapi.CodeLimitDepth, readapi.CodeLimitFuel:
		return true
	}
	return false
}
