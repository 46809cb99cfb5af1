package image

import (
	"strconv"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// namedFile is a picture whose pixels nobody here decodes: its header is all that there is of it.
type namedFile struct {
	header
	showW, showH int64 // as it is shown, where clipping makes that another size than orientation alone does; 0: it does not
}

func (f *namedFile) head() *header { return &f.header }

func (f *namedFile) frame(int64, *budget) (picture, error) {
	return picture{}, pdk.Unsupported("no decoder reads its pixels")
}

// facts names the picture in an error: what it is, how large as stored and as shown, how many frames, how deep.
func (f *namedFile) facts() string {
	s := f.header.facts()
	if f.orientation != 1 {
		s += ", orientation " + strconv.Itoa(f.orientation)
	}
	w, h := f.display()
	if f.showW > 0 {
		w, h = f.showW, f.showH
	}
	if w != f.width || h != f.height {
		s += ", shown as " + strconv.FormatInt(w, 10) + "x" + strconv.FormatInt(h, 10)
	}
	switch {
	case f.frames > 1:
		s += ", " + strconv.FormatInt(f.frames, 10) + " frames"
	case f.animated:
		s += ", animated"
	}
	if f.depth > 0 {
		s += ", " + strconv.Itoa(f.depth) + " bits"
	}
	return s
}

// refusal is the answer for a file that can only be named.
func (f *namedFile) refusal() error { return pdk.Unsupported(f.facts()) }
