package sqliteindex_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// A session of more rows than one step drops goes in several, and whole, and no other does; one whose drop was cut short is still being purged, and goes
// with the next.
func TestDropLargeSession(t *testing.T) {
	f := throughFaulty(t)
	x := newIndex(t, filepath.Join(t.TempDir(), "index.db"))
	other := readapi.Scope{Principal: scope.Principal, Session: "other"}
	for i, s := range []readapi.Scope{scope, other} {
		for part := range 12 - 11*i {
			var b store.Batch
			for k := range 1000 {
				a := artifact(part*1000 + k)
				a.Name = fmt.Sprint(a.ID)
				b.Artifacts = append(b.Artifacts, a)
				b.Events = append(b.Events, store.Event{ID: string(a.ID), Type: "user", Time: time.Now(), Payload: []byte(`{}`)})
			}
			if _, err := x.Append(t.Context(), s, storetest.Leased(t, x, b)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := x.MarkSession(t.Context(), scope, store.PurgeSession, time.Now()); err != nil {
		t.Fatal(err)
	}
	kept := func(want string) {
		t.Helper()
		list, err := x.ScanSessions(t.Context(), readapi.Scope{}, 0)
		got := ""
		for _, s := range list {
			got += fmt.Sprint(s.ID, s.Files, " ")
		}
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	f.arm(0, false, nil)
	for wait := time.Millisecond; ; wait *= 2 { // cut short somewhere, until it is not
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		err := x.DropSession(ctx, scope)
		cancel()
		if err == nil {
			break
		}
		if readapi.CodeOf(err) != readapi.CodeLimitTime {
			t.Fatal(err)
		}
		kept("other1000 s12000 ")
		if list, err := x.Purges(t.Context(), 0); err != nil || len(list) != 1 || list[0].Artifact != "" {
			t.Errorf("%+v, %v", list, err)
		}
	}
	f.disarm()
	if n := f.made["commit"]; n < 3 {
		t.Errorf("12000 artifacts went in %d steps: other writers waited for them", n)
	}
	kept("other1000 ")
	own, total, err := x.Usage(t.Context(), scope.Principal)
	if want := (store.Usage{Files: 1000, Bytes: 3000}); err != nil || own != want || total != want {
		t.Errorf("%+v, %+v, %v", own, total, err)
	}
	list, err := x.Events(t.Context(), scope, -1, 0)
	rows, _, rerr := x.ListArtifacts(t.Context(), scope, -1, 0)
	if err != nil || rerr != nil || len(list)+len(rows) > 0 {
		t.Errorf("%d events and %d artifacts are left, %v, %v", len(list), len(rows), err, rerr)
	}
}
