package schedules

import (
	"github.com/piton-project/piton"
)

// AddRequest asks for a schedule.
type AddRequest struct {
	piton.ScheduleRequest
	Plan []byte // the text of the plan
	File string // the plan's file, as messages name it; "-": none
	Dir  string // where the steps work; "": where the plan says
}

// View is a schedule with what is known of its times and its last run.
type View struct {
	piton.Schedule
	NextTimes  []piton.Time    `json:"next_times,omitempty"`   // when it is due next, three of them; absent: it is paused
	LastStatus piton.RunStatus `json:"last_status,omitempty"`  // of its last run; absent: it has none, or that is gone
	Daemon     bool            `json:"daemon"`                 // a daemon runs in this home, and the schedule is this home's
	Changed    bool            `json:"plan_changed,omitempty"` // the plan's file says otherwise by now
	Plan       string          `json:"plan,omitempty"`         // the plan as it was added; absent: in a list
	Hint       string          `json:"hint,omitempty"`         // what to do now; absent: nothing is to be done
}

// List is schedules by their names.
type List struct {
	Schedules []View `json:"schedules"`      // by their names
	Hint      string `json:"hint,omitempty"` // what to do now; absent: nothing is to be done
}
