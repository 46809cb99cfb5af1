package main

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

// maxPasswordFile is how much of a password file is looked at.
const maxPasswordFile = 64 << 10

// password is the first line of the file at path, without its line end; of standard input for "-". A password is never an argument: what is
// one can be seen by everybody on the machine.
func (a *app) password(path string) (string, error) {
	const subject = "password file"
	var in io.Reader = a.in
	if path != stdinName {
		f, err := os.Open(path)
		if err != nil {
			return "", environment(subject, "cannot be read", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxPasswordFile))
	if err != nil {
		return "", environment(subject, "cannot be read", err)
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(raw, []byte("\ufeff")), []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case len(line) == 0:
		return "", environment(subject, "has nothing in its first line", nil)
	case !utf8.Valid(line):
		return "", environment(subject, "is not UTF-8", nil)
	}
	return string(line), nil
}
