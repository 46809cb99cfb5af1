package pdf

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// A file that takes more work than one read may is read over several, each page once.
func TestWorkGoesOn(t *testing.T) {
	old := object.MaxReadWork
	defer func() { object.MaxReadWork = old }()
	var pages [][]string
	for range 30 {
		pages = append(pages, slices.Repeat([]string{strings.Repeat("a line of words ", 20)}, 60))
	}
	data := samples.PDF(pages)
	req := readapi.Request{Version: 1, MediaType: "application/pdf", Form: readapi.FormAuto}
	// Opening takes some of the budget and each page some: take the least of the powers of two that lets one answer come through.
	for object.MaxReadWork = 1; object.MaxReadWork < old; object.MaxReadWork *= 2 {
		if _, err := pdk.Run(&Decoder, bytes.NewReader(data), req); err == nil {
			break
		}
	}
	got, answers := int64(0), 0
	for ; answers < 100; answers++ {
		res, err := pdk.Run(&Decoder, bytes.NewReader(data), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Parts {
			if got++; p.At != got || !strings.Contains(p.Text, "a line of words") {
				t.Fatalf("page %d comes as the %dth: %q", p.At, got, p.Text)
			}
		}
		if res.Next == nil {
			break
		}
		req.Start = *res.Next
	}
	if got != 30 || answers == 0 {
		t.Errorf("%d pages in %d answers, want 30 in several", got, answers+1)
	}
	object.MaxReadWork = 1
	if _, err := pdk.Run(&Decoder, bytes.NewReader(data), readapi.Request{Version: 1, Form: readapi.FormAuto}); readapi.CodeOf(err) != readapi.CodeLimitFuel {
		t.Errorf("a file that takes too much at once: %v, want limit_fuel", err)
	}
}
