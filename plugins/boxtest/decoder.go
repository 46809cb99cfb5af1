package boxtest

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MediaType is what the decoder reads.
const MediaType = readapi.MediaType("application/zip")

// locked is what the comment of an archive begins with that wants the password behind it.
const locked = "password: "

// Decoder reads ZIP archives.
var Decoder = pdk.Decoder{
	Name: "box", Version: "1.0.0", MediaTypes: []readapi.MediaType{MediaType}, Unit: "entry", Children: true,
	Forms:   []readapi.Form{readapi.FormText, readapi.FormImage},
	Samples: []pdk.Sample{{MediaType: MediaType, Data: Zip("", Entry{"a.txt", []byte("a sample\n")})}},
	Decode:  decode,
}

func decode(in readapi.Input, req *readapi.Request, w *pdk.Writer) error {
	z, err := zip.NewReader(in, in.Size())
	if err != nil {
		return pdk.Malformed("no archive")
	}
	if want, ok := strings.CutPrefix(z.Comment, locked); ok && want != req.Password {
		return pdk.Encrypted("the archive has a password")
	}
	if len(req.Child) > 0 {
		return handOn(z, req.Child[0], w)
	}
	for i, e := range z.File {
		if err := w.Child(child(i, e)); err != nil {
			return err
		}
	}
	for at := range w.Units(int64(len(z.File))) {
		if err := entry(z.File[at-1], at, req, w); err != nil {
			return err
		}
	}
	return nil
}

func child(i int, e *zip.File) readapi.Child {
	return readapi.Child{N: i + 1, Name: e.Name, MediaType: readapi.OctetStream, Bytes: int64(e.UncompressedSize64)}
}

func handOn(z *zip.Reader, n int, w *pdk.Writer) error {
	if n > len(z.File) {
		return pdk.Invalid("there is no such entry")
	}
	data, err := content(z.File[n-1])
	if err != nil {
		return err
	}
	return w.File(0, child(n-1, z.File[n-1]), data)
}

func entry(e *zip.File, at int64, req *readapi.Request, w *pdk.Writer) error {
	isText := path.Ext(e.Name) == ".txt"
	if !isText && req.Form != readapi.FormImage {
		return w.Text(at, e.Name+"\n")
	}
	data, err := content(e)
	switch {
	case err != nil:
		return err
	case isText:
		return w.Text(at, string(data))
	}
	// Two pictures of one unit: a name that ends in "twice".
	times := 1 + strings.Count(e.Name, "twice")
	for range times {
		if err := w.File(at, child(int(at)-1, e), data); err != nil {
			return err
		}
	}
	return nil
}

func content(e *zip.File) ([]byte, error) {
	r, err := e.Open()
	if err != nil {
		return nil, pdk.Malformed("an entry cannot be opened")
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, pdk.Malformed("an entry is damaged")
	}
	return b, nil
}

// Entry is a file in an archive.
type Entry struct {
	Name string
	Data []byte
}

// Zip makes an archive of entries, which wants a password unless that is "".
func Zip(password string, entries ...Entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(e.Data)
		}
		if err != nil {
			panic("boxtest: " + err.Error()) // of a buffer: a bug of ours
		}
	}
	if password != "" {
		if err := z.SetComment(locked + password); err != nil {
			panic("boxtest: " + err.Error())
		}
	}
	if err := z.Close(); err != nil {
		panic("boxtest: " + err.Error())
	}
	return b.Bytes()
}

// Nest puts leaf into so many archives, one inside the other, each with one file before the one that matters: its path is 2, 2/2 and so on.
func Nest(depth int, leaf Entry) []byte {
	for range depth - 1 {
		leaf = Entry{"inner.zip", Nest(1, leaf)}
	}
	return Zip("", Entry{"note.txt", []byte("beside it\n")}, leaf)
}
