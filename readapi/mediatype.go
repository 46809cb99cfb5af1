package readapi

import (
	"path"
	"strings"
)

// MediaType is a media type in its canonical form: lower case, type/subtype, no parameters ("application/pdf").
type MediaType string

// OctetStream is the media type of bytes that nothing is known about.
const OctetStream MediaType = "application/octet-stream"

// ParseMediaType returns the canonical form of s: parameters dropped, lower case. ok is false if s has no type/subtype of token
// characters (RFC 9110, 8.3.1); the zero MediaType is returned then.
func ParseMediaType(s string) (mt MediaType, ok bool) {
	s, _, _ = strings.Cut(s, ";")
	s = strings.ToLower(strings.TrimSpace(s))
	typ, sub, found := strings.Cut(s, "/")
	if !found || !token(typ) || !token(sub) || len(s) > 255 {
		return "", false
	}
	return MediaType(s), true
}

// token reports whether s is a non-empty RFC 9110 token.
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// Type returns the part before the slash: "image" of "image/png".
func (m MediaType) Type() string {
	t, _, _ := strings.Cut(string(m), "/")
	return t
}

// Kind is the coarse class of a file that people and transcripts use.
type Kind string

// The kinds. Stored kinds of attachments are exactly these five.
const (
	KindImage Kind = "image"
	KindPDF   Kind = "pdf"
	KindDoc   Kind = "doc"
	KindCode  Kind = "code"
	KindOther Kind = "other"
)

// KindOf derives the kind from a media type and, where the type does not decide, from the file name's extension: image/* is image,
// exactly application/pdf is pdf, then office extensions are doc and source-code extensions are code.
func KindOf(m MediaType, name string) Kind {
	switch {
	case m.Type() == "image":
		return KindImage
	case m == "application/pdf":
		return KindPDF
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch {
	case docExt[ext]:
		return KindDoc
	case codeExt[ext]:
		return KindCode
	}
	return KindOther
}

var docExt = set("doc docx xls xlsx ppt pptx")

var codeExt = set("c cc cpp cs css go h hpp html java js json jsx kt lua php pl py rb rs scala sh sql swift toml ts tsx vue xml yaml yml")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
