package readapi

// Profile is what a provider takes of pictures, as it says at a date. It is data: package host/profile has those that come with the
// program, and reads those of a user. A number of 0 is no bound.
type Profile struct {
	Name       string      `json:"name"`                 // short, lower case: "claude"
	AsOf       string      `json:"as_of"`                // the day on which the numbers were looked at: "2026-12-01"
	Source     string      `json:"source"`               // where they are from, in words
	MaxEdge    int64       `json:"max_edge,omitempty"`   // longer side that is best; what is larger costs more and shows no more
	MaxSide    int64       `json:"max_side,omitempty"`   // one side, beyond which a picture is refused
	MaxPixels  int64       `json:"max_pixels,omitempty"` // width times height that is best
	MaxBytes   int64       `json:"max_bytes,omitempty"`  // one picture, encoded, before base64
	MediaTypes []MediaType `json:"media_types"`          // of pictures; PNG or JPEG is among them
	Cost       string      `json:"cost"`                 // see ImageCost

	// The rest is for whoever puts a request together.

	ManyPictures *ManyPictures   `json:"many_pictures,omitempty"`
	MaxPictures  int64           `json:"max_pictures,omitempty"`  // in one request
	RequestBytes int64           `json:"request_bytes,omitempty"` // all of a request, base64 included
	PDF          *DocumentLimits `json:"pdf,omitempty"`           // of PDF files that are sent as they are
}

// ManyPictures bounds the pictures of a request that has many.
type ManyPictures struct {
	Over    int64 `json:"over"`     // with more pictures than these
	MaxSide int64 `json:"max_side"` // no side may be longer
}

// DocumentLimits bounds a document that is sent as it is.
type DocumentLimits struct {
	Pages int64 `json:"pages,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`
}

// ImageTypes are the media types in which a decoder may give pictures.
func ImageTypes() []MediaType { return []MediaType{"image/png", "image/jpeg"} }

// TakesImage reports whether a picture of type m may leave under the request.
func (r *Request) TakesImage(m MediaType) bool {
	types := r.ImageTypes
	if len(types) == 0 {
		types = ImageTypes()
	}
	for _, t := range types {
		if t == m {
			return true
		}
	}
	return false
}
