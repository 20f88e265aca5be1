package screen

import (
	"bytes"
	"strings"
	"testing"
)

// fakeTerminal is a terminal of so many columns that keeps what is written to it.
type fakeTerminal struct {
	bytes.Buffer
	columns int
}

func (f *fakeTerminal) Columns() int { return f.columns }

// noColour is the environment of a person who wants none.
func noColour(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }

func TestTable(t *testing.T) {
	const id = "chk_7m2k9x4q0v8r3t5w"
	columns := func() []Column {
		return []Column{Whole("ID"), Wording("Step"), PathWise("Tree"), Whole("Agent").Spared(), Wording("Name").Spared()}
	}
	long := []string{id, "日本語の長い名前で終わらない", "/home/ada/src/github.com/piton", "claude", "before the great refactor"}
	for _, c := range []struct {
		name    string
		columns int
		rows    [][]string
		want    string
	}{
		{"no terminal: all columns, nothing cut", 0, [][]string{long, {id, "a", "", "", ""}}, `
ID                    Step                          Tree                            Agent   Name
chk_7m2k9x4q0v8r3t5w  日本語の長い名前で終わらない  /home/ada/src/github.com/piton  claude  before the great refactor
chk_7m2k9x4q0v8r3t5w  a                             -                               -       -
`},
		{"a wide terminal", 160, [][]string{long}, `
ID                    Step                          Tree                            Agent   Name
chk_7m2k9x4q0v8r3t5w  日本語の長い名前で終わらない  /home/ada/src/github.com/piton  claude  before the great refactor
`},
		{"what is empty is left out", 160, [][]string{{id, "a", "/b", "", ""}}, `
ID                    Step  Tree
chk_7m2k9x4q0v8r3t5w  a     /b
`},
		{"texts are cut first, of a path its beginning", 80, [][]string{long}, `
ID                    Step             Tree             Agent   Name
chk_7m2k9x4q0v8r3t5w  日本語の長い名…  …thub.com/piton  claude  before the grea…
`},
		{"columns move below", 60, [][]string{long, {id, "a", "/b", "", ""}}, `
ID                    Step           Tree            Agent
chk_7m2k9x4q0v8r3t5w  日本語の長い…  …hub.com/piton  claude
  name before the great refactor
chk_7m2k9x4q0v8r3t5w  a              /b              -
`},
		{"what is below is as wide as the terminal too", 40, [][]string{{id, "a", "/b", "claude", strings.Repeat("refactor ", 9)}}, `
ID                    Step  Tree  Agent
chk_7m2k9x4q0v8r3t5w  a     /b    claude
  name refactor refactor refactor refac…
`},
		{"an id is never cut", 20, [][]string{long}, `
ID                    Step     Tree
chk_7m2k9x4q0v8r3t5w  日本語…  …m/piton
  agent claude
  name before the g…
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			terminal := &fakeTerminal{columns: c.columns}
			s := &Screen{Out: terminal, Getenv: noColour}
			if c.columns == 0 {
				s.Out = &terminal.Buffer
			}
			list := NewTable(columns()...)
			for _, row := range c.rows {
				list.Add(row...)
			}
			if err := s.PrintTable(list); err != nil {
				t.Fatal(err)
			}
			if got := "\n" + terminal.String(); got != c.want {
				t.Errorf("got:%s\nwant:%s", got, c.want)
			}
		})
	}
}
