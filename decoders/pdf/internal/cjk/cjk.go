// Package cjk holds the predefined CMaps of Chinese, Japanese and Korean fonts (ISO 32000-1, 9.7.5.2) and says which characters the
// identifiers of Adobe's character collections are.
//
// The tables lie packed in one string, tables.bin, which gen makes of Adobe's CMap resources in source. A file that needs none of them pays
// nothing; one that does unpacks the maps that it names.
package cjk

import (
	_ "embed"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/inflate"
)

//go:generate go run ./gen

// tables is a directory (see entries) and behind it the packed maps, in the same order.
//
//go:embed tables.bin
var tables string

// Version is the first byte of the tables: what a packed map looks like.
const Version = 1

// Entry is one packed map in the directory.
type Entry struct {
	Name       string // of the CMap; of a collection's characters the collection, as in "Adobe-Japan1"
	Collection string // that its identifiers belong to
	Use        string // the map that holds what this one leaves out, "" for none
	Packed     string
}

// Entries lists what data holds, none if it is not of this Version.
func Entries(data string) (all []Entry) {
	r := &reader{s: data}
	if r.byte() != Version {
		return nil
	}
	n := r.count()
	sizes := make([]int, 0, n)
	for range n {
		e := Entry{Name: r.text(), Collection: r.text()}
		if use := r.number(); use > 0 && use <= uint32(len(all)) {
			e.Use = all[use-1].Name
		}
		sizes = append(sizes, int(r.number()))
		all = append(all, e)
	}
	for i := range all {
		all[i].Packed = r.cut(sizes[i])
	}
	return all
}

// find returns the entry with a name.
func find(name string) (e Entry, ok bool) {
	for _, e := range Entries(tables) {
		if e.Name == name {
			return e, true
		}
	}
	return e, false
}

// maxUnpacked is more than any map has.
const maxUnpacked = 1 << 20

// unpack returns the data of an entry. What is packed was made by gen, and a test unpacks all of it: there is no error to tell.
func (e Entry) unpack() *reader {
	var d inflate.Decoder
	data, err := d.Decode([]byte(e.Packed), maxUnpacked)
	if err != nil {
		return &reader{}
	}
	return &reader{s: string(data)}
}

// reader cuts a string into the parts of the packed form. Past its end everything is 0 or empty.
type reader struct{ s string }

func (r *reader) byte() byte {
	if r.s == "" {
		return 0
	}
	b := r.s[0]
	r.s = r.s[1:]
	return b
}

// number reads seven bits a byte, the lowest first; the last byte is below 0x80.
func (r *reader) number() (v uint32) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return v
}

// signed reads a number whose lowest bit is the sign.
func (r *reader) signed() int32 {
	v := r.number()
	return int32(v>>1) ^ -int32(v&1)
}

// count reads how many things follow. Each takes a byte at least.
func (r *reader) count() int { return min(int(r.number()), len(r.s)) }

func (r *reader) cut(n int) string {
	n = min(n, len(r.s))
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

func (r *reader) text() string { return r.cut(int(r.number())) }
