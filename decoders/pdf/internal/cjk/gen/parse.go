package main

import (
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf16"
)

// parse reads the words of a CMap resource, in the form in which all of Adobe's are.
func (c *resource) parse(words []string, byName map[string]*resource) error {
	last := ""
	for i, w := range words {
		switch {
		case w == "usecmap":
			used := byName[last[1:]]
			if used == nil {
				return fmt.Errorf("uses %s, which stands behind it", last)
			}
			c.spaces = append(c.spaces, used.spaces...)
			maps.Copy(c.cids, used.cids)
		case last == "/WMode":
			c.vertical = w == "1"
		case strings.HasPrefix(w, "begin") && w != "begin" && w != "begincmap" && w != "beginnotdefrange":
			end := i + 1
			for words[end] != "end"+w[5:] {
				end++
			}
			if err := c.section(w[5:], words[i+1:end]); err != nil {
				return err
			}
		}
		last = w
	}
	return nil
}

func (c *resource) section(kind string, words []string) error {
	step := 3
	if strings.HasSuffix(kind, "char") || kind == "codespacerange" {
		step = 2
	}
	for ; len(words) >= step; words = words[step:] {
		lo, n, err := code(words[0])
		if err != nil {
			return err
		}
		hi := lo
		if step == 3 || kind == "codespacerange" {
			if hi, _, err = code(words[1]); err != nil {
				return err
			}
		}
		to := words[step-1]
		switch kind {
		case "codespacerange":
			c.spaces = append(c.spaces, space{uint32(n), lo, hi})
		case "cidchar", "cidrange":
			cid, err := strconv.ParseUint(to, 10, 16)
			if err != nil {
				return err
			}
			for v := lo; v <= hi; v++ {
				c.cids[v] = uint32(cid) + v - lo
			}
		case "bfchar", "bfrange":
			text, err := utf16Text(to)
			if err != nil {
				return err
			}
			for v := lo; v <= hi; v++ {
				c.texts[v] = text
				text = append([]rune(nil), text...)
				text[len(text)-1]++
			}
		default:
			return fmt.Errorf("a section of %s", kind)
		}
	}
	return nil
}

// code reads <8140>.
func code(word string) (v uint32, n int, err error) {
	b, err := hex.DecodeString(strings.Trim(word, "<>"))
	for _, c := range b {
		v = v<<8 | uint32(c)
	}
	return v, len(b), err
}

// utf16Text reads <30A40300> without variation selectors, which choose a form and not a character.
func utf16Text(word string) ([]rune, error) {
	b, err := hex.DecodeString(strings.Trim(word, "<>"))
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, uint16(b[0])<<8|uint16(b[1]))
	}
	var out []rune
	for _, r := range utf16.Decode(units) {
		if r&^0xf != 0xfe00 && (r < 0xe0100 || r > 0xe01ef) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no text in %q: %v", word, err)
	}
	return out, err
}
