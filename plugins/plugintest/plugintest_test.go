package plugintest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/plugintest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// guest builds a decoder's module as its author would.
func guest(t *testing.T, pkg string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-buildmode=c-shared", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// A module as the toolchain built it passes the suite: admitted, rewritten, described and run like anyone's.
func TestAnyModule(t *testing.T) {
	plugintest.Run(t, guest(t, "github.com/glovebox-wasm/glovebox/decoders/text/guest"), "text", plugintest.Options{CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE")})
}

// An author of another kind brings the vectors. The text decoder stands for theirs: no vector of this project is of the kind given here.
func TestOwnVectors(t *testing.T) {
	wasm := guest(t, "github.com/glovebox-wasm/glovebox/decoders/text/guest")
	plugintest.Run(t, wasm, "notes", plugintest.Options{CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE"), Vectors: []decodertest.Vector{
		{Name: "two lines", MediaType: "text/markdown", Data: []byte("# one\ntwo\n"), TextSHA256: decodertest.TextSum("# one\ntwo\n")},
		{Name: "no such line", MediaType: "text/markdown", Data: []byte("# one\n"), Units: []readapi.Range{{From: 9, To: 9}}, Expect: readapi.CodeInvalidRequest},
	}})
}

func TestNoModule(t *testing.T) {
	good := guest(t, "github.com/glovebox-wasm/glovebox/decoders/text/guest")
	for name, wasm := range map[string][]byte{
		"empty": nil, "text": []byte("not a module"), "cut": good[:len(good)/2], "only a header": good[:8], "with a tail": append(bytes.Clone(good), 1),
	} {
		if _, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Name: "x", Trusted: true}); readapi.CodeOf(err) != readapi.CodeModuleRefused {
			t.Errorf("%s: %v, want module_refused", name, err)
		}
	}
}
