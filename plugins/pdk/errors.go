package pdk

import (
	"errors"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// ErrFull is what Writer's methods return when the answer has all that it may hold. A decoder stops and returns it; the answer ends
// well, with a position at which the next one continues.
var ErrFull = errors.New("pdk: the answer is full")

// Malformed returns the error for bytes that are damaged or not what their type says. detail is words of the decoder's own, never text
// from the file.
func Malformed(detail string) error { return failure(readapi.CodeMalformed, detail, nil) }

// Invalid returns the error for a request that this file cannot answer: a unit or child that is not there.
func Invalid(detail string) error { return failure(readapi.CodeInvalidRequest, detail, nil) }

// Unsupported returns the error for a variant that the decoder knows but does not decode; feature names it.
func Unsupported(feature string) error { return failure(readapi.CodeUnsupportedFeature, feature, nil) }

// Encrypted returns the error for a file that opens only with a password.
func Encrypted(detail string) error { return failure(readapi.CodeEncrypted, detail, nil) }

// OverLimit returns a limit_* error: code, the limit's name as in readapi.Request's JSON, its value and what the file asks for.
func OverLimit(code readapi.Code, name string, value, actual int64) error {
	return failure(code, "", &readapi.LimitHit{Name: name, Value: value, Actual: actual})
}

func failure(code readapi.Code, detail string, hit *readapi.LimitHit) error {
	return &readapi.Error{Code: code, Detail: detail, Limit: hit}
}

// failureOf is the error frame for what Decode returned.
func failureOf(err error) abi.Failure {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || !abi.Reportable(e.Code) {
		return abi.Failure{Code: readapi.CodeMalformed}
	}
	return abi.Failure{Code: e.Code, Detail: e.Detail, Limit: e.Limit}
}
