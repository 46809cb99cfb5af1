package main

import (
	"net/url"
	"path/filepath"
	"strings"
)

// storePlace says where a store is: rows at index and files at blobs, each in the data directory where the URL is "".
type storePlace struct {
	data, index, blobs string
}

// store is the place that the commands work with.
func (a *app) store() storePlace {
	return storePlace{a.global.dataDir(), a.global.index, a.global.blobs}
}

// remote reports whether nothing of the store is in the data directory.
func (p storePlace) remote() bool { return p.index != "" && p.blobs != "" }

// String names the place for people. A password is never in it, nor is what stands behind the question mark, where one may be too.
func (p storePlace) String() string {
	switch {
	case p.remote():
		return shownURL(p.index) + " and " + shownURL(p.blobs)
	case p.index != "":
		return shownURL(p.index) + " and " + p.data
	case p.blobs != "":
		return p.data + " and " + shownURL(p.blobs)
	}
	return p.data
}

// shownURL is a URL without what might be secret in it. Of one that cannot be read only the scheme is shown.
func shownURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") { // what stands before it may be a password
		scheme, _, _ := strings.Cut(s, ":")
		return scheme + "://..."
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User.Username() != "" && isPostgres(s) { // elsewhere it may be half of a key
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}

// same reports whether p and q share rows or files.
func (p storePlace) same(q storePlace) bool {
	dir := func(s storePlace) string {
		abs, err := filepath.Abs(s.data)
		if err != nil {
			return s.data
		}
		return abs
	}
	rows := p.index == q.index && (p.index != "" || dir(p) == dir(q))
	files := p.blobs == q.blobs && (p.blobs != "" || dir(p) == dir(q))
	return rows || files
}

// isURL reports whether s is a URL and no path.
func isURL(s string) bool { return strings.Contains(s, "://") }

func isPostgres(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// checkIndexURL is the failure of a URL that names no database.
func checkIndexURL(s string) error {
	if s == "" || isPostgres(s) {
		return nil
	}
	return usage("rows are kept in a data directory or in PostgreSQL", "--index is postgres://USER@HOST/NAME; the password may stand in PGPASSWORD or in ~/.pgpass.")
}

// checkBlobsURL is the failure of a URL that names no bucket.
func checkBlobsURL(s string) error {
	if u, err := url.Parse(s); s == "" || err == nil && u.Scheme == "s3" && u.Host != "" && u.User == nil {
		return nil
	}
	return usage("files are kept in a data directory or in an S3 bucket", "--blobs is s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION; the keys stand in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
}
