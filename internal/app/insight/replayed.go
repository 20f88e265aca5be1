package insight

import (
	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// ReplayedLogs is what the judge makes of recorded sessions.
type ReplayedLogs struct {
	Sessions []ReplayedSession `json:"sessions"`
	Sums     ReplaySums        `json:"sums"`
	Score    *Score            `json:"score,omitempty"` // the verdicts held against labels; absent: without `--labels`
	Unread   []caller.Unread   `json:"unread"`          // files that were named and are not logs
	Problems []error           `json:"-"`               // settings that were left out
}

// ReplayedSession is one log.
type ReplayedSession struct {
	File  string         `json:"file"`
	Agent string         `json:"agent"`
	Turns []ReplayedTurn `json:"turns"`
}

// ReplayVerdict is what came of a turn.
type ReplayVerdict string

// The verdicts.
const (
	ReplayHeld    ReplayVerdict = "held"    // the agent would have been held
	ReplayClear   ReplayVerdict = "clear"   // tests were seen to pass that cover all code that changed
	ReplayFine    ReplayVerdict = "fine"    // files changed and nothing holds, without such a test
	ReplayOpen    ReplayVerdict = "open"    // let go although something was missing
	ReplayNotice  ReplayVerdict = "notice"  // let go with something to read
	ReplayNothing ReplayVerdict = "nothing" // no file of the turn
	ReplayPassed  ReplayVerdict = "passed"  // not looked at: too short, say
	ReplayBroken  ReplayVerdict = "broken"  // a person or a failed request broke it off, so there was no stop
)

// ReplayedTurn is one turn of a log.
type ReplayedTurn struct {
	Turn         int                `json:"turn"`       // its number in the log
	Prompt       string             `json:"prompt"`     // its first words, without secrets
	At           piton.Time         `json:"at"`         // its end
	Root         string             `json:"root"`       // the work tree, as the log has it
	ElapsedMS    int64              `json:"elapsed_ms"` // the time of work in it
	Calls        int                `json:"calls"`      // how many calls the agent made
	Verdict      ReplayVerdict      `json:"verdict"`
	Reason       agent.Reason       `json:"reason"` // empty if broken off
	Files        []agent.FileChange `json:"files"`  // as in `piton rules test` and in a decision, like what follows
	Tests        []string           `json:"tests"`
	Categories   []string           `json:"categories"`
	Actions      []string           `json:"actions"`
	Observations []string           `json:"observations"`
	Lines        []string           `json:"lines"` // what a person would read
	Facts        []debrief.Fact     `json:"facts"` // how the changed code stands
	Evidence     []agent.Evidence   `json:"evidence"`
	Rules        []debrief.Report   `json:"rules"`
	Notes        []string           `json:"notes,omitempty"`
}

// ReplaySums counts what came of all turns.
type ReplaySums struct {
	Sessions int                   `json:"sessions"`
	Turns    int                   `json:"turns"`
	Stops    int                   `json:"stops"` // turns that were not broken off
	Verdicts map[ReplayVerdict]int `json:"verdicts"`
	Rules    []ReplayedRule        `json:"rules"`
}

// ReplayedRule is what one rule cost.
type ReplayedRule struct {
	Rule  string `json:"rule"`
	Saw   int    `json:"saw"`   // at how many stops it took a file
	Asked int    `json:"asked"` // at how many it asked for something
	Alone int    `json:"alone"` // at how many the agent was held for nothing else
}

// Score is what the judge made of stops that a person has labelled.
type Score struct {
	Labelled  int     `json:"labelled"`   // stops with a label, broken off ones left out
	Held      int     `json:"held"`       // of these
	Right     int     `json:"right"`      // held, and labelled hold
	Wrong     int     `json:"wrong"`      // held, and labelled fine
	Worthy    int     `json:"worthy"`     // labelled hold
	Precision Portion `json:"precision"`  // right of the holds that are right or wrong
	Recall    Portion `json:"recall"`     // right of those labelled hold
	ClearBad  int     `json:"clear_bad"`  // called clear, and labelled hold
	Arguable  int     `json:"arguable"`   // held, and labelled arguable
	PerStops  float64 `json:"held_share"` // held of the labelled
	Unmatched int     `json:"unmatched"`  // labels of stops that are not in the logs
}

// Portion is a share with its 95 % interval (Wilson's); all zero where nothing was
// counted.
type Portion struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
