package text

import "bytes"

// stripper takes the escapes of terminals out of a text and counts them: CSI sequences (colours, cursor), OSC (titles; of a hyperlink the
// address goes, the text stays), DCS, SOS, PM and APC strings, designations of character sets, and the escapes of two characters that
// ECMA-48, ECMA-35 and the DEC terminals define. Any other ESC goes alone. Carriage returns stay, since they are line ends here.
//
// A sequence that breaks off is one all the same, and what follows is text; a string that does not end in its line or within mostString is
// none: only its beginning goes, so that no text is lost to a stray ESC. The one-byte controls of C1 are left to the host, which shows
// them: in UTF-8 no terminal obeys them.
type stripper struct {
	count int64
	state ansiState
	held  []byte // the string that is being read
	out   []byte
}

type ansiState uint8

const (
	ansiGround ansiState = iota
	ansiEscape           // behind ESC
	ansiInter            // behind ESC and a character from 0x20 to 0x2f
	ansiCSI
	ansiString    // within OSC, SOS, PM or APC
	ansiDCS       // within DCS, which may have line ends
	ansiStringEsc // behind ESC within a string
	ansiDCSEsc
)

const (
	escape = 0x1b
	bell   = 0x07

	// mostString is the longest string of a sequence: addresses and titles are shorter, and pictures for terminals are not text.
	mostString = 64 << 10
	mostParams = 256 // of a CSI sequence, which terminals cut at 16 numbers or so
)

// filter returns b without escapes; the result is valid until the next call. A sequence may go on in the next piece.
func (s *stripper) filter(b []byte) []byte {
	if s.state == ansiGround {
		i := bytes.IndexByte(b, escape)
		if i < 0 {
			return b
		}
		s.out = append(s.out[:0], b[:i]...)
		b = b[i:]
	} else {
		s.out = s.out[:0]
	}
	for i := 0; i < len(b); {
		if s.state == ansiGround {
			n := bytes.IndexByte(b[i:], escape)
			if n < 0 {
				s.out = append(s.out, b[i:]...)
				break
			}
			s.out = append(s.out, b[i:i+n]...)
			i += n + 1
			s.begin()
			continue
		}
		if s.step(b[i]) {
			i++
		}
	}
	return s.out
}

// rest ends the text: a string that has not ended is text.
func (s *stripper) rest() []byte {
	s.out = s.out[:0]
	s.giveBack()
	return s.out
}

func (s *stripper) begin() {
	s.count++
	s.state, s.held = ansiEscape, s.held[:0]
}

func (s *stripper) giveBack() {
	if s.state >= ansiString {
		s.out = append(s.out, s.held...)
	}
	s.state, s.held = ansiGround, s.held[:0]
}

// step takes one byte of a sequence; false means that the byte is not part of it and has to be looked at again.
func (s *stripper) step(c byte) (taken bool) {
	switch s.state {
	case ansiEscape:
		return s.first(c)
	case ansiInter:
		if 0x20 <= c && c < 0x30 {
			return true
		}
		s.state = ansiGround
		return 0x30 <= c && c < 0x7f
	case ansiCSI:
		s.held = append(s.held, c)
		switch {
		case 0x20 <= c && c < 0x40 && len(s.held) < mostParams:
			return true
		case 0x40 <= c && c < 0x7f:
			s.state = ansiGround
			return true
		}
		s.state = ansiGround
		return false
	}
	return s.inString(c)
}

// first takes the byte behind ESC.
func (s *stripper) first(c byte) bool {
	switch {
	case c == '[':
		s.state = ansiCSI
	case c == 'P':
		s.state = ansiDCS
	case c == ']', c == 'X', c == '^', c == '_':
		s.state = ansiString
	case 0x20 <= c && c < 0x30:
		s.state = ansiInter
	default:
		s.state = ansiGround
		return bytes.IndexByte([]byte(`6789=>DEHMNOVWZ\\cno|}~`), c) >= 0
	}
	return true
}

// inString takes a byte of a string, which ends with ESC \ or BEL.
func (s *stripper) inString(c byte) bool {
	dcs := s.state == ansiDCS || s.state == ansiDCSEsc
	switch {
	case s.state == ansiStringEsc || s.state == ansiDCSEsc:
		if c == '\\' {
			s.state = ansiGround
			return true
		}
		// The ESC begins a sequence of its own, and this string had no end.
		s.giveBack()
		s.begin()
		return false
	case c == escape && dcs:
		s.state = ansiDCSEsc
	case c == escape:
		s.state = ansiStringEsc
	case c == bell && !dcs:
		s.state = ansiGround
	case len(s.held) == mostString, !dcs && (c == '\n' || c == '\r'):
		s.giveBack()
		return false
	default:
		s.held = append(s.held, c)
	}
	return true
}
