package host

import (
	"reflect"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"pgregory.net/rapid"
)

func drawCursor(t *rapid.T) cursor {
	var c cursor
	copy(c.blob[:], rapid.SliceOfN(rapid.Byte(), cursorKey, cursorKey).Draw(t, "blob"))
	copy(c.decoder[:], rapid.SliceOfN(rapid.Byte(), cursorKey, cursorKey).Draw(t, "decoder"))
	c.form = rapid.SampledFrom([]readapi.Form{readapi.FormAuto, readapi.FormText, readapi.FormImage, readapi.FormSource}).Draw(t, "form")
	c.next = readapi.Position{At: rapid.Int64Range(1, 1<<62).Draw(t, "at"), Part: rapid.Int64Range(0, 9).Draw(t, "part"), Offset: rapid.Int64Range(0, 1<<62).Draw(t, "offset")}
	for range rapid.IntRange(0, 3).Draw(t, "ranges") {
		c.units = append(c.units, readapi.Range{From: rapid.Int64Range(1, 1<<40).Draw(t, "from"), To: rapid.Int64Range(0, 1<<40).Draw(t, "to")})
	}
	for range rapid.IntRange(0, 4).Draw(t, "depth") {
		c.child = append(c.child, rapid.IntRange(1, 1000).Draw(t, "child"))
	}
	return c
}

func TestCursorRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCursor(t)
		got, err := parseCursor(c.String())
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%+v became %+v, %v", c, got, err)
		}
	})
}

// A cursor with any character changed is told from a good one.
func TestCursorMistyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := []byte(drawCursor(t).String())
		i := rapid.IntRange(0, len(s)-2).Draw(t, "i") // the last character may have unused bits
		c := rapid.SampledFrom([]byte("ABCabc019-_!= ")).Draw(t, "c")
		if s[i] == c {
			return
		}
		s[i] = c
		if got, err := parseCursor(string(s)); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Fatalf("%s is taken for %+v, %v", s, got, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(cursor{form: readapi.FormAuto, next: readapi.Position{At: 3}}.String())
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseCursor(s)
		switch readapi.CodeOf(err) {
		case "":
			if again, err := parseCursor(c.String()); err != nil || !reflect.DeepEqual(again, c) {
				t.Fatalf("%+v does not come back: %+v, %v", c, again, err)
			}
		case readapi.CodeInvalidRequest, readapi.CodeStaleCursor:
		default:
			t.Fatal(err)
		}
	})
}
