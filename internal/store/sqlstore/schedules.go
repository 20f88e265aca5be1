package sqlstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// schedules reads schedules.
type schedules struct{ reader }

var _ store.ScheduleReader = schedules{}

// Schedules reads schedules.
func (s *Store) Schedules() store.ScheduleReader { return schedules{s.reader} }

func scanSchedule(scan scanner) (s piton.Schedule, err error) {
	var data string
	var version int64
	if err := scan(&version, &data); err != nil {
		return s, err
	}
	err = json.Unmarshal([]byte(data), &s)
	s.Version = version
	return s, err
}

// Schedule finds a schedule by id or prefix.
func (r schedules) Schedule(ctx context.Context, ref string) (piton.Schedule, error) {
	op := "find schedule " + ref
	id, err := r.resolve(ctx, op, "schedules", piton.SchedulePrefix, ref)
	if err != nil {
		return piton.Schedule{}, err
	}
	list, err := collect(ctx, r.reader, op, scanSchedule, `SELECT version, data FROM schedules WHERE id = $1`, id)
	switch {
	case err != nil:
		return piton.Schedule{}, err
	case len(list) == 0:
		return piton.Schedule{}, noSchedule(op)
	case list[0].ID != id:
		return piton.Schedule{}, wrongRow(op, list[0].ID)
	}
	return list[0], nil
}

func noSchedule(op string) error {
	return piton.Errorf(piton.NotFound, op, "'runs schedule list' shows what there is", "no such schedule")
}

// Schedules lists schedules.
func (r schedules) Schedules(ctx context.Context, q piton.ScheduleQuery) ([]piton.Schedule, error) {
	where, order := `($1 = '' AND $2 = '' OR project = $1 AND $1 <> '' OR namespace = $2 AND $2 <> '') AND ($3 = '' OR home = $3)`, `name, n`
	args := params{q.Project, q.Namespace, q.Home}
	if !q.Due.IsZero() {
		where, order, args = where+` AND due_at > 0 AND due_at <= $4`, `due_at, n`, append(args, q.Due.Millis())
	}
	return collect(ctx, r.reader, "list schedules", scanSchedule, `SELECT version, data FROM schedules WHERE `+where+` ORDER BY `+order, args...)
}

// NextDue is when the first schedule is to be looked at.
func (r schedules) NextDue(ctx context.Context, home string, after piton.Time) (piton.Time, error) {
	var at int64
	_, err := r.get(ctx, "ask when a schedule is due", `SELECT due_at FROM schedules WHERE due_at > 0 AND due_at > $1 AND ($2 = '' OR home = $2) ORDER BY due_at LIMIT 1`, params{after.Millis(), home}, &at)
	return piton.FromMillis(at), err
}

// SchedulePlan is the text of a schedule's plan, checked against its sum.
func (r schedules) SchedulePlan(ctx context.Context, id string) ([]byte, error) {
	op := "read the plan of " + id
	var sum []byte
	var text string
	found, err := r.get(ctx, op, `SELECT sum, plan FROM schedules WHERE id = $1`, params{id}, &sum, &text)
	switch want := sha256.Sum256([]byte(text)); {
	case err != nil:
		return nil, err
	case !found:
		return nil, noSchedule(op)
	case !bytes.Equal(sum, want[:]):
		return nil, piton.Errorf(piton.Corrupt, op, r.d.Damaged, "it does not match the sum that was kept with it")
	}
	return []byte(text), nil
}

// scheduleWriter changes schedules in a transaction.
type scheduleWriter struct{ *tx }

var _ store.ScheduleWriter = scheduleWriter{}

// AddSchedule adds a schedule with its plan.
func (t scheduleWriter) AddSchedule(ctx context.Context, clean redact.Clean[piton.Schedule], plan redact.Clean[string]) error {
	s := clean.Get()
	op := "add the schedule " + s.Name
	s.Version = 1
	data, err := json.Marshal(s)
	if err != nil {
		return internal(op, err)
	}
	sum := sha256.Sum256([]byte(plan.Get()))
	n, err := t.changed(ctx, op, `INSERT INTO schedules (id, namespace, name, project, home, due_at, version, data, sum, plan) VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9) ON CONFLICT DO NOTHING`,
		s.ID, s.Namespace, s.Name, s.Project, s.Home, s.Due().Millis(), string(data), sum[:], plan.Get())
	if err == nil && n == 0 {
		err = piton.Errorf(piton.Conflict, op, "'runs schedule add PLAN replace' puts another one in its place, and 'runs schedule add PLAN name NAME' adds one beside it", "the project has a schedule %q", s.Name)
	}
	return err
}

// PutSchedule writes what changes of a schedule.
func (t scheduleWriter) PutSchedule(ctx context.Context, clean redact.Clean[piton.Schedule]) error {
	s := clean.Get()
	op := "write the schedule " + s.Name
	data, err := json.Marshal(s)
	if err != nil {
		return internal(op, err)
	}
	n, err := t.changed(ctx, op, `UPDATE schedules SET due_at = $1, version = version + 1, data = $2 WHERE id = $3 AND version = $4`, s.Due().Millis(), string(data), s.ID, s.Version)
	if err == nil && n == 0 {
		err = piton.Errorf(piton.Conflict, op, "do it again", "the schedule has changed meanwhile")
	}
	return err
}

// DeleteSchedule removes a schedule.
func (t scheduleWriter) DeleteSchedule(ctx context.Context, id string) error {
	const op = "remove a schedule"
	n, err := t.changed(ctx, op, `DELETE FROM schedules WHERE id = $1`, id)
	if err == nil && n == 0 {
		err = noSchedule(op)
	}
	return err
}

// putPlan replaces the text of a plan.
func (t scheduleWriter) putPlan(ctx context.Context, op, id string, plan []byte) error {
	sum := sha256.Sum256(plan)
	return t.exec(ctx, op, `UPDATE schedules SET sum = $1, plan = $2 WHERE id = $3`, sum[:], string(plan), id)
}
