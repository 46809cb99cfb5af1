package pdf

import (
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/layout"
)

// pieceBytes is about how large a structured part may be before the rest of its list goes into another one: parts are not cut, so that
// small ones keep an answer within its budget.
const pieceBytes = 4 << 10

// pieces returns a list as structured parts with one key.
func pieces(key string, list []any) (out []any) {
	for len(list) > 0 {
		n, size := 0, 0
		for n < len(list) && (n == 0 || size < pieceBytes) {
			size += valueSize(list[n]) + 1
			n++
		}
		out = append(out, map[string]any{key: list[:n:n]})
		list = list[n:]
	}
	return out
}

// tableValue is a table as a structured part: rows of cells, every row as long; header says that the first row names the columns.
func tableValue(t *layout.Table) map[string]any {
	rows := make([]any, len(t.Rows))
	for i, r := range t.Rows {
		cells := make([]any, len(r))
		for j, c := range r {
			cells[j] = c
		}
		rows[i] = cells
	}
	return map[string]any{"table": map[string]any{"rows": rows, "header": t.Header}}
}

// valueSize is how many bytes a value takes as JSON, but for what is escaped in it.
func valueSize(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case int:
		return len(strconv.Itoa(v))
	case bool:
		if v {
			return len("true")
		}
		return len("false")
	case []any:
		n := max(2, 1+len(v)) // brackets and commas
		for _, e := range v {
			n += valueSize(e)
		}
		return n
	case map[string]any:
		n := max(2, 1+len(v))
		for k, e := range v {
			n += len(k) + 3 + valueSize(e)
		}
		return n
	}
	return 8
}
