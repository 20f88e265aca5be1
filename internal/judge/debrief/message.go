package debrief

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/piton-project/piton/internal/agent"
)

// Bounds of a message. Clients cut off at 10,000 characters.
const (
	messageBytes = 8800
	exitBytes    = 1000
	tailBytes    = 700 + exitBytes // kept free for how to end
	itemsShown   = 12
)

const (
	quietly = "Do this silently, then end with a short debrief: the outcome, a blocker, or the decision you need. Leave these chores out of it."
	generic = "before this turn ends: validate your work (run the checks that cover what you changed and read their result) and capture what must be kept (decisions, open ends, what the next session has to know). "
)

// Generic is the message where the changes cannot be looked at.
func Generic() string { return agent.Prefix + generic + quietly }

// GenericWith is Generic with the way out.
func GenericWith(exit string) string { return Generic() + wayOut(exit) }

// compose writes what the agent is told: the categories that changed, numbered
// actions, observations, how to end, and last the way out.
func compose(r Result, categories []string, exit string) string {
	var b strings.Builder
	b.WriteString(agent.Prefix)
	changed := "this turn changed files"
	switch {
	case !r.changed():
		changed = "this turn changed no file"
	case len(categories) > 0:
		changed = "this turn changed: " + join(categories)
	}
	b.WriteString(changed + ".")
	if len(r.Actions) > 0 {
		b.WriteString(" Before it ends:")
		items(&b, r.Actions, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	}
	if len(r.Observations) > 0 {
		b.WriteString("\nNoticed, nothing to be done unless you see a reason:")
		items(&b, r.Observations, func(int) string { return "- " })
	}
	b.WriteString("\n" + quietly)
	b.WriteString(wayOut(exit))
	return b.String()
}

// changed tells whether a file is the agent's work.
func (r Result) changed() bool {
	return slices.ContainsFunc(r.Files, func(f agent.FileChange) bool { return f.Whose == agent.OwnerAgent })
}

// items writes a list as far as there is room.
func items(b *strings.Builder, all []string, mark func(int) string) {
	for i, text := range all {
		line := "\n" + mark(i) + safe(text)
		if i == itemsShown || b.Len()+len(line) > messageBytes-tailBytes {
			fmt.Fprintf(b, "\nand %d more", len(all)-i)
			return
		}
		b.WriteString(line)
	}
}

// wayOut is how an agent ends a turn that it cannot verify. A path that cannot
// be said as it is, is not said.
func wayOut(exit string) string {
	if exit == "" || len(exit) > exitBytes || exit != safe(exit) || strings.Contains(exit, "`") || !utf8.ValidString(exit) {
		return "\nIf something here cannot be done, say why."
	}
	return "\nIf something here cannot be done, say why; as a last resort create the file `" + exit + "` and stop."
}

// join lists words as a sentence does.
func join(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
