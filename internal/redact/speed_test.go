package redact

import (
	"strings"
	"testing"
)

// BenchmarkSlowTexts shows what a text costs that wakes one rule again and again:
// each is to stay within some hundred times what plain words cost, however long.
func BenchmarkSlowTexts(b *testing.B) {
	const size = 256 << 10
	for _, unit := range []string{"the quick brown fox ", "htpasswd -b a ", "htpasswd -bc f ", "login(", "auth(", "auth=('a', ", "Cookie: a=", "Cookie: a; ", "Cookie:a=1", "curl -b ", "curl -b a=; ",
		"_auth=", "?sig=", "pass:", "secret: ", "credentials:", "chpasswd ", "echo a | sudo -S ", "mysql -p", "docker login -p ", "password is ", "<password>", "define('", "://a:", "IDENTIFIED BY ",
		"kind: Secret\n", "data:\n  a: b\nkind: Secret\n", "a:b@tcp(", "thin:a/", "my key is ", "default = ",
		"{\"", "[\"a", "[", "{\n", "[[", "{\"a\": [", "{\"a\":1} ", "$6$", "$1$a$b"} {
		b.Run(strings.TrimSpace(unit), func(b *testing.B) {
			text := strings.Repeat(unit, size/len(unit))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}

// BenchmarkTranscript is a log of lines of JSON.
func BenchmarkTranscript(b *testing.B) {
	line := `{"type":"assistant","sessionId":"6152e381-4c21-432b-8da3-8b6a5782ebeb","cwd":"/home/ann/shop","message":{"id":"msg_1","content":[{"type":"tool_use","name":"Bash","input":{"command":"go test ./... 2>&1 | tail -5"}}],"usage":{"input_tokens":12,"cache_read_input_tokens":3456,"output_tokens":78}},"parentUuid":"0b1f","requestId":"req_1"}` + "\n"
	text := strings.Repeat(line, 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}

// BenchmarkValue is a small noun without a secret, as most are.
func BenchmarkValue(b *testing.B) {
	type noun struct {
		ID, Session, Name, Branch string
		Message                   string
		Tags                      []string
		Outputs                   map[string]string
		N                         int
	}
	v := noun{ID: "chk_7m2k9x4q0v8r3t5w", Session: "ses_3c8d1f6g2h9j4k5m", Name: "schema done", Branch: "main", Message: strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20),
		Tags: []string{"release", "db"}, Outputs: map[string]string{"tester": "all tests pass"}}
	b.ReportAllocs()
	for b.Loop() {
		Value(v)
	}
}
