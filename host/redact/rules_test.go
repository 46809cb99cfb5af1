package redact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGates: a gate may let through what its rule does not find, never the other way round.
func TestGates(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"token", "Password", "API_KEY", "secretAccessKey", "Authorization", "bearer ", "=", ":", "：", `"`, `'`, `\`, `\"`, "&", "?", " ", "\n",
		"\u3000", "--secret-string ", "--new-password=", "aws configure set aws_secret_access_key ", "value", "sk-abcdefgh", "ghp_0123456789abcdefghij", "xoxb-0123456789",
		"AIza0123456789abcdefghij", "0123456789abcdef0123456789ABCDEF01234567"})
	found := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(pieces, 1, 8).Draw(t, "pieces"), "")
		for _, r := range table() {
			changed := r.apply(s) != s
			found[r.name] = found[r.name] || changed
			if changed && !r.gate(strings.ToLower(s)) {
				t.Fatalf("the gate of %s keeps %q out", r.name, s)
			}
		}
	})
	for _, in := range []string{`\"token\": \"abc\"`, `"token":"abc"`, "?token=abc", "Authorization: Bearer abc", "-----BEGIN PRIVATE KEY-----abc", "a://b:c@d"} { // chance need not make these
		for _, r := range table() {
			found[r.name] = found[r.name] || r.apply(in) != in && r.gate(strings.ToLower(in))
		}
	}
	for _, r := range table() {
		if !found[r.name] {
			t.Errorf("the rule %s found nothing", r.name)
		}
	}
}
