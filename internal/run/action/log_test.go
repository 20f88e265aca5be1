package action

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
)

// Made up and put together here, so that scanners of this repository find none.
var (
	token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	pem   = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq1x9Zk3Jt0abcdABCD0123456789\n", 40) + "-----END RSA " + "PRIVATE KEY-----\n"
)

// logged writes the pieces to a log and reads it back.
func logged(t *testing.T, limit int64, secrets []string, pieces ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new", "a.log")
	l := NewLog(path, limit, secrets...)
	for _, s := range pieces {
		if n, err := l.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("write: got %d, %v, want %d", n, err, len(s))
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return readLog(t, path)
}

func readLog(t *testing.T, path string) string {
	t.Helper()
	r, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLogTakesSecretsOut(t *testing.T) {
	letters := func(s string) []string { return strings.Split(s, "") }
	for _, tc := range []struct {
		name    string
		known   []string
		pieces  []string
		want    string // the log; "" where only gone matters
		secrets []string
	}{
		{"a known value", []string{"blue-whale"}, []string{"it is blue-whale!\n"}, "it is [REDACTED:env]!\n", nil},
		{"a known value letter by letter", []string{"blue-whale"}, letters("it is blue-whale!\n"), "it is [REDACTED:env]!\n", nil},
		{"a known value without a line feed", []string{"blue-whale"}, []string{"blue-", "whale"}, "[REDACTED:env]", nil},
		{"a token letter by letter", nil, letters("take " + token + "\n"), "take [REDACTED:github-token]\n", nil},
		{"a private key line by line", nil, strings.SplitAfter("see\n"+pem+"done\n", "\n"), "", []string{"MIIEpAIBAAKCAQEA"}},
		{"a private key letter by letter", nil, letters(pem), "", []string{"MIIEpAIBAAKCAQEA"}},
		{"a value of two lines", []string{"first half\nother half"}, []string{"<first half\n", "other half>\n"}, "<[REDACTED:env]>\n", nil},
		{"a value of two short lines", []string{"ab1c\nd2ef"}, []string{"<ab1c\n", "d2ef>\n"}, "<[REDACTED:env]>\n", nil},
		{"a line of a value of two lines", []string{"first half\nother half"}, []string{"  first half\n", "\n"}, "  [REDACTED:env]\n\n", nil},
		{"a manifest line by line", nil, strings.SplitAfter("kind: Secret\nstringData:\n  conn: "+"winterkite77\n", "\n"), "", []string{"winterkite77"}},
		{"a value in JSON", []string{`a"b\c<d`}, []string{`{"x":"a\"b\\c<d","y":"a\"b\\c\u003cd"}` + "\n"}, `{"x":"[REDACTED:env]","y":"[REDACTED:env]"}` + "\n", nil},
		{"a value in a URL", []string{"a b&c/d"}, []string{"?x=a+b%26c%2Fd\n"}, "?x=[REDACTED:env]\n", nil},
		{"a value in base64 behind a name", []string{"correct horse"}, []string{"Ym9iOmNvcnJlY3QgaG9yc2U=\n"}, "", []string{"Y29ycmVjdCBob3JzZQ", "ycmVjdCBob3Jz", "cnJlY3QgaG9yc2"}},
		{"a value that holds another", []string{"blue", "blue-whale"}, []string{"blue-whale blue\n"}, "[REDACTED:env] [REDACTED:env]\n", nil},
		{"a value too short to be looked for", []string{"on"}, []string{"only one\n"}, "only one\n", nil},
		{"no value", []string{"", "  "}, []string{"a b\n"}, "a b\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := logged(t, 0, tc.known, tc.pieces...)
			if tc.want != "" && got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			for _, s := range tc.secrets {
				if strings.Contains(got, s) {
					t.Errorf("got %q, want no %q in it", got, s)
				}
			}
		})
	}
}

// A line without an end is written in pieces, and a secret in it is not cut in two.
func TestLogOfALongLine(t *testing.T) {
	for _, fill := range []string{"a", "ab ", "x=", "/"} {
		for _, before := range []int{0, maxLine - 10, 2*maxLine - around - 20, 2*maxLine - 10, 3 * maxLine} {
			text := strings.Repeat(fill, before/len(fill)) + " " + token + " blue-whale " + strings.Repeat(fill, 2*maxLine)
			got := logged(t, 0, []string{"blue-whale"}, text)
			if strings.Contains(got, token[4:12]) || strings.Contains(got, token[30:]) || strings.Contains(got, "whale") {
				t.Errorf("%d times %q before it: a secret is in the log", before, fill)
			}
			if len(got) < len(text)/2 {
				t.Errorf("%d times %q before it: got %d bytes of %d", before, fill, len(got), len(text))
			}
		}
	}
}

// Two programs write at once: a secret of the one is not hidden by the other's words.
func TestLogStreamsDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	l := NewLog(path, 0)
	a, b := l.Stream(), l.Stream()
	for _, w := range []struct {
		to   io.Writer
		text string
	}{{a, "take " + token[:20]}, {b, "hello\n"}, {a, token[20:] + "\n"}, {b, "no end"}} {
		io.WriteString(w.to, w.text)
	}
	if got := readLog(t, path); got != "hello\ntake [REDACTED:github-token]\n" {
		t.Errorf("got %q", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readLog(t, path); !strings.HasSuffix(got, "\nno end") {
		t.Errorf("got %q at the end, want the line without an end too", got)
	}
}

func TestLogIsBounded(t *testing.T) {
	const limit = 1 << 10
	var pieces []string
	for i := range 1000 {
		pieces = append(pieces, fmt.Sprintf("line %d\n", i))
	}
	path := filepath.Join(t.TempDir(), "a.log")
	l := NewLog(path, limit)
	for _, s := range pieces {
		io.WriteString(l, s)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var size int64
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v, %v for %s, want 0600", info.Mode(), err, e.Name())
		}
		size += info.Size()
	}
	if size > limit {
		t.Errorf("got %d bytes, want at most %d", size, limit)
	}
	all, got := strings.Join(pieces, ""), readLog(t, path)
	head, tail, ok := strings.Cut(got, "\n[... ")
	n, tail, ok2 := strings.Cut(tail, " bytes left out ...]\n")
	if !ok || !ok2 || !strings.HasPrefix(all, head) || !strings.HasSuffix(all, tail) || len(head) < limit/3 || len(tail) < limit/3 || n != fmt.Sprint(len(all)-len(head)-len(tail)) {
		t.Errorf("got %q, want the beginning, what is left out and the end", got)
	}
}

// However the text comes in pieces, and however small the limit, a log that is not
// full holds it as it is, and a reader that follows sees it all.
func TestLogIsWhole(t *testing.T) {
	dir := t.TempDir()
	files := 0
	draw.Check(t, func(t *rapid.T) {
		files++
		path := filepath.Join(dir, fmt.Sprint(files), "a.log")
		limit := int64(rapid.IntRange(64, 4000).Draw(t, "limit"))
		l := NewLog(path, limit)
		var reader *LogReader
		var all, seen strings.Builder
		follow := func() {
			var err error
			if reader == nil {
				if reader, err = OpenLog(path); errors.Is(err, fs.ErrNotExist) {
					reader = nil
					return
				}
			}
			if _, err = io.Copy(&seen, reader); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range rapid.SliceOfN(rapid.StringMatching(`[a-z \n]{0,40}`), 0, 60).Draw(t, "pieces") {
			all.WriteString(s)
			io.WriteString(l, s)
			if rapid.Bool().Draw(t, "follow") {
				follow()
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if all.Len() == 0 {
			return
		}
		follow()
		got, short := seen.String(), strings.Contains(seen.String(), " bytes left out ...]\n")
		if int64(all.Len()) <= limit/headShare && short || !short && got != all.String() {
			t.Errorf("got %q, want %q", got, all.String())
		}
		if end := all.String()[max(0, all.Len()-int(limit/tailShare)):]; !strings.HasSuffix(got, end) {
			t.Errorf("got %q, want %q at its end", got, end)
		}
	})
}

func TestLogNeverFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := NewLog(filepath.Join(file, "a.log"), 0)
	if n, err := io.WriteString(l, "a\n"); n != 2 || err != nil {
		t.Errorf("got %d, %v, want it to go on", n, err)
	}
	if l.Close() == nil {
		t.Error("got no error at the end, want the one that there was")
	}
	if _, err := OpenLog(file + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want not exist", err)
	}
}
