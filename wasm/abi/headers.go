package abi

import (
	"strconv"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// object writes the members of a JSON object. The methods whose name ends in Some leave out a member that is zero.
type object struct {
	b     []byte
	began bool
}

func open(dst []byte) object { return object{b: append(dst, '{')} }

func (o *object) close() []byte { return append(o.b, '}') }

func (o *object) key(k string) {
	if o.began {
		o.b = append(o.b, ',')
	}
	o.began = true
	o.b = append(AppendString(o.b, k), ':')
}

func (o *object) str(k, v string) {
	o.key(k)
	o.b = AppendString(o.b, v)
}

func (o *object) strSome(k, v string) {
	if v != "" {
		o.str(k, v)
	}
}

func (o *object) int(k string, v int64) {
	o.key(k)
	o.b = strconv.AppendInt(o.b, v, 10)
}

func (o *object) intSome(k string, v int64) {
	if v != 0 {
		o.int(k, v)
	}
}

func (o *object) boolSome(k string, v bool) {
	if v {
		o.key(k)
		o.b = append(o.b, "true"...)
	}
}

// list writes a list of which each appends the i-th value; null where there is none at all, as encoding/json does.
func (o *object) list(k string, none bool, n int, each func(dst []byte, i int) []byte) {
	o.key(k)
	if none {
		o.b = append(o.b, "null"...)
		return
	}
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = each(o.b, i)
	}
	o.b = append(o.b, ']')
}

// AppendJSON writes the header of a describe frame.
func (d Description) AppendJSON(dst []byte) []byte {
	o := open(dst)
	o.int("abi", int64(d.ABI))
	o.str("name", d.Name)
	o.str("version", d.Version)
	o.list("media_types", d.MediaTypes == nil, len(d.MediaTypes), func(b []byte, i int) []byte { return AppendString(b, string(d.MediaTypes[i])) })
	o.str("unit", string(d.Unit))
	o.list("forms", d.Forms == nil, len(d.Forms), func(b []byte, i int) []byte { return AppendString(b, string(d.Forms[i])) })
	o.boolSome("children", d.Children)
	if len(d.Names) > 0 {
		o.list("names", false, len(d.Names), func(b []byte, i int) []byte { return AppendString(b, string(d.Names[i])) })
	}
	if len(d.Samples) > 0 {
		o.list("samples", false, len(d.Samples), func(b []byte, i int) []byte {
			s := open(b)
			s.str("media_type", string(d.Samples[i].MediaType))
			s.int("bytes", int64(d.Samples[i].Bytes))
			return s.close()
		})
	}
	return o.close()
}

// AppendJSON writes the header of a part frame.
func (p Part) AppendJSON(dst []byte) []byte {
	o := open(dst)
	o.int("at", p.At)
	o.intSome("to", p.To)
	o.intSome("offset", p.Offset)
	o.strSome("media_type", string(p.MediaType))
	o.intSome("width", int64(p.Width))
	o.intSome("height", int64(p.Height))
	o.boolSome("truncated", p.Truncated)
	return o.close()
}

// AppendJSON writes the header of an error frame.
func (f Failure) AppendJSON(dst []byte) []byte {
	o := open(dst)
	o.str("code", string(f.Code))
	o.strSome("detail", f.Detail)
	if f.Limit != nil {
		o.key("limit")
		l := open(o.b)
		l.str("name", f.Limit.Name)
		l.int("value", f.Limit.Value)
		l.intSome("actual", f.Limit.Actual)
		o.b = l.close()
	}
	return o.close()
}

// AppendJSON writes the header of a file frame.
func (f File) AppendJSON(dst []byte) []byte {
	o := open(dst)
	o.intSome("at", f.At)
	o.key("child")
	o.b = appendChild(o.b, &f.Child)
	o.boolSome("more", f.More)
	return o.close()
}

// AppendJSON writes the header of an end frame.
func (e End) AppendJSON(dst []byte) []byte {
	o := open(dst)
	o.int("total", e.Total)
	o.boolSome("at_least", e.AtLeast)
	if e.Next != nil {
		o.key("next")
		n := open(o.b)
		n.int("at", e.Next.At)
		n.intSome("part", e.Next.Part)
		n.intSome("offset", e.Next.Offset)
		o.b = n.close()
	}
	return o.close()
}

func appendWarning(dst []byte, w *readapi.Warning) []byte {
	o := open(dst)
	o.str("code", w.Code)
	o.str("detail", w.Detail)
	o.intSome("at", w.At)
	return o.close()
}

func appendChild(dst []byte, c *readapi.Child) []byte {
	o := open(dst)
	o.int("n", int64(c.N))
	o.str("name", c.Name)
	o.str("media_type", string(c.MediaType))
	o.int("bytes", c.Bytes)
	return o.close()
}
