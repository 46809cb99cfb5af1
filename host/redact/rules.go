package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A rule finds one form of credential. The group v (or v2) of its expression is what is hidden.
type rule struct {
	name  string
	gate  func(lower string) bool // false: a text, in lower case, has nothing for this rule; most texts show that quickly
	re    *regexp.Regexp
	spare func(match string) bool // true: this match is none
}

// The parts of the expressions. A name is sensitive by its last word, or as a kind of key; words are told apart by _ - . or by their
// capitals. sp is what ECMAScript calls a blank, which is more than RE2's \s.
const (
	sp         = `[\s\v\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`
	notSp      = `\s\v\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	secrets    = `credentials?|passwd|password|secret|token`
	capSecrets = `Credentials?|Passwd|Password|Secret|Token`
	keys       = `(?:api|private|secret|ssh)[_.-]?key|service[_.-]?account[_.-]?key|secret[_.-]?access[_.-]?key`
	capKeys    = `(?:Api|API|Private|Secret|Ssh|SSH)_?Key|ServiceAccountKey|SecretAccessKey`

	assigned  = `(?:(?i:(?:[\w.-]*[_.-])?(?:` + secrets + `|` + keys + `)|key)|[\w.-]*(?:` + capSecrets + `|` + capKeys + `))`
	sensitive = `(?:(?i:(?:[\w.-]*[_.-])?(?:auth|authorization|` + secrets + `|` + keys + `)|key)|[\w.-]*(?:Auth|Authorization|` + capSecrets + `|` + capKeys + `))`

	quoted = `"(?:[^"\\]|\\(?s:.))*"|'(?:[^'\\]|\\(?s:.))*'`
	bare   = `["']?[^"'<>,;&` + notSp + `]+`
	gap    = "(?:" + sp + "|[\\\\^`]\r?\n)" // a blank, or the end of a line that goes on

	flags = `(?:aws-)?(?:secret-access-key|secret-key|session-token|secret-string|secret-binary)|(?:master-user|user|new|old)-password|client-secret`
)

// keyWords is what a sensitive name ends with.
var keyWords = []string{"auth", "authorization", "credential", "credentials", "passwd", "password", "secret", "token", "key"}

// table are the rules in their order. They are compiled when the first text is redacted.
var table = sync.OnceValue(func() []rule {
	re := regexp.MustCompile
	return []rule{
		{"url query", assigns, re(`[?&;]` + sensitive + `=(?P<v>[^&#"'<>` + notSp + `]+)`), nil},
		{"json member", assigns, re(`"` + sensitive + `"` + sp + `*:` + sp + `*(?P<v>` + quoted + `|[-+\w.]+)`), spareConstant},
		{"escaped json member", assigns, re(`\\+"` + sensitive + `\\+"` + sp + `*:` + sp + `*(?:\\+"(?P<v>[^"]*?)\\*"|(?P<v2>[-+\w.]+))`), spareConstant},
		{"authorization", assigns, re(`(?i)authorization\\*["']?` + sp + `*[:=]` + sp + `*\\*["']?(?:bearer|basic|token)` + sp + `+(?P<v>[^"',;<>` + notSp + `]+)`), nil},
		{"command line", has("--aws-", "--secret-", "--session-token", "-password", "--client-secret", "aws_secret_access_key", "aws_session_token"),
			re(`(?i)(?:--(?:` + flags + `)(?:=|` + gap + `)` + gap + `*|configure` + gap + `+set` + gap + `+[\w.-]*aws_(?:secret_access_key|session_token)` + gap + `+)` +
				`(?P<v>` + quoted + `|-?[^-"'<>` + notSp + `][^"'<>` + notSp + `]*)`), nil},
		{"assignment", assigns, re(`(?:^|[^\w.-])` + assigned + sp + `*(?:[=:]{1,3}>?|[：＝])` + sp + `*(?P<v>` + quoted + `|` + bare + `)`), nil},

		{"private key", has("private key-----"), re(`(?P<v>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$))`), nil},
		{"url password", has("://"), re(`[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:"'<>` + notSp + `]*:(?P<v>[^/?#@"'<>` + notSp + `]+)@`), nil},

		{"sk", has("sk-"), re(`(?:^|[^A-Za-z0-9])(?P<v>sk-(?:ant-)?[A-Za-z0-9_-]{8,})`), spareWords},
		{"google", has("aiza"), re(`(?P<v>AIza[A-Za-z0-9_-]{20,})`), nil},
		{"github", has("gho_", "ghp_", "ghr_", "ghs_", "ghu_"), re(`(?P<v>gh[pousr]_[A-Za-z0-9]{20,})`), nil},
		{"slack", has("xox"), re(`(?P<v>xox[abprs]-[A-Za-z0-9-]{10,})`), nil},
		{"hex", longHex, re(`(?P<v>[0-9A-Fa-f]{40,})`), nil},
	}
})

// words are what a name like sk-learn-notes consists of: at least two words or short numbers behind "sk-", joined by dashes. A key of any
// length that is in use has a part that is neither.
var words = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^sk-[A-Za-z]?[a-z]{1,11}(?:-(?:[A-Za-z]?[a-z]{1,11}|[0-9]{1,4}))+-?$`)
})

func spareWords(v string) bool {
	return !strings.HasPrefix(v, "sk-ant-") && words().MatchString(v)
}

// spareConstant spares what cannot be a credential.
func spareConstant(v string) bool { return v == "null" || v == "true" || v == "false" }

// sensitiveName says whether the value of a JSON member of this name is hidden.
var sensitiveName = sync.OnceValue(func() func(string) bool {
	re := regexp.MustCompile(`^` + sensitive + `$`)
	return func(name string) bool {
		lower := strings.ToLower(name)
		return slices.ContainsFunc(keyWords, func(w string) bool { return strings.HasSuffix(lower, w) }) && re.MatchString(name)
	}
})

func has(needles ...string) func(string) bool {
	return func(lower string) bool {
		return slices.ContainsFunc(needles, func(n string) bool { return strings.Contains(lower, n) })
	}
}

// assigns reports whether one of keyWords is followed by a colon or an equals sign, with nothing but quotes, blanks and what is not ASCII
// between them.
func assigns(lower string) bool {
	for _, word := range keyWords {
		for rest := lower; ; {
			i := strings.Index(rest, word)
			if i < 0 {
				break
			}
			rest = rest[i+len(word):]
			between := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(" \t\r\n\v\f\"'\\", r) }))
			if between < len(rest) && (rest[between] == ':' || rest[between] == '=') || strings.ContainsAny(rest[:between], "：＝") {
				return true
			}
			rest = rest[between:]
		}
	}
	return false
}

// longHex reports whether lower has 40 hexadecimal digits in a row.
func longHex(lower string) bool {
	n := 0
	for i := range len(lower) {
		if c := lower[i]; '0' <= c && c <= '9' || 'a' <= c && c <= 'f' {
			if n++; n == 40 {
				return true
			}
			continue
		}
		n = 0
	}
	return false
}

func (r rule) apply(s string) string {
	var out strings.Builder
	from := 0
	for _, m := range r.re.FindAllStringSubmatchIndex(s, -1) {
		for i, name := range r.re.SubexpNames() {
			if !strings.HasPrefix(name, "v") || m[2*i] < 0 {
				continue
			}
			start, end := unquote(s, m[2*i], m[2*i+1])
			if start == end || r.spare != nil && r.spare(s[start:end]) {
				continue
			}
			out.WriteString(s[from:start])
			out.WriteString(Marker)
			from = end
		}
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

// unquote narrows a value to what stands between its quotes.
func unquote(s string, start, end int) (int, int) {
	if end-start >= 2 && (s[start] == '"' || s[start] == '\'') && s[end-1] == s[start] {
		return start + 1, end - 1
	}
	return start, end
}
