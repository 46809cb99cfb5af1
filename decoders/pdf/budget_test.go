package pdf

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

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
		if res, err := pdk.Run(&Decoder, bytes.NewReader(data), req); err == nil && !slices.Contains(codes(res), readapi.WarnPartial) {
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

// A page that alone is too much work gives what was read of it, and does not stand in the way of those behind it.
func TestOnePageOfTooMuchWork(t *testing.T) {
	old := object.MaxReadWork
	defer func() { object.MaxReadWork = old }()
	object.MaxReadWork = 200_000
	contents := make([]string, 41)
	for i := range contents {
		contents[i] = pdftest.Lines("Page says hello")
	}
	const heavy = 17
	contents[heavy-1] = pdftest.Lines("The heavy page") + strings.Repeat(" q Q", 400_000)
	data := pdftest.Plain(contents...).Table()
	pages, warnings := map[int64]string{}, 0
	req := readapi.Request{Version: 1, Form: readapi.FormText}
	for range 10 {
		res, err := pdk.Run(&Decoder, bytes.NewReader(data), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Parts {
			pages[p.At] += p.Text
		}
		for _, w := range res.Warnings {
			if warnings++; w.Code != readapi.WarnPartial || w.At != heavy {
				t.Errorf("warning %+v", w)
			}
		}
		if res.Next == nil {
			break
		}
		req.Start = *res.Next
	}
	if len(pages) != 41 || pages[heavy] != "The heavy page\n" || pages[41] != "Page says hello\n" || warnings != 1 {
		t.Errorf("%d pages, %d warnings, page %d is %q", len(pages), warnings, heavy, pages[heavy])
	}
}
