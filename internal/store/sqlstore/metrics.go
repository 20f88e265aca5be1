package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// Counters of days stand among the others under "m DAY PROJECT NAME".
const (
	metricKey = "m "
	dayLayout = "2006-01-02"
)

// dayKey begins the keys of a day.
func dayKey(at time.Time) string { return metricKey + at.UTC().Format(dayLayout) }

// Count adds to counters of a project's day, in one statement and in the order of
// their names, so that two transactions lock the rows in one order. Transactions at the
// same time have counters of their own (Numbers.Share): their names have a tab
// and a number behind.
func (t *tx) Count(ctx context.Context, at piton.Time, project string, counts ...store.Counted) error {
	counts = store.Sum(counts)
	if len(counts) == 0 {
		return nil
	}
	var query strings.Builder
	query.WriteString(`INSERT INTO counters (name, value) VALUES `)
	key, args := dayKey(at.Time)+" "+project+" ", make([]any, 0, 2*len(counts))
	for i, c := range counts {
		if i > 0 {
			query.WriteString(", ")
		}
		fmt.Fprintf(&query, "($%d || %s, $%d)", 2*i+1, t.d.Numbers.Share, 2*i+2)
		args = append(args, key+c.Name, c.N)
	}
	// A counter that is full stays so: what is only counted refuses no save.
	query.WriteString(` ON CONFLICT (name) DO UPDATE SET value = CASE WHEN counters.value > 9223372036854775807 - excluded.value
		THEN 9223372036854775807 ELSE counters.value + excluded.value END`)
	return t.exec(ctx, "count", query.String(), args...)
}

// Metrics are the counters of days, the oldest first.
func (s *Store) Metrics(ctx context.Context, from piton.Time) (all []store.Metric, err error) {
	err = s.rows(ctx, "read the metrics", func(rows *sql.Rows) error {
		var name string
		var m store.Metric
		if err := rows.Scan(&name, &m.N); err != nil {
			return err
		}
		if parts := strings.SplitN(name, " ", 4); len(parts) == 4 {
			m.Day, m.Project, m.Name = parts[1], parts[2], parts[3]
			m.Name, _, _ = strings.Cut(m.Name, "\t")
		}
		if last := len(all) - 1; last >= 0 && all[last].Day == m.Day && all[last].Project == m.Project && all[last].Name == m.Name {
			all[last].N += min(m.N, math.MaxInt64-all[last].N)
			return nil
		}
		all = append(all, m)
		return nil
	}, `SELECT name, value FROM counters WHERE name >= $1 AND name < $2 ORDER BY name`, dayKey(from.Time), metricKey+"~")
	return all, err
}

// HookTimes are how long hooks took, from a time on.
func (s *Store) HookTimes(ctx context.Context, from piton.Time) ([]store.HookTime, error) {
	return collect(ctx, s.reader, "read what hooks took", func(scan scanner) (h store.HookTime, err error) {
		var at int64
		var data string
		if err := scan(&at, &h.Project, &h.Kind, &data); err != nil {
			return h, err
		}
		var took struct {
			MS int64 `json:"took_ms"`
		}
		err = json.Unmarshal([]byte(data), &took)
		h.At, h.MS = piton.FromMillis(at), took.MS
		return h, err
	}, `SELECT at, project, kind, data FROM events WHERE at >= $1 AND data LIKE '{"`+store.TookMS+`":%' ORDER BY id`, from.Millis())
}
