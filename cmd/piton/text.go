package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/cli"
)

// line makes one line of a text that others wrote.
func line(s string) string { return cli.Line(s) }

// clean makes lines of a text that others wrote safe to show; the lines stay.
func clean(s string) string { return cli.Clean(s) }

// short is a text on one line that takes at most n columns of a terminal.
func short(s string, n int) string { return cutEnd(line(s), n) }

// counted is a number of things, each called noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

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
