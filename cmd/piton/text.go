package main

import (
	"encoding/json"
	"fmt"
	"io"
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

// printJSON writes one JSON value and a line feed.
func (a *app) printJSON(v any) error { return writeJSON(a.out, v) }

func writeJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := []byte(b.String())
	if isTerminal(w) {
		text = cleanJSON(text)
	}
	_, err := w.Write(text)
	return err
}

// short cuts a text to n characters.
func short(s string, n int) string {
	r := []rune(line(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:max(n-1, 0)]) + "…"
}

func percent(p *int) string {
	if p == nil {
		return "-"
	}
	return strconv.Itoa(*p) + "%"
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// span reads a duration as people write it: 90m, 12h, 7d, 2w.
func span(s string) (time.Duration, error) {
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if s != "" {
		if day, ok := unit[s[len(s)-1]]; ok {
			n, err := strconv.ParseFloat(s[:len(s)-1], 64)
			if err == nil && n >= 0 && n < 1e4 {
				return time.Duration(n * float64(day)), nil
			}
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, piton.Errorf(piton.Invalid, "read the duration", "write 90m, 12h, 7d or 2w", "%q is not a duration", s)
	}
	return d, nil
}

// moment reads a time: so long ago, or RFC 3339.
func moment(s string, now time.Time) (piton.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return piton.At(t), nil
	}
	d, err := span(s)
	if err != nil {
		return piton.Time{}, piton.Errorf(piton.Invalid, "read the time", "write 2d, 90m, or 2026-01-31T18:00:00Z", "%q is not a time", s)
	}
	return piton.At(now.Add(-d)), nil
}
