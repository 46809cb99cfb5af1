package memindex

import (
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// A counter that is wrong is counted again: what has bytes, deleted or not.
func TestRecount(t *testing.T) {
	d := New()
	s := store.Session{Principal: "p", ID: "s"}
	rows := []store.Artifact{{ID: "a", Blob: "1", Bytes: 3}, {ID: "b", Blob: "1", Bytes: 4, Seq: 1, Deleted: time.Now()}, {ID: "c", Seq: 2, Bytes: 9}}
	if err := d.Load(t.Context(), s, rows, nil, nil); err != nil {
		t.Fatal(err)
	}
	d.sessions[s.Scope()].info.Files, d.sessions[s.Scope()].info.Bytes = 7, 7
	for _, scope := range []readapi.Scope{s.Scope(), {Principal: "p", Session: "absent"}} {
		if err := d.Recount(t.Context(), scope); err != nil {
			t.Fatal(err)
		}
	}
	own, total, err := d.Usage(t.Context(), "p")
	if want := (store.Usage{Files: 2, Bytes: 7}); err != nil || own != want || total != want {
		t.Errorf("%+v, %+v, %v", own, total, err)
	}
}
