package debrief

import (
	"fmt"
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
	quietly = "Do it silently, then end with a short debrief: the outcome, always what failed, a blocker, or the decision you need."
	generic = "before this turn ends: validate your work (run the checks that cover what you changed and read their result) and capture what must be kept (decisions, open ends, what the next session has to know). "
)

// Generic is the message where the changes cannot be looked at.
func Generic() string { return agent.Prefix + generic + quietly }

// compose writes what the agent is told: one fact, or numbered ones, what else was
// noticed, and how to end.
func compose(r Result) string {
	var b strings.Builder
	b.WriteString(agent.Prefix)
	switch {
	case len(r.Actions) == 1:
		b.WriteString(safe(r.Actions[0]) + ".")
	case len(r.Actions) > 1:
		b.WriteString("before this turn ends:")
		items(&b, r.Actions, func(i int) string { return fmt.Sprintf("%d. ", i+1) })
	}
	if len(r.Observations) > 0 {
		if len(r.Actions) > 0 {
			b.WriteString("\n")
		}
		b.WriteString("Noticed, nothing to be done unless you see a reason:")
		items(&b, r.Observations, func(int) string { return "- " })
	}
	b.WriteString("\n" + quietly)
	return b.String()
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

// WayOut is how an agent ends a turn that it cannot verify; it is named when the
// agent has been held before. A path that cannot be said as it is, is not said.
func WayOut(exit string) string {
	plain := exit == safe(exit) && utf8.ValidString(exit) && !strings.Contains(exit, "`")
	if exit == "" || len(exit) > exitBytes || !plain {
		return "\nIf this cannot be done, say why."
	}
	return "\nIf this cannot be done, say why; as a last resort create the file `" + exit + "` and stop."
}

// join lists words as a sentence does.
func join(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
