package storefault_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
)

var errMine = errors.New("it failed")

// Every method of a driver is under the plan, also one that is added to the interface later.
func TestEveryMethod(t *testing.T) {
	plan := &storefault.Plan{}
	for _, c := range []struct {
		driver reflect.Value
		of     reflect.Type
		not    []string // List is a walk, whose calls are those of its blobs
	}{
		{reflect.ValueOf(storefault.Index(memindex.New(), plan)), reflect.TypeFor[store.IndexDriver](), []string{"Close"}},
		{reflect.ValueOf(storefault.Blobs(memblob.New(), plan)), reflect.TypeFor[store.BlobDriver](), []string{"Close", "List"}},
	} {
		for m := range c.of.Methods() {
			if slices.Contains(c.not, m.Name) {
				continue
			}
			method := c.driver.MethodByName(m.Name)
			args := make([]reflect.Value, method.Type().NumIn())
			for i := range args {
				args[i] = reflect.Zero(method.Type().In(i))
			}
			plan.Arm(storefault.Fault{At: 1, Err: errMine})
			out := method.Call(args) // nothing comes to the driver, to which these arguments would be none
			if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, errMine) || !slices.Equal(plan.Disarm(), []string{m.Name}) {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
}

// A fault fails its call alone, on the side of the work that was asked for; without an error only the hook is called.
func TestFault(t *testing.T) {
	for _, c := range []struct {
		fault   storefault.Fault
		written int
		err     error
	}{
		{storefault.Fault{}, 4, nil}, {storefault.Fault{At: 2, Err: errMine}, 0, errMine}, {storefault.Fault{At: 2, Err: errMine, Behind: true}, 4, errMine},
		{storefault.Fault{At: 2, Err: errMine, Short: true}, 2, nil}, {storefault.Fault{At: 2}, 4, nil}, {storefault.Fault{At: 2, Behind: true}, 4, nil},
		{storefault.Fault{At: 9, Err: errMine}, 4, nil},
	} {
		plan, hooked := &storefault.Plan{}, 0
		d := storefault.Blobs(memblob.New(), plan)
		c.fault.Hook = func() { hooked++ }
		plan.Arm(c.fault)
		w, err := d.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n, err := w.Write([]byte("four"))
		if n != c.written || !errors.Is(err, c.err) || (hooked == 1) != (c.fault.At == 2) {
			t.Errorf("%+v: %d, %v, hooked %d times", c.fault, n, err, hooked)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
		if want := map[bool]string{true: "Write"}[c.fault.At == 2]; plan.Failed() != want || !slices.Equal(plan.Disarm(), []string{"Create", "Write", "Abort"}) {
			t.Errorf("%+v: %q failed", c.fault, plan.Failed())
		}
	}
}
