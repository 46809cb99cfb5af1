package s3blob

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const retryAfter = time.Second

var errNoBucket = &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "there is no such bucket",
	Hint: "Make the bucket, or correct its name in the address."}

func invalid(detail string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail}
}

func unusable(detail string, err error) error {
	return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: detail, Err: err}
}

func busy(detail string, err error) error {
	return &readapi.Error{Code: readapi.CodeBusy, Detail: detail, RetryAfter: retryAfter, Err: err}
}

// fault is what an error of the bucket means. ctx is the caller's: when it has not ended, a time that ran out was the driver's own. An
// object that is not there is fs.ErrNotExist.
func fault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cerr := ctx.Err(); cerr != nil {
		return cerr
	}
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return e
	}
	e, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address
		}
		return busy("the bucket does not answer", err)
	}
	switch {
	case e.Code == minio.NoSuchBucket:
		return errNoBucket
	case e.Code == minio.NoSuchKey || e.Code == "" && e.StatusCode == http.StatusNotFound:
		return fs.ErrNotExist
	case e.StatusCode == http.StatusInsufficientStorage || e.Code == "XMinioStorageFull" || e.Code == "QuotaExceeded":
		return &readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the bucket is full", Hint: "Make room in the bucket.", Err: err}
	case e.Code == "RequestTimeTooSkewed":
		return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the clock of this machine is not that of the bucket",
			Hint: "Set the clock of this machine.", Err: err}
	case e.StatusCode == http.StatusMovedPermanently, e.Code == "AuthorizationHeaderMalformed", e.Code == "InvalidRegion":
		return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the bucket is in another region",
			Hint: "Name the bucket's region in its address.", Err: err}
	case e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden:
		return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the keys do not open the bucket",
			Hint: "Give the keys that glovebox runs with the right to read, write, list and delete objects of the bucket.", Err: err}
	case e.StatusCode == http.StatusRequestTimeout, e.StatusCode == http.StatusTooManyRequests, e.StatusCode == http.StatusConflict,
		e.StatusCode >= 500 && e.StatusCode != http.StatusNotImplemented, transient[e.Code]:
		return busy("the bucket has too much to do", err)
	}
	return unusable("the bucket does not take the request", err)
}

// transient are the codes of S3, with a status below 500, that say that what arrived was not what was sent.
var transient = map[string]bool{"BadDigest": true, "IncompleteBody": true, "RequestTimeout": true, "XAmzContentSHA256Mismatch": true,
	"SlowDown": true, "RequestError": true}

// has reports whether err is an answer of the bucket with this status.
func has(err error, status int) bool {
	e, ok := errors.AsType[minio.ErrorResponse](err)
	return ok && e.StatusCode == status
}
