package insight

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Cost is what sessions have used and what that costs by list prices. Its JSON form is a
// contract (docs/json.md).
type Cost struct {
	From    piton.Time  `json:"from"`              // the span begins
	To      piton.Time  `json:"to"`                // and ends
	Project string      `json:"project,omitempty"` // `prj_…`; absent: all projects are counted
	By      string      `json:"by"`                // what the rows are
	Rows    []CostRow   `json:"rows"`              // days in their order, else the most costly first
	More    int         `json:"more,omitempty"`    // rows that were left out; `total` has them
	Total   CostSum     `json:"total"`
	Models  []CostModel `json:"models"`          // what was used of each model, and its price; the most used first, at most 100
	Prices  string      `json:"prices_date"`     // the day of the newest of the prices that Piton has with it
	Notes   []string    `json:"notes,omitempty"` // what could not be read; absent: nothing
}

// CostSum is what was used, and what it costs.
type CostSum struct {
	Requests int              `json:"requests,omitempty"` // to models; absent: not known, the clients' logs are gone
	Usage    piton.TokenUsage `json:"token_usage"`
	CostUSD  float64          `json:"cost_usd"`                  // of the tokens whose price is known
	Unpriced int64            `json:"unpriced_tokens,omitempty"` // tokens of models whose price is not known: it costs more than `cost_usd`; absent: there are none
}

// CostRow is what was used by one thing.
type CostRow struct {
	Key      string `json:"key"`                // the day, the client, the model, `ses_…`, or `wf_…` of a task; of a turn and a subagent with its session before a slash; empty: not known
	Agent    string `json:"agent,omitempty"`    // the client; absent: several
	Prompt   string `json:"prompt,omitempty"`   // of a session or a task: the last prompt, cut, without secrets; absent: none was seen
	Subagent string `json:"subagent,omitempty"` // the client's id of the subagent; absent: the agent itself, or the rows are not subagents
	Turn     int    `json:"turn,omitempty"`     // the turn; absent: the rows are not turns, or it was before the first prompt that Piton saw
	CostSum
}

// CostModel is what was used of a model, and what its price is.
type CostModel struct {
	Model  string  `json:"model,omitempty"`      // absent: the log does not name it
	Source string  `json:"source,omitempty"`     // who says so: `run.prices`, or a page in words; absent: no price is known
	Date   string  `json:"price_date,omitempty"` // the day on which that page said so; absent: no price is known, or it is the user's
	Input  float64 `json:"input,omitempty"`      // dollars for a million tokens; absent: no price is known
	Output float64 `json:"output,omitempty"`     // likewise
	CostSum
}

// CostKinds are what rows can be.
var CostKinds = []string{"day", "session", "turn", "task", "client", "model", "subagent"}

// Bounds of an answer.
const (
	maxCostModels = 100
	maxCostPrompt = 100 // bytes
)

// counted is what was used, when, and by whom.
type counted struct {
	session *agent.Session
	agent.Request
	known bool // it is one request
}

// Cost adds up what the sessions of a span have used, from their clients' logs; where a log is
// gone, as it was at the stops that are kept. A request counts once, in however many logs it
// stands. Where there is no store all is 0.
func (a Insight) Cost(ctx context.Context, r piton.CostRequest) (Cost, error) {
	now := a.Now()
	span, err := a.spanOf(r.Since)
	if err != nil {
		return Cost{}, err
	}
	_, date := listPrices()
	x := Cost{From: piton.At(now.Add(-span)), To: now, By: cmp.Or(r.By, CostKinds[0]), Rows: []CostRow{}, Models: []CostModel{}, Prices: date}
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return x, caller.UnlessMissing(err)
	}
	var ofProject func(string) bool
	if x.Project, ofProject, err = a.statsOf(ctx, r.Project); err != nil {
		return x, err
	}
	sessions, err := k.Local.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return x, err
	}
	slices.SortStableFunc(sessions, func(s, t agent.Session) int { return s.StartedAt.Compare(t.StartedAt.Time) }) // the first to have a request is whose it was
	b := book{Cost: &x, of: a.prices(), rows: map[string]*CostRow{}, models: map[string]*CostModel{}, local: k.Local, tasks: tasksOf(sessions)}
	all, err := b.read(ctx, sessions, func(s agent.Session) bool {
		return ofProject(s.Project) && !s.SeenAt.Before(x.From.Time)
	})
	if err != nil {
		return x, err
	}
	for _, c := range all {
		in := !c.At.Before(x.From.Time) && !c.At.After(now.Add(time.Minute))
		if !in || c.Usage == (piton.TokenUsage{}) {
			continue
		}
		if err := b.add(ctx, c); err != nil {
			return x, err
		}
	}
	b.close(r.Limit)
	return x, nil
}

// book adds up.
type book struct {
	*Cost
	of     prices
	rows   map[string]*CostRow
	models map[string]*CostModel
	local  *store.Local
	tasks  map[string]*agent.Session // whose work a session has taken over, down to the first
	turns  []piton.Time              // when the turns of a session began
	ofTurn string                    // that session
}

// tasksOf are the first sessions of the tasks that sessions work at: one whose work another
// has taken over is of the same task.
func tasksOf(sessions []agent.Session) map[string]*agent.Session {
	from, first := map[string]*agent.Session{}, map[string]*agent.Session{}
	for i, s := range sessions {
		if s.TakenBy != "" {
			from[s.TakenBy] = &sessions[i]
		}
	}
	for i, s := range sessions {
		root := &sessions[i]
		for range sessions { // a store may hold a circle
			before := from[root.ID]
			if before == nil || before.ID == s.ID {
				break
			}
			root = before
		}
		first[s.ID] = root
	}
	return first
}

// read reads what the sessions that fit have used.
func (b *book) read(ctx context.Context, sessions []agent.Session, fits func(agent.Session) bool) ([]counted, error) {
	var all []counted
	seen := map[string]int{}
	gone, torn := 0, 0
	for i := range sessions {
		s := &sessions[i]
		c, ok := clients.ByName(s.Agent)
		if !ok || s.Damaged || !fits(*s) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		before := len(all)
		whole, err := c.Spending(s.Transcript, func(r agent.Request) {
			key := s.Agent + "\x00" + r.ID
			if at, twice := seen[key]; twice && r.ID != "" {
				all[at].Spent = all[at].Spent.Merged(r.Spent)
				return
			}
			seen[key] = len(all)
			all = append(all, counted{s, r, true})
		})
		if err == nil && !whole {
			torn++
		}
		if err == nil {
			continue
		}
		all = all[:before]
		gone++
		kept, err := b.decided(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, kept...)
	}
	if gone > 0 {
		b.Notes = append(b.Notes, strconv.Itoa(gone)+" sessions whose log cannot be read count as at their last stops that are kept")
	}
	if torn > 0 {
		b.Notes = append(b.Notes, "of "+strconv.Itoa(torn)+" sessions not all of the log could be read: they have used more")
	}
	return all, nil
}

// decided is what a session had used at the last stop of each of its turns.
func (b *book) decided(ctx context.Context, s *agent.Session) (list []counted, err error) {
	decisions, err := b.local.Decisions(ctx, s.ID, 0)
	turns := map[int]bool{}
	for _, d := range decisions { // the newest first
		if turns[d.Turn] || d.Usage == (piton.TokenUsage{}) {
			continue
		}
		turns[d.Turn] = true
		for _, x := range spentAt(d) {
			list = append(list, counted{session: s, Request: agent.Request{At: d.At.Time, Spent: x}})
		}
	}
	if used := s.Usage.Plus(s.TurnUsage); len(list) == 0 && err == nil && used != (piton.TokenUsage{}) { // an import knows it, and not of which model
		list = append(list, counted{session: s, Request: agent.Request{At: s.SeenAt.Time, Spent: agent.Spent{Usage: used}}})
	}
	return list, err
}

// add enters what was used.
func (b *book) add(ctx context.Context, c counted) error {
	row, err := b.row(ctx, c)
	if err != nil {
		return err
	}
	day := c.At.UTC().Format(time.DateOnly)
	price, known := b.of.of(c.session.Agent, day, c.Spent)
	if b.models[c.Model] == nil {
		name, _ := redact.Text(c.Model)
		b.models[c.Model] = &CostModel{Model: name}
	}
	m := b.models[c.Model]
	if known && (m.Source == "" || price.Over == 0) {
		m.Source, m.Date, m.Input, m.Output = price.Source, price.Checked, price.Input, price.Output
	}
	for _, sum := range []*CostSum{&b.Total, &row.CostSum, &m.CostSum} {
		sum.Usage = sum.Usage.Plus(c.Usage)
		if c.known {
			sum.Requests++
		}
		if known {
			sum.CostUSD += price.cost(c.Spent)
		} else {
			sum.Unpriced = piton.TokenUsage{Input: sum.Unpriced, Output: c.Usage.Total()}.Total()
		}
	}
	return nil
}

// row is the row that something belongs to.
func (b *book) row(ctx context.Context, c counted) (*CostRow, error) {
	s := c.session
	x := CostRow{Agent: s.Agent}
	switch b.By {
	case "day":
		x = CostRow{Key: c.At.UTC().Format(time.DateOnly)}
	case "client":
		x.Key = s.Agent
	case "model":
		x.Key, _ = redact.Text(c.Model)
	case "task":
		first := b.tasks[s.ID]
		x = CostRow{Key: cmp.Or(first.WorkflowID, first.ID), Agent: s.Agent, Prompt: piton.Cut(first.LastMessage, maxCostPrompt)}
	case "subagent":
		x.Subagent, _ = redact.Text(c.Subagent)
		x.Key = s.ID
		if c.Subagent != "" {
			x.Key += "/" + x.Subagent
		}
	case "turn":
		n, err := b.turn(ctx, s, c.At)
		if err != nil {
			return nil, err
		}
		x.Key, x.Turn = s.ID+"/"+strconv.Itoa(n), n
	default:
		x.Key, x.Prompt = s.ID, piton.Cut(s.LastMessage, maxCostPrompt)
	}
	if b.rows[x.Key] == nil {
		b.rows[x.Key] = &x
	}
	if row := b.rows[x.Key]; row.Agent != x.Agent {
		row.Agent = ""
	}
	return b.rows[x.Key], nil
}

// turn is the turn of a session that a time lies in; 0: it was before the first that is known.
func (b *book) turn(ctx context.Context, s *agent.Session, at time.Time) (int, error) {
	if b.ofTurn != s.ID {
		b.ofTurn, b.turns = s.ID, nil
		for n := 1; n <= s.Turn; n++ {
			t, err := b.local.Turn(ctx, s.ID, n)
			if err != nil && piton.CodeOf(err) != piton.NotFound {
				return 0, err
			}
			b.turns = append(b.turns, t.StartedAt) // the zero Time, where it is not kept
		}
	}
	for i, began := range slices.Backward(b.turns) {
		if !began.IsZero() && !at.Before(began.Time) {
			return i + 1, nil
		}
	}
	return 0, nil
}

// close orders what was entered; limit is how many rows are shown, 0 all.
func (b *book) close(limit int) {
	for _, key := range slices.Sorted(maps.Keys(b.rows)) {
		b.Rows = append(b.Rows, *b.rows[key])
	}
	costly := func(x, y CostSum) int {
		return cmp.Or(cmp.Compare(y.CostUSD, x.CostUSD), cmp.Compare(y.Usage.Total(), x.Usage.Total()))
	}
	if b.By != CostKinds[0] {
		slices.SortStableFunc(b.Rows, func(x, y CostRow) int { return costly(x.CostSum, y.CostSum) })
	}
	if limit > 0 && len(b.Rows) > limit {
		b.More = len(b.Rows) - limit
		if b.By == CostKinds[0] { // the newest days
			b.Rows = b.Rows[b.More:]
		}
		b.Rows = b.Rows[:limit]
	}
	for _, name := range slices.Sorted(maps.Keys(b.models)) {
		b.Models = append(b.Models, *b.models[name])
	}
	slices.SortStableFunc(b.Models, func(x, y CostModel) int { return cmp.Compare(y.Usage.Total(), x.Usage.Total()) })
	b.Models = b.Models[:min(len(b.Models), maxCostModels)]
}
