package pdf

import (
	"errors"
	"path"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What is inside a file is numbered so that a number is the same however the file is read: files of the document from 1, then for page p
// its pictures from p*perPage+1 and the files that hang on it from p*perPage+firstHung.
const (
	perPage      = 1000
	firstHung    = 501
	maxFiles     = perPage - 1
	maxHungFiles = perPage - firstHung
)

// maxFileBytes bounds one file that is handed on, where the request does not: what the objects decode of one stream.
const maxFileBytes int64 = 48 << 20

// insideFile is a file that is embedded in the document (7.11.4).
type insideFile struct {
	n         int
	name      string
	mediaType readapi.MediaType
	bytes     int64
	about     string // what the document says of it
	relation  string // of the file to the document: Data, Source, Alternative, …
	modified  string
	stream    object.Node
}

func (f *insideFile) child() readapi.Child {
	return readapi.Child{N: f.n, Name: f.name, MediaType: f.mediaType, Bytes: f.bytes}
}

// fileList collects embedded files, each once.
type fileList struct {
	seen  map[int]bool // streams
	first int          // number of the first
	limit int
	files []insideFile
}

// files returns the files of the document: those of its name tree in the order of the tree, which is where a portfolio has them too, and
// those that are associated with the whole (14.13).
func (d *document) files() []insideFile {
	if d.inside != nil {
		return d.inside
	}
	l := fileList{seen: map[int]bool{}, first: 1, limit: maxFiles}
	eachName(d.root.Key("Names").Key("EmbeddedFiles"), "Names", func(pairs object.Node, i int) bool {
		return l.add(pairs.Index(i+1), pairs.Index(i).Text())
	})
	l.addAll(d.root.Key("AF"))
	l.addXFA(d.root.Key("AcroForm").Key("XFA"))
	d.inside = append([]insideFile{}, l.files...)
	return d.inside
}

// addXFA adds the XML of a form that is XFA, whole or by its packets (12.7.8): what such a form holds is nowhere else.
func (l *fileList) addXFA(xfa object.Node) {
	one := func(name string, stream object.Node) {
		if stream.Is(object.Stream) && len(l.files) < l.limit {
			l.files = append(l.files, insideFile{
				n: l.first + len(l.files), name: fileName(name + ".xml"), mediaType: "text/xml", bytes: int64(max(0, stream.Key("Length").Int())), stream: stream,
			})
		}
	}
	one("xfa", xfa)
	for i := 0; i+1 < min(xfa.Len(), maxPackets); i += 2 {
		switch name := xfa.Index(i).Text(); name {
		case "template", "datasets", "form":
			one("xfa-"+name, xfa.Index(i+1))
		}
	}
}

// maxPackets bounds the names and streams of an XFA array that are looked at.
const maxPackets = 64

// hungFiles returns the files that hang on page at: those of its notes, and those that are associated with it or with its annotations.
func (d *document) hungFiles(at int, p *page) []insideFile {
	l := fileList{seen: map[int]bool{}, first: at*perPage + firstHung, limit: maxHungFiles}
	for _, dict := range append([]object.Node{p.dict}, p.more...) {
		l.addAll(dict.Key("AF"))
		for _, a := range annotations(dict) {
			switch a.Key("Subtype").Name() {
			case "FileAttachment":
				l.add(a.Key("FS"), a.Key("Contents").Text())
			case "RichMedia":
				eachName(a.Key("RichMediaContent").Key("Assets"), "Names", func(pairs object.Node, i int) bool {
					return l.add(pairs.Index(i+1), pairs.Index(i).Text())
				})
			}
			l.addAll(a.Key("AF"))
		}
	}
	return l.files
}

// addAll adds the files of an array, or the one that stands in its place.
func (l *fileList) addAll(list object.Node) {
	if list.Is(object.Dict) {
		l.add(list, "")
	}
	for i := range min(list.Len(), maxFiles) {
		l.add(list.Index(i), "")
	}
}

// add adds the file that a specification embeds (7.11.3); one that only names a file elsewhere has nothing to give. It reports whether
// there is room for more.
func (l *fileList) add(spec object.Node, name string) (more bool) {
	embedded := spec.Key("EF")
	stream := object.Node{}
	for _, key := range [...]string{"UF", "F", "Unix", "Mac", "DOS"} {
		if stream = embedded.Key(key); stream.Is(object.Stream) {
			break
		}
	}
	if !stream.Is(object.Stream) || l.seen[stream.ID()] {
		return true
	}
	if len(l.files) == l.limit {
		return false
	}
	l.seen[stream.ID()] = true
	for _, key := range [...]string{"UF", "F", "Unix", "Mac", "DOS"} {
		if s := spec.Key(key).Text(); s != "" {
			name = s
			break
		}
	}
	f := insideFile{n: l.first + len(l.files), name: fileName(name), stream: stream}
	f.mediaType = fileType(stream.Key("Subtype").Name(), f.name)
	f.about = cutText(oneLine(spec.Key("Desc").Text()), maxTitleBytes)
	f.relation = nameText(spec.Key("AFRelationship").Name())
	f.modified = date(stream.Key("Params").Key("ModDate").Text())
	if f.bytes = int64(stream.Key("Params").Key("Size").Int()); f.bytes <= 0 {
		f.bytes = int64(max(0, stream.Key("Length").Int()))
	}
	l.files = append(l.files, f)
	return true
}

// fileName returns the last part of a path as a name that is safe to show.
func fileName(s string) string {
	s = strings.TrimRight(s, `/\`)
	return readapi.FileName(s[strings.LastIndexAny(s, `/\`)+1:])
}

// fileType is the media type that the file says, else what its name says. Whoever reads it looks at its bytes anyway.
func fileType(said, name string) readapi.MediaType {
	if mt, ok := readapi.ParseMediaType(said); ok && mt != readapi.OctetStream {
		return mt
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	for i := 0; i+1 < len(fileTypes); i += 2 {
		if ext == fileTypes[i] {
			return readapi.MediaType(fileTypes[i+1])
		}
	}
	return readapi.OctetStream
}

// fileTypes are the extensions that files inside PDFs have, and their media types.
var fileTypes = [...]string{
	"pdf", "application/pdf", "xml", "text/xml", "txt", "text/plain", "csv", "text/csv", "json", "application/json", "html", "text/html",
	"png", "image/png", "jpg", "image/jpeg", "jpeg", "image/jpeg", "gif", "image/gif", "tif", "image/tiff", "tiff", "image/tiff",
	"zip", "application/zip", "eml", "message/rfc822", "doc", "application/msword", "xls", "application/vnd.ms-excel",
	"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt", "application/vnd.oasis.opendocument.text", "ods", "application/vnd.oasis.opendocument.spreadsheet",
}

// filesValue is what meta says of files beside what the list of children does.
func filesValue(files []insideFile) (out []any) {
	for i := range files {
		f := &files[i]
		v := map[string]any{"n": f.n, "name": f.name, "bytes": f.bytes}
		put(v, "description", f.about)
		put(v, "relationship", f.relation)
		put(v, "modified", f.modified)
		out = append(out, v)
	}
	return out
}

// child hands on the file inside that a request names.
func (d *document) child(n int, req *readapi.Request, w *pdk.Writer) error {
	var files []insideFile
	at, i := n/perPage, n%perPage
	switch {
	case at == 0:
		files = d.files()
	case at > d.total:
	case i < firstHung:
		return d.picture(at, i, req, w)
	default:
		p := d.page(at)
		files = d.hungFiles(at, &p)
	}
	for i := range files {
		if files[i].n == n {
			return handOn(&files[i], req, w)
		}
	}
	return pdk.Invalid("there is no such file inside; the answer to a read lists them")
}

// handOn gives the bytes of a file to the host.
func handOn(f *insideFile, req *readapi.Request, w *pdk.Writer) error {
	limit := min(maxFileBytes, req.MaxFileBytes)
	data, err := f.stream.Data(int(limit))
	switch {
	case err == nil:
	case errors.Is(err, object.ErrBudget):
		return pdk.OverLimit(readapi.CodeLimitOutput, "max_file_bytes", limit, max(f.bytes, limit+1))
	case readapi.CodeOf(err) == readapi.CodeEncrypted: // it is, and the document is not
		return err
	case errors.Is(err, object.ErrFilter):
		return pdk.Unsupported("the filter of the file inside")
	case len(data) == 0:
		return pdk.Malformed("the file inside cannot be read")
	default:
		if err := w.Warn(readapi.WarnPartial, "the file inside is damaged: this is what could be read of it", 0); err != nil {
			return err
		}
	}
	c := f.child()
	c.Bytes = int64(len(data))
	return w.File(0, c, data)
}
