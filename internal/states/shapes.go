package states

import (
	"slices"
	"sync"
)

// A shape says what a key must hold for the brief to put it in words.
const (
	aScalar  = ' '
	anObject = '{'
	aList    = '['
	aFlat    = 'f' // a list of scalars
	nested   = '*' // a list or an object
	aNeeds   = 'n' // what work left open; "unverified" says it in words
)

// shapes are the keys of a state that the brief puts in words. What else a
// caller has saved is listed in a section of its own, and so is what has
// another shape: the states of callers' own types have no form.
var shapes = sync.OnceValue(func() map[string]rune {
	return map[string]rune{
		"context": anObject, "last_error": anObject, "lastError": anObject, "token_usage": anObject,
		"plan": aList, "results": aList, "decisions": aList, "todos": aList, "isc_criteria": aList, "iscCriteria": aList, "commands": aList,
		"files_modified": aFlat, "completed_phases": aFlat, "pending_phases": aFlat, "unverified": aFlat, "files_deleted": aFlat, "agent_outputs": nested,
		"git_head": aScalar, "git_branch": aScalar, "task_summary": aScalar, "taskSummary": aScalar, "query": aScalar, "asked": aScalar, "resumed_from": aScalar, "current_phase": aScalar,
		"phase": aScalar, "phase_number": aScalar, "phaseNumber": aScalar, "phase_total": aScalar, "phaseTotal": aScalar,
		"current_step_index": aScalar, "currentStepIndex": aScalar, "run_id": aScalar, "used": anObject, "announced": anObject, "open": aNeeds, "last_answer": aScalar,
	}
})

// contextShapes are those of the context.
var contextShapes = map[string]rune{"project_name": aScalar, "project_path": aScalar, "brd_file": aScalar, "spec_files": aFlat}

// fits reports whether a value has a shape.
func fits(v any, shape rune) bool {
	xs, isList := v.([]any)
	_, isObject := v.(map[string]any)
	switch shape {
	case aScalar:
		return !isList && !isObject
	case anObject:
		return isObject
	case aList:
		return isList
	case aFlat:
		return isList && flat(xs...)
	case nested:
		return isList || isObject
	case aNeeds:
		return isList && !slices.ContainsFunc(xs, func(x any) bool { return !isNeed(x) })
	}
	return false
}

// isNeed reports whether a value is an agent.Need: a caller's own "open" is listed.
func isNeed(v any) bool {
	n := object(v)
	return str(n, "kind") != "" && str(n, "text") != "" && len(list(n, "files")) > 0
}

// unknown lists what the caller's own keys hold, and known ones that have
// another shape.
func unknown(s map[string]any, shapes map[string]rune) (rows []string) {
	for key, v := range s {
		if !fits(v, shapes[key]) {
			rows = append(rows, row(key, v)...)
		}
	}
	slices.Sort(rows)
	return rows
}
