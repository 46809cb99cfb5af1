package mail

import "bytes"

// flow joins the lines of a text that is format=flowed (RFC 3676, 4): one that ends in a blank goes on in the next of the same quote depth.
type flow struct {
	w      *lineWriter
	delete bool // DelSp: the blank at the end is not part of the text

	carry []byte // of a line that is not whole yet
	cr    bool   // it ended in CR
	open  bool   // the paragraph goes on
	depth int    // of its quotes
}

func (f *flow) write(b []byte) error {
	for len(b) > 0 {
		if f.cr {
			f.cr = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			f.carry = append(f.carry, b...)
			return nil
		}
		f.carry = append(f.carry, b[:i]...)
		f.cr = b[i] == '\r'
		b = b[i+1:]
		if err := f.line(f.carry); err != nil {
			return err
		}
		f.carry = f.carry[:0]
	}
	return nil
}

func (f *flow) close() error {
	if len(f.carry) == 0 {
		return nil
	}
	return f.line(f.carry)
}

// line takes a line without its end.
func (f *flow) line(b []byte) error {
	depth := 0
	for depth < len(b) && b[depth] == '>' {
		depth++
	}
	quotes := b[:depth]
	b = bytes.TrimPrefix(b[depth:], []byte(" ")) // stuffed
	signature := string(b) == "-- "
	soft := len(b) > 0 && b[len(b)-1] == ' ' && !signature
	if f.open && (depth != f.depth || signature) {
		f.open = false
		if err := f.w.write([]byte("\n")); err != nil {
			return err
		}
	}
	out := make([]byte, 0, depth+len(b)+2)
	if !f.open && depth > 0 {
		out = append(append(out, quotes...), ' ')
	}
	if soft && f.delete {
		b = b[:len(b)-1]
	}
	out = append(out, b...)
	if !soft {
		out = append(out, '\n')
	}
	f.open, f.depth = soft, depth
	return f.w.write(out)
}
