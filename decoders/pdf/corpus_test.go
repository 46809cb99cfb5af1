//go:build corpus

package pdf

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestCorpus reads a folder of PDFs that lies outside the project (make corpus-pdf): how many of the words of expected/NAME.txt, which has to
// be there for some, come out and in which order, how many characters are hidden, and whether answers of 200 tokens, walked by their ends,
// give what one answer gives.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GLOVEBOX_CORPUS")
	names, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil || dir == "" || len(names) == 0 {
		t.Fatalf("GLOVEBOX_CORPUS names no folder of PDFs: %q, %v", dir, err)
	}
	var files, walked, differ int
	var recall, hidden, words float64
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole := walk(t, data, 0)
		if small := walk(t, data, 200); !maps.Equal(whole.pages, small.pages) || whole.err != small.err {
			differ++
			t.Errorf("%s: another text in small answers", filepath.Base(name))
		}
		walked++
		hidden += whole.hidden
		base := strings.TrimSuffix(filepath.Base(name), ".pdf")
		expected, err := os.ReadFile(filepath.Join(dir, "expected", base+".txt"))
		want, got := wordsOf(string(expected)), wordsOf(whole.text())
		if err != nil || len(want) < 3 {
			continue
		}
		files++
		share := float64(inCommon(want, got)) / float64(len(want))
		recall += share
		words += float64(len(want))
		t.Logf("%-60s recall %.3f, in order %.3f of %d words", base, share, float64(longestCommon(want, got))/float64(len(want)), len(want))
	}
	t.Logf("%d files with expected text: macro recall %.3f, %.0f hidden characters in all, %.0f words; %d files walked, %d differ", files, recall/float64(files), hidden, words, walked, differ)
}

// walkedFile is what the answers to one file came to.
type walkedFile struct {
	pages  map[int64]string
	hidden float64
	err    readapi.Code
}

func (w walkedFile) text() string {
	var b strings.Builder
	for _, at := range slices.Sorted(maps.Keys(w.pages)) {
		b.WriteString(w.pages[at] + "\n")
	}
	return b.String()
}

// walk reads data in answers of at most tokens.
func walk(t *testing.T, data []byte, tokens int64) walkedFile {
	t.Helper()
	out := walkedFile{pages: map[int64]string{}}
	req := readapi.Request{MaxTokens: tokens}
	for answers := 0; ; answers++ {
		res, err := run(data, req)
		if err != nil || answers > 1<<16 {
			out.err = readapi.CodeOf(err)
			return out
		}
		for _, p := range res.Parts {
			if p.Type == readapi.PartText {
				out.pages[p.At] += p.Text
			}
		}
		if n, ok := res.Meta["hidden_characters"].(float64); ok {
			out.hidden += n
		}
		if res.Next == nil {
			return out
		}
		req.Start = *res.Next
	}
}

// wordsOf cuts a text into words as search does: letters, digits and marks, folded; an ideograph is a word.
func wordsOf(s string) []string {
	var out []string
	start := true
	for _, r := range strings.ToLower(norm.NFKC.String(s)) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			out, start = append(out, string(r)), true
		case !unicode.In(r, unicode.L, unicode.Nd, unicode.M):
			start = true
		case start:
			out, start = append(out, string(r)), false
		default:
			out[len(out)-1] += string(r)
		}
	}
	return out
}

func inCommon(a, b []string) (n int) {
	left := map[string]int{}
	for _, w := range b {
		left[w]++
	}
	for _, w := range a {
		if left[w] > 0 {
			left[w]--
			n++
		}
	}
	return n
}

// longestCommon is the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		corner := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}
