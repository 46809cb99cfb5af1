package object

// Kind says what a Node is.
type Kind uint8

// The kinds. A stream is more than its dictionary: both have keys.
const (
	Null Kind = iota
	Bool
	Number
	String
	Name
	Array
	Dict
	Stream
)

// Node is a value of a file with its references followed. Every method answers on every node, also on the zero Node, which is null:
// what is not there, or is not what was asked for, is null, "", 0 or nothing.
type Node struct {
	f      *File
	o      *object
	id     int
	stream bool
}

// loaded is an object that was parsed.
type loaded struct {
	obj      object
	num, gen int
	data     int64 // where the data of a stream begin in the file; 0: no stream
}

// node follows o, which is a value inside the object id, to what it stands for.
func (f *File) node(o *object) Node {
	n := Node{f: f, o: o}
	for range maxReferences {
		if n.o.kind != objRef {
			return n
		}
		l := f.load(int(n.o.num))
		n = Node{f: f, o: &l.obj, id: int(n.o.num), stream: l.data > 0}
	}
	return Node{f: f}
}

// maxReferences bounds a chain of references to references.
const maxReferences = 8

// Object returns the object with a number.
func (f *File) Object(num int) Node {
	return f.node(&object{kind: objRef, num: float64(num)})
}

// load returns an object by its number, from what is kept of former looks where it is there.
func (f *File) load(num int) *loaded {
	if l := f.loads[num]; l != nil {
		f.Work(1)
		return l
	}
	l := f.parse(num)
	if f.loadSize += sizeOf(&l.obj); f.loadSize > maxKeptBytes || f.loads == nil {
		f.loads, f.loadSize = map[int]*loaded{}, sizeOf(&l.obj)
	}
	f.loads[num] = l
	return l
}

// parse reads an object, wherever it is; one that is nowhere is null.
func (f *File) parse(num int) *loaded {
	e := f.entry(num)
	if e == nil {
		off, ok := f.found[num]
		if !ok {
			return &loaded{}
		}
		e = &entry{kind: entryPlain, off: off, checked: true}
	}
	if e.kind == entryPacked {
		if b := f.packed(num, e); b != nil {
			return &loaded{obj: f.object(b), num: num}
		}
		e = &entry{kind: entryPlain, off: f.lost(num), checked: true}
	}
	if l := f.plain(num, e); l != nil {
		return l
	}
	return &loaded{}
}

// object parses an object that no file is needed for.
func (f *File) object(b []byte) object {
	p := newParser(b)
	p.stack = f.stack[:0]
	o := p.object(0)
	f.stack = p.stack
	f.Parsed(p.Pos)
	o.compact()
	return o
}

// sizeOf is about how many bytes a parsed object takes.
func sizeOf(o *object) int {
	n := 80 + len(o.s)
	for i := range o.kids {
		n += sizeOf(&o.kids[i])
	}
	return n
}

// File returns the file that n is of, nil for the zero Node.
func (n Node) File() *File { return n.f }

// ID is the number of the object that n is; 0 for one that is part of another object.
func (n Node) ID() int { return n.id }

// Kind says what n is.
func (n Node) Kind() Kind {
	if n.o == nil {
		return Null
	}
	switch n.o.kind {
	case objBool:
		return Bool
	case objNumber:
		return Number
	case objString:
		return String
	case objName:
		return Name
	case objArray:
		return Array
	case objDict:
		if n.stream {
			return Stream
		}
		return Dict
	}
	return Null
}

// Is reports whether n is of kind k.
func (n Node) Is(k Kind) bool { return n.Kind() == k }

// Null reports whether there is nothing.
func (n Node) Null() bool { return n.Kind() == Null }

// Key returns the value of a dictionary's or a stream's key.
func (n Node) Key(name string) Node {
	if n.o == nil || n.o.kind != objDict {
		return Node{f: n.f}
	}
	return n.f.node(n.o.key(name))
}

// Keys returns the keys of a dictionary or a stream in order of the file.
func (n Node) Keys() []string {
	if n.o == nil || n.o.kind != objDict {
		return nil
	}
	out := make([]string, 0, len(n.o.kids)/2)
	for i := 0; i < len(n.o.kids); i += 2 {
		out = append(out, string(n.o.kids[i].s))
	}
	return out
}

// Ref returns the number of the object that a key refers to, without looking at that object; 0 where no reference stands.
func (n Node) Ref(key string) int {
	if n.o == nil {
		return 0
	}
	return refOf(n.o.key(key))
}

// IndexRef is Ref for an element of an array.
func (n Node) IndexRef(i int) int {
	if i < 0 || i >= n.Len() {
		return 0
	}
	return refOf(&n.o.kids[i])
}

func refOf(o *object) int {
	if o.kind != objRef {
		return 0
	}
	return int(o.num)
}

// Len returns the number of elements of an array.
func (n Node) Len() int {
	if n.o == nil || n.o.kind != objArray {
		return 0
	}
	return len(n.o.kids)
}

// Index returns an element of an array.
func (n Node) Index(i int) Node {
	if i < 0 || i >= n.Len() {
		return Node{f: n.f}
	}
	return n.f.node(&n.o.kids[i])
}

// Name returns a name without its slash.
func (n Node) Name() string {
	if n.Is(Name) {
		return string(n.o.s)
	}
	return ""
}

// Raw returns the bytes of a string, decrypted.
func (n Node) Raw() string {
	if n.Is(String) {
		return string(n.o.s)
	}
	return ""
}

// Size returns how many bytes a string has.
func (n Node) Size() int {
	if n.Is(String) {
		return len(n.o.s)
	}
	return 0
}

// Num returns a number.
func (n Node) Num() float64 {
	if n.Is(Number) {
		return n.o.num
	}
	return 0
}

// Int returns a number as an int, 0 if it is absurd.
func (n Node) Int() int {
	const most = 1 << 40
	if f := n.Num(); f > -most && f < most {
		return int(f)
	}
	return 0
}

// Bool returns whether n is the value true.
func (n Node) Bool() bool { return n.Is(Bool) && n.o.num != 0 }

// Nums returns the numbers of an array that has exactly count elements; ok is false for anything else.
func (n Node) Nums(count int) (out []float64, ok bool) {
	if n.Len() != count {
		return nil, false
	}
	for i := range count {
		v := n.Index(i)
		if !v.Is(Number) {
			return nil, false
		}
		out = append(out, v.Num())
	}
	return out, true
}

// Data returns the decoded data of a stream up to limit bytes, nil for anything else. With an error (ErrFilter, ErrDamaged, ErrBudget) it
// returns what was decoded before it.
func (n Node) Data(limit int) ([]byte, error) {
	if !n.Is(Stream) {
		return nil, nil
	}
	return n.f.streamData(n.f.load(n.id), limit)
}

// whole decodes all of raw.
func (n Node) whole(raw []byte, limit int) ([]byte, error) {
	data, filter, _, err := n.Decode(raw, limit)
	if filter != "" {
		return nil, ErrFilter
	}
	return data, err
}

// Encoded returns the data of a stream decoded as far as filters for text go: filter is the name of the first other one (DCTDecode,
// CCITTFaxDecode, JPXDecode, JBIG2Decode or one that nobody knows) and parms its parameters; it is "" when data is whole. Data stays
// within limit bytes. With an error (ErrDamaged, ErrBudget) data is what was decoded before it.
func (n Node) Encoded(limit int) (data []byte, filter string, parms Node, err error) {
	if !n.Is(Stream) {
		return nil, "", Node{}, nil
	}
	dict, raw, broken := n.f.raw(n.f.load(n.id))
	if data, filter, parms, err = dict.Decode(raw, limit); err == nil {
		err = broken
	}
	return data, filter, parms, err
}

// Decode is Encoded for raw data that stand elsewhere, which the dictionary n describes: those of an inline image, whose keys and names may
// be abbreviated.
func (n Node) Decode(raw []byte, limit int) (data []byte, filter string, parms Node, err error) {
	if n.f == nil {
		return raw, "", Node{}, nil
	}
	data, filter, parms, err = n.decode(raw, limit)
	n.f.decoded(len(raw) + len(data))
	if filter != "" && len(data) > limit {
		data, err = data[:limit], ErrBudget
	}
	return data, filter, parms, err
}

// Filters returns the full names of a stream's filters, in the order in which they are undone.
func (n Node) Filters() []string {
	var out []string
	for _, s := range n.steps() {
		out = append(out, s.name)
	}
	return out
}

// Parse reads one object that stands outside the file's objects, such as the dictionary of an inline image.
func (f *File) Parse(b []byte) Node {
	o := f.object(b)
	return f.node(&o)
}
