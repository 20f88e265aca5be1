// Package filltest fills a store with the work of many agents, so that tests
// and measurements see what a store costs that has grown.
package filltest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// Size is how much a store gets.
type Size struct {
	Checkpoints int
	Workflows   int       // the checkpoints are spread evenly over them
	Now         time.Time // the newest checkpoint's time
	Over        time.Duration
	// Over is the time over which the work is spread: the oldest workflow
	// began so long before Now.
}

// Projects is how many projects the workflows belong to.
const Projects = 20

// batch is how many checkpoints one transaction adds.
const batch = 500

// Workflow is the id of workflow i, Session of the session that worked on it,
// Project of its project.
func Workflow(i int) string { return fmt.Sprintf("%s%016x", piton.WorkflowPrefix, i+1) }

// Session is the id of the session that worked on workflow i.
func Session(i int) string { return fmt.Sprintf("%s%016x", piton.SessionPrefix, i+1) }

// Project is the id of the project that workflow i belongs to.
func Project(i int) string { return fmt.Sprintf("%s%016x", piton.ProjectPrefix, i%Projects+1) }

// Checkpoint is the id of checkpoint n of workflow i.
func Checkpoint(i, n int) string {
	return fmt.Sprintf("%s%08x%08x", piton.CheckpointPrefix, i+1, n+1)
}

// Fill adds workflows of type custom and their checkpoints, each with a state
// of about 1 KB that grows out of the one before, many in a transaction. The
// last half of the workflows is open. The order is that of time: the workflows
// were worked on one after the other, some at a time.
func Fill(ctx context.Context, s store.Checkpoints, local *store.Local, size Size) error {
	per := size.Checkpoints / size.Workflows
	var all []store.Prepared
	const together = 10 // workflows that are worked on at the same time
	for first := 0; first < size.Workflows; first += together {
		for n := range per {
			for i := first; i < min(first+together, size.Workflows); i++ {
				begin := size.Now.Add(-size.Over).Add(time.Duration(float64(size.Over) * float64(i/together*together) / float64(size.Workflows)))
				span := size.Over / time.Duration(max(size.Workflows/together, 1))
				p := prepared(i, n, begin.Add(span*time.Duration(n)/time.Duration(per)))
				p.Close = i < size.Workflows/2
				all = append(all, p)
			}
		}
	}
	for len(all) > 0 {
		part := all[:min(batch, len(all))]
		all = all[len(part):]
		err := s.Save(ctx, func(tx store.Tx) error {
			for _, p := range part {
				if p.Record.StepNumber != nil && *p.Record.StepNumber == 0 {
					var i int
					fmt.Sscanf(p.Record.WorkflowID, piton.WorkflowPrefix+"%x", &i)
					w := piton.Workflow{ID: p.Record.WorkflowID, Name: fmt.Sprintf("work-%d", i-1), Type: piton.TypeCustom, Project: p.Record.Project, SessionID: p.Record.SessionID, CreatedAt: p.Record.CreatedAt}
					if err := tx.PutWorkflow(ctx, redact.Value(w)); err != nil {
						return err
					}
				}
				if _, err := tx.Append(ctx, redact.Value(p)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if local == nil {
		return nil
	}
	return sessions(ctx, local, size)
}

func sessions(ctx context.Context, local *store.Local, size Size) error {
	for first := 0; first < size.Workflows; first += batch {
		err := local.Update(ctx, func(tx store.LocalTx) error {
			for i := first; i < min(first+batch, size.Workflows); i++ {
				at := piton.At(size.Now.Add(-size.Over).Add(time.Duration(float64(size.Over) * float64(i) / float64(size.Workflows))))
				s := agent.Session{Identity: agent.Identity{ID: Session(i), Agent: "claude", ClientID: fmt.Sprintf("client-%d", i), Project: Project(i), CurrentID: Workflow(i), StartedAt: at, SeenAt: at}}
				if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
					return err
				}
				if err := tx.PutTurn(ctx, redact.Value(agent.Turn{SessionID: s.ID, N: 1, StartedAt: at, EndedAt: at})); err != nil {
					return err
				}
				if err := tx.Decide(ctx, redact.Value(agent.Decision{At: at, Session: s.ID})); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// subjects are what the steps are about, so that some words are rare and some
// are in every state.
var subjects = strings.Fields("parser lexer router cache index schema import export retry timeout login token billing invoice search ranking layout widget socket stream buffer codec worker queue lease ledger mirror digest signal metric")

func prepared(workflow, n int, at time.Time) store.Prepared {
	state := state(workflow, n)
	return store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
		ID: Checkpoint(workflow, n), InWorkflow: piton.InWorkflow{WorkflowID: Workflow(workflow), SessionID: Session(workflow), Project: Project(workflow)},
		Trigger: piton.TriggerAuto, CreatedAt: piton.At(at), AtStep: piton.AtStep{StepNumber: &n, StepName: fmt.Sprintf("step %d: %s", n, subjects[(workflow+n)%len(subjects)])},
		OfState: piton.OfState{SHA256: fmt.Sprintf("%x", sha256.Sum256(state)), SchemaVersion: 1},
	}}
}

// state is what a conductor would save: a list that grows, counters, and a
// digest that nothing else has.
func state(workflow, n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"task_summary":"work %d on the %s","step":%d,"todos":[`, workflow, subjects[workflow%len(subjects)], n)
	for i := max(0, n-8); i <= n; i++ {
		if i > max(0, n-8) {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"content":"%s and %s of part %d","status":"done"}`, subjects[i%len(subjects)], subjects[(workflow+i)%len(subjects)], i)
	}
	fmt.Fprintf(&b, `],"files_modified":["src/part%d/%s.go"],"output":"%s"}`, n, subjects[n%len(subjects)], strings.Repeat(fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d/%d", workflow, n))), 4))
	return []byte(b.String())
}
