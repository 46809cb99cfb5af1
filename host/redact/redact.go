// Package redact hides credentials in text that leaves, and in text that is searched, so that what is never shown cannot be probed for.
//
//	redact.Text("set the token to ghp_0123456789abcdefghij") // "set the token to [redacted]"
//
// The rules are one table of regular expressions of linear time; host/recall runs every message and every file name through them.
package redact

import "strings"

// Marker stands where something was hidden.
const Marker = "[redacted]"

// maxRounds is how often the rules are run over a text until nothing changes any more. What one rule leaves can be what another one looks
// for; real text is stable after one round, and a text that is still changing after these was made to be.
const maxRounds = 6

// Text returns s with every credential replaced by Marker. It is idempotent, takes time linear in s, and leaves s as it is when there is
// nothing to hide.
//
// A text that as a whole is a JSON object, array or string is redacted by its keys, and its strings are redacted each like a text; all
// else of it, spaces and the order of keys too, stays. Any other text goes through the rules in their order.
func Text(s string) string {
	if out, ok := jsonText(s); ok {
		return out
	}
	was := s
	for range maxRounds {
		next := applyRules(was)
		if next == was {
			return next
		}
		if out, ok := jsonText(next); ok {
			return out
		}
		was = next
	}
	return Marker
}

// Sensitive reports whether what stands under this name, of a JSON member say, is hidden whatever it is: by the last word of the name, or
// because it names a key that is secret. cache_key, publicKey and tokenCount are not.
func Sensitive(name string) bool { return sensitiveName()(name) }

func applyRules(s string) string {
	lower := strings.ToLower(s)
	for _, r := range table() {
		if r.gate(lower) {
			s = r.apply(s)
		}
	}
	return s
}
