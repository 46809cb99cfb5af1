package rtf

import (
	"strconv"
	"strings"
)

// infoWord obeys a control word of the facts about the document; false means that it is none.
func (r *reader) infoWord(name string, n int) bool {
	switch name {
	case "title", "subject", "author", "manager", "company", "operator", "keywords", "doccomm", "category", "hlinkbase":
		if r.dest == info {
			r.begin(fact)
			r.key, r.note = name, 't'
		}
	case "creatim", "revtim":
		if r.dest == info {
			r.begin(moment)
			r.key, r.note, r.date = name, 't', [6]int{}
		}
	case "yr":
		r.date[0] = n
	case "mo":
		r.date[1] = n
	case "dy":
		r.date[2] = n
	case "hr":
		r.date[3] = n
	case "min":
		r.date[4] = n
	case "sec":
		r.date[5] = n
	default:
		return false
	}
	return true
}

// addFact notes the fact whose group ends.
func (r *reader) addFact() {
	value := strings.TrimSpace(string(r.text))
	if r.dest == moment {
		value = r.moment()
	}
	const most = 50
	if value != "" && len(r.doc.Info) < most {
		r.doc.Info = append(r.doc.Info, Fact{r.key, strings.ToValidUTF8(value, "\uFFFD")})
	}
}

// moment is a date as in RFC 3339 without its zone, which RTF does not have.
func (r *reader) moment() string {
	d := r.date
	if d[0] < 1900 || d[0] > 9999 || d[1] < 1 || d[1] > 12 || d[2] < 1 || d[2] > 31 || d[3] < 0 || d[3] > 23 || d[4] < 0 || d[4] > 59 || d[5] < 0 || d[5] > 59 {
		return ""
	}
	two := func(n int) string { return strconv.Itoa(n/10) + strconv.Itoa(n%10) }
	return strconv.Itoa(d[0]) + "-" + two(d[1]) + "-" + two(d[2]) + "T" + two(d[3]) + ":" + two(d[4]) + ":" + two(d[5])
}
