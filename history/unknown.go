package history

import (
	"encoding/json"
	"slices"
	"strings"
)

// shown are the keys of a state that the brief puts in words; what else a
// caller has saved stands in a section of its own.
var shown = []string{
	"context", "git_head", "git_branch", "task_summary", "taskSummary", "query", "decisions", "files_modified", "todos",
	"isc_criteria", "iscCriteria", "commands", "agent_outputs", "last_error", "lastError", "token_usage",
	"current_phase", "completed_phases", "pending_phases", "phase", "phase_number", "phaseNumber", "phase_total", "phaseTotal",
	"plan", "results", "unverified", "current_step_index", "currentStepIndex",
}

// unknown lists what the caller's own keys hold.
func (b *briefing) unknown(s map[string]any) {
	var rows []string
	for key, v := range s {
		if slices.Contains(shown, key) || v == nil {
			continue
		}
		text := scalar(v)
		if text == "" {
			text = compact(v)
		}
		rows = append(rows, key+": "+text)
	}
	slices.Sort(rows)
	b.list("State", rows, "- ")
}

func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// advice says how to take over what the brief has listed.
func advice(s map[string]any) string {
	var parts []string
	if len(list(s, "todos")) > 0 {
		parts = append(parts, "take the todos above over into your own list")
	}
	if len(list(s, "decisions")) > 0 {
		parts = append(parts, "keep to the decisions")
	}
	parts = append(parts, "look at the files before you change them")
	text := strings.Join(parts, ", ")
	if n := strings.LastIndex(text, ", "); n >= 0 {
		text = text[:n] + ", and" + text[n+1:]
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
