package glovebox_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// box is the decoder of archives as a guest, built once.
var box = sync.OnceValues(func() (plugins.Decoder, error) {
	wasm, err := boxtest.Build(context.Background())
	if err != nil {
		return plugins.Decoder{}, err
	}
	return plugins.FromModule(context.Background(), wasm, &plugins.ModuleOptions{Trusted: true})
})

func boxDecoder(t testing.TB) plugins.Decoder {
	t.Helper()
	d, err := box()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ways are how decoders run.
func ways(t testing.TB) map[string]glovebox.Options {
	return map[string]glovebox.Options{
		"compiler":    {},
		"interpreter": {Engine: glovebox.EngineInterpreter},
		"process":     {Isolation: glovebox.IsolationProcess, Helper: hostiletest.Helper(t)},
		"one shot":    {OneShot: true, MaxInstances: 1},
	}
}

func readBytes(t testing.TB, r *glovebox.Reader, data []byte, name string, opts *glovebox.ReadOptions) (*glovebox.Document, error) {
	t.Helper()
	return r.ReadFile(t.Context(), bytes.NewReader(data), int64(len(data)), name, opts)
}

// Files inside files, their pictures and a password go through the wall, however decoders run, for the same fuel.
func TestInside(t *testing.T) {
	picture, err := samples.PNG(40, 30)
	if err != nil {
		t.Fatal(err)
	}
	data := boxtest.Nest(4, boxtest.Entry{Name: "leaf.txt", Data: []byte("one\ntwo\n")})
	album := boxtest.Zip("pässword", boxtest.Entry{Name: "a.txt", Data: []byte("an album\n" + strings.Repeat(" ", 1100))}, boxtest.Entry{Name: "b twice.png", Data: picture},
		boxtest.Entry{Name: "c.pdf", Data: sampleFiles(t)["pdf1"].data})
	fuel := map[string]int64{}
	for way, opts := range ways(t) {
		t.Run(way, func(t *testing.T) {
			opts.Decoders = []plugins.Decoder{boxDecoder(t)}
			r := newReader(t, opts)
			doc, err := readBytes(t, r, data, "box.zip", &glovebox.ReadOptions{Child: "2/2/2/2", Units: "2"})
			if err != nil || len(doc.Document.Parts) != 1 || doc.Document.Parts[0].Text != "two\n" || doc.Decoder.Name != "text" || doc.Child != "2/2/2/2" {
				t.Fatalf("%+v, %v", doc, err)
			}
			if way != "one shot" { // which takes no snapshot, so that each read pays for what the others have behind them
				fuel[fmt.Sprint(doc.Usage.Fuel)]++
			}
			_, err = readBytes(t, r, album, "album.zip", &glovebox.ReadOptions{Form: readapi.FormImage})
			if readapi.CodeOf(err) != readapi.CodeEncrypted {
				t.Errorf("without its password: %v", err)
			}
			doc, err = readBytes(t, r, album, "album.zip", &glovebox.ReadOptions{Form: readapi.FormImage, Password: "pässword"})
			if err != nil || len(doc.Document.Parts) != 3 || doc.Document.Parts[2].Image == nil || doc.Document.Parts[2].At != 2 || len(doc.Warnings) != 1 || doc.Warnings[0].At != 3 {
				t.Errorf("pictures: %+v, %v", doc, err)
			}
			doc, err = readBytes(t, r, album, "album.zip", &glovebox.ReadOptions{Child: "3", Password: "pässword"})
			if err != nil || doc.Unit != readapi.UnitPage || doc.Name != "c.pdf" {
				t.Errorf("a PDF inside: %+v, %v", doc, err)
			}
		})
	}
	if len(fuel) != 1 {
		t.Errorf("the same read took %v units", fuel)
	}
}

// One read has one budget: a unit of fuel less than all levels took together is too little, and what is over is over.
func TestInsideBudget(t *testing.T) {
	r := newReader(t, glovebox.Options{Decoders: []plugins.Decoder{boxDecoder(t)}})
	data := boxtest.Nest(3, boxtest.Entry{Name: "leaf.txt", Data: []byte("one\ntwo\n")})
	read := func(lim readapi.Limits) (*glovebox.Document, error) {
		return readBytes(t, r, data, "box.zip", &glovebox.ReadOptions{Child: "2/2/2", Limits: &lim})
	}
	doc, err := read(readapi.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := doc.Usage.Fuel
	if doc, err = read(readapi.Limits{Fuel: all}); err != nil || doc.Usage.Fuel != all {
		t.Errorf("exactly as much as it takes: %v, %v", doc, err)
	}
	for _, n := range []int64{all - 1, all * 3 / 4, all / 2, all / 4, 1} {
		_, err = read(readapi.Limits{Fuel: n})
		if e, ok := err.(*readapi.Error); !ok || e.Code != readapi.CodeLimitFuel || e.Limit == nil || e.Limit.Value != n {
			t.Errorf("%d of %d units: %v", n, all, err)
		}
	}
	// The levels have their time together: a decoder that spins below another is stopped when the read's is over.
	r = newReader(t, glovebox.Options{Decoders: []plugins.Decoder{spinner(t)}, Helper: hostiletest.Helper(t)})
	start := time.Now()
	spin := hostiletest.ScriptAs(hostiletest.Zip).Frame(abi.KindFile, map[string]any{"child": map[string]any{"n": 1}}, string(hostiletest.ScriptAs(hostiletest.Zip).Do(hostiletest.Forever).End())).End()
	_, err = readBytes(t, r, spin, "a.zip", &glovebox.ReadOptions{Child: "1", Limits: &readapi.Limits{Timeout: 300 * time.Millisecond, Fuel: 1 << 60}})
	if took := time.Since(start); readapi.CodeOf(err) != readapi.CodeLimitTime || took > 10*time.Second {
		t.Errorf("a file inside that takes for ever: %v after %v", err, took)
	}
}

// spinner is a puppet that says that there are files inside.
func spinner(t testing.TB) plugins.Decoder {
	t.Helper()
	d := hostiletest.Decoder(t, testCache(t), "puppet", hostiletest.Puppet(), hostiletest.Zip)
	d.Children, d.Forms = true, []readapi.Form{readapi.FormImage}
	return d
}

// What a hostile decoder sends of files is checked behind the wall, and leaves the decoder's breaker a failure.
func TestHostileFileFrames(t *testing.T) {
	picture := string(sampleFiles(t)["png"].data)
	file := func(at int, more bool) map[string]any {
		return map[string]any{"at": at, "more": more, "child": map[string]any{"n": 1, "name": "\u202ex"}}
	}
	const kind, text, warning = abi.KindFile, abi.KindText, abi.KindWarning
	s := func() *hostiletest.Script { return hostiletest.ScriptAs(hostiletest.Zip) }
	mib := strings.Repeat("x", 1<<20)
	small := &readapi.Limits{MaxInputBytes: 3 << 20, MaxImageInputBytes: 2 << 20}
	for name, c := range map[string]struct {
		script *hostiletest.Script
		opts   glovebox.ReadOptions
		want   readapi.Code
	}{
		"a child":                  {s().Frame(kind, file(0, false), "text\n"), glovebox.ReadOptions{Child: "1"}, ""},
		"a child in pieces":        {s().Frame(kind, file(0, true), "te").Frame(kind, file(0, false), "xt\n"), glovebox.ReadOptions{Child: "1"}, ""},
		"a picture":                {s().Frame(kind, file(1, false), picture), glovebox.ReadOptions{Form: readapi.FormImage}, ""},
		"unasked":                  {s().Frame(kind, file(0, false), "text\n"), glovebox.ReadOptions{}, readapi.CodeBadOutput},
		"a picture unasked":        {s().Frame(kind, file(1, false), picture), glovebox.ReadOptions{}, readapi.CodeBadOutput},
		"a child for a picture":    {s().Frame(kind, file(0, false), picture), glovebox.ReadOptions{Form: readapi.FormImage}, readapi.CodeBadOutput},
		"a picture for a child":    {s().Frame(kind, file(1, false), picture), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"nothing for a child":      {s(), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"text for a child":         {s().Frame(text, map[string]any{"at": 1}, "text\n"), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"two children":             {s().Frame(kind, file(0, false), "a\n").Frame(kind, file(0, false), "b\n"), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"without its end":          {s().Frame(kind, file(0, true), "text\n"), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"a warning between":        {s().Frame(kind, file(0, true), "a").Frame(warning, map[string]any{"code": "x"}, "").Frame(kind, file(0, false), "b"), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"pictures that interleave": {s().Frame(kind, file(1, true), "a").Frame(kind, file(2, true), "b").Frame(kind, file(1, false), "a"), glovebox.ReadOptions{Form: readapi.FormImage}, readapi.CodeBadOutput},
		"pictures out of order":    {s().Frame(kind, file(2, false), picture).Frame(kind, file(1, false), picture), glovebox.ReadOptions{Form: readapi.FormImage}, readapi.CodeBadOutput},
		"behind the last unit":     {s().Frame(kind, file(2, false), picture), glovebox.ReadOptions{Form: readapi.FormImage}, readapi.CodeBadOutput},
		"a unit below 0":           {s().Frame(kind, file(-1, false), picture), glovebox.ReadOptions{Form: readapi.FormImage}, readapi.CodeBadOutput},
		"no child at all":          {s().Frame(kind, map[string]any{}, "text\n"), glovebox.ReadOptions{Child: "1"}, readapi.CodeBadOutput},
		"endless":                  {endless(s(), file(0, true), mib, 1000), glovebox.ReadOptions{Child: "1", Limits: small}, readapi.CodeLimitOutput},
		"endless pictures":         {endless(s(), file(1, true), mib, 1000), glovebox.ReadOptions{Form: readapi.FormImage, Limits: small}, readapi.CodeLimitOutput},
		"many empty pictures":      {endless(s(), file(1, false), "", 5000), glovebox.ReadOptions{Form: readapi.FormImage, Limits: small}, readapi.CodeBadOutput},
	} {
		r := newReader(t, glovebox.Options{Decoders: []plugins.Decoder{spinner(t)}, Helper: hostiletest.Helper(t), RestAfter: 1001})
		_, err := readBytes(t, r, c.script.End(), "a.zip", &c.opts)
		if code := readapi.CodeOf(err); code != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// endless sends n such frames.
func endless(s *hostiletest.Script, header map[string]any, body string, n int32) *hostiletest.Script {
	payload, err := abi.AppendFrame(nil, header, []byte(body))
	if err != nil {
		panic(err)
	}
	return s.Payload(abi.KindFile, payload, n)
}

// Many sessions read files inside files at once, with one instance of each decoder: nobody waits for ever, and nobody gets another's.
func TestInsideAtOnce(t *testing.T) {
	g := openHost(t, t.TempDir(), glovebox.Options{Decoders: []plugins.Decoder{boxDecoder(t)}, MaxInstances: 1, CacheBytes: -1, MaxQueuePerParty: 1000, MaxQueue: 1000})
	const sessions, reads = 8, 12
	var wg sync.WaitGroup
	for n := range sessions {
		s := g.Session(sessionID(n))
		own := fmt.Sprintf("the words of session %d\n", n)
		a := attach(t, s, "box.zip", boxtest.Nest(3, boxtest.Entry{Name: "leaf.txt", Data: []byte(own)}))
		for range 2 { // of one party, too
			wg.Go(func() {
				for range reads / 2 {
					doc, err := s.Read(t.Context(), a.Resource, &glovebox.ReadOptions{Child: "2/2/2"})
					if err != nil || doc.Document.Parts[0].Text != own {
						t.Errorf("session %d: %+v, %v", n, doc, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
}
