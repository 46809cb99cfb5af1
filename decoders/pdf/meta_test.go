package pdf

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestMeta(t *testing.T) {
	w := &pdftest.Writer{}
	w.Info = w.Add("<</Title<FEFF00DC0062006500720020D83DDE00>/Author(J\\374rgen \\200)/Subject()/Producer(\xef\xbb\xbfgl\xc3\xb6ve)/CreationDate(D:20240229120000+01'00')/ModDate(D:2025)>>")
	first := w.Add("<</Title(a)/Next 3 0 R>>")
	w.Add("<</Title(b)/Next 2 0 R>>") // a loop
	outlines := w.Add("<</First %d 0 R>>", first)
	page := w.Add("<</Type/Page>>")
	tree := w.Add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R/Outlines %d 0 R/Lang(de)/Version/2.0/MarkInfo<</Marked true>>>>", tree, outlines)
	res := decodeBytes(t, w.Table(), readapi.Request{})
	want := map[string]any{
		"title": "Über 😀", "author": "Jürgen •", "producer": "glöve", "created": "2024-02-29T12:00:00+01:00", "modified": "2025-01-01T00:00:00Z",
		"pages": 1.0, "version": "2.0", "language": "de", "tagged": true, "encrypted": false,
		"outline":    []any{map[string]any{"title": "a", "level": 1.0}, map[string]any{"title": "b", "level": 1.0}},
		"page_sizes": []any{map[string]any{"from": 1.0, "to": 1.0, "width": 612.0, "height": 792.0, "text": false}},
	}
	if d := cmp.Diff(want, res.Meta); d != "" {
		t.Errorf("meta (-want +got):\n%s", d)
	}
}

func TestMetaIsDecrypted(t *testing.T) {
	for revision := 2; revision <= 6; revision++ {
		res := decodeBytes(t, pdftest.Encrypted(revision, "", hello), readapi.Request{})
		if res.Meta["title"] != "Sealed" || res.Meta["encrypted"] != true {
			t.Errorf("revision %d: meta %v", revision, res.Meta)
		}
	}
}

func TestDate(t *testing.T) {
	for in, want := range map[string]string{
		"D:20240131235958Z": "2024-01-31T23:59:58Z", "20240131": "2024-01-31T00:00:00Z", "D:20240131120000-0830": "2024-01-31T12:00:00-08:30",
		"D:20240131120000+01'00": "2024-01-31T12:00:00+01:00", "D:2024013": "2024-01-01T00:00:00Z", "D:20241331": "", "yesterday": "", "": "", "D:20240131250000": "",
	} {
		if got := date(in); got != want {
			t.Errorf("date(%q) = %q, want %q", in, got, want)
		}
	}
}
