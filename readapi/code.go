package readapi

import "errors"

// Code says what kind of failure an Error is. The list is closed; a code's string is API (JSON, vectors, command line): added, never
// renamed. A Code is itself an error, so errors.Is(err, CodeTooLarge) works on whatever wraps one.
type Code string

// The codes. Who is at fault: the caller in invalid_*, the input in malformed_input, too_large, encrypted, unsupported_*; the decoder in
// decoder_trap, bad_output and limit_*; the host in corrupt and internal.
const (
	CodeInvalidURI            Code = "invalid_uri"            // not the one canonical form of an address
	CodeInvalidRequest        Code = "invalid_request"        // an argument, a unit or a child that is not there
	CodeNotFound              Code = "not_found"              // absent or of another session: the two look the same
	CodeGone                  Code = "gone"                   // to the owner only: it was deleted or collected
	CodeUnauthorized          Code = "unauthorized"           // no credential, or one that does not cover this
	CodeUnsupportedKind       Code = "unsupported_kind"       // no decoder accepts this media type
	CodeUnsupportedFeature    Code = "unsupported_feature"    // a known kind, a variant that nobody decodes; the detail says which
	CodeTooLarge              Code = "too_large"              // the input is over a limit that is known before reading it
	CodeMalformed             Code = "malformed_input"        // the bytes are not what their type says, or are damaged
	CodeEncrypted             Code = "encrypted"              // it opens with a password that was not given
	CodeStaleCursor           Code = "stale_cursor"           // the cursor is of another file or another decoder version
	CodeLimitTime             Code = "limit_time"             // the deadline passed
	CodeLimitFuel             Code = "limit_fuel"             // the decoder's budget of work is spent
	CodeLimitMemory           Code = "limit_memory"           // the decoder's memory is spent
	CodeLimitOutput           Code = "limit_output"           // the decoder sent more than it may
	CodeLimitPixels           Code = "limit_pixels"           // an image is larger than the pixel budget
	CodeLimitDepth            Code = "limit_depth"            // nesting or recursion too deep
	CodeQuotaExceeded         Code = "quota_exceeded"         // a session, principal or store is full
	CodeTrap                  Code = "decoder_trap"           // the decoder crashed; its instance is gone
	CodeBadOutput             Code = "bad_output"             // what the decoder sent breaks the protocol
	CodeModuleRefused         Code = "module_refused"         // admission refused a wasm module
	CodeUntrusted             Code = "untrusted"              // a package without a signature that is trusted
	CodeBusy                  Code = "busy"                   // no room just now; try again after RetryAfter
	CodeCanceled              Code = "canceled"               // the caller went away
	CodeCorrupt               Code = "corrupt"                // stored bytes do not have their digest
	CodeConflict              Code = "conflict"               // a concurrent change came first
	CodeIncognitoActive       Code = "incognito_active"       // recall is off in this session
	CodeCapabilityUnavailable Code = "capability_unavailable" // this deployment does not have it
	CodeInternal              Code = "internal"               // a bug of ours
)

// Codes lists every Code, in the order of the documentation.
func Codes() []Code {
	return []Code{
		CodeInvalidURI, CodeInvalidRequest, CodeNotFound, CodeGone, CodeUnauthorized, CodeUnsupportedKind, CodeUnsupportedFeature,
		CodeTooLarge, CodeMalformed, CodeEncrypted, CodeStaleCursor, CodeLimitTime, CodeLimitFuel, CodeLimitMemory, CodeLimitOutput,
		CodeLimitPixels, CodeLimitDepth, CodeQuotaExceeded, CodeTrap, CodeBadOutput, CodeModuleRefused, CodeUntrusted, CodeBusy,
		CodeCanceled, CodeCorrupt, CodeConflict, CodeIncognitoActive, CodeCapabilityUnavailable, CodeInternal,
	}
}

// Error returns the code's string.
func (c Code) Error() string { return string(c) }

// Known reports whether c is on the closed list.
func (c Code) Known() bool {
	_, ok := sentences[c]
	return ok
}

// Retryable reports whether the same call may succeed later without any change to it.
func (c Code) Retryable() bool { return c == CodeBusy || c == CodeCanceled || c == CodeConflict }

// CodeOf returns the code of err: "" for nil, the code of an *Error or Code that err wraps, limit_time and canceled for context errors,
// and internal for everything else.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if c, ok := errors.AsType[Code](err); ok {
		return c
	}
	return contextCode(err)
}

// sentences is what a person reads when an Error has no more exact text: what is wrong, in one sentence.
var sentences = map[Code]string{
	CodeInvalidURI:            "This is not an attachment address.",
	CodeInvalidRequest:        "The request is not valid.",
	CodeNotFound:              "There is no such attachment.",
	CodeGone:                  "This attachment was deleted.",
	CodeUnauthorized:          "This needs a credential that covers it.",
	CodeUnsupportedKind:       "No decoder reads files of this kind.",
	CodeUnsupportedFeature:    "The file uses a feature that no decoder reads.",
	CodeTooLarge:              "The file is larger than the limit.",
	CodeMalformed:             "The file is damaged or is not what it claims to be.",
	CodeEncrypted:             "The file is encrypted and needs a password.",
	CodeStaleCursor:           "The cursor belongs to another file or another version of the decoder.",
	CodeLimitTime:             "Reading took longer than the time limit.",
	CodeLimitFuel:             "Reading took more work than the limit.",
	CodeLimitMemory:           "Reading took more memory than the limit.",
	CodeLimitOutput:           "The content is larger than the output limit.",
	CodeLimitPixels:           "The image has more pixels than the limit.",
	CodeLimitDepth:            "The file is nested more deeply than the limit.",
	CodeQuotaExceeded:         "The quota is used up.",
	CodeTrap:                  "The decoder crashed on this file.",
	CodeBadOutput:             "The decoder answered in a way that the protocol does not allow.",
	CodeModuleRefused:         "The module is refused.",
	CodeUntrusted:             "The package is not signed by a trusted key.",
	CodeBusy:                  "There is no room for this read just now.",
	CodeCanceled:              "The read was canceled.",
	CodeCorrupt:               "The stored bytes are damaged.",
	CodeConflict:              "Something else changed this first.",
	CodeIncognitoActive:       "Recall is off in this session.",
	CodeCapabilityUnavailable: "This deployment does not offer that.",
	CodeInternal:              "Something went wrong inside glovebox.",
}

// about are the sentences where a detail follows that is about more than files, in place of those that are not true then.
var about = map[Code]string{
	CodeNotFound:              "It was not found",
	CodeTooLarge:              "It is larger than the limit",
	CodeCapabilityUnavailable: "This cannot be used",
}
