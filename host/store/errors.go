package store

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// PlaceError is what an error of a place on disk means: quota_exceeded where the disk is full, busy where too many files are open,
// capability_unavailable where the system does not let us write. Constructors of drivers return it; the errors of their methods get their
// codes from Blobs and Index.
func PlaceError(op string, err error) error { return writeError(op, err) }

// retryBusy is when to try again where the system has no more room for open files.
const retryBusy = time.Second

// writeError is what an error of a place that bytes are written to means. It is asked once, at the exported edge.
func writeError(op string, err error) error {
	return placeError(op, err, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory cannot be written",
		Hint: "Let the user that runs glovebox write to the data directory."})
}

// readError is the same where bytes are read.
func readError(op string, err error) error {
	return placeError(op, err, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory cannot be read",
		Hint: "Let the user that runs glovebox read the data directory."})
}

// placeError gives err its code; refused is what it is where the system does not let us at the place.
func placeError(op string, err error, refused *readapi.Error) error {
	if err == nil {
		return nil
	}
	if readapi.CodeOf(err) != readapi.CodeInternal {
		return readapi.AsError(op, err)
	}
	e := &readapi.Error{Code: readapi.CodeInternal}
	switch {
	case isAny(err, diskFull):
		e = &readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the disk is full", Hint: "Make room on the disk of the data directory."}
	case isAny(err, tooManyFiles):
		e = &readapi.Error{Code: readapi.CodeBusy, Detail: "too many files are open", RetryAfter: retryBusy}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, io.ErrShortWrite), isAny(err, badPlace):
		e = refused
	}
	e.Op, e.Err = op, err
	return e
}

func isAny(err error, targets []error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}

// LeaseLost is what an index driver returns for an artifact whose bytes are not kept from being removed any more.
func LeaseLost() error {
	return &readapi.Error{Code: readapi.CodeBusy, Detail: "its bytes were removed before it was there", RetryAfter: retryBusy, Hint: "Send the file again."}
}

// QuotaTotal is the limit on what all principals keep together.
const QuotaTotal = "total_bytes"

// QuotaError is what an index driver returns where a quota would not hold. How much all keep together is not the caller's to know: it would
// tell how much the others keep, and when one of them adds or removes something.
func QuotaError(name string, most, have int64) error {
	if name == QuotaTotal {
		have = 0
	}
	return &readapi.Error{Code: readapi.CodeQuotaExceeded, Limit: &readapi.LimitHit{Name: name, Value: most, Actual: have},
		Hint: "Purge what is not needed any more, or raise the quota."}
}
