package font

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cjk"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestCMapLimits holds that a CMap cannot be as large as it likes.
func TestCMapLimits(t *testing.T) {
	c := parseCMap([]byte(strings.Repeat("1 begincodespacerange <00> <ff> endcodespacerange ", 3*maxSpaces)))
	if n := len(c.codes.Spaces); n != maxSpaces {
		t.Errorf("%d code spaces", n)
	}
	c = parseCMap([]byte(strings.Repeat("1 beginnotdefchar <00> 1 endnotdefchar ", 3*maxNotDefined)))
	if n := len(c.codes.NotDef); n != maxNotDefined {
		t.Errorf("%d ranges that are not defined", n)
	}
	for _, one := range []string{"1 beginbfchar <00> <41> endbfchar ", "1 begincidchar <00> 1 endcidchar ", "<00> <01> <41>", "1 beginbfrange <00> <01> [<41> <42>] endbfrange "} {
		body := strings.Repeat(one, maxRanges+9)
		if one[0] == '<' {
			body = "1 beginbfrange " + body + " endbfrange"
		}
		c = parseCMap([]byte(body))
		if n := len(c.codes.Ranges) + len(c.texts.ranges); n == 0 || n > maxRanges {
			t.Errorf("%q: %d ranges", one, n)
		}
	}
}

// TestCMapCycle holds that a CMap that uses itself is read a few times, and its codes stay.
func TestCMapCycle(t *testing.T) {
	f := load(t, func(w *pdftest.Writer) int {
		n := len(w.Objects) + 1
		w.Stream(fmt.Sprintf("/UseCMap %d 0 R", n), []byte("1 begincidchar <0041> 34 endcidchar 1 begincodespacerange <0000> <ffff> endcodespacerange"))
		return w.Composite(fmt.Sprintf(" %d 0 R", n), "Japan1", "")
	})
	if got := text(f, "\x00A"); got != "A" {
		t.Errorf("%q", got)
	}
	if n := len(f.composite.codes.Spaces); n > maxUse {
		t.Errorf("%d code spaces", n)
	}
	// One that is made so is not walked for ever.
	m := &cjk.CMap{}
	m.Use = m
	if cid, ok := m.CID(1); ok {
		t.Errorf("%d", cid)
	}
}

// TestTables holds that a document keeps few of the shared tables, and pays for each that it unpacks.
func TestTables(t *testing.T) {
	was := object.MaxReadWork
	t.Cleanup(func() { object.MaxReadWork = was })
	w := &pdftest.Writer{}
	w.Pages("", "")
	file, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	var c Cache
	names := strings.Fields("H V EUC-H EUC-V RKSJ-H RKSJ-V GB-H GB-V B5-H B5-V KSC-H KSC-V")
	for _, name := range names {
		if m := c.predefined(file, name); m == nil || m != c.predefined(file, name) {
			t.Errorf("%s is unpacked twice", name)
		}
	}
	if n := len(c.codes); n > maxTables {
		t.Errorf("%d tables are kept", n)
	}
	object.MaxReadWork = 5 * tableWork
	for _, name := range names {
		if err := stopped(func() { c.predefined(file, name); c.characters(file, name) }); err != nil {
			return
		}
	}
	t.Error("tables cost nothing")
}

// TestCodesCost holds that codes that take each other's place cost more than codes that are known.
func TestCodesCost(t *testing.T) {
	was := object.MaxReadWork
	t.Cleanup(func() { object.MaxReadWork = was })
	object.MaxReadWork = 1 << 20
	f := load(t, func(w *pdftest.Writer) int { return w.Composite("/Identity-H", "Identity", "") })
	const shows = 1 << 20
	if err := stopped(func() {
		for range shows {
			f.Advance(1)
		}
	}); err != nil {
		t.Errorf("one code: %v", err)
	}
	if err := stopped(func() {
		for i := range uint32(shows) {
			f.Advance(i % 2 * slotCount)
		}
	}); !errors.Is(err, readapi.CodeLimitFuel) {
		t.Errorf("two codes of one place: %v", err)
	}
}

// stopped returns the error with which do ended the read, if it did.
func stopped(do func()) (err error) {
	defer func() {
		if s, ok := recover().(object.Stop); ok {
			err = s.Err
		}
	}()
	do()
	return nil
}
