package turn

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// A client writes its log behind its own back: Claude Code up to 0.1 s late,
// while the stop hook already runs (measured: 1 to 73 ms). Where the last event
// is older than lately, and each call in the log has its result, all are there.
const (
	lately      = time.Second
	settleFor   = time.Second
	settleEvery = 10 * time.Millisecond
)

// settle reads the transcript again until the agent's last words stand in it,
// so that the calls before them do too; before is the session's last event.
// Without it a quick turn would look as if it had changed, or verified,
// nothing.
func (t Turns) settle(ctx context.Context, e agent.Event, s agent.Session, before piton.Time, turn agent.Turn, f found) found {
	quick := t.at(e).Sub(before.Time) <= lately
	if e.LastOutput == "" || s.Transcript == "" || !quick && !slices.ContainsFunc(f.script.Calls, unfinished) {
		return f
	}
	// Where one reading takes long, there is no second: a strange file must not
	// make a stop hang.
	for end := time.Now().Add(settleFor); time.Now().Before(end) && lags(e, s, turn, f); {
		select {
		case <-ctx.Done():
			return f
		case <-time.After(settleEvery):
		}
		f.script, f.scriptErr = t.transcript(s, turn)
		f.read = debrief.Read(s.Root, f.script.Calls, f.links.resolve)
	}
	return f
}

// lags tells whether the agent's last words are missing in the transcript. Ones
// from before the last hold or stop may be the same and are not they.
func lags(e agent.Event, s agent.Session, turn agent.Turn, f found) bool {
	if cutOff(s, f.script) {
		return false // what a person has cut off is kept nowhere
	}
	at := f.script.LastOutputAt
	return f.scriptErr != nil || !endsWith(e.LastOutput, f.script.LastOutput) ||
		!at.After(s.LastCheckpoint.Time) || !at.After(turn.EndedAt.Time)
}

// endsWith tells whether a text ends with other words, whatever the white space
// between and around them: Gemini CLI hands a hook all that was said in a turn,
// with a space between any two pieces in which it came. No words are none.
func endsWith(text, words string) bool {
	found := false
	for {
		text, words = strings.TrimRightFunc(text, unicode.IsSpace), strings.TrimRightFunc(words, unicode.IsSpace)
		if words == "" {
			return found
		}
		last, n := utf8.DecodeLastRuneInString(words)
		if r, m := utf8.DecodeLastRuneInString(text); r == last && m == n {
			text, words, found = text[:len(text)-m], words[:len(words)-n], true
			continue
		}
		return false
	}
}

// unfinished tells a call that should have its result by the time of a stop. A
// command that fails is no event, so that it may have ended just now.
func unfinished(c agent.Call) bool {
	return c.EndedAt.IsZero() && !c.Background && c.Subagent == ""
}
