package redact_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/redact"
)

const hex40 = "0123456789abcdef0123456789abcdef01234567"

// cases are text and what is left of it; "" is a text that stays.
var cases = []struct{ name, in, want string }{
	{"empty", "", ""},
	{"marker", "[redacted]", ""},
	{"github in a sentence", "set the token to ghp_0123456789abcdefghij and rerun", "set the token to [redacted] and rerun"},
	{"github, 19 characters", "ghp_0123456789abcdefghi", ""},
	{"every github letter", "gho_0123456789abcdefghij ghu_0123456789abcdefghij ghs_0123456789abcdefghij ghr_0123456789abcdefghij", "[redacted] [redacted] [redacted] [redacted]"},
	{"another github letter", "ghx_0123456789abcdefghij", ""},
	{"anthropic", "sk-ant-api03-abcdefghijklmnop", "[redacted]"},
	{"sk, 8 characters", "use sk-abcdefgh", "use [redacted]"},
	{"sk, 7 characters", "use sk-abcdefg", ""},
	{"sk within a word", "a task-management-2 for the desk-abcdefgh1", ""},
	{"sk after _", "x_sk-abcdefgh", "x_[redacted]"},
	{"words after sk", "sk-learn-notes.pdf", ""},
	{"words and a year after sk", "sk-learn-notes-2024.pdf", ""},
	{"words after sk-ant", "sk-ant-learn-notes", "[redacted]"},
	{"a word too long to be one", "sk-learn-abcdefghijklmnop", "[redacted]"},
	{"a word with a digit", "sk-learn-n0tes", "[redacted]"},
	{"google", "AIza0123456789abcdefghij", "[redacted]"},
	{"google, 19 characters", "AIza0123456789abcdefghi", ""},
	{"slack", "xoxb-0123456789", "[redacted]"},
	{"slack, 9 characters", "xoxb-012345678", ""},
	{"40 hex", "inbound/" + hex40 + ".png", "inbound/[redacted].png"},
	{"39 hex", hex40[1:], ""},
	{"32 hex", hex40[:32], ""},

	{"private key", "see\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nand on", "see\n[redacted]\nand on"},
	{"private key, cut", "-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"},
	{"public key", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----", ""},
	{"url password", "postgres://admin:S3cr3t!@db:5432/x and https://u:p@h", "postgres://admin:[redacted]@db:5432/x and https://u:[redacted]@h"},
	{"url without a password", "http://h:8080/a@b ssh://git@h/x mailto:a@b http://[::1]:80/", ""},

	{"assignment", "password=hunter2", "password=[redacted]"},
	{"assignment with a colon", "Password: hunter2, then", "Password: [redacted], then"},
	{"assignment with a wide colon", "password：hunter2", "password：[redacted]"},
	{"assignment, wide blank", "password=abc\u3000下一句", "password=[redacted]\u3000下一句"},
	{"assignment, blank that does not break", "password=abc\u00a0next", "password=[redacted]\u00a0next"},
	{"assignment, quoted", `secret = "two words" and`, `secret = "[redacted]" and`},
	{"assignment, single quotes", `secret='it\'s' and`, `secret='[redacted]' and`},
	{"assignment, quote left open", `secret="two words`, `secret=[redacted] words`},
	{"assignment of nothing", `password=""`, ""},
	{"environment", "GITHUB_TOKEN=abc OPENAI_API_KEY=def", "GITHUB_TOKEN=[redacted] OPENAI_API_KEY=[redacted]"},
	{"camel", "accessToken: abc, myApiKey=def, awsSecretAccessKey=ghi", "accessToken: [redacted], myApiKey=[redacted], awsSecretAccessKey=[redacted]"},
	{"kinds of keys", "ssh_key=a private-key=b apikey=c service_account_key=d secret_access_key=e key=f", "" +
		"ssh_key=[redacted] private-key=[redacted] apikey=[redacted] service_account_key=[redacted] secret_access_key=[redacted] key=[redacted]"},
	{"dotted", "spring.datasource.password=abc", "spring.datasource.password=[redacted]"},
	{"after wide characters", "密码password=abc", "密码password=[redacted]"},
	{"not sensitive", "cache_key=a publicKey=b tokenCount=c monkey=d keyboard: e access_key=f", ""},
	{"auth is not assigned", "auth=none authorization: none", ""},
	{"a nested assignment", "next=token=abc", "next=token=[redacted]"},

	{"url", "https://h/p?user=x&access_token=abc&y=1#f", "https://h/p?user=x&access_token=[redacted]&y=1#f"},
	{"url, auth", "https://h/p?auth=abc", "https://h/p?auth=[redacted]"},
	{"url in a url", "https://h/p?next=/x?token=abc&z", "https://h/p?next=/x?token=[redacted]&z"},
	{"url, not sensitive", "https://h/p?tokens=1&cache_key=2", ""},

	{"bearer", "Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"},
	{"proxy", "proxy-authorization: basic dXNlcg==", "proxy-authorization: basic [redacted]"},
	{"curl", `curl -H 'Authorization: token abc' https://h`, `curl -H 'Authorization: token [redacted]' https://h`},
	{"authorization of another kind", "Authorization: required", ""},

	{"aws flag", "aws x --secret-access-key abc/def+g --region eu", "aws x --secret-access-key [redacted] --region eu"},
	{"aws flag, next line", "aws x --secret-string \\\n  'a b' \\\n --name n", "aws x --secret-string \\\n  '[redacted]' \\\n --name n"},
	{"aws configure", "aws configure set profile.aws_secret_access_key abc", "aws configure set profile.aws_secret_access_key [redacted]"},
	{"aws flag without a value", "aws x --secret-string --name n", ""},

	{"json object", `{"b":1,"token":12345,"a":"<x>"}`, `{"b":1,"token":"[redacted]","a":"<x>"}`},
	{"json, spaces stay", "{ \"token\" : \"abc\" ,\n \"n\": [1, 2] }", "{ \"token\" : \"[redacted]\" ,\n \"n\": [1, 2] }"},
	{"json, nothing to hide", "{ \"a\" : \"b\",  \"x\":null}", ""},
	{"json, constants", `{"token":null,"auth":true,"secret":"","key":{}}`, ""},
	{"json, a tree of them", `{"credentials":{"user":"u","pin":[1]},"z":0}`, `{"credentials":"[redacted]","z":0}`},
	{"json, strings are texts", `{"a":["password=abc",{"b":"ghp_0123456789abcdefghij & <more>"}]}`, `{"a":["password=[redacted]",{"b":"[redacted] & <more>"}]}`},
	{"json, in json", `{"a":"{\"token\":7}"}`, `{"a":"{\"token\":\"[redacted]\"}"}`},
	{"json string", `"password=abc"`, `"password=[redacted]"`},
	{"json, names are texts", `{"ghp_0123456789abcdefghij":1}`, `{"[redacted]":1}`},
	{"json, a name twice", `{"token":"a","token":"b"}`, `{"token":"[redacted]","token":"[redacted]"}`},
	{"json, escaped name", `{"\u0074oken":"a"}`, `{"\u0074oken":"[redacted]"}`},
	{"json behind text", `got {"user":"u","token":"abc"} back`, `got {"user":"u","token":"[redacted]"} back`},
	{"json behind text, number", `got {"token": 12345} back`, `got {"token": [redacted]} back`},
	{"json in a string behind text", `log "{\"token\":\"abc\",\"n\":1}"`, `log "{\"token\":\"[redacted]\",\"n\":1}"`},
	{"json after the rules", `{"token":"\q","n":{"secret":[1]}}`, `{"token":"[redacted]","n":{"secret":"[redacted]"}}`},
}

func TestText(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.in
			}
			got := redact.Text(c.in)
			if got != want {
				t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, want)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("not idempotent: %q becomes %q", got, again)
			}
		})
	}
}

// secrets generates credentials of every form that has one.
func secrets() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`gh[pousr]_[A-Za-z0-9]{20,40}`), rapid.StringMatching(`AIza[A-Za-z0-9_-]{20,40}`),
		rapid.StringMatching(`sk-ant-[A-Za-z0-9]{8,40}`), rapid.StringMatching(`sk-[A-Za-z0-9]{16,40}`),
		rapid.StringMatching(`xox[abprs]-[A-Za-z0-9-]{10,40}`), rapid.StringMatching(`[0-9a-f]{40,64}`),
	)
}

// pieces generates text that is near to what the rules look for.
func pieces() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"token", "password", "key", "api_key", "Authorization", "bearer ", "=", ":", ": ", `"`, `'`, `\`, `\"`, "{", "}", "[", "]", ",", "&", "?",
			" ", "\n", "\u3000", "[redacted]", "[redact", "ed]", "null", "12", "sk-", "ghp_", "--secret-string ", "上下文", "\xff", "abc"}),
		rapid.String(), secrets(),
	)
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(pieces(), 0, 12).Draw(t, "pieces"), "")
		checkText(t, in)
	})
}

// TestNoCredentialIsLeft puts a credential into whatever text and wants it gone.
func TestNoCredentialIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := secrets().Draw(t, "secret")
		in := rapid.String().Draw(t, "before") + " " + secret + " " + rapid.String().Draw(t, "after")
		for _, text := range []string{in, fmt.Sprintf("{%q:[%q]}", "a", in), fmt.Sprintf("{%q:%q}", secret, "a")} {
			if out := redact.Text(text); strings.Contains(out, secret) {
				t.Fatalf("%q stands in %q", secret, out)
			}
		}
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func checkText(t failer, in string) {
	out := redact.Text(in)
	if again := redact.Text(out); again != out {
		t.Fatalf("not idempotent: %q gives %q gives %q", in, out, again)
	}
	if utf8.ValidString(in) && !utf8.ValidString(out) {
		t.Fatalf("%q gives %q, which is not UTF-8", in, out)
	}
	if out != in && !strings.Contains(out, redact.Marker) {
		t.Fatalf("%q gives %q, which does not say that it was changed", in, out)
	}
}

func FuzzText(f *testing.F) {
	for _, c := range cases {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, in string) { checkText(t, in) })
}

// The inputs of these are made to be slow for matchers that go back.
func BenchmarkText(b *testing.B) {
	for name, in := range map[string]string{
		"prose":               strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100),
		"prose of keys":       strings.Repeat("The author of the token has no key, said the authority. ", 100),
		"chinese":             strings.Repeat("上下文窗口的问题。", 500),
		"token[":              strings.Repeat("token[", 50_000),
		"token=":              strings.Repeat("token=", 50_000),
		"open quote":          strings.Repeat(`"token":'`, 50_000),
		"open quote, a tenth": strings.Repeat(`"token":'`, 5_000),
		"hex":                 strings.Repeat("0123456789abcdef ", 20_000),
		"json":                `{"a":[` + strings.Repeat(`{"token":"abc","n":"text"},`, 10_000) + `0]}`,
		"brackets":            strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				redact.Text(in)
			}
		})
	}
}
