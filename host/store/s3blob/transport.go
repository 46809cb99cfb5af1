package s3blob

import (
	"context"
	"io"
	"net/http"
	"time"
)

// timed ends each exchange, its body too, after a time: a server that falls silent holds nobody up, whoever asked, and whether the context
// of the caller ends or not.
type timed struct {
	next http.RoundTripper
	most time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t timed) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.most)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &timedBody{resp.Body, cancel}
	return resp, nil
}

type timedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *timedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
