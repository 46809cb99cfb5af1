package glovebox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
)

// BenchmarkAddress reads 2 KB of text by address: rows, accept, blob, digest, decoder; and again with the answer kept.
func BenchmarkAddress(b *testing.B) {
	text := samples.Lines(100)[:2048]
	for _, c := range []struct {
		name  string
		cache int64
	}{{"uncached", -1}, {"cached", 0}} {
		b.Run(c.name, func(b *testing.B) {
			s := openHost(b, b.TempDir(), glovebox.Options{CacheBytes: c.cache}).Session("chat-42")
			uri := attach(b, s, "notes.txt", text).Resource
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				doc, err := s.Read(b.Context(), uri, nil)
				times = append(times, time.Since(start))
				if err != nil || doc.Bytes != 2048 {
					b.Fatal(err)
				}
			}
			reportMedian(b, times)
		})
	}
}

// BenchmarkOffer asks for the addresses of a hundred files at once.
func BenchmarkOffer(b *testing.B) {
	s := openHost(b, b.TempDir(), glovebox.Options{}).Session("chat-42")
	var refs []readapi.AttachmentRef
	for i := range 100 {
		file := attach(b, s, fmt.Sprintf("file-%d.txt", i), fmt.Appendf(nil, "text %d", i))
		refs = append(refs, file.Ref(s.ID()))
	}
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		offers, err := s.Offer(b.Context(), refs...)
		times = append(times, time.Since(start))
		if err != nil || len(offers) != 100 || offers[99].URI == "" {
			b.Fatal(err, offers)
		}
	}
	reportMedian(b, times)
}

func reportMedian(b *testing.B, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "us-median")
}

// TestStranger: what is absent, another session's, and another session's deleted file cannot be told apart, by what a read answers or
// by how long it takes. 10,000 reads of each, interleaved: the chance that one takes longer than another is even.
func TestStranger(t *testing.T) {
	pairs := 500 // enough for the answers; the clock is judged with the bars only
	if os.Getenv("GLOVEBOX_BARS") != "" {
		pairs = 10_000
	}
	for name, audit := range map[string]func(host.AuditEvent){"unheard": nil, "audited": func(host.AuditEvent) {}} {
		t.Run(name, func(t *testing.T) { strangers(t, pairs, audit) })
	}
}

func strangers(t *testing.T, pairs int, audit func(host.AuditEvent)) {
	g := openHost(t, t.TempDir(), glovebox.Options{Audit: audit})
	owner, stranger := g.Session("owner"), g.Session("stranger")
	attach(t, stranger, "own.txt", []byte("the stranger has files too"))
	live, deleted := attach(t, owner, "live.txt", []byte("text")), attach(t, owner, "deleted.txt", []byte("text"))
	if err := owner.Delete(t.Context(), deleted.Resource); err != nil {
		t.Fatal(err)
	}
	uris := map[string]string{"absent": readapi.ArtifactID(strings.Repeat("0123456789abcdef", 2)).URI(), "foreign": live.Resource, "foreign, deleted": deleted.Resource}
	names := []string{"absent", "foreign", "foreign, deleted"}
	answers, times := map[string]string{}, map[string][]time.Duration{}
	for range pairs {
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			start := time.Now()
			_, err := stranger.Read(t.Context(), uris[name], nil)
			times[name] = append(times[name], time.Since(start))
			answers[name] = strings.ReplaceAll(asJSON(t, err), strings.TrimPrefix(uris[name], readapi.URIPrefix), "ID")
		}
	}
	for _, name := range []string{"foreign", "foreign, deleted"} {
		if !strings.Contains(answers["absent"], `"not_found"`) || answers[name] != answers["absent"] {
			t.Errorf("%s: %s, absent: %s", name, answers[name], answers["absent"])
		}
		auc := rankAUC(times["absent"], times[name])
		t.Logf("%s against absent, %d reads of each: rank AUC %.3f", name, pairs, auc)
		if os.Getenv("GLOVEBOX_BARS") != "" && (auc < 0.45 || auc > 0.55) {
			t.Errorf("%s can be told from absent by its time: rank AUC %.3f, want 0.45 to 0.55", name, auc)
		}
	}
}

// rankAUC is the chance that a random one of b took longer than a random one of a; a tie counts half.
func rankAUC(a, b []time.Duration) float64 {
	slices.Sort(a)
	var wins float64
	for _, v := range b {
		lo, _ := slices.BinarySearch(a, v)
		hi, _ := slices.BinarySearch(a, v+1)
		wins += float64(lo) + float64(hi-lo)/2
	}
	return wins / float64(len(a)) / float64(len(b))
}

func TestRankAUC(t *testing.T) {
	for _, c := range []struct {
		a, b []time.Duration
		want float64
	}{
		{[]time.Duration{1, 2}, []time.Duration{3, 4}, 1}, {[]time.Duration{3, 4}, []time.Duration{1, 2}, 0},
		{[]time.Duration{1, 2}, []time.Duration{1, 2}, 0.5}, {[]time.Duration{2}, []time.Duration{1, 2, 3, 4}, 0.625},
	} {
		if got := rankAUC(c.a, c.b); got != c.want {
			t.Errorf("rankAUC(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestKill: a process that is killed while it attaches loses nothing that it was told is kept, and leaves no row without its bytes.
func TestKill(t *testing.T) {
	kills := 3
	if os.Getenv("GLOVEBOX_BARS") != "" {
		kills = 50
	}
	dir := t.TempDir()
	said := 0
	var kept []string
	for i := range kills {
		after := "begin" // while it opens or attaches for the first time
		if i%2 == 0 {
			after = "kept " // while it attaches again
		}
		kept = append(kept, killed(t, dir, after, time.Duration(i)*250*time.Millisecond/time.Duration(kills)+rand.N(5*time.Millisecond))...)
	}
	g := openHost(t, dir, glovebox.Options{})
	s := g.Session("victim")
	for _, line := range kept {
		uri, sum, _ := strings.Cut(line, " ")
		b, err := s.OpenBytes(t.Context(), uri)
		if err != nil {
			t.Fatalf("lost: %s: %v", uri, err)
		}
		if b.SHA256 != sum {
			t.Errorf("%s has the digest %s, want %s", uri, b.SHA256, sum)
		}
		b.Close()
		said++
	}
	rows := 0
	for file, err := range s.Attachments(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.OpenBytes(t.Context(), file.ID.URI())
		if err != nil {
			t.Errorf("a row without its bytes: %v", err)
			continue
		}
		b.Close()
		rows++
	}
	t.Logf("%d kills: %d attachments were acknowledged, %d rows, each with its bytes", kills, said, rows)
	if said == 0 || rows < said {
		t.Errorf("%d rows for %d acknowledged attachments", rows, said)
	}
}

// killed runs a process that opens the data directory dir and attaches to it until it is killed, delay after its first line that begins
// with after, and returns what it acknowledged.
func killed(t *testing.T, dir, after string, delay time.Duration) (kept []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKillChild$", "-test.v")
	cmd.Env = append(os.Environ(), "GLOVEBOX_KILL_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), after) && after != "" {
			after = ""
			time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		}
		if line, ok := strings.CutPrefix(lines.Text(), "kept "); ok {
			kept = append(kept, line)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("the child was not killed: %v", err)
	}
	return kept
}

// TestKillChild is the process that TestKill kills.
func TestKillChild(t *testing.T) {
	dir := os.Getenv("GLOVEBOX_KILL_DIR")
	if dir == "" {
		t.Skip("it is the child of TestKill")
	}
	fmt.Println("begin")
	s := openHost(t, dir, glovebox.Options{}).Session("victim")
	for i := 0; ; i++ {
		content := bytes.Repeat(fmt.Appendf(nil, "%d %d\n", os.Getpid(), i), 1+rand.IntN(40_000))
		msg, err := s.Append(t.Context(), glovebox.User("one", glovebox.File("a.txt", bytes.NewReader(content)), glovebox.File("b.txt", io.LimitReader(bytes.NewReader(content), 100))))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range msg.Files {
			b, err := s.OpenBytes(t.Context(), f.Resource)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("kept %s %s\n", f.Resource, b.SHA256)
			b.Close()
		}
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
