package object

import "bytes"

// linearizedLook is within how many bytes of the file's begin the linearization dictionary stands (ISO 32000-1, F.3.1).
const linearizedLook = 1 << 10

// Linearized reports whether the file says that it is laid out for reading from its begin (annex F).
func (f *File) Linearized() bool {
	head := f.peek(f.base, linearizedLook)
	f.searched(len(head))
	return bytes.Contains(head, []byte("/Linearized"))
}

// Leave makes units of work all that the rest of the read may do, whatever it did before: for what is bounded by itself and says how more
// can be had.
func (f *File) Leave(units int64) { f.units = MaxReadWork - units }
