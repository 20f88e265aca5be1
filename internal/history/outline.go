package history

import "bytes"

// told are the members of a state that say what it is (describe, kindOf).
var told = map[string]bool{
	"current_phase": true, "completed_phases": true, "pending_phases": true,
	"plan": true, "current_step_index": true, "currentStepIndex": true, "results": true, "query": true,
	"phase": true, "phase_number": true, "phaseNumber": true, "phase_total": true, "phaseTotal": true,
	"isc_criteria": true, "iscCriteria": true, "task_summary": true, "taskSummary": true, "todos": true,
}

// presence are those of them that only need be there.
var presence = map[string]bool{"results": true}

// outline is the state without the members that describe never looks at.
func (s *seen) outline() []byte {
	doc := []byte{'{'}
	for i, from := range s.tops {
		to := len(s.state) - 1
		if i+1 < len(s.tops) {
			to = s.tops[i+1] - 1
		}
		end := stringEnd(s.state, from)
		name := s.state[from+1 : end-1]
		if !told[string(name)] && bytes.IndexByte(name, '\\') < 0 {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		if presence[string(name)] {
			doc = append(append(doc, s.state[from:end]...), ":null"...)
		} else {
			doc = append(doc, s.state[from:to]...)
		}
	}
	return append(doc, '}')
}
