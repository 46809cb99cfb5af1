package vp8

// The modes of a block of four by four, the first four also those of a macroblock (RFC 6386, 11.2 and 11.3).
const (
	modeDC uint8 = iota
	modeTM
	modeVE
	modeHE
	modeRD
	modeVR
	modeLD
	modeVL
	modeHD
	modeHU
)

// readModes reads how the next macroblock is predicted (RFC 6386, 9.3, 11).
func (f *Frame) readModes(above *context) {
	r, m := &f.modes, &f.mb
	if f.mapped {
		if m.segment = r.is1(f.treeProbs[0]); m.segment == 0 {
			m.segment = r.is1(f.treeProbs[1])
		} else {
			m.segment = 2 + r.is1(f.treeProbs[2])
		}
	}
	m.skip = f.skips && r.bit(f.skipProb)
	if m.blocks = !r.bit(145); m.blocks {
		f.readBlockModes(above)
	} else {
		switch {
		case !r.bit(156):
			m.luma = modeDC
			if r.bit(163) {
				m.luma = modeVE
			}
		case r.bit(128):
			m.luma = modeTM
		default:
			m.luma = modeHE
		}
		all := [4]uint8{m.luma, m.luma, m.luma, m.luma}
		above.modes, f.left.modes = all, all
	}
	switch {
	case !r.bit(142):
		m.chroma = modeDC
	case !r.bit(114):
		m.chroma = modeVE
	case !r.bit(183):
		m.chroma = modeHE
	default:
		m.chroma = modeTM
	}
}

func (f *Frame) readBlockModes(above *context) {
	for y := range 4 {
		left := f.left.modes[y]
		for x := range 4 {
			left = f.modes.mode(&modeProbs[above.modes[x]][left])
			above.modes[x] = left
			f.mb.sub[4*y+x] = left
		}
		f.left.modes[y] = left
	}
}

// mode walks the tree of 11.2.
func (r *boolReader) mode(p *[9]uint8) uint8 {
	switch {
	case !r.bit(p[0]):
		return modeDC
	case !r.bit(p[1]):
		return modeTM
	case !r.bit(p[2]):
		return modeVE
	case !r.bit(p[3]):
		switch {
		case !r.bit(p[4]):
			return modeHE
		case !r.bit(p[5]):
			return modeRD
		}
		return modeVR
	case !r.bit(p[6]):
		return modeLD
	case !r.bit(p[7]):
		return modeVL
	case !r.bit(p[8]):
		return modeHD
	}
	return modeHU
}
