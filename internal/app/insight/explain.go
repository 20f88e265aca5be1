package insight

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Explanation is what was decided at the last stops, the newest first.
type Explanation struct {
	Decisions []agent.Decision     `json:"decisions"`           // the newest first, at most `--limit`; without a session those of the agent that asks, else of the project; with `--all` of all
	Modes     map[string]string    `json:"modes"`               // the mode in force in this project, by agent
	Reasons   map[agent.Reason]int `json:"reasons"`             // how often there was which, in all that are kept
	Stops     int                  `json:"-"`                   // in all
	Roots     map[string]string    `json:"-"`                   // the work trees of the sessions
	Elsewhere int                  `json:"elsewhere,omitempty"` // how many of other projects were left out
	Last      agent.Reason         `json:"-"`                   // of the newest stop that was decided on; empty for none
	// the named session, where no stop of it was seen: an import knows it from its log
	Unseen string `json:"unseen,omitempty"`
	Log    string `json:"log,omitempty"` // of `unseen`, where it is there: 'piton judge replay' judges its turns
}

// Explain says why an agent was held or let go: that of a session; of the caller's where
// none is named, else all.
func (a Insight) Explain(ctx context.Context, r piton.ExplainRequest) (Explanation, error) {
	return a.explain(ctx, r.Session, r.Limit, func(list []agent.Decision) ([]agent.Decision, error) { return list, nil })
}

// ExplainHere is Explain; where neither a session nor the caller's agent is meant, of
// the caller's project alone.
func (a Insight) ExplainHere(ctx context.Context, r piton.ExplainRequest) (Explanation, error) {
	return a.explain(ctx, r.Session, r.Limit, func(list []agent.Decision) ([]agent.Decision, error) {
		p, err := a.Project(ctx, "", false)
		if err != nil && !caller.Missing(err) {
			return nil, err
		}
		of := map[string]bool{}
		if p.ID != "" {
			all, err := a.LocalStore.Sessions(ctx, store.SessionQuery{Project: p.ID})
			if err != nil {
				return nil, err
			}
			for _, s := range all {
				of[s.ID] = true
			}
		}
		return slices.DeleteFunc(list, func(d agent.Decision) bool { return !of[d.Session] }), nil
	})
}

func (a Insight) explain(ctx context.Context, session string, limit int, among func([]agent.Decision) ([]agent.Decision, error)) (Explanation, error) {
	out := Explanation{Decisions: []agent.Decision{}, Reasons: map[agent.Reason]int{}, Roots: map[string]string{}}
	if limit < 0 {
		return out, piton.Errorf(piton.Invalid, "", "give a number, 0 for all", "the limit %d is negative", limit)
	}
	root := "" // of a caller whose folder is not known: the user's settings
	if a.Placed() {
		var err error
		if root, err = a.Root(); err != nil {
			return out, err
		}
	}
	out.Modes = a.Modes(root)
	st, err := a.Local(ctx, true)
	if err != nil {
		return out, caller.UnlessMissing(err)
	}
	of := a.Session(ctx)
	if session != "" {
		s, err := st.Session(ctx, session)
		if err != nil {
			return out, err
		}
		if of = s.ID; logThere(s.Transcript) {
			out.Log = redact.Value(s.Transcript).Get()
		}
	}
	list, err := st.Decisions(ctx, of, 0)
	if err != nil {
		return out, err
	}
	if of == "" {
		n := len(list)
		if list, err = among(list); err != nil {
			return out, err
		}
		out.Elsewhere = n - len(list)
	}
	if out.Unseen = of; session == "" || len(list) > 0 {
		out.Unseen, out.Log = "", ""
	}
	for _, d := range list {
		out.Reasons[d.Reason]++
		if out.Last == "" && d.Reason != agent.ReasonMoved { // that one is told of twice
			out.Last = d.Reason
		}
	}
	if out.Stops = len(list); limit > 0 {
		list = list[:min(limit, len(list))]
	}
	out.Decisions = append(out.Decisions, list...)
	for _, d := range list {
		if _, ok := out.Roots[d.Session]; !ok {
			s, _ := st.Session(ctx, d.Session)
			out.Roots[d.Session] = s.Root
		}
	}
	return out, nil
}

func logThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Modes are the debrief modes in force in a work tree, by agent.
func (a Insight) Modes(root string) map[string]string {
	set := a.Config(root).Debrief
	modes := map[string]string{}
	for _, c := range clients.All {
		modes[c.Name()] = set.ModeOf(c.Name())
	}
	return modes
}

// ModesText names one mode, or each agent's where they differ.
func ModesText(modes map[string]string) string {
	values := slices.Compact(slices.Sorted(maps.Values(modes)))
	if len(values) == 1 {
		return values[0]
	}
	var each []string
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		each = append(each, name+" "+modes[name])
	}
	return strings.Join(each, ", ")
}

// whys says each reason of a decision in a sentence.
var whys = map[agent.Reason]string{
	agent.ReasonHeld:       "something was changed, and no check of it was seen to pass",
	agent.ReasonGeneric:    "git could not be asked, and the agent has edited files",
	agent.ReasonAudit:      "it would have been held, but the mode is audit",
	agent.ReasonClear:      "tests that cover all the changed code were seen to pass",
	agent.ReasonFine:       "nothing held it, and no test was seen to pass that covers all that changed",
	agent.ReasonNoCheck:    "no command is known that would test what was changed ('piton rules accept CMD')",
	agent.ReasonRunning:    "a check, or the fetching of packages, still runs in the background; the stop at its end is decided",
	agent.ReasonAsked:      "a second hold would have said what the first has said",
	agent.ReasonEarlier:    "what is open is older than an interruption, and the new prompt's work needs nothing",
	agent.ReasonNothing:    "the agent changed no file in this turn",
	agent.ReasonShort:      "the turn was shorter than debrief.min_turn",
	agent.ReasonNoTurn:     "no prompt was seen, so there is no turn",
	agent.ReasonNoTool:     "the activity timer has seen no tool use",
	agent.ReasonBudget:     "it was held twice already for this prompt",
	agent.ReasonNoActivity: "the agent has run and changed nothing since the last stop",
	agent.ReasonNotice:     "what was noticed is no reason to hold",
	agent.ReasonMarker:     "the way out was taken",
	agent.ReasonBackground: "a subagent is still at work",
	agent.ReasonOff:        "debriefs are switched off",
	agent.ReasonCancelled:  "a person stopped the agent; the turn goes on with the next prompt",
	agent.ReasonLetter:     "a hold is on its way to this agent already",
	agent.ReasonOwnText:    "a letter would have answered Piton's own text",
	agent.ReasonMoved:      "the same stop was told twice, or the session moved on while it was looked at",
}

// Why says a reason of a decision in a sentence.
func Why(reason agent.Reason) string {
	if text, ok := whys[reason]; ok {
		return text
	}
	return string(reason)
}
