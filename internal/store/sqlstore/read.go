package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/piton-project/piton"
)

// candidatesShown bounds what an ambiguous prefix lists.
const candidatesShown = 5

const workflowColumns = `id, name, type, project, session_id, created_at, seq, head_id, closed`

func scanWorkflow(scan func(...any) error) (piton.Workflow, error) {
	var w piton.Workflow
	var created int64
	var closed int
	err := scan(&w.ID, &w.Name, &w.Type, &w.Project, &w.SessionID, &created, &w.Seq, &w.HeadID, &closed)
	w.CreatedAt, w.Closed = piton.FromMillis(created), closed != 0
	return w, err
}

// Workflow finds a workflow by id, prefix or name.
func (r reader) Workflow(ctx context.Context, ref, project string) (piton.Workflow, error) {
	op := "find workflow " + ref
	if piton.IsID(piton.WorkflowPrefix, ref) {
		id, err := r.resolve(ctx, op, "workflows", piton.WorkflowPrefix, ref)
		if err != nil {
			return piton.Workflow{}, err
		}
		return r.workflow(ctx, op, `id = $1`, id)
	}
	return r.workflow(ctx, op, `name = $1 AND name <> '' AND project = $2`, ref, project)
}

func (r reader) workflow(ctx context.Context, op, where string, args ...any) (piton.Workflow, error) {
	w, err := scanWorkflow(r.q.QueryRowContext(ctx, `SELECT `+workflowColumns+` FROM workflows WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return w, piton.Errorf(piton.NotFound, op, "'list' shows what there is", "no such workflow")
	}
	if err != nil {
		return w, r.d.fail(op, err)
	}
	return w, nil
}

// resolve turns an id's unambiguous beginning into the id.
func (r reader) resolve(ctx context.Context, op, table, prefix, ref string) (string, error) {
	if !piton.IsID(prefix, ref) {
		return "", piton.Errorf(piton.Invalid, op, "an id looks like "+prefix+"0123456789abcdef, and its beginning will do", "%q is not an id", ref)
	}
	var ids []string
	err := r.rows(ctx, op, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM `+table+` WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3`, ref, ref+"~", candidatesShown+1)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		hint := "'list' shows what there is"
		if table == "sessions" {
			hint = "'sessions' shows what there is"
		}
		return "", piton.Errorf(piton.NotFound, op, hint, "nothing has this id")
	case len(ids) == 1 || ids[0] == ref:
		return ids[0], nil
	}
	more := ""
	if len(ids) > candidatesShown {
		ids, more = ids[:candidatesShown], " and more"
	}
	return "", piton.Errorf(piton.Invalid, op, "give more characters of the one you mean", "ambiguous: %s%s", strings.Join(ids, ", "), more)
}

// Checkpoint finds a checkpoint by id or prefix.
func (r reader) Checkpoint(ctx context.Context, ref string) (piton.Checkpoint, error) {
	op := "find checkpoint " + ref
	id, err := r.resolve(ctx, op, "checkpoints", piton.CheckpointPrefix, ref)
	if err != nil {
		return piton.Checkpoint{}, err
	}
	c, err := r.checkpoint(ctx, op, byID, id)
	if err == nil && c.ID != id {
		return piton.Checkpoint{}, wrongRow(op, c.ID)
	}
	return c, err
}

// byID finds a row by its id so that the row itself is read, the id too: read
// from the index, as SQLite would, a damaged index could pass off one
// checkpoint as another.
const byID = `c.ordinal = (SELECT x.ordinal FROM checkpoints x WHERE x.id = $1)`

// wrongRow says that an index has led to another checkpoint than was asked
// for.
func wrongRow(op, got string) error {
	return piton.Errorf(piton.Corrupt, op, "'verify' shows what is damaged", "an index is damaged: it leads to %s", got)
}

func (r reader) checkpoint(ctx context.Context, op, where string, args ...any) (piton.Checkpoint, error) {
	c, err := scanCheckpoint(r.q.QueryRowContext(ctx, `SELECT `+checkpointColumns+checkpointFrom+`WHERE `+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return c, piton.Errorf(piton.NotFound, op, "'list' shows what there is", "no such checkpoint")
	}
	if err != nil {
		return c, r.d.fail(op, err)
	}
	return c, nil
}

// Head is the newest checkpoint of a branch, or of all branches.
func (r reader) Head(ctx context.Context, workflow, branch string) (piton.Checkpoint, error) {
	op := "find the head of " + workflow
	if branch == "" {
		return r.checkpoint(ctx, op, `c.id = (SELECT head_id FROM workflows WHERE id = $1)`, workflow)
	}
	return r.checkpoint(ctx, op, `c.id = (SELECT head_id FROM branches WHERE workflow_id = $1 AND name = $2)`, workflow, branch)
}

// List returns what fits the query, newest first.
func (r reader) List(ctx context.Context, q piton.Query) (piton.Page, error) {
	page, err := r.find(ctx, q, asked{from: checkpointFrom, ordinal: "c.ordinal"})
	for i := 1; err == nil && i < len(page.Checkpoints); i++ {
		if page.Checkpoints[i-1].Ordinal <= page.Checkpoints[i].Ordinal {
			err = wrongRow("list checkpoints", page.Checkpoints[i].ID)
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

func (r reader) find(ctx context.Context, q piton.Query, a asked) (piton.Page, error) {
	where, args, ordinal := filter(q, a)
	query := `SELECT ` + checkpointColumns + a.from + `WHERE ` + strings.Join(where, " AND ") + ` ORDER BY ` + ordinal + ` DESC`
	if q.Limit > 0 {
		query += fmt.Sprintf(" LIMIT %d", q.Limit+1)
	}
	var list []piton.Checkpoint
	err := r.rows(ctx, "list checkpoints", func(rows *sql.Rows) error {
		c, err := scanCheckpoint(rows.Scan)
		list = append(list, c)
		return err
	}, query, args...)
	return pageOf(list, q.Limit), err
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
	if q.Name != "" {
		add(`REPLACE(c.rest, $%d, '') <> c.rest`, nameInRest(q.Name))
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
	count := map[string]int{}
	err := r.rows(ctx, "count the open workflows", func(rows *sql.Rows) error {
		var session string
		err := rows.Scan(&session)
		count[session]++
		return err
	}, `SELECT head_session FROM workflows WHERE project = $1 AND closed = 0 AND head_id <> ''`, project)
	return count, err
}

// Children are the checkpoints whose parent this is, oldest first.
func (r reader) Children(ctx context.Context, id string) ([]piton.Checkpoint, error) {
	var list []piton.Checkpoint
	err := r.rows(ctx, "find the children of "+id, func(rows *sql.Rows) error {
		c, err := scanCheckpoint(rows.Scan)
		list = append(list, c)
		return err
	}, `SELECT `+checkpointColumns+checkpointFrom+`WHERE c.parent_id = $1 AND c.parent_id <> '' ORDER BY c.ordinal`, id)
	return list, err
}
