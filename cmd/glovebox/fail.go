package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // the command ran and failed; the code is printed
	exitUsage       = 2   // the command line asks for something that the program does not do
	exitEnvironment = 3   // the configuration, the cache or the output folder is at fault
	exitInterrupted = 130 // 128 + SIGINT, as shells count
	exitPipe        = 141 // 128 + SIGPIPE: whoever read the output went away
)

// failure is an error with what the program does about it: which exit code, and what it concerns in the words that the user typed.
type failure struct {
	exit    int
	subject string         // a file as typed, a flag, "" when there is nothing to name
	err     *readapi.Error // never nil
	plain   string         // what people read; "" for err's own message
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// text is the one line that people read, without the program's name.
func (f *failure) text() string {
	s := f.plain
	if s == "" {
		s = f.err.Message()
	}
	s = fmt.Sprintf("%s (%s)", strings.TrimSuffix(s, "."), f.err.Code)
	if f.subject != "" {
		s = f.subject + ": " + s
	}
	return readapi.EscapeLine(s)
}

// usage is the failure of a command line.
func usage(plain, hint string) *failure {
	return &failure{exit: exitUsage, plain: plain, err: &readapi.Error{Op: "glovebox", Code: readapi.CodeInvalidRequest, Detail: plain, Hint: hint}}
}

// environment is the failure of what surrounds the program: its configuration, cache or output folder. subject leaves in JSON too, so it is
// no path.
func environment(subject, plain string, cause error) *failure {
	if why := reason(cause); why != "" {
		plain += ": " + why
	}
	detail := plain
	if subject != "" {
		detail = subject + ": " + plain
	}
	return &failure{
		exit: exitEnvironment, subject: subject, plain: plain,
		err: &readapi.Error{Op: "glovebox", Code: readapi.CodeCapabilityUnavailable, Detail: detail, Err: cause},
	}
}

// failed is the failure of one file or name that the user typed.
func failed(subject string, code readapi.Code, plain string, cause error) *failure {
	return &failure{exit: exitFailed, subject: subject, plain: plain, err: &readapi.Error{Op: "glovebox", Code: code, Detail: plain, Err: cause}}
}

// ownWords are the codes whose errors say in their detail all that the code's own sentence says, and more exactly.
var ownWords = []readapi.Code{readapi.CodeConflict, readapi.CodeInvalidRequest, readapi.CodeNotFound, readapi.CodeGone}

// asFailure gives any error an exit code. An error without a code of ours is internal.
func asFailure(subject string, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	e, _ := errors.AsType[*readapi.Error](readapi.AsError("glovebox", err))
	f := &failure{exit: exitFailed, subject: subject, err: e}
	if slices.Contains(ownWords, e.Code) {
		f.plain = e.Detail
	}
	if e.Limit != nil && (e.Hint == "" || e.Code == readapi.CodeTooLarge) { // a hint names fields of Limits, not flags
		if flag := limitFlag(e.Limit.Name); flag != "" {
			c := *e
			c.Hint = "--" + flag + " raises this limit"
			if e.Detail != "" && e.Limit.Value > 0 { // the message has no room for it
				c.Hint += " of " + strconv.FormatInt(e.Limit.Value, 10)
			}
			c.Hint += "."
			f.err = &c
		}
	}
	if e.Limit != nil && slices.Contains(tables["quota"], "quota-"+strings.ReplaceAll(e.Limit.Name, "_", "-")) { // whoever set it knows where
		c := *e
		c.Hint = "Delete and purge what is not needed, or raise " + e.Limit.Name + " in [quota] of the configuration (" + envName("quota-"+e.Limit.Name) + ")."
		f.err = &c
	}
	if e.Code == readapi.CodeEncrypted && e.Hint != "" { // the hint says what is needed, and not how it is given here
		c := *e
		c.Hint += " --password-file FILE takes it from the first line of FILE."
		f.err = &c
	}
	return f
}

// reason says what the operating system objected to, without the path that its error carries.
func reason(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return ""
}

// fileFailure is the failure to open or read the file that the user called subject.
func fileFailure(subject string, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	switch {
	case errors.Is(err, context.Canceled):
		return asFailure(subject, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return failed(subject, readapi.CodeNotFound, "no such file", err)
	case errors.Is(err, fs.ErrPermission):
		return failed(subject, readapi.CodeUnauthorized, "permission denied", err)
	}
	plain := "the file cannot be opened"
	if why := reason(err); why != "" {
		plain += ": " + why
	}
	return failed(subject, readapi.CodeInvalidRequest, plain, err)
}
