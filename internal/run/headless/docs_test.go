package headless

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/claude"
	"github.com/piton-project/piton/internal/client/codex"
	"github.com/piton-project/piton/internal/client/gemini"
)

// docs/actions.md has a row for each parameter of an agent step, and no other.
func TestDocumentNamesEveryParameter(t *testing.T) {
	for file, head := range map[string]string{"actions.md": "## agent"} {
		b, err := os.ReadFile("../../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(b), "\n"+head+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		_, table, ok := strings.Cut(section, "|---|---|\n")
		table, _, _ = strings.Cut(table, "\n\n")
		if !ok {
			t.Errorf("%s has no table of parameters in a section %q", file, head)
			continue
		}
		var named []string // of the rows; one can have two
		for row := range strings.Lines(table) {
			cell, meaning, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
			for name := range strings.SplitSeq(cell, ", ") {
				name = strings.Trim(name, "`")
				named = append(named, name)
				if required := strings.Contains(meaning, "**required**"); required != (name == "prompt") {
					t.Errorf("%s: the row of %s says it is required: %v", file, name, required)
				}
			}
		}
		for _, p := range (&Agent{}).Doc().Parameters {
			for _, o := range p.Options {
				if _, row, _ := strings.Cut(table, "| `"+p.Name+"` | "); !strings.Contains(strings.SplitN(row, "\n", 2)[0], "`"+o+"`") {
					t.Errorf("%s: the row of %s lacks the value %s", file, p.Name, o)
				}
			}
		}
		want := (&Agent{}).Doc().Names()
		if got := strings.Join(slices.Sorted(slices.Values(named)), " "); got != strings.Join(slices.Sorted(slices.Values(want)), " ") {
			t.Errorf("%s: got rows for %s, want %s", file, got, strings.Join(slices.Sorted(slices.Values(want)), " "))
		}
	}
}

// The table of permissions in docs/plans.md says what each client is started with.
func TestDocumentNamesEveryPermission(t *testing.T) {
	b, err := os.ReadFile("../../../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := []client.Client{claude.Client{}, gemini.Client{}, codex.Client{}}
	for _, r := range []client.Rights{client.Read, client.Edit, client.Full} {
		_, row, ok := strings.Cut(string(b), "\n| `"+string(r)+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, " | ")
		if !ok || len(cells) != len(columns) {
			t.Fatalf("docs/plans.md has no row of %s with %d clients", r, len(columns))
		}
		for i, c := range columns {
			argv := " " + strings.Join(c.HeadlessCommand(client.Task{Rights: r}), " ") + " "
			if said := strings.Split(cells[i], "`"); len(said) < 2 || !strings.Contains(argv, " "+said[1]+" ") {
				t.Errorf("%s of %s: got %q, want what it is started with: %s", r, c.Name(), cells[i], argv)
			}
		}
	}
}
