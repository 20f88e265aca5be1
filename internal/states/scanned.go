package states

import "bytes"

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

// described are the members of a state that Describe looks at; of those that
// are false it only looks whether they are there.
var described = map[string]bool{
	"current_phase": true, "completed_phases": true, "pending_phases": true,
	"plan": true, "current_step_index": true, "currentStepIndex": true, "results": false, "query": true,
	"phase": true, "phase_number": true, "phaseNumber": true, "phase_total": true, "phaseTotal": true,
	"isc_criteria": true, "iscCriteria": true, "task_summary": true, "taskSummary": true, "todos": true,
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
		whole, looked := described[string(name)]
		if !looked && bytes.IndexByte(name, '\\') < 0 {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		if looked && !whole {
			doc = append(append(doc, s.state[from:end]...), ":null"...)
		} else {
			doc = append(doc, s.state[from:to]...)
		}
	}
	return append(doc, '}')
}
