package action

import (
	"os"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

// docs/actions.md has a section for each action, and a row for each parameter that names
// its values.
func TestDocumentNamesEveryParameter(t *testing.T) {
	b, err := os.ReadFile("../../../docs/actions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range Docs(All(Tools{})) {
		_, section, ok := strings.Cut(string(b), "\n## "+d.Name+"\n")
		if !ok {
			t.Errorf("docs/actions.md has no section %q", d.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		rows := strings.Count(section, "\n| `")
		for _, p := range d.Parameters {
			_, row, ok := strings.Cut(section, "\n| `"+p.Name+"` | ")
			row, _, _ = strings.Cut(row, "\n")
			if !ok || strings.Contains(row, "**required**") != p.Required {
				t.Errorf("%s: got the row %q for %s, want one that says whether it is required (%v)", d.Name, row, p.Name, p.Required)
			}
			for _, o := range p.Options {
				if !strings.Contains(row, "`"+o+"`") {
					t.Errorf("%s: got the row %q for %s, want the value %s in it", d.Name, row, p.Name, o)
				}
			}
		}
		if rows != len(d.Parameters) {
			t.Errorf("%s: got %d rows, want %d", d.Name, rows, len(d.Parameters))
		}
	}
}

// The table of effects in docs/runs.md names each action in the row of its effect.
func TestDocumentNamesEveryEffect(t *testing.T) {
	b, err := os.ReadFile("../../../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[plan.Effect]string{}
	for line := range strings.Lines(string(b)) {
		for _, e := range []plan.Effect{plan.Pure, plan.Idempotent, plan.Once} {
			if strings.HasPrefix(line, "| `"+string(e)+"` | ") {
				rows[e] = line[strings.LastIndex(line[:len(line)-2], " | "):]
			}
		}
	}
	sends := plan.Step{Parameters: map[string]any{"method": "POST"}}
	for name, a := range All(Tools{}) {
		for e, row := range rows {
			if mine := e == a.Effect(plan.Step{}) || e == a.Effect(sends); strings.Contains(row, "`"+name+"`") != mine {
				t.Errorf("got the row %q of %s, want %s in it: %v", row, e, name, mine)
			}
		}
	}
	if len(rows) != 3 {
		t.Errorf("got the rows %v, want three", rows)
	}
}
