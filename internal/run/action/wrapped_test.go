package action

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// wrap breaks a text into lines, as base64 and fold do.
func wrap(s string, width int) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + "\n")
		s = s[width:]
	}
	return b.String() + s
}

// dump is a text as od -tx1, hexdump -C or xxd print it.
func dump(s, offset, group string, ascii string) string {
	var b strings.Builder
	for at := 0; at < len(s); at += 16 {
		line := s[at:min(at+16, len(s))]
		fmt.Fprintf(&b, offset, at)
		for i := range line {
			if b.WriteString(hex.EncodeToString([]byte{line[i]})); i%2 == 1 || group == "" {
				b.WriteString(" ")
			}
		}
		if ascii != "" {
			fmt.Fprintf(&b, ascii, line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestLogOfWrapped: a value that is encoded and wrapped over lines or written in groups is
// in no log, in whatever pieces it comes; what is around it stays.
func TestLogOfWrapped(t *testing.T) {
	const v = "Tq7ZkP2mX9vL4bRw8sNd"
	whole := "user=deploy;host=db.internal.example;pw=" + v
	in64 := base64.StdEncoding.EncodeToString([]byte(whole))
	each := func(format string, s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
	texts := map[string]string{
		"base64":               wrap(in64, 76),
		"base64, CR LF":        strings.ReplaceAll(wrap(in64, 64), "\n", "\r\n"),
		"base64, indented":     strings.ReplaceAll(wrap(in64, 20), "\n", "\n    "),
		"base64, escaped":      `{"k":"` + strings.ReplaceAll(wrap(in64, 20), "\n", `\n`) + `"}`,
		"hex, wrapped":         wrap(hex.EncodeToString([]byte(v)), 30),
		"hex, spaced":          each("%02x ", v),
		"HTML":                 each("&#%d;", v),
		"HTML, no semicolons":  each("&#%d", v),
		"HTML, hex":            each("&#x%x", v),
		"HTML, spaced":         each("&#%d; ", v),
		"HTML, over lines":     wrap(each("&#%d\n", v), 1<<10),
		"percent, spaced":      each("%%%02x ", v),
		"wrapped":              wrap(v, 3),
		"od -tx1":              dump(whole, "%07o ", "", ""),
		"od -tx1 at the start": dump(v, "%07o ", "", ""),
		"hexdump -C":           dump(whole, "%08x  ", "", " |%s|"),
		"xxd":                  dump(whole, "%08x: ", "2", " %s"),
	}
	for width := 1; width < len(in64); width++ {
		texts[fmt.Sprintf("base64 of width %d", width)] = wrap(in64, width)
	}
	secrets := []string{v, hex.EncodeToString([]byte(v)), each("&#%d;", v), each("&#%d", v), each("&#x%x", v), each("%%%02x", v)}
	secrets = append(secrets, encoded(v)[2:]...)
	bare := strings.NewReplacer(" ", "", "\n", "", "\r", "", `\n`, "")
	for name, text := range texts {
		for _, size := range []int{1, 3, 7, 20, 1 << 10} {
			text := "before it\n" + text + "\nafter it\n"
			var pieces []string
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			got := logged(t, 0, []string{v}, pieces...)
			for _, s := range secrets {
				for i := 0; i+8 <= len(s); i++ { // of its beginning one character may be written
					if strings.Contains(bare.Replace(got), s[i:i+8]) {
						t.Fatalf("%s in pieces of %d: %q is in the log\n%s", name, size, s[i:i+8], got)
					}
				}
			}
			if !strings.HasPrefix(got, "before it\n") || !strings.HasSuffix(got, "\nafter it\n") || !strings.Contains(got, taken) {
				t.Fatalf("%s in pieces of %d: got %q, want what is around it", name, size, got)
			}
			if dumped := strings.Contains(name, "dump") || name == "xxd"; dumped && strings.Contains(got, v[len(v)-4:]) {
				t.Fatalf("%s: the text beside the bytes is in the log\n%s", name, got)
			}
		}
	}
	plain := "Tq7Zk is short, and so is\n8sNd\n00000000  54 71 37 0a  |Tq7.|\n202611 28 10 ab\n&#84; &#113; &# &#x &#; a&b\n"
	if got := logged(t, 0, []string{v, "test"}, plain, "the s\nte st\n"); got != plain+"the s\nte st\n" {
		t.Errorf("got %q, want it as it is", got)
	}
}

// TestLogHoldsLittle: what may be the beginning of a value waits for the next line, and no
// more than it.
func TestLogHoldsLittle(t *testing.T) {
	path := t.TempDir() + "/a.log"
	l := NewLog(path, 0, "Tq7ZkP2mX9vL4bRw8sNd")
	fmt.Fprint(l, "one\ntwo Tq7ZkP2m\n")
	if got := readLog(t, path); got != "one\ntwo " {
		t.Errorf("got %q, want what is surely no part of it", got)
	}
	fmt.Fprint(l, "three\n")
	if got := readLog(t, path); got != "one\ntwo Tq7ZkP2m\nthree\n" {
		t.Errorf("got %q, want it all", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
