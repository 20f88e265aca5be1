package insight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
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
	From    piton.Time `json:"from"`              // the span begins
	To      piton.Time `json:"to"`                // and ends
	Project string     `json:"project,omitempty"` // `prj_…`; absent: all projects are counted
	By      string     `json:"by"`                // what the rows are
	Rows    []CostRow  `json:"rows"`              // days in their order, else the most costly first
	More    int        `json:"more,omitempty"`    // rows that were left out; `total` has them
	Total   CostSum    `json:"total"`
	Models  []CostRow  `json:"models"`          // likewise by model, at most 100
	Prices  string     `json:"prices_date"`     // the day of the newest of the prices that Piton has with it
	Notes   []string   `json:"notes,omitempty"` // what could not be read; absent: nothing
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
	Key    string `json:"key"`                  // the day, the client, the model, `ses_…`, or `wf_…` of a task; of a turn (its number, 0: before the first that Piton saw) and a subagent with its session before a slash; empty: not known
	Agent  string `json:"agent,omitempty"`      // the client; absent: several, or a model
	Prompt string `json:"prompt,omitempty"`     // of a session or a task: the last prompt, cut, without secrets; absent: none was seen
	Source string `json:"source,omitempty"`     // of a model: who says its price, `run.prices` or a page in words; absent: no price is known
	Date   string `json:"price_date,omitempty"` // of a model: the day on which that page said so; absent: no price is known, or it is the user's
	CostSum
}

// CostKinds are what rows can be.
var CostKinds = []string{"day", "session", "turn", "task", "client", "model", "subagent"}

// Bounds of an answer.
const (
	maxCostModels = 100
	maxCostName   = 100 // bytes of a prompt, and of the name of a model
)

// costKeys tell by the kind of a row which one something belongs to.
var costKeys = map[string]func(b *book, c counted) CostRow{
	"day":    func(_ *book, c counted) CostRow { return CostRow{Key: c.At.UTC().Format(time.DateOnly)} },
	"client": func(_ *book, c counted) CostRow { return CostRow{Key: c.session.Agent, Agent: c.session.Agent} },
	"model":  func(_ *book, c counted) CostRow { return CostRow{Key: c.Model} },
	"session": func(_ *book, c counted) CostRow {
		return CostRow{Key: c.session.ID, Agent: c.session.Agent, Prompt: piton.Cut(c.session.LastMessage, maxCostName)}
	},
	"task": func(b *book, c counted) CostRow {
		first := b.tasks[c.session.ID]
		return CostRow{Key: cmp.Or(first.WorkflowID, first.ID), Agent: c.session.Agent, Prompt: piton.Cut(first.LastMessage, maxCostName)}
	},
	"subagent": func(_ *book, c counted) CostRow {
		name, _ := redact.Text(c.Subagent)
		return CostRow{Key: strings.TrimSuffix(c.session.ID+"/"+name, "/"), Agent: c.session.Agent}
	},
	"turn": func(b *book, c counted) CostRow {
		return CostRow{Key: c.session.ID + "/" + strconv.Itoa(b.turn(c.session, c.At)), Agent: c.session.Agent}
	},
}

// counted is what was used, and by whom.
type counted struct {
	session *agent.Session
	agent.Request
	requests int // 0: not known
}

// Cost adds up what the sessions of a span have used, from their clients' logs. A request
// counts once, in however many logs it stands. Of a session whose log is gone the sum is
// known, and no model. Where there is no store all is 0.
func (a Insight) Cost(ctx context.Context, r piton.CostRequest) (Cost, error) {
	now := a.Now()
	span, err := a.spanOf(r.Since)
	if err != nil {
		return Cost{}, err
	}
	_, date := listPrices()
	x := Cost{From: piton.At(now.Add(-span)), To: now, By: cmp.Or(r.By, CostKinds[0]), Rows: []CostRow{}, Models: []CostRow{}, Prices: date}
	k, err := a.Keeper(ctx, true)
	if err != nil {
		return x, caller.UnlessMissing(err)
	}
	var fits func(project string) bool
	if x.Project, fits, err = a.statsOf(ctx, r.Project); err != nil {
		return x, caller.UnlessMissing(err)
	}
	sessions, err := k.Local.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return x, err
	}
	slices.SortStableFunc(sessions, func(s, t agent.Session) int { return s.StartedAt.Compare(t.StartedAt.Time) }) // the first to have a request is whose it was
	b := book{Cost: &x, rows: map[string]*CostRow{}, models: map[string]*CostRow{}, own: a.Config("").Run.Prices, tasks: tasksOf(sessions)}
	b.began = func(s *agent.Session, n int) piton.Time {
		t, err := k.Local.Turn(ctx, s.ID, n)
		b.err = cmp.Or(b.err, caller.UnlessMissing(err))
		return t.StartedAt
	}
	sessions = slices.DeleteFunc(sessions, func(s agent.Session) bool {
		return s.Damaged || !fits(s.Project) || s.SeenAt.Before(x.From.Time)
	})
	for _, c := range b.read(ctx, sessions) {
		if !c.At.Before(x.From.Time) && !c.At.After(now.Add(time.Minute)) && c.Usage != (piton.TokenUsage{}) {
			b.add(c)
		}
	}
	b.close(r.Limit)
	return x, cmp.Or(b.err, ctx.Err())
}

// book adds up.
type book struct {
	*Cost
	own          map[string]agent.Price
	tasks        map[string]*agent.Session                   // by session
	began        func(s *agent.Session, turn int) piton.Time // the zero Time, where it is not kept
	turns        []piton.Time                                // when the turns of a session began
	ofTurn       string                                      // that session
	rows, models map[string]*CostRow                         // by their key
	err          error
}

// tasksOf are the first sessions of the tasks that sessions work at: one whose work another
// has taken over is of the same task.
func tasksOf(sessions []agent.Session) map[string]*agent.Session {
	from, first := map[string]*agent.Session{}, map[string]*agent.Session{}
	for _, s := range sessions {
		if s.TakenBy != "" {
			from[s.TakenBy] = &s
		}
	}
	for _, s := range sessions {
		root := &s
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

// read reads what sessions have used.
func (b *book) read(ctx context.Context, sessions []agent.Session) (all []counted) {
	seen := map[string]int{}
	gone, torn := 0, 0
	for i := range sessions {
		s, told := &sessions[i], false
		c, ok := clients.ByName(s.Agent)
		if !ok || ctx.Err() != nil {
			continue
		}
		whole, err := c.Spending(s.Transcript, func(r agent.Request) {
			r.Model, told = modelName(r.Model), true
			key := s.Agent + "\x00" + r.ID
			if at, twice := seen[key]; twice && r.ID != "" {
				all[at].Request = all[at].Merged(r)
				return
			}
			seen[key] = len(all)
			all = append(all, counted{s, r, 1})
		})
		switch {
		case err != nil && !told:
			gone++
			all = append(all, counted{session: s, Request: agent.Request{At: s.SeenAt.Time, Usage: s.Usage.Plus(s.TurnUsage)}})
		case err != nil || !whole:
			torn++
		}
	}
	if gone > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("sessions whose log cannot be read: %d; their tokens count on their last day, with no model", gone))
	}
	if torn > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("sessions of whose log not all could be read: %d; they have used more", torn))
	}
	return all
}

// modelName is a model's name as it can be shown; a log may hold anything.
func modelName(s string) string {
	s, _ = redact.Text(piton.Cut(piton.Printable(piton.Cut(s, 4*maxCostName)), maxCostName))
	return s
}

// add enters what was used.
func (b *book) add(c counted) {
	price, known := priceOf(b.own, c.session.Agent, c.Request)
	row, model := b.row(b.rows, b.By, c), b.row(b.models, "model", c)
	if known && (model.Source == "" || price.Over == 0) {
		model.Source, model.Date = price.Source, price.Checked
	}
	for _, sum := range []*CostSum{&b.Total, &row.CostSum, &model.CostSum} {
		sum.Usage = sum.Usage.Plus(c.Usage)
		sum.Requests += c.requests
		if known {
			sum.CostUSD += price.cost(c.Request)
		} else {
			sum.Unpriced = piton.TokenUsage{Input: sum.Unpriced, Output: c.Usage.Total()}.Total()
		}
	}
}

// row is the row that something belongs to.
func (b *book) row(rows map[string]*CostRow, kind string, c counted) *CostRow {
	x := costKeys[kind](b, c)
	if rows[x.Key] == nil {
		rows[x.Key] = &x
	}
	row := rows[x.Key]
	if row.Agent != x.Agent {
		row.Agent = ""
	}
	return row
}

// turn is the turn of a session that a time lies in; 0: it was before the first that is known.
func (b *book) turn(s *agent.Session, at time.Time) int {
	if b.ofTurn != s.ID {
		b.ofTurn, b.turns = s.ID, nil
		for n := range s.Turn {
			b.turns = append(b.turns, b.began(s, n+1))
		}
	}
	for i, began := range slices.Backward(b.turns) {
		if !began.IsZero() && !at.Before(began.Time) {
			return i + 1
		}
	}
	return 0
}

// close orders what was entered; limit is how many rows are shown, 0 all.
func (b *book) close(limit int) {
	b.Rows, b.Models, b.Total = ordered(b.rows, b.By), ordered(b.models, "model"), b.Total.rounded()
	if limit > 0 && len(b.Rows) > limit {
		b.More = len(b.Rows) - limit
		if b.By == CostKinds[0] { // the newest days
			b.Rows = b.Rows[b.More:]
		}
		b.Rows = b.Rows[:limit]
	}
	b.Models = b.Models[:min(len(b.Models), maxCostModels)]
}

// ordered are rows: days in their order, else the most costly first.
func ordered(rows map[string]*CostRow, kind string) []CostRow {
	list := []CostRow{}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		r := *rows[key]
		r.CostSum = r.rounded()
		list = append(list, r)
	}
	if kind != CostKinds[0] {
		slices.SortStableFunc(list, func(x, y CostRow) int {
			return cmp.Or(cmp.Compare(y.CostUSD, x.CostUSD), cmp.Compare(y.Usage.Total(), x.Usage.Total()))
		})
	}
	return list
}

// rounded is a sum in millionths of a dollar.
func (s CostSum) rounded() CostSum {
	s.CostUSD = math.Round(s.CostUSD*1e6) / 1e6
	return s
}
