package screen

import (
	"strings"
	"testing"
)

func TestWrappedLines(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		columns          int
		keep             []string
	}{
		{"a line that fits stays", "ok    store: here\n", "ok    store: here\n", 20, nil},
		{"without a terminal it stays", "ok    one two three four five\n", "ok    one two three four five\n", 0, nil},
		{"the next line hangs", "ok    one two three four\n", "ok    one two three\n      four\n", 19, nil},
		{"blanks inside of a line stay", "ok    one   two three four\n", "ok    one   two\n      three four\n", 19, nil},
		{"a text without an end of line", "ok    one two three four", "ok    one two three\n      four", 19, nil},
		{"several lines", "ok\n\nok    one two three four\nok\n", "ok\n\nok    one two three\n      four\nok\n", 19, nil},
		{"a long word stays whole", "ok    /home/ann/src/billing/calc.go is new\n", "ok    /home/ann/src/billing/calc.go\n      is new\n", 20, nil},
		{"an id stays whole", "ok    see chk_7m2k9x4q0v8r3t5w for it\n", "ok    see\n      chk_7m2k9x4q0v8r3t5w\n      for it\n", 22, nil},
		{"a command in quotes stays whole", "ok    run 'piton rules accept CMD', or\n", "ok    run\n      'piton rules accept CMD',\n      or\n", 24, nil},
		{"a command in backticks stays whole", "ok    run (`go test ./...`) now\n", "ok    run\n      (`go test ./...`)\n      now\n", 24, nil},
		{"an apostrophe is not a quote", "ok    the agent's file isn't that of users\n", "ok    the agent's\n      file isn't\n      that of\n      users\n", 18, nil},
		{"a quote without an end", "ok    the 'words go on and on\n", "ok    the 'words\n      go on and on\n", 18, nil},
		{"a phrase stays whole", "ok    Go: go test ./... counts\n", "ok    Go:\n      go test ./...\n      counts\n", 20, []string{"go", "go test ./..."}},
		{"a phrase in brackets stays whole", "ok    it was (go test ./...) here\n", "ok    it was\n      (go test ./...)\n      here\n", 21, []string{"go test ./..."}},
		{"wide characters take two columns", "ok    請求 書を 読み\n", "ok    請求 書を\n      読み\n", 16, nil},
		{"wide characters without a blank", "ok    古い請求書を読み込んで検証する\n", "ok    古い請求書\n      を読み込ん\n      で検証する\n", 17, nil},
		{"a path of wide characters that fits a line", "ok    see src/請求書.go now\n", "ok    see\n      src/請求書.go\n      now\n", 20, nil},
		{"colours take no column", "ok    \x1b[31mone\x1b[0m two three four\n", "ok    \x1b[31mone\x1b[0m two three\n      four\n", 19, nil},
		{"a very narrow terminal", "ok    one two\n", "ok    one\n  two\n", 5, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := wrapping{columns: c.columns, indent: Always(6), keep: c.keep}.lines(c.text)
			if got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// What is printed to a file or a pipe has its lines as they are, also on stderr.
func TestOnlyTerminalsWrap(t *testing.T) {
	long := strings.Repeat("word ", 60) + "end"
	var out, talk strings.Builder
	s := &Screen{Out: &out, Err: &talk, Getenv: func(string) string { return "" }}
	if got := s.Wrapped(long, Always(2)); got != long {
		t.Errorf("got %q, want the text as it is", got)
	}
	s.Advise("%s", long)
	if got := talk.String(); got != long+"\n" {
		t.Errorf("got %q, want the line as it is", got)
	}
	terminal := &fakeTerminal{columns: 60}
	s.Out, s.Err = terminal, terminal
	s.Advise("%s", s.Wrapped(long, Always(2)))
	for l := range strings.Lines(terminal.String()) {
		if n := Columns(strings.TrimSuffix(l, "\n")); n > 60 {
			t.Errorf("%d columns, want at most 60: %s", n, l)
		}
	}
}
