// Package cron says when a schedule is due: cron expressions in time zones, by the wall
// clock there. It is pure: what time it is, the caller says (docs/spec.md, "Schedules").
package cron

import (
	"errors"
	"fmt"
	"strings"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// Times are the moments that one cron expression names in one time zone.
type Times struct {
	wall robfig.Schedule
	zone *time.Location
}

// fields are those of a cron expression, in their order.
var fields = []string{"minute (0-59)", "hour (0-23)", "day of the month (1-31)", "month (1-12)", "day of the week (0-6, 0 is Sunday)"}

var parser = robfig.NewParser(robfig.Minute | robfig.Hour | robfig.Dom | robfig.Month | robfig.Dow | robfig.Descriptor)

// Parse reads a cron expression of five fields, or a word as @daily, for a time zone by
// its IANA name. An error names the field that is wrong, and what never comes.
func Parse(expression, zone string) (Times, error) {
	text := strings.TrimSpace(expression)
	switch {
	case strings.HasPrefix(text, "TZ="), strings.HasPrefix(text, "CRON_TZ="):
		return Times{}, errors.New("the zone stands in the expression; write 'timezone'")
	case strings.HasPrefix(text, "@every"):
		return Times{}, errors.New("@every counts from nowhere; write the minutes, as in */15 * * * *")
	case strings.HasPrefix(text, "@reboot"):
		return Times{}, errors.New("a schedule knows times and no restarts; write a time, as in @daily")
	}
	if strings.EqualFold(zone, "Local") { // the machine's own
		return Times{}, errors.New("a zone wants a name that is the same on each machine, as in Europe/Rome or UTC")
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return Times{}, fmt.Errorf("there is no time zone %q; write its IANA name, as in Europe/Rome or UTC", zone)
	}
	wall, err := parser.Parse(text)
	if err != nil {
		return Times{}, wrong(text, err)
	}
	t := Times{wall: wall, zone: loc}
	if t.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Times{}, fmt.Errorf("%q never comes: no month of these has this day", text)
	}
	return t, nil
}

// wrong is the error that names the first field that cannot be read.
func wrong(text string, err error) error {
	if strings.HasPrefix(text, "@") {
		return fmt.Errorf("there is no %s; there are @hourly, @daily, @weekly, @monthly and @yearly", text)
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return fmt.Errorf("%q has %d fields; cron has 5: minute, hour, day of the month, month, day of the week", text, len(parts))
	}
	for i, part := range parts {
		alone := []string{"*", "*", "*", "*", "*"}
		alone[i] = part
		if _, err := parser.Parse(strings.Join(alone, " ")); err != nil {
			return fmt.Errorf("%q cannot be the %s: %w", part, fields[i], err)
		}
	}
	return fmt.Errorf("%q: %w", text, err)
}

// leaps is how many times a search that robfig/cron gives up after five years begins
// again: between the 29ths of February around 2100 are eight.
const leaps = 2

// Next is the first moment after a time; the zero Time for none. A wall clock time comes
// at most once: of one that the clock shows twice, in autumn, the first one counts. All
// that the clock leaves out, in spring, comes once, when it goes on.
func (t Times) Next(after time.Time) time.Time {
	w := onWall(after.In(t.zone))
	for range leaps {
		from := w
		for w = t.wall.Next(w); !w.IsZero(); w = t.wall.Next(w) {
			if at := t.moment(w); at.After(after) {
				return at
			}
		}
		w = time.Date(from.Year()+5, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Second)
	}
	return time.Time{}
}

// onWall is what the clock shows, as a moment of UTC, whose clock is never changed.
func onWall(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// moment is when the clock of the zone shows a time first, or is past it: the first moment
// of a stretch with one offset that does.
func (t Times) moment(wall time.Time) time.Time {
	for at := wall.AddDate(0, 0, -2).In(t.zone); ; {
		_, offset := at.Zone()
		begin, end := at.ZoneBounds()
		shows := wall.Add(-time.Duration(offset) * time.Second)
		if shows.Before(begin) {
			shows = begin
		}
		if end.IsZero() || shows.Before(end) {
			return shows.In(t.zone)
		}
		at = end
	}
}

// First is the earliest of what several expressions name after a time; the zero Time for
// none.
func First(all []Times, after time.Time) (first time.Time) {
	for _, t := range all {
		if at := t.Next(after); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}
