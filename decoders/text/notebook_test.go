package text

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const notebookType = readapi.MediaType("application/x-ipynb+json")

// book is a notebook of nbformat 4, with its keys in the order in which Jupyter writes them.
const book = `{"cells": [
 {"cell_type": "markdown", "metadata": {}, "attachments": {"a b.png": {"image/png": "iVBORw0KGgo="}}, "source": ["# The *engine*\n", "text ![x](attachment:a%20b.png)"]},
 {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [
   {"output_type": "stream", "name": "stdout", "text": ["10%\r100%\n", "\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\n"]},
   {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0K\nGgo=\n", "image/svg+xml": ["<svg/>\n"], "text/plain": ["<Figure size 1x1>"]}},
   {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "text/plain": "   a b"}},
   {"output_type": "execute_result", "data": {"application/vnd.x+json": {"a": [1]}, "text/latex": "$x$"}},
   {"output_type": "execute_result", "data": {"application/vnd.x+json": {"a": [1]}}},
   {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[0;31mE\u001b[0m", "E: v"]}
  ], "source": "print('` + "```" + `')\n"},
 {"cell_type": "raw", "source": ["raw"]},
 {"cell_type": "code", "source": "", "outputs": []}
], "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`

const shownBook = "# The *engine*\ntext ![x](attachment:a%20b.png)\n\n[image: a b.png, 8 bytes, file 1]\n\n````python\nprint('```')\n````\n" +
	"\n```output\n100%\nred link\n```\n\n[image: cell-2-output-2.png, 8 bytes, file 2]\n\n[image: cell-2-output-2.svg, 7 bytes, file 3]\n" +
	"\n```output\na | b\n1 | 2\n```\n\n```output\n$x$\n```\n\n```output\n[application/vnd.x+json]\n```\n\n```error\nE\nE: v\n```\n\nraw\n"

func TestNotebook(t *testing.T) {
	res := read(t, book, as(notebookType))
	if got := textOf(res); got != shownBook {
		t.Errorf("%q, want\n%q", got, shownBook)
	}
	for key, want := range map[string]any{"title": "The *engine*", "language": "python", "kernel": "Python 3", "cells": 4.0, "code_cells": 2.0, "outputs": 6.0, "nbformat": "4.5"} {
		if res.Meta[key] != want {
			t.Errorf("%s is %v, want %v", key, res.Meta[key], want)
		}
	}
	for n, want := range []string{"\x89PNG\r\n\x1a\n", "\x89PNG\r\n\x1a\n", "<svg/>\n"} {
		file, err := childOf(book, notebookType, n+1)
		if err != nil || string(file.Bytes) != want || file.Child.Bytes != int64(len(want)) {
			t.Errorf("file %d is %q, %v", n+1, file.Bytes, err)
		}
	}
}

// TestNotebookOld: nbformat 3 has worksheets, headings, and the forms of an output as its keys.
func TestNotebookOld(t *testing.T) {
	in := `{"metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [
	{"cell_type": "heading", "level": 2, "source": ["Head"]},
	{"cell_type": "code", "language": "ruby", "input": ["puts 1"], "prompt_number": 1, "outputs": [
	 {"output_type": "pyout", "prompt_number": 1, "text": ["1"], "html": "<p>one"}, {"output_type": "display_data", "png": "iVBORw0KGgo="},
	 {"output_type": "stream", "stream": "stdout", "text": "s\n"}, {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": []}]}]}]}`
	want := "## Head\n\n```ruby\nputs 1\n```\n\n```output\n1\n```\n\n[image: cell-2-output-2.png, 8 bytes, file 1]\n\n```output\ns\n```\n\n```error\nE: v\n```\n"
	res := read(t, in, as(notebookType))
	if got := textOf(res); got != want || res.Meta["title"] != "Head" || res.Meta["language"] != "ruby" || res.Meta["nbformat"] != "3.0" {
		t.Errorf("%q, want\n%q\n%v", got, want, res.Meta)
	}
}

// TestNotebookNot: what is no notebook is shown as it stands.
func TestNotebookNot(t *testing.T) {
	for _, in := range []string{book[:len(book)/2], `{"a": 1}`, `[1]`, "prose\n", "", `{"cells": [}`, strings.Repeat("[", 1500)} {
		if got := textOf(read(t, in, as(notebookType))); got != in {
			t.Errorf("%.40q is shown as %.40q", in, got)
		}
	}
	for _, in := range []string{`{"cells": 1}`, `{"cells": [1, null, {"source": {"a": 1}, "outputs": 2, "attachments": [3]}, {"cell_type": 4}]}`} {
		if got := textOf(read(t, in, as(notebookType))); got != "" {
			t.Errorf("%s is shown as %q", in, got)
		}
	}
}

// TestNotebookCells: cells and their outputs come out whole, in their order, whatever is in them.
func TestNotebookCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.RuneFrom([]rune("ab `\"\\é漢😀")))
		var cells []any
		want, n := "", 0
		block := func(s string) {
			if want != "" {
				want += "\n"
			}
			want += s + "\n"
		}
		for range rapid.IntRange(0, 6).Draw(t, "cells") {
			source := "x" + word.Draw(t, "source")
			if rapid.Bool().Draw(t, "markdown") {
				cells = append(cells, map[string]any{"cell_type": "markdown", "source": []string{source[:1], source[1:]}})
				block(source)
				continue
			}
			picture := rapid.SliceOf(rapid.Byte()).Draw(t, "picture")
			cells = append(cells, map[string]any{"cell_type": "code", "source": source, "outputs": []any{
				map[string]any{"output_type": "display_data", "data": map[string]any{"image/png": base64.StdEncoding.EncodeToString(picture)}},
			}})
			fence := "```"
			for strings.Contains(source, fence) {
				fence += "`"
			}
			block(fence + "\n" + source + "\n" + fence)
			n++
			block("[image]")
		}
		in, err := json.Marshal(map[string]any{"cells": cells, "nbformat": 4})
		if err != nil {
			t.Fatal(err)
		}
		res, err := try(string(in), as(notebookType))
		if err != nil {
			t.Fatal(err)
		}
		got := textOf(res)
		for i, c := range res.Children {
			_, rest, _ := strings.Cut(got, "[image: "+c.Name)
			at := len(got) - len(rest) - len("[image: "+c.Name)
			_, rest, _ = strings.Cut(rest, "]")
			got = got[:at] + "[image]" + rest
			file, err := childOf(string(in), notebookType, i+1)
			if err != nil || int64(len(file.Bytes)) != c.Bytes {
				t.Fatalf("file %d: %v", i+1, err)
			}
		}
		if got != want || len(res.Children) != n {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

var notebookSeeds = []string{book, `{"worksheets":[{"cells":[{"cell_type":"code","outputs":[{"png":"aaaa","text":"b"}]}]}]}`}

func FuzzNotebook(f *testing.F) {
	seedAs(f, notebookType)
	fuzzAs(f, notebookType)
}
