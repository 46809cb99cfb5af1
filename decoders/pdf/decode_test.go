package pdf

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// run decodes natively.
func run(data []byte, req readapi.Request) (readapi.Result, error) {
	if req.Form == "" {
		req.Form = readapi.FormText
	}
	return pdk.Run(&Decoder, bytes.NewReader(data), req)
}

func decodeBytes(t *testing.T, data []byte, req readapi.Request) readapi.Result {
	t.Helper()
	res, err := run(data, req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wantText compares the text of each page.
func wantText(t *testing.T, res readapi.Result, want ...string) {
	t.Helper()
	var got []string
	for i, p := range res.Parts {
		if p.At != int64(i+1) && len(want) > 1 {
			t.Errorf("part %d is of page %d", i, p.At)
		}
		got = append(got, p.Text)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
}
