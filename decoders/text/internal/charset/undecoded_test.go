package charset

import "testing"

// johabOf is a Korean text in Johab, by the formula of KS X 1001, annex 3.
func johabOf(text string) (out []byte) {
	vowels := []int{3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 26, 27, 28, 29}
	for _, r := range text {
		if r < 0xac00 || r > 0xd7a3 {
			out = append(out, byte(r))
			continue
		}
		s := int(r - 0xac00)
		final := s%28 + 1
		if final > 17 {
			final++
		}
		code := 1<<15 | (s/588+2)<<10 | vowels[s/28%21]<<5 | final
		out = append(out, byte(code>>8), byte(code))
	}
	return out
}

// What nobody here decodes is called by its name, not read as something else; and nothing else is called so.
func TestUndecoded(t *testing.T) {
	korean := "이 프로그램은 누구나 자유롭게 사용하실 수 있습니다. 설치하기 전에 반드시 읽어 주십시오.\n"
	// "The first thing that one should say of it is that there are people here, and they are not all of one country", hanzi by hanzi.
	taiwan := "\xd1\xd2\xc4\xa1\xc4\xe2\xc8\xb4\xc4\xa9\xa1\xa4" + frequentTW[:40] + "\xd4\xc3\xf2\xe5" + frequentTW[60:80] + "\n"
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"johab":        {johabOf(korean), "johab"},
		"euc-tw":       {[]byte(taiwan), "euc-tw"},
		"few":          {johabOf("안녕"), ""},
		"windows-1251": {[]byte("\xcf\xf0\xe8\xe2\xe5\xf2 \xe2\xf1\xe5\xec, \xea\xf2\xee \xf7\xe8\xf2\xe0\xe5\xf2 \xfd\xf2\xee\xf2 \xf2\xe5\xea\xf1\xf2\n"), ""},
	} {
		got := Detect(Sample{Head: c.data, Body: c.data, Whole: true}).Label
		if c.want != "" && got != c.want || c.want == "" && (got == "johab" || got == "euc-tw") {
			t.Errorf("%s: %s, want %q", name, got, c.want)
		}
	}
}
