package debrief

import (
	"time"

	"github.com/piton-project/piton"
)

// Settings say when and how a stop is looked at (docs/spec.md, "Modes",
// "Timer", "Result", "Delivery").
type Settings struct {
	Mode               string // on, audit, off
	MinTurn            time.Duration
	Timer              piton.Timer
	Reply              string // auto, block, context
	AllClear           string // notice, message, silent
	HoldOnObservations bool
}

// Values of the settings.
const (
	ModeOn    = "on"
	ModeAudit = "audit"
	ModeOff   = "off"

	AllClearNotice  = "notice"
	AllClearMessage = "message"
	AllClearSilent  = "silent"

	ReplyAuto    = "auto"
	ReplyBlock   = "block"
	ReplyContext = "context"
)

// DefaultSettings are in force until someone says otherwise.
func DefaultSettings() Settings {
	return Settings{Mode: ModeOn, MinTurn: 30 * time.Second, Timer: piton.TimerUnified, Reply: ReplyAuto, AllClear: AllClearNotice}
}
