package font

import "testing"

// A map of all codes to themselves says something, though its first text is the character 0, which says nothing.
func TestWholeRangeIsUseful(t *testing.T) {
	var m textMap
	m.add(0, 0xffff, []byte{0})
	if m.useless() {
		t.Fatal("the map of all codes to themselves is not used")
	}
	if text, ok := m.appendText(nil, 0x54c1); !ok || string(text) != "品" {
		t.Fatalf("%q, %v", text, ok)
	}
	if !m.identity() {
		t.Error("it is not seen to be one of all codes to themselves")
	}
}
