package charset

// undecoded names the charsets that are recognised and not decoded, so that they are refused by name: read as anything else they are
// mojibake. It is asked only where no other reading is fluent.
func undecoded(sample []byte) string {
	switch {
	case johab(sample):
		return "johab"
	case eucTW(sample):
		return "euc-tw"
	}
	return ""
}

// pairs calls visit for every character above ASCII of two bytes, or of four where the first is 0x8e, as far as they are whole.
func pairs(sample []byte, visit func(lead, trail byte)) {
	for b := sample; len(b) > 0; {
		if n := ASCIIPrefix(b); n > 0 {
			b = b[n:]
			continue
		}
		if len(b) < 2 {
			return
		}
		visit(b[0], b[1])
		b = b[2:]
	}
}

// leastPairs is how many characters tell one of these charsets from an accident.
const leastPairs = 16

// johab reports whether a sample is in the combining code of KS X 1001, annex 3: a bit, then five each for an initial, a vowel and a final, of
// which not every value is used. Hanja and signs lie elsewhere and say nothing.
func johab(sample []byte) bool {
	const (
		initials = 1<<21 - 1<<2                                                        // 2 to 20
		vowels   = (1<<8 - 1<<3) | (1<<16 - 1<<10) | (1<<24 - 1<<18) | (1<<30 - 1<<26) // 3-7, 10-15, 18-23, 26-29
		finals   = (1<<18 - 1<<1) | (1<<30 - 1<<19)                                    // 1-17, 19-29
	)
	good, bad := 0, 0
	pairs(sample, func(lead, trail byte) {
		code := uint(lead)<<8 | uint(trail)
		switch {
		case between(lead, 0xd8, 0xf9) && trail >= 0x31: // signs and hanja
		case lead >= 0x80 && (initials>>(code>>10&31))&(vowels>>(code>>5&31))&(finals>>(code&31))&1 != 0:
			good++
		default:
			bad++
		}
	})
	return good >= leastPairs && bad*20 <= good
}

// eucTW reports whether a sample is in EUC with the first plane of CNS 11643: hanzi are where GBK and others have theirs, but which are frequent
// tells them apart. A sixth of a text is frequent ones; of another charset hardly any are.
func eucTW(sample []byte) bool {
	all, common, bad := 0, 0, 0
	pairs(sample, func(lead, trail byte) {
		all++
		switch {
		case lead == 0x8e: // another plane follows, in two bytes more
		case !between(lead, 0xa1, 0xfd) || !between(trail, 0xa1, 0xfe):
			bad++
		case isFrequentTW(lead, trail):
			common++
		}
	})
	return all >= leastPairs && bad*50 <= all && common*6 >= all
}

func isFrequentTW(lead, trail byte) bool {
	for i := 0; i+2 <= len(frequentTW); i += 2 {
		if frequentTW[i] == lead && frequentTW[i+1] == trail {
			return true
		}
	}
	return false
}

// frequentTW is the most frequent hanzi of Chinese as EUC-TW has them, from the most frequent one on.
const frequentTW = "" +
	"\xce\xfb\xc4\xa1\xd1\xd2\xc4\xe2\xc7\xe3\xc8\xb4\xc4\xa9\xca\xbc\xc5\xec\xdd\xd5\xc4\xe3\xc4\xcb\xcb\xf4\xc4\xb8\xd4\xb6\xd9\xcf\xcc\xaf\xeb\xa9\xd4\xaf\xd2\xb3" +
	"\xc4\xcd\xcc\xcf\xc9\xa3\xc7\xe2\xc5\xf8\xe4\xc4\xc4\xbe\xd5\xeb\xd3\xd1\xde\xf3\xc6\xab\xc5\xe8\xe8\xd7\xc6\xed\xd7\xe4\xc8\xd4\xcb\xdb\xda\xb5\xcd\xf5\xc8\xdc" +
	"\xc4\xe6\xc8\xa1\xe7\xb4\xe0\xf5\xd1\xa5\xc9\xa2\xcb\xde\xc6\xee\xe7\xac\xc8\xe7\xcd\xd4\xe0\xd3\xd5\xa5\xcb\xe7\xc8\xa9\xc5\xc9\xc7\xe9\xe5\xee\xc6\xaa\xce\xce" +
	"\xf0\xd0\xc7\xf1\xdd\xe7\xc7\xd1\xdc\xa2\xe5\xb5\xca\xf4\xd9\xaf\xd3\xf2\xd8\xc4\xd2\xe0\xcc\xf9\xc5\xb2\xc5\xa1\xf5\xe4\xe2\xd0\xc7\xef\xc4\xd1\xdd\xe5\xcc\xa7" +
	"\xcb\xe8\xc5\xe4\xed\xb5\xdc\xa1\xc5\xc0\xc6\xdb\xd0\xa9\xe2\xe4\xc8\xfe\xc7\xde\xc6\xb7\xda\xb7\xe3\xf7\xe8\xd2\xc5\xca\xcf\xaf\xe3\xf4\xe0\xd2\xc4\xb0\xc6\xc6" +
	"\xea\xd8\xcf\xdb\xca\xc4\xf1\xa2\xc4\xb2\xc6\xe1\xdc\xc9\xc4\xfc\xc8\xba\xc4\xd8\xc4\xd6\xcb\xf0\xda\xc5\xcd\xfc\xcd\xcc\xcf\xa1\xc7\xc0\xc4\xb5\xc4\xb4\xf9\xc3" +
	"\xf6\xb5\xc6\xdf\xe4\xc6\xc6\xc0\xd9\xf2\xcc\xa5\xd8\xed\xe2\xe6\xc6\xf1\xd9\xc2\xd0\xfe\xde\xb2\xd3\xec\xcb\xe4\xce\xec\xc5\xc3\xf3\xdc\xf0\xdd\xc7\xd7\xf3\xa4" +
	"\xc5\xc6\xfc\xd5\xd1\xc9\xd3\xa1\xd2\xde\xcb\xc4\xdd\xb7\xc9\xb3\xc4\xef\xc4\xa8\xe1\xab\xdc\xa8\xcd\xd0\xe4\xbb\xc4\xd7\xcc\xb1\xcb\xce\xce\xaa\xc5\xfb\xc8\xe9"
