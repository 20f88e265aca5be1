package debrief

import (
	"fmt"
	"time"
)

// leastWindow is the shortest time that the logs are asked for, in minutes.
const leastWindow = 2

// lookAtLogs is the log check, where it is configured and something changed
// that runs: neither tests alone nor documents alone.
// Rule: docs/spec.md, "Rules".
func (t *turn) lookAtLogs(groups []group) (finding, bool) {
	if t.LogCheck == "" {
		return finding{}, false
	}
	log := finding{group: group{rule: Rule{Name: "log check"}}}
	asks := false
	seen := map[string]bool{}
	for _, g := range groups {
		if g.rule.docs() || g.instead != "" {
			continue
		}
		asks = asks || !g.rule.Sole
		for _, f := range g.files {
			if !seen[f.Path] {
				seen[f.Path] = true
				log.group.files = append(log.group.files, f)
			}
		}
	}
	line := fmt.Sprintf("%s --since %dm", t.LogCheck, window(t.Elapsed))
	if log.wish = "run " + quoteTo(line, ruleShown); t.Untrusted {
		log.wish = named(line, "to look at them")
	}
	log.group.rule.Untrusted = t.Untrusted
	if !asks {
		log.verdict = "falls away: nothing changed but tests, documents and files of no category"
		return log, true
	}
	s := search{category: log.group.rule.Name, patterns: []string{t.LogCheck}, since: newest(log.group.files), prints: true}
	if !t.demand(&log, &s, "the logs have not been looked at since the last edit") && s.unavailable != "" {
		log.demand = demand{advice: true, missing: "the logs were not looked at", instruction: quote(s.unavailable) + " cannot run here"}
		log.verdict = "advice only: " + log.instruction
	}
	return log, true
}

// window is the time since the turn's start in minutes, rounded up.
func window(elapsed time.Duration) int {
	return max(leastWindow, int((elapsed+time.Minute-1)/time.Minute))
}
