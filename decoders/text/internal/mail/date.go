package mail

import (
	"strconv"
	"strings"
)

const (
	months = "jan feb mar apr may jun jul aug sep oct nov dec "
	// zones are the names of RFC 5322, 4.3, and two that are common; a zone that is not known is UTC, as the RFC has it.
	zones = " ut+0000 utc+0000 gmt+0000 est-0500 edt-0400 cst-0600 cdt-0500 mst-0700 mdt-0600 pst-0800 pdt-0700 cet+0100 cest+0200 "
)

// ParseDate returns a date of a header, or that of a mailbox's From_ line, as RFC 3339; "" when it is no date. It reads
// "Tue, 1 Jul 2003 10:52:37 +0200" (RFC 5322, 3.3), the order of asctime, and years of two digits (4.3).
func ParseDate(s string) string {
	for { // comments
		a, rest, found := strings.Cut(s, "(")
		if !found {
			break
		}
		_, b, _ := strings.Cut(rest, ")")
		s = a + " " + b
		if len(s) > 200 {
			return ""
		}
	}
	day, month, year, clock, zone := 0, 0, -1, "", ""
	for word := range strings.FieldsSeq(strings.NewReplacer(",", " ", "-", " -", "+", " +").Replace(strings.ToLower(s))) {
		digits := strings.TrimLeft(word, "-+")
		n, err := strconv.Atoi(digits)
		at := strings.Index(months, digits[:min(3, len(digits))]+" ")
		switch {
		case strings.Contains(word, ":") && clock == "":
			clock = word
		case err == nil && clock != "" && year >= 0 && digits != word && len(digits) == 4 && zone == "":
			zone = word
		case err == nil && day == 0 && len(digits) <= 2:
			day = n
		case err == nil && year < 0 && len(digits) <= 4 && len(digits) >= 2:
			year = fullYear(n, len(digits))
		case err != nil && len(digits) >= 3 && at >= 0 && month == 0:
			month = at/4 + 1
		case err != nil && clock != "" && zone == "":
			if i := strings.Index(zones, " "+word); i >= 0 && len(zones) >= i+6+len(word) && strings.ContainsAny(zones[i+1+len(word):i+2+len(word)], "+-") {
				zone = zones[i+1+len(word) : i+6+len(word)]
			}
		}
	}
	clock, ok := fullClock(clock)
	if !ok || day < 1 || month < 1 || day > daysOf(month, year) || year < 1900 {
		return ""
	}
	return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + clock + offset(zone)
}

// fullYear is the year that two or three digits stand for (RFC 5322, 4.3).
func fullYear(n, digits int) int {
	switch {
	case digits == 2 && n < 50:
		return 2000 + n
	case digits < 4:
		return 1900 + n
	}
	return n
}

func daysOf(month, year int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// fullClock is hours, minutes and seconds with two digits each.
func fullClock(s string) (string, bool) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return "", false
	}
	out := ""
	for i, most := range [...]int{23, 59, 60} {
		n := 0
		if i < len(parts) {
			var err error
			if n, err = strconv.Atoi(parts[i]); err != nil || len(parts[i]) > 2 || n < 0 || n > most {
				return "", false
			}
		}
		out += ":" + pad(min(n, 59), 2) // RFC 3339 has a leap second, few programs do
	}
	return out[1:], true
}

func offset(zone string) string {
	if len(zone) != 5 || zone[1:] == "0000" || zone[1:3] > "23" || zone[3:] > "59" {
		return "Z"
	}
	return zone[:3] + ":" + zone[3:]
}

func pad(n, digits int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, digits-len(s))) + s
}
