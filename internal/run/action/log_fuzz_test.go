package action

import (
	"bytes"
	"encoding/base64"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// However a program writes, and whatever stands around it, a known value, also in base64
// that wraps, and a token are not in its log.
func FuzzLog(f *testing.F) {
	f.Add("it is ", "!\n", uint8(3), uint16(0), false)
	f.Add("", "", uint8(1), uint16(40000), true)
	f.Add("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "\n-----END", uint8(7), uint16(1), true)
	f.Add("password: ", "\r\n[REDACTED:env]", uint8(13), uint16(300), false)
	f.Add("blue-", "whale-42", uint8(200), uint16(17), true)
	f.Add(" sword:", "[REDACTED:", uint8(13), uint16(300), false)
	f.Fuzz(func(t *testing.T, before, after string, step uint8, fill uint16, streams bool) {
		const known = "blue-whale-42"
		if strings.Contains(before+after, token) {
			return
		}
		text := strings.Repeat("ab", int(fill)) + before + known + after + " " + token + " " + before + known + after
		in64 := base64.StdEncoding.EncodeToString([]byte(known))
		text += "\n" + wrap(in64, 1+int(step)%len(in64)) + "\n"
		path := filepath.Join(t.TempDir(), "a.log")
		l := NewLog(path, 1<<20, known)
		var w, other io.Writer = l, l.Stream()
		if streams {
			w = l.Stream()
		}
		least := len(text) / 500 // so many pieces at most: each costs a search
		for rest := []byte(text); len(rest) > 0; {
			n := min(len(rest), 1+max(least, int(step)*int(step)))
			w.Write(rest[:n])
			other.Write([]byte("x\n"))
			rest = rest[n:]
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		got := []byte(readLog(t, path))
		for _, secret := range []string{known, token} {
			if bytes.Contains(got, []byte(secret)) {
				t.Errorf("%q is in the log of %q", secret, text)
			}
		}
		if secret := in64[1:12]; strings.Contains(strings.ReplaceAll(string(got), "\n", ""), secret) && !strings.Contains(before+after, secret[:4]) {
			t.Errorf("%q is over the lines of the log of %q", secret, text)
		}
	})
}
