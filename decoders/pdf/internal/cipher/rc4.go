package cipher

// RC4 returns src encrypted or, which is the same, decrypted. A key has at least one byte; without one src comes back as it is.
func RC4(key, src []byte) []byte {
	out := append([]byte(nil), src...)
	if len(key) == 0 {
		return out
	}
	var s [256]byte
	for i := range s {
		s[i] = byte(i)
	}
	j := byte(0)
	for i := range s {
		j += s[i] + key[i%len(key)]
		s[i], s[j] = s[j], s[i]
	}
	i, j := byte(0), byte(0)
	for n := range out {
		i++
		x := s[i]
		j += x
		y := s[j]
		s[i], s[j] = y, x
		out[n] ^= s[x+y]
	}
	return out
}
