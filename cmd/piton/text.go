package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/piton-project/piton"
)

// steers tells which characters must not reach a terminal from a text that
// others wrote: controls (C0, DEL, C1) steer it, bidirectional marks reorder
// what is read.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// line makes one line of a text that others wrote.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), func(r rune) bool { return unicode.IsSpace(r) || steers(r) }), " ")
}

// clean makes lines of a text that others wrote safe to show; the lines stay.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) && r != '\n' && r != '\t' {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// cleanJSON writes the characters that must not reach a terminal as JSON
// escapes: the value stays the same.
func cleanJSON(b []byte) []byte {
	var out []byte
	done := 0
	for i, r := range string(b) {
		if r < 0x7f || !steers(r) {
			continue
		}
		out = fmt.Appendf(append(out, b[done:i]...), "\\u%04x", r)
		done = i + len(string(r))
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}

// short cuts a text to n characters.
func short(s string, n int) string {
	r := []rune(line(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:max(n-1, 0)]) + "…"
}

// ending is a text in at most n characters, its end.
func ending(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}

// cell is a text in at most n characters that cannot end a cell of Markdown.
func cell(s string, n int) string { return short(strings.ReplaceAll(s, "|", "¦"), n) }

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func percent(p *int) string {
	if p == nil {
		return "-"
	}
	return strconv.Itoa(*p) + "%"
}

// utc writes a time for people; "" for none.
func utc(t piton.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// milliseconds writes a duration for people; "" for none.
func milliseconds(ms int64) string {
	if ms == 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).String()
}

// quote writes a command so that a shell reads it back.
func quote(argv ...string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@") == "" {
			words[i] = w
			continue
		}
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}
