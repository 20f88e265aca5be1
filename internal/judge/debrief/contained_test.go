package debrief

import "testing"

func TestASlipIsContained(t *testing.T) {
	if contained(func() { panic("slip") }) {
		t.Error("a panic went through")
	}
	if !contained(func() {}) {
		t.Error("a good function is said to have failed")
	}
	if got := orGeneric(func() string { panic("slip") }); got != Generic() {
		t.Errorf("a panic in the composer gives %q", got)
	}
	if got := orGeneric(func() string { return "" }); got != Generic() {
		t.Errorf("an empty message gives %q", got)
	}
	if got := orGeneric(func() string { return "x" }); got != "x" {
		t.Errorf("got %q, want x", got)
	}
}

// A rule whose words cannot be read is left out, the others stay.
func TestARuleThatPanicsIsLeftOut(t *testing.T) {
	tn := newTurn(Input{Root: "/r", Files: []File{{Path: "a.go"}}})
	tn.changes()
	good := Rule{Name: "good", Instruction: "do it", Evidence: []string{"it"}}
	groups := []group{{rule: Rule{Name: "bad", Instruction: "x", Evidence: []string{"x"}}, files: make([]file, 1)}, {rule: good, files: tn.files}}
	tn.Tests = []Test{{Run: "t"}}
	slip := func(g group) finding {
		if g.rule.Name == "bad" {
			panic("slip")
		}
		return tn.demandOf(g)
	}
	found := demandedBy(groups, slip)
	if len(found) != 2 || found[0].asksFor() || found[1].instruction != "do it" {
		t.Errorf("got %+v", found)
	}
}

func TestFailingEvidenceIsGeneric(t *testing.T) {
	// A turn that cannot even be read: the nil map of a broken caller would do.
	r := guarded(func(*Result) { panic("slip") })
	if !r.Generic || r.Message != Generic() || r.AllClear {
		t.Errorf("got %+v", r)
	}
}
