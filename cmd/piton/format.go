package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/wI2L/jsondiff"

	"encoding/json"

	"github.com/piton-project/piton"
)

// table prints rows in columns; the first row is the head.
func (a *app) table(rows [][]string) { printTable(a.out, rows, a.bold) }

func printTable(w io.Writer, rows [][]string, head func(string) string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == len(row)-1 {
				pad = ""
			}
			if n == 0 {
				cell = head(cell)
			}
			b.WriteString(cell + pad)
			if i < len(row)-1 {
				b.WriteString("  ")
			}
		}
		fmt.Fprintln(w, b.String())
	}
}

func (a *app) style(s lipgloss.Style, text string) string {
	if !a.colour() {
		return text
	}
	return s.Render(text)
}

func (a *app) bold(s string) string { return a.style(lipgloss.NewStyle().Bold(true), s) }

func (a *app) green(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("2")), s)
}

func (a *app) red(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("1")), s)
}

func (a *app) yellow(s string) string {
	return a.style(lipgloss.NewStyle().Foreground(lipgloss.Color("3")), s)
}

// line makes one line of a text that others wrote: no control characters reach
// the terminal.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// short cuts a text to n characters.
func short(s string, n int) string {
	r := []rune(line(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}

func percent(p *int) string {
	if p == nil {
		return "-"
	}
	return strconv.Itoa(*p) + "%"
}

// span reads a duration as people write it: 90m, 12h, 7d, 2w.
func span(s string) (time.Duration, error) {
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if s != "" {
		if day, ok := unit[s[len(s)-1]]; ok {
			n, err := strconv.ParseFloat(s[:len(s)-1], 64)
			if err == nil && n >= 0 && n < 1e5 {
				return time.Duration(n * float64(day)), nil
			}
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, piton.Errorf(piton.Invalid, "read the duration", "write 90m, 12h, 7d or 2w", "%q is no duration", s)
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
		return piton.Time{}, piton.Errorf(piton.Invalid, "read the time", "write 2d, 90m, or 2026-01-31T18:00:00Z", "%q is no time", s)
	}
	return piton.At(now.Add(-d)), nil
}

// diff is the change from one state to another, RFC 6902. Numbers are compared
// as they are spelled.
func diff(from, to []byte) ([]byte, error) {
	exact := jsondiff.UnmarshalFunc(func(b []byte, v any) error {
		dec := json.NewDecoder(strings.NewReader(string(b)))
		dec.UseNumber()
		return dec.Decode(v)
	})
	patch, err := jsondiff.CompareJSON(from, to, exact)
	if err != nil {
		return nil, &piton.Error{Code: piton.Internal, Op: "compare two states", Err: err}
	}
	if patch == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(patch)
}
