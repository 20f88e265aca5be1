package states

import (
	"bytes"
	"slices"
)

// scanned is a compact state that was free of secrets as it came. Nothing in it is
// ever changed.
type scanned struct {
	state   []byte
	marks   []mark
	members []int // where each member of the state begins
	escaped bool  // a key somewhere has escapes
}

// look scans a whole compact state; nil when it is not worth remembering.
func look(state []byte) *scanned {
	s := scanner{text: state, noKey: true, members: []int{1}}
	if !s.scan(0, len(state)) || len(s.stack) > 0 || len(s.members) > maxMembers {
		return nil
	}
	return &scanned{state: state, marks: s.marks, members: s.members, escaped: s.escaped}
}

// minOutlined is the size from which on a state is scanned for its outline; a smaller
// one is decoded as quickly.
const minOutlined = 512

// maxMembers bounds the members of a state that are remembered.
const maxMembers = 4096

// described are the members of a state that Describe looks at; of the results it only
// looks whether they are there.
var described = []string{
	"current_phase", "completed_phases", "pending_phases",
	"plan", "current_step_index", "currentStepIndex", "results", "query",
	"phase", "phase_number", "phaseNumber", "phase_total", "phaseTotal",
	"isc_criteria", "iscCriteria", "task_summary", "taskSummary", "todos",
}

// outline is the state without the members that Describe never looks at.
func (s *scanned) outline() []byte {
	doc := []byte{'{'}
	for i, from := range s.members {
		to := len(s.state) - 1
		if i+1 < len(s.members) {
			to = s.members[i+1] - 1
		}
		end := stringEnd(s.state, from)
		name := s.state[from+1 : end-1]
		looked := slices.Contains(described, string(name))
		if !looked && bytes.IndexByte(name, '\\') < 0 {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		if string(name) == "results" {
			doc = append(append(doc, s.state[from:end]...), ":null"...)
		} else {
			doc = append(doc, s.state[from:to]...)
		}
	}
	return append(doc, '}')
}
