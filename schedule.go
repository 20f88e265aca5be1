package piton

import "time"

// Schedule begins runs of a plan at times that a person has set (docs/spec.md,
// "Schedules"). Its plan is kept with it, as it was when the person added it.
type Schedule struct {
	ID        string            `json:"id" redact:"name"`                    // `sch_…`
	Name      string            `json:"name"`                                // unique in its project
	Project   string            `json:"project,omitempty" redact:"name"`     // `prj_…`; absent: not known
	Namespace string            `json:"namespace" redact:"name"`             // its project, the same on each machine
	Home      string            `json:"home" redact:"name"`                  // whose daemon fires it
	Host      string            `json:"host,omitempty"`                      // the machine that its folder is on; absent: not known
	Dir       string            `json:"dir"`                                 // where it was added: its runs begin as from there
	WorkDir   string            `json:"work_dir,omitempty"`                  // where its steps work; absent: where the plan says
	PlanFile  string            `json:"plan_file,omitempty"`                 // where its plan was read; absent: from no file
	PlanSum   string            `json:"plan_sum" redact:"name"`              // the sha256 of the plan as checked, hex
	Workflow  string            `json:"workflow"`                            // of its runs
	Query     string            `json:"query,omitempty"`                     // what its runs are asked to do; absent: the plan's
	Inputs    map[string]string `json:"inputs,omitempty"`                    // as given; absent: the plan's defaults
	Times     []CronTime        `json:"times"`                               // it is due when one of them is
	Overlap   Overlap           `json:"overlap"`                             // what becomes of a time at which its last run is at work
	CatchUp   CatchUp           `json:"catch_up"`                            // what becomes of times at which no daemon ran
	Within    int64             `json:"within_ms"`                           // older ones are not caught up
	Paused    bool              `json:"paused,omitempty"`                    // it is not due until it is resumed
	Next      Time              `json:"next_at,omitzero"`                    // when it is due next; absent: it is paused
	Pending   []Time            `json:"pending,omitempty"`                   // times that are to begin a run and have not; absent: none
	Active    []string          `json:"active,omitempty" redact:"name"`      // runs that it has begun and that were at work when it last looked; absent: none
	LastAt    Time              `json:"last_at,omitzero"`                    // the time that its last run was begun for; absent: none was
	LastRun   string            `json:"last_run_id,omitempty" redact:"name"` // absent: it has begun none
	Begun     int64             `json:"begun"`                               // how many runs it has begun
	Missed    int64             `json:"missed"`                              // times that passed while no daemon ran, and were not caught up
	Skipped   int64             `json:"skipped"`                             // times that were left out because a run was at work
	Failed    int64             `json:"failed"`                              // times at which no run could begin
	Error     string            `json:"error,omitempty"`                     // why the last one could not; absent: it could
	TryAgain  Time              `json:"try_again_at,omitzero"`               // when it is tried again; absent: at once
	AddedBy   string            `json:"added_by,omitempty"`                  // the user; absent: not known
	CreatedAt Time              `json:"created_at"`
	UpdatedAt Time              `json:"updated_at"`
	Version   int64             `json:"version"` // counts its changes; a write names the one that it has read
}

// CronTime is a cron expression in a time zone.
type CronTime struct {
	Cron     string `json:"cron"`               // five fields, or a word as @daily
	Timezone string `json:"timezone,omitempty"` // its IANA name; absent in a plan: that of the machine it is added on
}

// SchedulePrefix begins the ids of schedules.
const SchedulePrefix = "sch_"

// Overlap says what becomes of a time at which the last run of a schedule is at work.
type Overlap string

// The policies.
const (
	OverlapSkip   Overlap = "skip"   // it is left out
	OverlapQueue  Overlap = "queue"  // its run begins when the last one has ended
	OverlapAllow  Overlap = "allow"  // its run begins beside the last one
	OverlapCancel Overlap = "cancel" // the last run is cancelled, and then its own begins
)

// CatchUp says what becomes of times at which no daemon ran.
type CatchUp string

// The policies.
const (
	CatchUpNone CatchUp = "none" // none of them begins a run
	CatchUpOne  CatchUp = "one"  // the last one does
	CatchUpAll  CatchUp = "all"  // each does, one after the other; the last hundred at most
)

// DefaultWithin is how old a time may be that is caught up, where nothing is said.
const DefaultWithin = 24 * time.Hour

// Due is when a daemon is to look at the schedule; the zero Time for never.
func (s Schedule) Due() Time {
	if len(s.Pending) == 0 {
		return s.Next
	}
	if s.TryAgain.IsZero() {
		return s.Pending[0]
	}
	return s.TryAgain
}

// ScheduleQuery selects schedules; zero fields select all.
type ScheduleQuery struct {
	Project   string // with Namespace: those of either
	Namespace string
	Home      string
	Due       Time // to be looked at by then, the longest due first; else by name
}
