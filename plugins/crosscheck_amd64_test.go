package plugins_test

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// A decoder whose answers differ between the engines is found by the first read that is compared; neither answer is given out. Without the
// comparison both engines' users would be told something, and not the same. Where this file is not built, the engines are not known to differ.
func TestPlantedDifference(t *testing.T) {
	totals := map[int64]bool{}
	for _, e := range []sandbox.Engine{sandbox.Compiler, sandbox.Interpreter} {
		r, heard := checking(t, differing(t), plugins.Options{Engine: e})
		res, err := decodeOf(t, r, &asked{})
		if err != nil || len(*heard) > 0 {
			t.Fatalf("a read that is not compared: %v, %v", err, *heard)
		}
		totals[res.Total] = true

		r, heard = checking(t, differing(t), plugins.Options{Engine: e, CrossCheck: 3})
		for k := range 2 {
			if _, err := decodeOf(t, r, &asked{}); err != nil {
				t.Fatalf("read %d: %v", k, err)
			}
		}
		if _, err := decodeOf(t, r, &asked{}); readapi.CodeOf(err) != readapi.CodeTrap {
			t.Errorf("the third read: %v, want decoder_trap", err)
		}
		if len(*heard) != 1 || (*heard)[0].Kind != plugins.DecoderQuarantined || (*heard)[0].Decoder.Name != "differs" {
			t.Errorf("heard %v", *heard)
		}
		in := &asked{}
		if _, err := decodeOf(t, r, in); readapi.CodeOf(err) != readapi.CodeTrap || in.n.Load() != 0 || r.List()[0].State != plugins.StateQuarantined {
			t.Errorf("the next: %v, and the file was read %d times", err, in.n.Load())
		}
		if err := r.Enable("differs", true); err != nil {
			t.Fatal(err)
		}
		if _, err := decodeOf(t, r, in); err != nil || r.List()[0].State != plugins.StateReady {
			t.Errorf("once it is trusted again: %v", err)
		}
		if err := r.Verify(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Input: in, Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.DefaultLimits()}); readapi.CodeOf(err) != readapi.CodeTrap || len(*heard) != 2 {
			t.Errorf("verified: %v, heard %v", err, *heard)
		}
	}
	if len(totals) != 2 {
		t.Errorf("the engines do not differ in this any more, both say %v: find another difference", totals)
	}
}
