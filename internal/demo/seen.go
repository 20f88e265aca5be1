package demo

// Seen is what a demo has seen.
type Seen struct {
	Held           bool     `json:"held"`
	Categories     []string `json:"categories"`
	Actions        []string `json:"actions"`
	Debrief        string   `json:"debrief"` // the message
	Passed         bool     `json:"passed"`  // let go because the tests were seen to pass
	TurnCheckpoint string   `json:"turn_checkpoint"`
	HookMS         []int64  `json:"hook_ms"`      // each call of piton-hook
	Acknowledged   int      `json:"acknowledged"` // saves
	Verified       int      `json:"verified"`     // saves that were read again
	InFlight       string   `json:"in_flight"`    // the save that was killed: `absent` or `durable`
	ResumedID      string   `json:"resumed_id"`
	BuildMS        int64    `json:"build_ms"`
	ElapsedMS      int64    `json:"elapsed_ms"`     // without building
	Kept           string   `json:"kept,omitempty"` // the folder; absent: without `--keep`
}
