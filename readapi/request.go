package readapi

import "io"

// Input is the bytes of a file: random access and a size. Reads may be concurrent. *io.SectionReader and *bytes.Reader are Inputs.
type Input interface {
	io.ReaderAt
	Size() int64
}

// Request is what one decoder is asked to do. Its JSON is what goes through the wall (ABI version 1): keys may be added, never renamed,
// and a decoder ignores keys that it does not know.
type Request struct {
	Version   int       `json:"v"`                    // of the ABI: 1
	MediaType MediaType `json:"media_type"`           // decided by the host from the bytes
	Name      string    `json:"name,omitempty"`       // as the user called the file; a hint, untrusted
	Form      Form      `json:"form"`                 // never empty
	Units     []Range   `json:"units,omitempty"`      // in rising order; empty: all
	Start     Position  `json:"start,omitzero"`       // where to begin; zero: at the first unit selected
	Child     []int     `json:"child,omitempty"`      // the file inside the file to hand on, of one number; see File
	MaxTokens int64     `json:"max_tokens,omitempty"` // budget of the answer in estimated tokens; 0: none
	MaxBytes  int64     `json:"max_bytes,omitempty"`  // budget of the answer in bytes of parts; 0: none
	Unescaped bool      `json:"unescaped,omitempty"`  // show what is hidden
	Words     bool      `json:"words,omitempty"`      // the answer is read as words: tables whose cells stand in the text are left out, and count as parts
	Password  string    `json:"password,omitempty"`   // opens an encrypted file; never logged, never in a cursor

	MaxFileBytes int64 `json:"max_file_bytes,omitempty"` // of files inside the file that one answer hands on; 0: none

	MaxPixels      int64 `json:"max_pixels,omitempty"`       // of one frame, before decoding
	MaxSide        int64 `json:"max_side,omitempty"`         // of one side
	MaxFrames      int64 `json:"max_frames,omitempty"`       // frames in one answer
	MaxTotalPixels int64 `json:"max_total_pixels,omitempty"` // over all frames of one answer
	MaxEdge        int64 `json:"max_edge,omitempty"`         // scale pictures down to this longer side

	FitPixels     int64       `json:"fit_pixels,omitempty"`      // scale pictures down to these pixels, width times height; 0: no bound
	MaxImageBytes int64       `json:"max_image_bytes,omitempty"` // of one picture, encoded; 0: no bound but MaxBytes
	ImageTypes    []MediaType `json:"image_types,omitempty"`     // in which pictures may leave; empty: PNG and JPEG
	ImageCost     string      `json:"image_cost,omitempty"`      // what a picture costs in tokens, as ParseImageCost reads it; "": DefaultImageCost
	Original      bool        `json:"original,omitempty"`        // give a picture that fits, and carries nothing but pixels, as the bytes that it is
}

// File is a file inside the file that a decoder handed on: the child that was asked for (At 0), or the picture of unit At. It is read by a
// decoder of its own type, behind the same wall.
type File struct {
	At     int64
	Before int // parts of the answer that come before it
	Child  Child
	Bytes  []byte
}

// Result is what one decoder answered, checked but not yet a Document.
type Result struct {
	Unit     Unit
	Total    int64     // units in the file; 0 when unknown
	AtLeast  bool      // Total is a lower bound: the whole was not scanned
	Covers   Range     // first and last unit that the parts touch; zero when there are none
	Next     *Position // where the rest begins; nil when everything that was asked for is here
	Meta     map[string]any
	Parts    []Part
	Children []Child
	Files    []File
	Warnings []Warning
	Usage    Usage
	Decoder  DecoderInfo
}
