package main

import "github.com/clipperhouse/displaywidth"

// onTerminal measures texts as terminals show them: wide characters take two
// columns, what steers the terminal none.
var onTerminal = displaywidth.Options{ControlSequences: true}

// columnsOf is how many columns a line takes on a terminal.
func columnsOf(line string) int { return onTerminal.String(line) }

// cutEnd is the beginning of a text that takes at most so many columns.
func cutEnd(text string, columns int) string {
	return onTerminal.TruncateString(text, max(columns, 1), "…")
}

// cutBeginning is the end of a text that takes at most so many columns.
func cutBeginning(text string, columns int) string {
	over := columnsOf(text) - columns
	if over <= 0 {
		return text
	}
	rest := onTerminal.StringGraphemes(text)
	dropped, at := 0, 0
	for dropped < over+1 && rest.Next() {
		dropped += rest.Width()
		at += len(rest.Value())
	}
	return "…" + text[at:]
}
