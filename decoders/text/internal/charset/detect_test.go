package charset

import (
	"slices"
	"strings"
	"testing"
)

func TestDeclared(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"", ""},
		{`<?xml version="1.0" encoding="KOI8-R"?>`, "koi8-r"},
		{`<?xml version='1.0' encoding = 'gb2312' standalone='yes'?>`, "gb2312"},
		{`<?xml version="1.0"?><p encoding="big5">`, ""},
		{`<html><META CHARSET=utf-8>`, "utf-8"},
		{`<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">`, "shift_jis"},
		{`<meta name="a"><meta charset="euc-kr"/>`, "euc-kr"},
		{`<meta name="charset"> charset=big5`, ""},
		{`@charset "windows-1251";`, "windows-1251"},
		{"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n", "latin-1"},
		{"# vim: set fileencoding=cp1250 :\n", "cp1250"},
		{"a\nb\n# coding: cp1250\n", ""},
		{"charset=", ""},
		{"<meta charset", ""},
	} {
		if got := declared([]byte(c.head)); got != c.want {
			t.Errorf("declared(%q) = %q, want %q", c.head, got, c.want)
		}
	}
}

// TestCanonical: every label that can be declared has a decoder, and every candidate of the statistics too.
func TestCanonical(t *testing.T) {
	for declared, want := range map[string]string{
		"UTF8": "utf-8", "gb2312": "gbk", "Latin1": "windows-1252", "ISO-8859-1": "windows-1252", "x-sjis": "shift_jis", " tis-620 ": "windows-874",
		"iso-8859-9": "windows-1254", "": "", "klingon": "", "gbk:": "", "gbk gb2312": "",
	} {
		if got := Canonical(declared); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", declared, got, want)
		}
	}
	undecoded := []string{"euc-tw", "iso-2022-cn", "johab", "utf-7"}
	for _, label := range labels() {
		if slices.Contains(undecoded, label) {
			if Encoding(label) != nil {
				t.Errorf("%s has a decoder now", label)
			}
			continue
		}
		if label != "utf-8" && Encoding(label) == nil {
			t.Errorf("%s has no decoder", label)
		}
	}
}

func labels() (out []string) {
	for line := range slices.Values(splitLines(aliases)) {
		if label := Canonical(line); label != "" {
			out = append(out, label)
		}
	}
	for i := range singleBytes {
		out = append(out, singleBytes[i].label)
	}
	for i := range multiBytes {
		out = append(out, multiBytes[i].label)
	}
	return out
}

// splitLines returns the first word of each line, without its colon.
func splitLines(s string) (out []string) {
	for _, line := range strings.Split(s, "\n") {
		for i, c := range line {
			if c == ':' {
				out = append(out, line[:i])
				break
			}
		}
	}
	return out
}

func TestSevenBit(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", ""}, {"\x1b[31mred\x1b[0m", ""}, {"\x1b(B", ""}, {"\x1b[0m\x1b$B$3\x1b(B", "iso-2022-jp"}, {"\x1b(J~", "iso-2022-jp"},
		{"\x1b$)A", "iso-2022-cn"}, {"~{VPND~}\n", "hz-gb-2312"}, {"~{\\em x}", ""}, {"a ~{ b ~} c", ""}, {"~{VPND", "hz-gb-2312"}, {"~{VPND~}\xff", ""},
		{"+/v8-caf+AOk-", "utf-7"}, {"caf+AOk- +ZeVnLIqe-, d+AOk-j+AOA-", "utf-7"}, {"a+b-c +1-2 C++11-", ""}, {"+AOk- +AOk- +AOk", ""}, {"+ABC- +ABC- +ABC-", ""},
	} {
		if got := SevenBit([]byte(c.in)); got != c.want {
			t.Errorf("SevenBit(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
