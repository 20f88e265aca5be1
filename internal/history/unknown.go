package history

import (
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

// contextShown are those of the context.
var contextShown = []string{"project_name", "project_path", "brd_file", "spec_files"}

// shape says what the keys hold that the brief puts in words: any value that is
// no list and no object, unless it stands here. The states of callers' own types
// are held against no form.
var shape = map[string]string{
	"context": "{", "last_error": "{", "lastError": "{", "token_usage": "{",
	"plan": "[", "results": "[", "decisions": "[", "files_modified": "[f", "todos": "[", "isc_criteria": "[", "iscCriteria": "[",
	"commands": "[", "completed_phases": "[f", "pending_phases": "[f", "unverified": "[f", "spec_files": "[f", "agent_outputs": "*",
}

// usual tells whether a value has a shape: "{" an object, "[" a list, "[f" one of
// scalars, "*" a list or an object, "" a scalar.
func usual(v any, shape string) bool {
	xs, isList := v.([]any)
	_, isObject := v.(map[string]any)
	switch shape {
	case "{":
		return isObject
	case "[":
		return isList
	case "[f":
		return isList && flat(xs...)
	case "*":
		return isList || isObject
	}
	return !isList && !isObject
}

// unknown lists what the caller's own keys hold, and known ones that hold
// something else than the brief puts in words.
func (b *briefing) unknown(s map[string]any) {
	var rows []string
	for key, v := range s {
		if !slices.Contains(shown, key) || !usual(v, shape[key]) {
			rows = append(rows, row(key, v)...)
		}
	}
	slices.Sort(rows)
	b.list("State", rows, "- ")
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
