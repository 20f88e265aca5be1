package tools

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// sample is a line of testdata/outputs/expect.txt: what a runner printed, who
// prints so, and what is read of it.
type sample struct{ name, programs, want, output string }

func samples(t testing.TB) []sample {
	t.Helper()
	table, err := os.ReadFile("testdata/outputs/expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for line := range strings.Lines(string(table)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, want, ok := strings.Cut(line, " | ")
		name, programs, named := strings.Cut(head, ": ")
		if !ok || !named {
			t.Fatalf("cannot read %q", line)
		}
		output, err := os.ReadFile("testdata/outputs/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sample{name, programs, want, string(output)})
	}
	return all
}

// Summary reads the output of a run of this tool.
func (t *Tool) Summary(output string) Summary { return Summarize(output, t) }

// Each output is read as the table says, by the rows of all programs that print
// so, and as any runner's, which is how a target or a script that runs one of
// them is read.
func TestOutputs(t *testing.T) {
	for _, s := range samples(t) {
		for _, program := range append(strings.Fields(s.programs), "make") {
			t.Run(s.name+" by "+program, func(t *testing.T) {
				if got := spell(Find(program).Summary(s.output)); got != s.want {
					t.Errorf("got  %s\nwant %s", got, s.want)
				}
			})
		}
	}
}

// What golangci-lint says below go test's lines, where one command ran both, is
// no test that failed; alone it is what golangci-lint found.
func TestLintBelowTests(t *testing.T) {
	const output = "ok  \texample.com/shop/cart\t0.003s\ncart/cart.go:3:2: ineffectual assignment to x (ineffassign)\n"
	for program, want := range map[string]string{
		"go":            "green 1/0",
		"golangci-lint": "red 1/1 | cart/cart.go:3:2: ineffectual assignment to x (ineffassign) | @cart/cart.go",
	} {
		if got := spell(Find(program).Summary(output)); got != want {
			t.Errorf("%s: got %s, want %s", program, got, want)
		}
	}
}

// spell writes a summary as the table does: state, passed and failed, the line,
// and what failed, as test @ file @ package, with ! for what was broken.
func spell(s Summary) string {
	text := fmt.Sprintf("%s %d/%d", cmp.Or(state(s), "?"), s.Passed, s.Failed)
	if s.Line != "" {
		text += " | " + s.Line
	}
	var names []string
	for _, f := range s.Failures {
		name := strings.TrimRight(f.Test+"@"+f.File+"@"+f.Package, "@")
		if f.Broken {
			name += "!"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		text += " | " + strings.Join(names, " ; ")
	}
	return text
}

// Every program of the table that runs tests has an output of a run that passed
// and one of a run that failed.
func TestEveryRunnerHasOutputs(t *testing.T) {
	red, green := map[string]bool{}, map[string]bool{}
	for _, s := range samples(t) {
		for _, program := range strings.Fields(s.programs) {
			red[program] = red[program] || strings.HasPrefix(s.want, "red")
			green[program] = green[program] || strings.HasPrefix(s.want, "green")
		}
	}
	for _, does := range []Does{Tests, Runner, Umbrella} {
		for _, pattern := range Patterns(does) {
			program, _, _ := strings.Cut(pattern, " ")
			if !red[program] {
				t.Errorf("%s: no output of a run that failed in testdata/outputs/expect.txt", program)
			}
			if !green[program] {
				t.Errorf("%s: no output of a run that passed in testdata/outputs/expect.txt", program)
			}
		}
	}
	for program := range red {
		if Find(program).Names == "" {
			t.Errorf("%s is not a program of the table", program)
		}
	}
}

// unrecorded are the programs whose outputs could not be recorded three times from the
// program itself: it could not be had, needs another system, or what it builds with.
const unrecorded = `
artisan bazel behat buck2 codecept cross cypress dart devbox django dotnet earthly
flutter forge gotest hatch luarocks mise moon ng pants paratest pdm pest pixi Pkg.test poe
rails react-scripts rye sail sbt shellspec stack swift turbo_tests ward xcodebuild zig`

// Every other program of the table has at least three outputs that were recorded from it.
func TestOutputsAreRecorded(t *testing.T) {
	without, all, have := strings.Fields(unrecorded), samples(t), map[string]int{}
	table, err := os.ReadFile("testdata/outputs/expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		text, ok := strings.CutPrefix(line, "# recorded: ")
		if !ok {
			continue
		}
		head, names, _ := strings.Cut(text, "): ")
		programs, _, _ := strings.Cut(head, " (")
		for _, name := range strings.Fields(names) {
			if !slices.ContainsFunc(all, func(s sample) bool { return s.name == name }) {
				t.Errorf("%s is recorded and in no line of expect.txt", name)
			}
			for _, program := range strings.Fields(programs) {
				have[program]++
			}
		}
	}
	for _, does := range []Does{Tests, Runner, Umbrella} {
		for _, pattern := range Patterns(does) {
			program, _, _ := strings.Cut(pattern, " ")
			if listed := slices.Contains(without, program); listed == (have[program] >= 3) {
				t.Errorf("%s: %d outputs recorded, listed as unrecorded: %v", program, have[program], listed)
			}
		}
	}
}

// Every file of outputs stands in the table.
func TestEveryOutputIsExpected(t *testing.T) {
	files, err := os.ReadDir("testdata/outputs")
	if err != nil {
		t.Fatal(err)
	}
	all := samples(t)
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		if name != "expect" && !slices.ContainsFunc(all, func(s sample) bool { return s.name == name }) {
			t.Errorf("%s is in no line of expect.txt", f.Name())
		}
	}
}

// The index finds lines by a fixed number of bits.
func TestRowsFitTheIndex(t *testing.T) {
	rows := 0
	for i := range formats {
		if formats[i].First != rows {
			t.Errorf("%s begins at %d, want %d", formats[i].Name, formats[i].First, rows)
		}
		rows += len(formats[i].Lines)
	}
	if rows > maxRows {
		t.Errorf("%d lines of formats, at most %d can be indexed", rows, maxRows)
	}
}

// Every name of a format that a tool gives is one.
func TestFormatsOfTools(t *testing.T) {
	for _, tool := range table {
		names := strings.Fields(tool.Output)
		if got := readersOf(tool.Output); len(got) != len(names) {
			t.Errorf("%s: got %d formats of %q", tool.Names, len(got), tool.Output)
		}
	}
	if got := readersOf(anyFormats); len(got) != len(strings.Fields(anyFormats)) {
		t.Errorf("got %d formats of any", len(got))
	}
}
