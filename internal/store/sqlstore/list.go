package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/record"
)

const listOp = "list checkpoints"

// List returns what fits the query, newest first.
func (r reader) List(ctx context.Context, q piton.Query) (piton.Page, error) {
	page, err := r.page(ctx, q, asked{from: checkpointFrom, ordinal: "c.ordinal"})
	for i := 1; err == nil && i < len(page.Checkpoints); i++ {
		if page.Checkpoints[i-1].Ordinal <= page.Checkpoints[i].Ordinal {
			err = wrongRow(listOp, page.Checkpoints[i].ID)
		}
	}
	return page, err
}

// asked is where a list comes from.
type asked struct {
	from    string // tables, with checkpoints c and workflows w
	ordinal string // of a checkpoint
	match   string // one condition more, if there is one; %d in it is the number of its parameter
	arg     any
}

func (r reader) page(ctx context.Context, q piton.Query, a asked) (piton.Page, error) {
	where, args, ordinal := filter(q, a)
	rest := a.from + `WHERE ` + strings.Join(where, " AND ") + ` ORDER BY ` + ordinal + ` DESC`
	if q.Limit > 0 {
		rest += fmt.Sprintf(" LIMIT %d", q.Limit+1)
	}
	query := `SELECT ` + record.CheckpointColumns
	if q.Workflow != "" && q.Limit > 0 && a.match == "" && !q.Open {
		// Its checkpoints are found in another order, and SQLite would sort whole rows.
		query += a.from + `WHERE ` + ordinal + ` IN (SELECT ` + ordinal + rest + `) ORDER BY ` + ordinal + ` DESC`
	} else {
		query += rest
	}
	all, err := collect(ctx, r, listOp, record.Checkpoint, query, args...)
	return pageOf(all, q.Limit), err
}

// pageOf cuts a list that may hold one more than the limit.
func pageOf(list []piton.Checkpoint, limit int) piton.Page {
	if limit == 0 || len(list) <= limit {
		return piton.Page{Checkpoints: list}
	}
	return piton.Page{Checkpoints: list[:limit], Next: list[limit-1].Ordinal}
}

// filter is a query as conditions on checkpoints c and workflows w, and by which
// ordinal its list is in order.
func filter(q piton.Query, a asked) (where []string, args []any, ordinal string) {
	where = []string{"1 = 1"}
	add := func(clause string, arg any) {
		args = append(args, arg)
		where = append(where, fmt.Sprintf(clause, len(args)))
	}
	if a.match != "" {
		add(a.match, a.arg)
	}
	if q.Workflow != "" {
		add("c.workflow_id = $%d", q.Workflow)
	}
	if q.Session != "" {
		add("c.session_id = $%d AND c.session_id <> ''", q.Session) // the index holds no empty ones
	}
	if len(q.Sessions) > 0 {
		var places []string
		for _, id := range q.Sessions {
			args = append(args, id)
			places = append(places, fmt.Sprintf("$%d", len(args)))
		}
		where = append(where, "c.session_id <> ''", "c.session_id IN ("+strings.Join(places, ", ")+")")
	}
	if q.Branch != "" {
		add("c.branch_name = $%d", q.Branch)
	}
	if q.Type != "" {
		add("w.type = $%d", q.Type)
	}
	if q.NotType != "" {
		add("w.type <> $%d", q.NotType)
	}
	if q.Archive != "" {
		add("c.archive = $%d AND c.archive <> ''", q.Archive)
	}
	if q.Trigger != "" {
		add("c.trigger_name = $%d", string(q.Trigger))
	}
	if q.Agent != "" {
		add(`REPLACE(c.rest, $%d, '') <> c.rest`, record.AgentInRest(q.Agent))
	}
	if q.Name != "" {
		add(`REPLACE(c.rest, $%d, '') <> c.rest`, record.NameInRest(q.Name))
	}
	if q.Tag != "" {
		// Not LIKE: SQLite's takes no notice of case, PostgreSQL's does.
		add(`REPLACE(c.tags, $%d, '') <> c.tags`, "\n"+q.Tag+"\n")
	}
	if q.Completed != nil && *q.Completed {
		where = append(where, "c.completed_at <> 0")
	}
	if q.Completed != nil && !*q.Completed {
		where = append(where, "c.completed_at = 0")
	}
	if !q.Since.IsZero() {
		add("c.created_at >= $%d", q.Since.Millis())
	}
	if !q.Until.IsZero() {
		add("c.created_at < $%d", q.Until.Millis())
	}
	ordinal, project := a.ordinal, "c.project"
	if q.Workflow != "" || q.Session != "" || len(q.Sessions) > 0 || q.Archive != "" {
		project = "c.project || ''" // SQLite would take the index of the project, which leads to more rows
	}
	if q.Open {
		project = "w.project"
		if a.match == "" {
			// Heads come from the index of open workflows, however many
			// checkpoints there are.
			ordinal = "w.head_ordinal"
		}
		where = append(where, "w.closed = 0", "w.head_id <> ''", "c.ordinal = w.head_ordinal")
	}
	switch {
	case q.Project != "" && q.Shared:
		add(project+" IN ('', $%d)", q.Project)
	case q.Project != "":
		add(project+" = $%d", q.Project)
	}
	if q.Before > 0 {
		add(ordinal+" < $%d", q.Before)
	}
	return where, args, ordinal
}

// CountOpen is how many heads of open workflows a project has, by session. They
// are counted here: to group them SQLite would sort, which costs a hook more.
func (r reader) CountOpen(ctx context.Context, project string) (map[string]int, error) {
	sessions, err := collect(ctx, r, "count the open workflows", value[string], `SELECT head_session FROM workflows WHERE project = $1 AND closed = 0 AND head_id <> ''`, project)
	count := map[string]int{}
	for _, s := range sessions {
		count[s]++
	}
	return count, err
}

// Children are the checkpoints whose parent this is, oldest first.
func (r reader) Children(ctx context.Context, id string) ([]piton.Checkpoint, error) {
	return collect(ctx, r, "find the children of "+id, record.Checkpoint, `SELECT `+record.CheckpointColumns+checkpointFrom+`WHERE c.parent_id = $1 AND c.parent_id <> '' ORDER BY c.ordinal`, id)
}

// Branches lists the branches of a workflow, in the order they began. One that
// has lost all its checkpoints is still there, with the checkpoint the next
// save on it goes on from as its head.
func (r reader) Branches(ctx context.Context, workflow string) ([]store.Branch, error) {
	op := "find the branches of " + workflow
	w, err := r.workflow(ctx, op, `id = $1`, workflow)
	if err != nil {
		return nil, err
	}
	return collect(ctx, r, op, func(scan scanner) (b store.Branch, err error) {
		err = scan(&b.Name, &b.HeadID, &b.FromID, &b.Count)
		return b, err
	}, `SELECT b.name, b.head_id, b.from_id, (SELECT COUNT(*) FROM checkpoints c WHERE c.workflow_id = b.workflow_id AND c.branch = b.id)
		FROM branches b WHERE b.workflow_id = $1 ORDER BY b.id`, w.ID)
}
