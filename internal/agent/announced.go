package agent

import (
	"regexp"
	"strings"
	"sync"

	"github.com/piton-project/piton"
)

// Bounds of a plan that an agent has announced in words.
const (
	maxAnnounced = 30  // items
	maxItem      = 300 // bytes of one
)

var (
	planItem = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\d{1,2}[.)、]|[-*+] \[[ xX]\]|[-*+•]|(?i:step|schritt|étape|paso) \d{1,2}[:.])\s+(\S.*)$`)
	})
	// planLead is the line above a plan. Of what was done, or of questions, it does not speak.
	planLead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:plans?|proposed_plan|approach|todos?|to[- ]do|next steps?|remaining|i(?:'|’)?ll|i will|i(?:'|’)m going to|let me|steps)\b|\b(?:vorgehen|schritte|nächste|werde ich|ich werde|je vais|pasos|voy a|piano|passos)\b|étapes|計画|手順|计划|步骤|计劃|계획|план|шаги`)
	})
	planNot = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:i did|done|taken|completed|what changed|i have|i(?:'|’)ve|was done|to reproduce|summary|erledigt|gemacht|did you|you can|you could|please)\b`)
	})
)

// Announced is the plan that a text of an agent announces: the items of the first list
// of two or more, numbered, with boxes or with bullets, whose line above says that
// it is what the agent means to do. An item keeps a box that says whether it is done. nil
// without one.
func Announced(text string) []string { return planIn(text, false) }

// Proposed is the plan in a text that is nothing else: what a plan mode ends with.
func Proposed(text string) []string { return planIn(text, true) }

func planIn(text string, sure bool) []string {
	var items []string
	lead, above, fenced, margin := false, "", false, 0
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		deep := len(items) > 0 && indent > margin
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		m := planItem().FindStringSubmatch(line)
		switch {
		case line == "" || fenced:
		case deep: // more words of an item, or its parts
		case m == nil && lead && len(items) > 1:
			return items
		case m == nil:
			items, above = nil, line
		default:
			if len(items) == 0 {
				margin = indent
				lead = sure || planLead().MatchString(above) && !planNot().MatchString(above)
			}
			if lead && len(items) < maxAnnounced {
				items = append(items, piton.Cut(boxed(line)+m[1], maxItem))
			}
		}
	}
	if !lead || len(items) < 2 {
		return nil
	}
	return items
}

// boxed is the box of an item: "[x] ", "[ ] ", or "".
func boxed(line string) string {
	if len(line) < 5 || line[2] != '[' {
		return ""
	}
	return strings.ToLower(line[2:5]) + " "
}
