package text

import (
	"errors"
	"io"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/html"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/inside"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// readRange reads bytes of an input.
func readRange(in io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := in.ReadAt(b, from)
	if err != nil && !(err == io.EOF && n == len(b)) {
		return nil, err
	}
	return b[:n], nil
}

// untilEnough writes text to p, and goes on without writing when p has enough of it: a file is read to its end for what lies inside.
type untilEnough struct {
	page *page
	over error // errEnough, once it is so
}

func (p *page) untilEnough() *untilEnough { return &untilEnough{page: p} }

func (u *untilEnough) text(b []byte) error {
	if u.over != nil {
		return nil
	}
	err := u.page.write(b)
	if errors.Is(err, errEnough) {
		u.over = err
		return nil
	}
	return err
}

// inner writes the visible text of a page that is part of a file, its tables and links with it, and says how much of it nobody sees. whole is
// false for one that is nested too deep to be read.
func (p *page) inner(content []byte, write func([]byte) error) (hidden int64, whole bool, err error) {
	next := func() ([]byte, error) {
		b := content
		if content = nil; len(b) == 0 {
			return nil, io.EOF
		}
		return b, nil
	}
	found, err := html.Render(next, html.Output{Write: write, Data: p.data, Table: p.table}, html.Options{ShowHidden: p.req.Unescaped})
	if errors.Is(err, html.ErrDepth) {
		return found.HiddenCharacters(), false, nil
	}
	return found.HiddenCharacters(), true, err
}

// errNoFile is the answer to a request for a file inside that is not there.
func errNoFile() error {
	return pdk.Invalid("there is no such file inside; the answer to a read lists them")
}

// handOn gives a file inside to the host; data makes its bytes once they are known to fit.
func (p *page) handOn(c readapi.Child, data func() ([]byte, error)) error {
	if c.Bytes > p.req.MaxFileBytes {
		return pdk.OverLimit(readapi.CodeLimitOutput, "max_file_bytes", p.req.MaxFileBytes, c.Bytes)
	}
	b, err := data()
	if err != nil {
		return err
	}
	c.Bytes = int64(len(b))
	return p.w.File(0, c, b)
}

// fileLine is how a list at the end of a text names a file inside: by the path that asks for it.
func fileLine(path string, c readapi.Child, about string) string {
	if about != "" {
		about = ", " + about
	}
	return "file " + path + ": " + c.Name + " (" + string(c.MediaType) + ", " + inside.Size(c.Bytes) + about + ")\n"
}

// counted is a number of things, in words.
func counted(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + more
}
