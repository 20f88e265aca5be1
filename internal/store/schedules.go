package store

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
)

// ScheduleReader reads schedules. NotFound for what is not there.
type ScheduleReader interface {
	// Schedule finds a schedule by id or an id's unambiguous beginning.
	Schedule(ctx context.Context, ref string) (piton.Schedule, error)
	// Schedules lists what fits.
	Schedules(ctx context.Context, q piton.ScheduleQuery) ([]piton.Schedule, error)
	// SchedulePlan is the text of a schedule's plan. Corrupt where it does not match the
	// sum that was kept with it.
	SchedulePlan(ctx context.Context, id string) ([]byte, error)
	// NextDue is when the first schedule of a home is to be looked at after a time, "" for
	// all homes; the zero time for never.
	NextDue(ctx context.Context, home string, after piton.Time) (piton.Time, error)
}

// ScheduleWriter changes schedules.
type ScheduleWriter interface {
	// AddSchedule adds a schedule with the text of its plan, as version 1. Conflict where
	// the namespace has one of this name.
	AddSchedule(ctx context.Context, s redact.Clean[piton.Schedule], plan redact.Clean[string]) error
	// PutSchedule writes what changes of a schedule whose version is still that of s, and
	// gives it the next one. Conflict where another write came before, or it is gone: of
	// several daemons that read it at once, one does what it has decided.
	PutSchedule(ctx context.Context, s redact.Clean[piton.Schedule]) error
	// DeleteSchedule removes a schedule; its runs stay. NotFound where it is not there.
	DeleteSchedule(ctx context.Context, id string) error
}
