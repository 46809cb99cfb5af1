// Package s3blob keeps blobs as objects of an S3-compatible bucket, for hosts on several machines. It is a driver of store.Blobs.
//
//	driver, err := s3blob.Open(ctx, "s3://bucket/prefix?endpoint=https://host:port&region=eu-1", nil)
//	blobs, err := store.NewBlobs(driver, nil)
//
// The bytes of a digest are the object prefix/<its first two characters>/<digest>. A writer keeps what it gets in memory, or in a private
// temporary file, until its digest is known; then the bytes are sent, with their own digest for the server to check. Objects are never
// changed: one that is there is only replaced where it is not known to be the same bytes.
package s3blob

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Options of a Driver; nil means all defaults.
type Options struct {
	AccessKey    string // default: AWS_ACCESS_KEY_ID of the environment
	SecretKey    string // default: AWS_SECRET_ACCESS_KEY of the environment
	SessionToken string // default: AWS_SESSION_TOKEN of the environment, where the keys are of the environment too

	SpoolDir  string            // a folder for what is being written; default os.TempDir()
	PartBytes int64             // a larger blob is sent in parts of this size, 5 MiB to 5 GiB; default 16 MiB
	Timeout   time.Duration     // for one request and its answer; default 1 min
	Attempts  int               // how often a request is sent at most; default 4
	Transport http.RoundTripper // default: one of the driver's own
}

const (
	minPartBytes = 5 << 20 // S3 takes no smaller ones, but for the last
	maxPartBytes = 5 << 30
	maxParts     = 10_000
)

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	switch {
	case out.Timeout < 0, out.Attempts < 0:
		return out, invalid("Timeout or Attempts is negative")
	case out.PartBytes != 0 && (out.PartBytes < minPartBytes || out.PartBytes > maxPartBytes):
		return out, invalid("PartBytes is not between 5 MiB and 5 GiB")
	case (out.AccessKey == "") != (out.SecretKey == ""):
		return out, invalid("one of the two keys is missing")
	}
	if out.AccessKey == "" {
		out.AccessKey, out.SecretKey = os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
		out.SessionToken = os.Getenv("AWS_SESSION_TOKEN")
	}
	if out.AccessKey == "" || out.SecretKey == "" {
		return out, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "there are no keys for the bucket",
			Hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."}
	}
	if out.SpoolDir == "" {
		out.SpoolDir = os.TempDir()
	}
	if out.PartBytes == 0 {
		out.PartBytes = 16 << 20
	}
	if out.Timeout == 0 {
		out.Timeout = time.Minute
	}
	if out.Attempts == 0 {
		out.Attempts = 4
	}
	return out, nil
}

// place is what the address of a bucket says.
type place struct {
	bucket, prefix   string
	endpoint, region string
	secure, path     bool // the bucket is named in the path, not in the host
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// parse reads an address. Its errors name no part of it: somebody may have put a key there.
func parse(address string) (place, error) {
	p := place{endpoint: "s3.amazonaws.com", region: "us-east-1", secure: true}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return p, invalid("the bucket's address is no URL")
	case u.Scheme != "s3" || u.Opaque != "" || u.Fragment != "":
		return p, invalid("the bucket's address is not s3://bucket/prefix")
	case u.User != nil:
		return p, invalid("the bucket's address has a key in it, which belongs into the environment")
	case !bucketName.MatchString(u.Host):
		return p, invalid("the bucket's address names no bucket")
	}
	p.bucket, p.prefix = u.Host, strings.Trim(u.Path, "/")
	for _, part := range strings.Split(p.prefix, "/") {
		if p.prefix != "" && (part == "" || part == "." || part == "..") {
			return p, invalid("the bucket's address has a prefix that is no path")
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return p, invalid("the bucket's address is no URL")
	}
	for name, values := range query {
		switch {
		case name == "region" && len(values) == 1 && values[0] != "":
			p.region = values[0]
		case name == "endpoint" && len(values) == 1:
			e, err := url.Parse(values[0])
			if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.Fragment != "" {
				return p, invalid("the bucket's endpoint is not http://host:port or https://host:port")
			}
			p.endpoint, p.secure, p.path = e.Host, e.Scheme == "https", true
		default:
			return p, invalid("the bucket's address has a part that is not endpoint or region")
		}
	}
	return p, nil
}

// Driver is a store.BlobDriver. It also sweeps: see Sweep.
type Driver struct {
	core      minio.Core
	transport http.RoundTripper
	opts      Options
	bucket    string
	prefix    string // "", or ends in a slash
	partBytes int64
	pageSize  int
	held      atomic.Int64 // bytes in memory of what is being written
}

// Open returns the blobs in the bucket that address names, s3://bucket/prefix?endpoint=http://host:port&region=…, which must be there.
// The endpoint is Amazon's unless it is given, the region us-east-1. Keys are never part of the address.
//
// Errors: invalid_request for an address that is none or an option that cannot be; capability_unavailable where there is no such bucket or
// the keys do not open it; busy where it does not answer; canceled, limit_time.
func Open(ctx context.Context, address string, opts *Options) (*Driver, error) {
	const op = "s3blob.Open"
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	p, err := parse(address)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	transport := o.Transport
	if transport == nil {
		if transport, err = minio.DefaultTransport(p.secure); err != nil {
			return nil, readapi.AsError(op, unusable("the bucket cannot be used", err))
		}
	}
	lookup := minio.BucketLookupAuto
	if p.path {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(p.endpoint, &minio.Options{
		Creds:  credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken),
		Secure: p.secure, Region: p.region, BucketLookup: lookup, MaxRetries: o.Attempts,
		Transport: timed{transport, o.Timeout},
	})
	if err != nil {
		return nil, readapi.AsError(op, invalid("the bucket's address cannot be used"))
	}
	d := &Driver{core: minio.Core{Client: client}, transport: transport, opts: o, bucket: p.bucket, partBytes: o.PartBytes, pageSize: 1000}
	if p.prefix != "" {
		d.prefix = p.prefix + "/"
	}
	there, err := client.BucketExists(ctx, d.bucket)
	if err == nil && !there {
		err = errNoBucket
	}
	if err != nil {
		_ = d.Close()
		return nil, readapi.AsError(op, fault(ctx, err))
	}
	return d, nil
}

func (d *Driver) key(sha256 string) string { return d.prefix + sha256[:2] + "/" + sha256 }

// Close implements store.BlobDriver.
func (d *Driver) Close() error {
	if t, ok := d.transport.(interface{ CloseIdleConnections() }); ok && d.opts.Transport == nil {
		t.CloseIdleConnections()
	}
	return nil
}
