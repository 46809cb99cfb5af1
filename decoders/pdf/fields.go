package pdf

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Of forms.
const (
	maxFieldDepth = 32   // of fields inside fields
	maxFieldCount = 2000 // fields that are counted
	maxFields     = 1000 // that one page gives
	maxOptions    = 100  // of one field
	maxValueBytes = 4000 // of one value
)

// Field flags (12.7.3.1, 12.7.4).
const (
	fieldReadOnly   = 1 << 0
	fieldRequired   = 1 << 1
	fieldPassword   = 1 << 13
	fieldRadio      = 1 << 15
	fieldPushbutton = 1 << 16
	fieldCombo      = 1 << 17
)

// inherit returns what a field has under a key, or the first above it that has (12.7.3.1).
func inherit(field object.Node, key string) object.Node {
	for range maxFieldDepth {
		if v := field.Key(key); !v.Null() {
			return v
		}
		if field = field.Key("Parent"); field.Null() {
			break
		}
	}
	return object.Node{}
}

// fieldName is the full name of a field: the partial names from the root on, joined by periods (12.7.3.2).
func fieldName(field object.Node) string {
	var parts []string
	for range maxFieldDepth {
		if t := oneLine(field.Key("T").Text()); t != "" {
			parts = append(parts, t)
		}
		if field = field.Key("Parent"); field.Null() {
			break
		}
	}
	slices.Reverse(parts)
	return cutText(strings.Join(parts, "."), maxTitleBytes)
}

// ownField is the field of which a is a widget: a itself, or its parent where a has no name of its own.
func ownField(a object.Node) object.Node {
	if parent := a.Key("Parent"); a.Key("T").Null() && parent.Is(object.Dict) {
		return parent
	}
	return a
}

// fieldType says what a field is in words of ours.
func fieldType(field object.Node) string {
	flags := inherit(field, "Ff").Int()
	switch inherit(field, "FT").Name() {
	case "Tx":
		return "text"
	case "Sig":
		return "signature"
	case "Ch":
		if flags&fieldCombo != 0 {
			return "choice"
		}
		return "list"
	case "Btn":
		switch {
		case flags&fieldPushbutton != 0:
			return "button"
		case flags&fieldRadio != 0:
			return "radio"
		}
		return "checkbox"
	}
	return ""
}

// markField notes the field of a widget, once for a page however many widgets it has there.
func (d *document) markField(m *marks, a object.Node) {
	field := ownField(a)
	kind := fieldType(field)
	if id := field.ID(); kind == "" || id != 0 && m.seen[id] {
		return
	} else if id != 0 {
		if m.seen == nil {
			m.seen = map[int]bool{}
		}
		m.seen[id] = true
	}
	if len(m.fields) == maxFields {
		m.left++
		return
	}
	v := map[string]any{"name": fieldName(field), "type": kind}
	put(v, "label", cutText(oneLine(inherit(field, "TU").Text()), maxTitleBytes))
	flags := inherit(field, "Ff").Int()
	switch kind {
	case "text":
		if flags&fieldPassword != 0 { // shown as asterisks
			v["password"] = true
			break
		}
		put(v, "value", fieldText(inherit(field, "V")))
		if s := fieldText(inherit(field, "DV")); s != v["value"] {
			put(v, "default", s)
		}
	case "checkbox":
		v["value"] = on(inherit(field, "V"), a)
	case "radio":
		radio(v, field)
	case "choice", "list":
		choice(v, field)
	case "button":
		if v["label"] == nil {
			put(v, "label", cutText(oneLine(a.Key("MK").Key("CA").Text()), maxTitleBytes))
		}
		put(v, "uri", buttonURI(a.Key("A")))
	case "signature":
		signature(v, inherit(field, "V"))
	}
	if flags&fieldRequired != 0 {
		v["required"] = true
	}
	if flags&fieldReadOnly != 0 {
		v["read_only"] = true
	}
	m.fields = append(m.fields, v)
}

// buttonURI is where a button leads, or where it would send the form (12.7.5.2).
func buttonURI(action object.Node) string {
	switch action.Key("S").Name() {
	case "URI":
		return cutText(action.Key("URI").Text(), maxMetaBytes)
	case "SubmitForm":
		return fileSpec(action.Key("F"))
	}
	return ""
}

// fieldText is a value that may be a string or a stream (12.7.4.3).
func fieldText(v object.Node) string {
	s := v.Text()
	if v.Is(object.Stream) {
		b, _ := v.Data(maxValueBytes)
		s = strings.ToValidUTF8(string(b), "")
	}
	return cutText(s, maxValueBytes)
}

// on reports whether a check box is on: its value, else the state of its widget.
func on(v, a object.Node) bool {
	state := v.Name()
	if v.Null() {
		state = a.Key("AS").Name()
	}
	return state != "" && state != "Off"
}

// radio puts in which button of a group is on and which ones there are: by the states of their appearances, which Opt may spell out.
func radio(v map[string]any, field object.Node) {
	chosen := inherit(field, "V").Name()
	kids, names := field.Key("Kids"), field.Key("Opt")
	var options []any
	for i := range min(kids.Len(), maxOptions) {
		looks := kids.Index(i).Key("AP").Key("N")
		for _, state := range looks.Keys() {
			if state == "Off" || !looks.Is(object.Dict) {
				continue
			}
			name := nameText(state)
			if s := names.Index(i).Text(); s != "" {
				name = cutText(oneLine(s), maxTitleBytes)
			}
			if state == chosen {
				v["value"] = name
			}
			if !slices.Contains(options, any(name)) {
				options = append(options, name)
			}
		}
	}
	if v["value"] == nil && chosen != "Off" {
		put(v, "value", nameText(chosen))
	}
	if len(options) > 0 {
		v["options"] = options
	}
}

// nameText is a name that stands for a text: UTF-8 (7.3.5), escaped twice by some writers, else one byte a character.
func nameText(s string) string {
	if strings.Contains(s, "#") {
		l := object.Lexer{B: []byte("/" + s)}
		if t := l.Next(); t.Kind == object.TokName && l.Pos == len(s)+1 && utf8.Valid(t.S) {
			s = string(t.S)
		}
	}
	if !utf8.ValidString(s) {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		s = b.String()
	}
	return cutText(oneLine(s), maxTitleBytes)
}

// choice puts in what is chosen and what can be, as it is shown: an option may have a value that is exported instead (table 231).
func choice(v map[string]any, field object.Node) {
	opt := inherit(field, "Opt")
	shown := func(value object.Node) string {
		s := value.Text()
		for i := range min(opt.Len(), maxOptions) {
			if o := opt.Index(i); o.Len() == 2 && o.Index(0).Text() == s {
				s = o.Index(1).Text()
				break
			}
		}
		return cutText(oneLine(s), maxTitleBytes)
	}
	value := inherit(field, "V")
	if value.Is(object.Array) {
		var many []any
		for i := range min(value.Len(), maxOptions) {
			many = append(many, shown(value.Index(i)))
		}
		if len(many) > 0 {
			v["value"] = many
		}
	} else {
		put(v, "value", shown(value))
	}
	var options []any
	for i := range min(opt.Len(), maxOptions) {
		o := opt.Index(i)
		if o.Len() == 2 {
			o = o.Index(1)
		}
		options = append(options, cutText(oneLine(o.Text()), maxTitleBytes))
	}
	if len(options) > 0 {
		v["options"] = options
	}
}

// signature puts in who signed and when, as the signature says; nothing checks it (12.8.1).
func signature(v map[string]any, sig object.Node) {
	v["signed"] = sig.Is(object.Dict)
	put(v, "signer", cutText(oneLine(sig.Key("Name").Text()), maxTitleBytes))
	put(v, "date", date(sig.Key("M").Text()))
	put(v, "reason", cutText(oneLine(sig.Key("Reason").Text()), maxTitleBytes))
	put(v, "location", cutText(oneLine(sig.Key("Location").Text()), maxTitleBytes))
}

// countFields counts the fields of a form that have a type, and those of them that are signed.
func (d *document) countFields(list object.Node) (fields, signatures int) {
	seen := map[int]bool{}
	var walk func(list object.Node, depth int)
	walk = func(list object.Node, depth int) {
		for i := range list.Len() {
			f := list.Index(i)
			id := f.ID()
			if len(seen) > maxFieldCount || fields >= maxFieldCount || !f.Is(object.Dict) || id != 0 && seen[id] {
				continue
			}
			seen[id] = true
			kids := f.Key("Kids")
			if first := kids.Index(0); kids.Len() > 0 && depth < maxFieldDepth && !first.Key("T").Null() {
				walk(kids, depth+1)
				continue
			}
			fields++
			if inherit(f, "FT").Name() == "Sig" && inherit(f, "V").Is(object.Dict) {
				signatures++
			}
		}
	}
	walk(list, 0)
	return fields, signatures
}

// ownLook returns what a viewer shows of itself of an annotation without an appearance: the text of a note that is free text, the value of
// a field; that also where appearances have to be made anew (table 218). ok is false where the appearance says it.
func (d *document) ownLook(a object.Node) (text string, ok bool) {
	switch a.Key("Subtype").Name() {
	case "FreeText":
		text = a.Key("Contents").Text()
		return text, text != "" && a.Key("AP").Key("N").Null()
	case "Widget":
		return d.fieldLook(a)
	}
	return "", false
}

func (d *document) fieldLook(a object.Node) (text string, ok bool) {
	field := ownField(a)
	kind := fieldType(field)
	if kind != "text" && kind != "choice" && kind != "list" || inherit(field, "Ff").Int()&fieldPassword != 0 {
		return "", false
	}
	stale := d.root.Key("AcroForm").Key("NeedAppearances").Bool()
	if !stale && a.Key("AP").Key("N").Is(object.Stream) {
		return "", false
	}
	if kind == "text" {
		text = fieldText(inherit(field, "V"))
	} else {
		v := map[string]any{}
		choice(v, field)
		switch chosen := v["value"].(type) {
		case string:
			text = chosen
		case []any:
			for _, s := range chosen {
				text += s.(string) + "\n"
			}
		}
	}
	return text, text != ""
}

// fontSize is the size that a default appearance sets, 0 if it leaves it open.
func fontSize(da string) float64 {
	l := object.Lexer{B: []byte(da)}
	size := 0.0
	for t := l.Next(); t.Kind != object.TokEOF; t = l.Next() {
		switch {
		case t.Kind == object.TokNumber:
			size = t.Num
		case t.Is("Tf"):
			return max(0, size)
		}
	}
	return 0
}
