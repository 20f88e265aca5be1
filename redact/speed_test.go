package redact

import (
	"strings"
	"testing"
	"time"
)

// No text that a program prints again and again makes a hook wait: what costs
// the most costs at most so many times what plain words cost.
func TestSlowTexts(t *testing.T) {
	const size, most = 256 << 10, 100
	took := func(s string) time.Duration {
		best := time.Hour
		for range 5 {
			start := time.Now()
			Text(s)
			best = min(best, time.Since(start))
		}
		return best
	}
	plain := took(strings.Repeat("the quick brown fox ", size/20))
	for _, unit := range []string{"htpasswd -b a ", "htpasswd -bc f ", "login(", "auth(", "auth=('a', ", "Cookie: a=", "Cookie: a; ", "Cookie:a=1", "curl -b ", "curl -b a=; ",
		"_auth=", "?sig=", "pass:", "secret: ", "credentials:", "chpasswd ", "echo a | sudo -S ", "mysql -p", "docker login -p ", "password is ", "<password>", "define('", "://a:", "IDENTIFIED BY ",
		"kind: Secret\n", "data:\n  a: b\nkind: Secret\n", "a:b@tcp(", "thin:a/", "my key is ", "default = "} {
		if got := took(strings.Repeat(unit, size/len(unit))); got > most*plain {
			t.Errorf("%q: got %.0f times what words take, want at most %d", unit, float64(got)/float64(plain), most)
		}
	}
}
