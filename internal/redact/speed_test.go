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
		"kind: Secret\n", "data:\n  a: b\nkind: Secret\n", "a:b@tcp(", "thin:a/", "my key is ", "default = "} {
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
