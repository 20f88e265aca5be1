package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// maxWidth is where lines that are told are broken.
const maxWidth = 92

// Paint gives texts their look on a terminal. Fit cuts a line of a command's output.
type Paint struct{ Bold, Green, Red, Yellow, Fit func(string) string }

// teller tells what happens.
type teller struct {
	out, err io.Writer
	live     bool // err is a terminal: what takes a while is shown with the seconds gone
	paint    Paint
	parts    int // numbers them
}

func (t *teller) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// title begins a part.
func (t *teller) title(text string) {
	t.parts++
	t.printf("\n%s\n", t.paint.Bold(fmt.Sprintf("%d  %s", t.parts, text)))
}

func (t *teller) say(format string, args ...any) {
	for _, l := range fold(fmt.Sprintf(format, args...), maxWidth) {
		t.printf("   %s\n", l)
	}
}

// says shows what somebody in the session said.
func (t *teller) says(who, text string) {
	for i, l := range fold(text, maxWidth-8) {
		if i > 0 {
			who = ""
		}
		t.printf("   %s  %s\n", t.paint.Bold(fmt.Sprintf("%-6s", who)), l)
	}
}

// quote shows a text that somebody is told, behind a bar.
func (t *teller) quote(text string) {
	for _, l := range fold(text, maxWidth) {
		t.printf("   %s %s\n", t.paint.Yellow("│"), l)
	}
}

// shell shows a command and what it printed.
func (t *teller) shell(command, output string) {
	t.printf("   %s\n", t.paint.Green("$ "+command))
	for l := range strings.Lines(strings.TrimRight(output, "\n")) {
		t.printf("   %s\n", t.paint.Fit(strings.TrimRight(l, "\n")))
	}
}

// change shows lines that an edit takes out or puts in.
func (t *teller) change(text string, colour func(string) string, mark string) {
	for l := range strings.Lines(text) {
		t.printf("             %s\n", colour(mark+" "+strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", "    ")))
	}
}

// fold breaks a text at spaces. A word that is too long stays whole, so that it
// can be copied.
func fold(text string, width int) []string {
	var lines []string
	for paragraph := range strings.Lines(text) {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = ""
			}
			line += strings.Repeat(" ", min(len(line), 1)) + word
		}
		lines = append(lines, line)
	}
	return lines
}

// working says what takes a while.
func (t *teller) working(what string, do func() error) error {
	start := time.Now()
	if !t.live {
		err := do()
		if err == nil {
			t.printf("%s: %.1f s\n", what, time.Since(start).Seconds())
		}
		return err
	}
	done := make(chan error, 1)
	go func() { done <- do() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		fmt.Fprintf(t.err, "\r%s … %.1f s", what, time.Since(start).Seconds())
		select {
		case err := <-done:
			fmt.Fprintf(t.err, "\r%s\r", strings.Repeat(" ", len(what)+12))
			return err
		case <-tick.C:
		}
	}
}
