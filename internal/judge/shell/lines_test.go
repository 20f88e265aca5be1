package shell

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// known is all that is told of a line's commands.
func known(line string) string {
	found, err := Parse(line)
	if err != nil {
		return "cannot be read"
	}
	var all []string
	for _, c := range found {
		text := fmt.Sprintf("%s %s", strings.Join(c.Words, " "), c.Status)
		add := func(what string, values ...string) {
			if s := strings.TrimSpace(strings.Join(values, " ")); s != "" {
				text += ", " + what + " " + s
			}
		}
		is := func(what string, is bool) {
			if is {
				text += ", " + what
			}
		}
		add("in", c.Dir)
		is("suspect", c.MayHaveFailed())
		is("silenced", c.Silenced())
		is("not demanded", !c.Demanded())
		add("doubt", c.Doubt(false, false))
		if c.Doubt(false, false) != c.Doubt(true, false) {
			add("reached", c.Doubt(true, false)+".")
		}
		add("after", c.After())
		add("then", c.Then())
		add("env", c.Env...)
		if argv := strings.Join(c.Argv(), " "); argv != strings.Join(c.Words, " ") {
			add("argv", argv)
		}
		if len(c.Words) > 0 && c.Program() != c.Words[0] {
			add("by", c.Program())
		}
		add("stdin", c.Stdin)
		if a := c.Away; a != nil {
			add("away", a.By, a.Image, a.Service, fmt.Sprint(a.Mounts, a.Files, a.Apart))
		}
		add("writes", c.Edits()...)
		add("reads", c.Reads()...)
		is("edits nothing", !c.MayEdit())
		is("edits others too", c.MayEditOthers() && len(c.Edits()) > 0)
		add("of", c.Projects()...)
		add("defined in", c.Definitions()...)
		add("takes", c.Targets()...)
		if risk, ok := c.Risk(); ok {
			add("risks", risk.Kind, risk.Detail)
		}
		all = append(all, strings.ReplaceAll(strings.TrimSpace(text), "\n", `\n`))
	}
	return strings.Join(all, " ; ")
}

// TestLines compares what is told of each line with testdata/lines.txt.
func TestLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(text)) {
		line, want, ok := strings.Cut(strings.TrimSuffix(row, "\n"), " => ")
		if got := known(strings.ReplaceAll(line, `\n`, "\n")); ok && got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}
