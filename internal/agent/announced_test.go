package agent

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnnounced(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a plan", "Here is my plan:\n\n1. Read the parser\n2. Mend it\n3. Test it", []string{"Read the parser", "Mend it", "Test it"}},
		{"a heading", "## Plan\n- read\n- mend", []string{"read", "mend"}},
		{"a heading in bold", "**Plan:**\n1) read\n2) mend", []string{"read", "mend"}},
		{"what it will do", "I'll do the following:\n1. read\n2. mend\n\nLet me begin.", []string{"read", "mend"}},
		{"what it will do, with a typographer's apostrophe", "I’ll go on like this:\n* read\n* mend", []string{"read", "mend"}},
		{"what is left", "Next steps:\n1. deploy\n2. tell the team", []string{"deploy", "tell the team"}},
		{"boxes", "Remaining:\n- [x] read\n- [ ] mend", []string{"[x] read", "[ ] mend"}},
		{"steps by name", "Plan\nStep 1: read\nStep 2: mend", []string{"read", "mend"}},
		{"parts of a step", "Plan:\n1. read\n   - a.go\n   - b.go\n2. mend\n   carefully", []string{"read", "mend"}},
		{"indented as a whole", "Plan:\n  1. read\n  2. mend", []string{"read", "mend"}},
		{"blank lines between", "Plan:\n\n1. read\n\n2. mend\n\nShall I?", []string{"read", "mend"}},
		{"Codex's form", "<proposed_plan>\n1. read\n2. mend\n</proposed_plan>", []string{"read", "mend"}},
		{"German", "Mein Vorgehen:\n1. lesen\n2. beheben", []string{"lesen", "beheben"}},
		{"French", "Voici les étapes :\n1. lire\n2. corriger", []string{"lire", "corriger"}},
		{"Spanish", "Estos son los pasos:\n1. leer\n2. corregir", []string{"leer", "corregir"}},
		{"Japanese", "計画:\n1. 読む\n2. 直す", []string{"読む", "直す"}},
		{"Chinese", "计划如下:\n1、 阅读\n2、 修复", []string{"阅读", "修复"}},
		{"Windows' line ends", "Plan:\r\n1. read\r\n2. mend\r\n", []string{"read", "mend"}},
		{"a list before it", "I found:\n1. a\n2. b\n\nPlan:\n1. read\n2. mend", []string{"read", "mend"}},
		{"what was done", "Steps taken:\n1. read\n2. mended", nil},
		{"a summary", "Summary of the steps:\n1. read\n2. mended", nil},
		{"what it found", "I found three problems:\n1. a\n2. b\n3. c", nil},
		{"steps for the person", "You can follow these steps:\n1. open it\n2. click", nil},
		{"steps to reproduce", "Steps to reproduce:\n1. open it\n2. click", nil},
		{"one step", "Plan:\n1. mend it", nil},
		{"no list", "My plan is to mend it.", nil},
		{"inside code", "Plan:\n```\n1. a\n2. b\n```\n", nil},
		{"nothing", "", nil},
	} {
		if got := Announced(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Announced("Plan:\n" + strings.Repeat("1. "+strings.Repeat("x", 1000)+"\n", 100)); len(got) != maxAnnounced || len(got[0]) > maxItem {
		t.Errorf("got %d items, the first of %d bytes; want both bounded", len(got), len(got[0]))
	}
	var x Transcript
	x.Spoke("Plan:\n1. read\n2. mend", time.Time{})
	for range 2 * MaxWords {
		x.Spoke("Working.", time.Time{})
	}
	if !slices.Equal(x.Planned, []string{"read", "mend"}) {
		t.Errorf("got %q, want the plan kept, however much is said after it", x.Planned)
	}
}
