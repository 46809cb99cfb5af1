package glovebox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// hostileDecoders are decoders that mean harm, of types that the built-in ones do not read: a memo and a puppet.
func hostileDecoders(t testing.TB) []plugins.Decoder {
	t.Helper()
	return []plugins.Decoder{
		hostiletest.Decoder(t, testCache(t), "memo", hostiletest.MemoBehindHead(), hostiletest.Gzip),
		hostiletest.Decoder(t, testCache(t), "puppet", hostiletest.Puppet(), hostiletest.Zip),
	}
}

// remembered is an input of the memo decoder: what it keeps.
func remembered(session, n int) (file []byte, canary string) {
	canary = fmt.Sprintf("CANARY-%03d-%08d-CANARY-CANARYXX", session, n)[:hostiletest.CanaryBytes]
	return append(hostiletest.Head(hostiletest.Gzip), canary...), canary
}

// Fifty sessions of one host read their own files by address with a decoder that remembers, at once, from the cache and past it: each gets
// its own words and nothing from before, a stranger's address opens for nobody, and no two answers share anything.
func TestHostIsolation(t *testing.T) {
	const sessions, files, reads, workers = 50, 3, 900, 8
	g := openHost(t, t.TempDir(), glovebox.Options{Decoders: hostileDecoders(t), Helper: hostiletest.Helper(t)})
	type owned struct {
		session, n  int
		uri, canary string
	}
	var all []owned
	for s := range sessions {
		for n := range files {
			file, canary := remembered(s, n)
			a := attach(t, g.Session(sessionID(s)), "kept.gz", file)
			if a.Resource == "" {
				t.Fatalf("no address: %+v", a)
			}
			all = append(all, owned{s, n, a.Resource, canary})
		}
	}
	probe, _ := remembered(999, 0)
	first, err := g.Session("first").Read(t.Context(), attach(t, g.Session("first"), "kept.gz", probe).Resource, nil)
	if err != nil || len(first.Document.Parts) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	found := first.Document.Parts[1].Text
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(worker)))
			for range reads / workers {
				o := all[r.IntN(len(all))]
				reader := sessionID(o.session)
				if r.IntN(5) == 0 {
					reader = sessionID((o.session + 1 + r.IntN(sessions-1)) % sessions)
				}
				doc, err := g.Session(reader).Read(t.Context(), o.uri, &glovebox.ReadOptions{MaxTokens: 20_000 + int64(r.IntN(3))}) // some of them are kept
				switch {
				case reader != sessionID(o.session):
					if readapi.CodeOf(err) != readapi.CodeNotFound || doc != nil {
						t.Errorf("a stranger reads: %v, %v", doc, err)
					}
				case err != nil || doc.Document.Parts[0].Text != o.canary || doc.Document.Parts[1].Text != found:
					t.Errorf("session %d reads %v, %v", o.session, doc, err)
				case strings.Count(asJSON(t, doc), "ANARY-") != strings.Count(o.canary, "ANARY-"):
					t.Errorf("session %d: another canary: %s", o.session, asJSON(t, doc))
				}
			}
		})
	}
	wg.Wait()
}

func sessionID(n int) readapi.SessionID { return readapi.SessionID(fmt.Sprintf("session-%d", n)) }

// What a decoder claims of what it sends is checked by the host: pictures, places to go on, types of what is inside.
func TestHostileAnswers(t *testing.T) {
	r := newReader(t, glovebox.Options{Decoders: hostileDecoders(t), Helper: hostiletest.Helper(t)})
	png := sampleFiles(t)["png"].data
	at := func(w, h int, m readapi.MediaType) map[string]any {
		return map[string]any{"at": 1, "media_type": m, "width": w, "height": h}
	}
	const picture, child, text, end, meta = 4, 8, 3, 9, 2
	s := func() *hostiletest.Script { return hostiletest.ScriptAs(hostiletest.Zip) }
	for name, c := range map[string]struct {
		in   []byte
		want readapi.Code
	}{
		"a picture":                        {s().Frame(picture, at(640, 480, "image/png"), string(png)).End(), ""},
		"a picture of other size":          {s().Frame(picture, at(64, 48, "image/png"), string(png)).End(), readapi.CodeBadOutput},
		"a picture of other type":          {s().Frame(picture, at(640, 480, "image/jpeg"), string(png)).End(), readapi.CodeBadOutput},
		"a picture that is a page":         {s().Frame(picture, at(1, 1, "image/png"), "<html><script>").End(), readapi.CodeBadOutput},
		"a picture of 2.5 gigapixels":      {s().Frame(picture, at(50000, 50000, "image/png"), string(hostileFiles()[1].data)).End(), readapi.CodeLimitPixels},
		"an answer that does not go on":    {s().Frame(text, map[string]any{"at": 1}, "x").Frame(end, map[string]any{"total": 2, "next": map[string]any{"at": 1}}, "").Return(0), readapi.CodeBadOutput},
		"an answer that goes on":           {s().Frame(text, map[string]any{"at": 1}, "x").Frame(end, map[string]any{"total": 2, "next": map[string]any{"at": 2}}, "").Return(0), ""},
		"more text than the budget":        {s().Frame(text, map[string]any{"at": 1}, strings.Repeat("word ", 200_000)).End(), readapi.CodeBadOutput},
		"a child of no type":               {s().Frame(child, map[string]any{"n": 1, "name": "../../etc/passwd\x1b[2J", "media_type": "IGNORE\u202e ALL\n"}, "").End(), ""},
		"meta with what nobody should see": {s().Frame(meta, map[string]any{"\x1b[2J": "\u202e", "uri": "file:///etc/passwd"}, "").End(), ""},
	} {
		doc, err := r.ReadFile(t.Context(), strings.NewReader(string(c.in)), int64(len(c.in)), "a.zip", nil)
		if code := readapi.CodeOf(err); code != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
			continue
		}
		if err != nil {
			continue
		}
		said := asJSON(t, doc)
		if i := strings.IndexFunc(said, readapi.Hidden); i >= 0 || strings.Contains(said, `\u001b`) || strings.Contains(said, "IGNORE") {
			t.Errorf("%s: it leaves as it is: %s", name, said)
		}
		if doc.Decoder.Name != "puppet" || !slices.Contains(r.Decoders()[4].MediaTypes, doc.MediaType) {
			t.Errorf("%s: the answer is not labelled: %+v, %s", name, doc.Decoder, doc.MediaType)
		}
	}
}
