package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// byteSize is a flag value that takes "33554432", "32MiB", "32M" (binary) or "32MB" (decimal).
type byteSize int64

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return formatBytes(int64(*b))
}

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) Set(s string) error {
	n, ok := parseBytes(s)
	if !ok {
		return fmt.Errorf("%q is not a size such as 64MiB, 1GiB or a number of bytes", s)
	}
	*b = byteSize(n)
	return nil
}

// sizeUnits in the order in which suffixes are tried: a longer one before one that it ends in.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}, {"", 1},
}

// parseBytes reads a positive size; ok is false for anything else, and for one over an int64.
func parseBytes(s string) (n int64, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, u := range sizeUnits {
		digits, found := strings.CutSuffix(s, u.suffix)
		if !found {
			continue
		}
		digits = strings.TrimSpace(digits)
		if digits == "" || digits[0] < '0' || digits[0] > '9' {
			return 0, false
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		return n * u.bytes, err == nil && n > 0 && n <= math.MaxInt64/u.bytes
	}
	return 0, false
}

// formatBytes is a size for people: "17 B", "1.2 KiB", "100 MiB".
func formatBytes(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, unit := float64(n)/(1<<10), "KiB"
	for _, u := range []string{"MiB", "GiB"} {
		if v < 1<<10 {
			break
		}
		v, unit = v/(1<<10), u
	}
	if v < 9.95 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64) + " " + unit
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " " + unit
}
