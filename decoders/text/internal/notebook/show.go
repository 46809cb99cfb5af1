package notebook

import (
	"strings"
)

// show writes the cell.
func (r *reader) show() error {
	c := &r.cell
	var err error
	switch source := strings.TrimRight(c.source, "\r\n"); {
	case c.kind == "code":
		language := r.info.Language
		if c.language != "" {
			language = c.language
		}
		if source != "" {
			err = r.fenced(word(language), source)
		}
	case c.kind == "heading":
		err = r.block(strings.Repeat("#", max(1, c.level)) + " " + source)
	case source != "":
		err = r.block(source)
	}
	for i := range c.attached {
		if err == nil {
			err = r.file(&c.attached[i], c.attached[i].name)
		}
	}
	for i := range c.outputs {
		if err == nil {
			err = r.output(&c.outputs[i], "cell-"+itoa(c.number)+"-output-"+itoa(i+1))
		}
	}
	return err
}

// word is a language's name as it can stand behind a fence.
func word(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == '`' {
			return -1
		}
		return c
	}, s)
}

// block writes a text with a blank line before it.
func (r *reader) block(text string) error {
	if r.sink.Text == nil {
		return nil
	}
	if r.wrote {
		text = "\n" + text
	}
	r.wrote = true
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return r.sink.Text([]byte(text))
}

// fenced writes a text between fences that are longer than any in it.
func (r *reader) fenced(info, text string) error {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return r.block(fence + info + "\n" + text + fence)
}

// file lists a file and names it in the text.
func (r *reader) file(d *datum, name string) error {
	if r.files == maxFiles {
		return nil
	}
	r.files++
	if r.sink.File == nil {
		return nil
	}
	s, err := r.sink.File(r.files, d.file(name))
	if err != nil || s == "" {
		return err
	}
	return r.block(s)
}

// output writes what a cell gave; name is that of its files, without extension.
func (r *reader) output(o *output, name string) error {
	pictures := false
	for i := range o.data {
		if d := &o.data[i]; d.isFile() {
			pictures = pictures || strings.HasPrefix(d.mime, "image/")
			if err := r.file(d, name); err != nil {
				return err
			}
		}
	}
	if r.sink.Text == nil {
		return nil
	}
	info, text := "output", terminal(o.text)
	if o.kind == "error" || o.kind == "pyerr" {
		info = "error"
		if text == "" {
			text = terminal(o.name + ": " + o.value)
		}
	}
	if len(o.data) > 0 && (text == "" || o.kind != "error" && o.kind != "stream") {
		if o.text != "" { // nbformat 3 has the text beside the other forms
			o.data = append(o.data, datum{mime: "text/plain", text: o.text, ok: true})
		}
		text = r.form(o.data, pictures)
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return r.fenced(info, strings.TrimRight(text, "\n"))
}

// form is the text of an output that has several: a table's page, else plain text, else another form that is text; the types of the others,
// where none is. What Python calls a picture says nothing beside the picture.
func (r *reader) form(data []datum, pictures bool) string {
	get := func(mime string) string {
		for i := range data {
			if data[i].mime == mime && data[i].ok {
				return data[i].text
			}
		}
		return ""
	}
	page, plain := get("text/html"), terminal(get("text/plain"))
	if page != "" && r.sink.HTML != nil && (plain == "" || strings.Contains(page, "<table")) {
		if text, _ := r.sink.HTML([]byte(page)); len(strings.TrimSpace(string(text))) > 0 {
			return string(text)
		}
	}
	if plain != "" {
		if s := strings.TrimSpace(plain); pictures && strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && !strings.Contains(s, "\n") {
			return ""
		}
		return plain
	}
	for _, mime := range [...]string{"text/markdown", "text/latex"} {
		if s := get(mime); s != "" {
			return s
		}
	}
	var rest []string
	for i := range data {
		if !data[i].isFile() {
			rest = append(rest, "["+line(data[i].mime)+"]")
		}
	}
	return strings.Join(rest, " ")
}

// terminal is what a terminal shows of a text: escapes (ECMA-48, 5.4) are not seen, and what follows a CR is written over the line. What is
// shorter than what it is written over leaves the rest of it, which is not kept here.
func terminal(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 && strings.IndexByte(s, '\r') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	bol := 0 // where the line begins in out
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case 0x1b:
			i = escapeEnd(s, i) - 1
		case '\r':
			rest := strings.TrimLeft(s[i:], "\r")
			if rest != "" && rest[0] != '\n' {
				out = out[:bol]
			}
			i = len(s) - len(rest) - 1
		default:
			out = append(out, c)
			if c == '\n' {
				bol = len(out)
			}
		}
	}
	return string(out)
}

// escapeEnd returns where the escape at i ends.
func escapeEnd(s string, i int) int {
	i++
	if i == len(s) {
		return i
	}
	switch s[i] {
	case '[': // control sequence
		for i++; i < len(s) && s[i] >= 0x20 && s[i] < 0x40; i++ {
		}
		if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
			i++
		}
		return i
	case ']': // operating system command, up to BEL or ESC \
		for i++; i < len(s) && s[i] != 0x07 && s[i] != 0x1b && s[i] != '\n'; i++ {
		}
		if i < len(s) && s[i] == 0x07 {
			return i + 1
		}
		if i+1 < len(s) && s[i] == 0x1b && s[i+1] == '\\' {
			return i + 2
		}
		return i
	}
	if s[i] >= 0x20 && s[i] < 0x7f {
		for s[i] < 0x30 && i+1 < len(s) && s[i+1] < 0x7f {
			i++
		}
		return i + 1
	}
	return i
}
