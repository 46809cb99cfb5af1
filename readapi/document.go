package readapi

// Document is one answer to a read. Its JSON is API: keys may be added, never renamed.
//
// The answer covers units Covers.From to Covers.To of Total; Next continues exactly behind it, and walking the cursors gives every unit
// once. Truncated means that a unit itself was cut (the part says where), not that more follows. All text is valid UTF-8.
type Document struct {
	URI       string         `json:"uri,omitempty"`   // the address, when it was read by address
	Child     string         `json:"child,omitempty"` // path of the file inside the file that this is about, as ParseChild reads it
	Name      string         `json:"name,omitempty"`  // the file's name; shown escaped
	MediaType MediaType      `json:"media_type"`
	Kind      Kind           `json:"kind"`
	Bytes     int64          `json:"bytes"`            // size of the file
	SHA256    string         `json:"sha256,omitempty"` // of the file, lower-case hex
	Unit      Unit           `json:"unit"`
	Total     int64          `json:"total"`
	AtLeast   bool           `json:"at_least"`
	Covers    Range          `json:"covers"`
	Next      string         `json:"-"` // cursor; "" (null in JSON) at the end
	Truncated bool           `json:"truncated"`
	Meta      map[string]any `json:"meta"`
	Parts     []Part         `json:"parts"`
	Children  []Child        `json:"children"`
	Warnings  []Warning      `json:"warnings"`
	Decoder   DecoderInfo    `json:"decoder"`
	Usage     Usage          `json:"usage"`
}

// PartType says what a part carries.
type PartType string

// The part types.
const (
	PartText  PartType = "text"
	PartImage PartType = "image"
	PartData  PartType = "data" // JSON: a table, say
)

// Part is one piece of content, in order of At. Exactly one of Text, Image and Data is set, by Type.
type Part struct {
	Type      PartType
	Unit      Unit  // of the document that the part belongs to
	At        int64 // the unit, from 1; a text part of lines may run over several and says the first
	Offset    int64 // where in the unit's text the part begins, in bytes; 0 except behind a cut
	Text      string
	Image     *Image
	Data      RawJSON
	EstTokens int64 // as EstimateTokens counts, of a picture as the request's ImageCost does; the host fills it in
	Truncated bool  // the unit goes on behind this part's end
}

// Image is an encoded picture.
type Image struct {
	MediaType     MediaType // image/png or image/jpeg
	Width, Height int       // in pixels
	Bytes         []byte    // encoded; nil when the picture was written to File
	File          string    // file name, when the picture was written out
}

// Child is a file inside the file. Its bytes come only when a read names it by path.
type Child struct {
	N         int       `json:"n"` // from 1
	Name      string    `json:"name"`
	MediaType MediaType `json:"media_type"`
	Bytes     int64     `json:"bytes"`
}

// Warning says what a reader should know about an answer that is not an error. The codes are an open list.
type Warning struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	At     int64  `json:"at,omitempty"` // the unit, where it applies to one
}

// Warning codes of the built-in decoders and the host.
const (
	WarnNoTextLayer       = "no_text_layer"          // a page has no text of its own
	WarnLowConfidence     = "low_confidence"         // the text may be wrong
	WarnPartial           = "partial"                // something could not be read and is missing
	WarnDeclaredType      = "declared_type_mismatch" // the name or declared type says one thing, the bytes another
	WarnHiddenText        = "hidden_text"            // text that a person would not see
	WarnMetadataStripped  = "metadata_stripped"      // EXIF, GPS and the like were dropped from a picture
	WarnUnsupportedFilter = "unsupported_filter"     // a stream that nobody decodes
	WarnICCIgnored        = "icc_ignored"            // the colour profile of a picture is of no use: its colours may be off
	WarnReplaced          = "replaced"               // bytes that are no character became U+FFFD
	WarnAlphaFlattened    = "alpha_flattened"        // what is transparent was laid on white, since no type that may leave has transparency
)

// DecoderInfo names the decoder that answered.
type DecoderInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Digest  string `json:"digest"` // sha256 of the module that ran, lower-case hex
}

// Usage is what an answer cost.
type Usage struct {
	Fuel        int64 `json:"fuel"`         // units of work
	MemoryBytes int64 `json:"memory_bytes"` // the guest's memory at its largest
	WallMS      int64 `json:"wall_ms"`
	EstTokens   int64 `json:"est_tokens"` // of the parts together
	Cached      bool  `json:"cached"`
}
