package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// Checkpoints says which checkpoints are made and how long they stay
// (docs/config.md).
type Checkpoints struct {
	Enabled   bool // hooks save at all
	Auto      bool // hooks save inside a turn too
	Compress  bool // states are compressed in the store
	Retention piton.Retention
	Archive   string // where the cold ones lie: a folder's absolute path, or s3://BUCKET/PREFIX
	Prune     string // PruneDaily or PruneOff
}

// How often the store is pruned unasked.
const (
	PruneDaily = "daily"
	PruneOff   = "off"
)

// defaultCheckpoints is what applies where nothing is set.
func defaultCheckpoints(getenv func(string) string) Checkpoints {
	return Checkpoints{
		Enabled: true, Auto: true, Compress: true, Retention: piton.DefaultRetention,
		Archive: filepath.Join(Home(getenv), "archive"), Prune: PruneDaily,
	}
}

// checkpointKeys are the settings under checkpoints. Of one project only
// whether hooks save at all can be said: one store holds all projects, and the
// others decide what leaves it.
func checkpointKeys() []key {
	at := func(c *Config) *Checkpoints { return &c.Checkpoints }
	keep := func(c *Config) *piton.Retention { return &c.Checkpoints.Retention }
	return []key{
		{name: "checkpoints.enabled", scope: vouched, codec: one(func(c *Config) *bool { return &at(c).Enabled }, truth)},
		{name: "checkpoints.auto", scope: vouched, codec: one(func(c *Config) *bool { return &at(c).Auto }, truth)},
		{name: "checkpoints.compress", scope: machine, codec: one(func(c *Config) *bool { return &at(c).Compress }, truth)},
		{name: "checkpoints.warm", scope: machine, codec: one(func(c *Config) *int { return &keep(c).Warm }, count)},
		{name: "checkpoints.warm_for", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).WarmFor }, days)},
		{name: "checkpoints.delete_after", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).DeleteAt }, days)},
		{name: "checkpoints.named_cap", scope: machine, codec: one(func(c *Config) *int { return &keep(c).NamedCap }, count)},
		{name: "checkpoints.open_for", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).OpenFor }, days)},
		{name: "checkpoints.open_cap", scope: machine, codec: one(func(c *Config) *int { return &keep(c).OpenCap }, count)},
		{name: "checkpoints.max_per_session", scope: machine, codec: one(func(c *Config) *int { return &keep(c).PerSession }, count)},
		{name: "checkpoints.archive", scope: machine, codec: one(func(c *Config) *string { return &at(c).Archive }, place)},
		{name: "checkpoints.prune", scope: machine, codec: one(func(c *Config) *string { return &at(c).Prune }, oneOf(PruneDaily, PruneOff))},
	}
}

// spelling is a key of the programs that Piton follows on. The user's file may
// use it; where ours is set too, ours wins.
type spelling struct {
	name string
	ours string // the key it stands for; empty: it asks for what is so anyway
	read func(v string) (string, error)
}

var otherSpellings = []spelling{
	{"agent.checkpoints.enabled", "checkpoints.enabled", asIs},
	{"agent.checkpoints.autoCheckpoint", "checkpoints.auto", asIs},
	{"agent.checkpoints.maxCheckpointsPerSession", "checkpoints.max_per_session", asIs},
	{"agent.checkpoints.pruneAfterDays", "checkpoints.delete_after", wholeDays},
	{"agent.checkpoints.compressState", "checkpoints.compress", asIs},
	{"checkpoint_retention.warm_storage.max_age", "checkpoints.warm_for", asIs},
	{"checkpoint_retention.warm_storage.max_per_workflow", "checkpoints.warm", asIs},
	{"checkpoint_retention.hot_storage.max_age", "", anyAge},
	{"checkpoint_retention.hot_storage.max_per_workflow", "", onlyHead},
	{"checkpoint_retention.pruning_schedule", "checkpoints.prune", asIs},
	{"checkpoint_retention.preserve_always", "", preserved},
	{"pruning_schedule", "checkpoints.prune", asIs},
	{"preserve_always", "", preserved},
}

func findOther(name string) (spelling, bool) {
	for _, o := range otherSpellings {
		if o.name == name {
			return o, true
		}
	}
	return spelling{}, false
}

func (c *Config) applyOther(o spelling, v, path string) {
	if c.own[o.ours] {
		return
	}
	value, err := o.read(v)
	k, ok := find(o.ours)
	if err == nil && ok {
		err = k.set(c, value)
	}
	switch {
	case err != nil:
		c.problem(path, "%s: %w", o.name, err)
	case ok:
		c.From[k.name] = path + " (" + o.name + ")"
	default:
		c.From[o.name] = path
	}
}

func asIs(v string) (string, error) { return v, nil }

func wholeDays(v string) (string, error) {
	if _, err := strconv.ParseUint(v, 10, 31); err != nil {
		return "", fmt.Errorf("%q is not a number of days", v)
	}
	return v + "d", nil
}

// anyAge: the newest checkpoint of a workflow is hot at any age.
func anyAge(v string) (string, error) {
	_, err := days(v)
	return "", err
}

// onlyHead: hot is the newest checkpoint of a workflow, no other.
func onlyHead(v string) (string, error) {
	if v != "1" {
		return "", fmt.Errorf("%q cannot be: the newest checkpoint of a workflow alone is hot", v)
	}
	return "", nil
}

// preserved: named checkpoints and completed phases are kept anyway.
func preserved(v string) (string, error) {
	known := []string{"named_checkpoints", "phase_completion_checkpoints"}
	for _, x := range strings.Fields(strings.Trim(v, "[]")) {
		if !slices.Contains(known, x) {
			return "", fmt.Errorf("%q is none of %s", x, strings.Join(known, ", "))
		}
	}
	return "", nil
}

// count reads a number of checkpoints, 0 for no bound.
func count(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of checkpoints; 0 sets no bound", v)
	}
	return int(n), nil
}

// days reads "30d", "2w", "12h" or 0. A bare number is refused: taken for
// seconds it would delete nearly everything.
func days(v string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is not a duration such as 30d or 12h; 0 sets no bound", v)
	if v == "0" {
		return 0, nil
	}
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, ok := strings.CutSuffix(v, unit); ok {
			x, err := strconv.ParseUint(n, 10, 31)
			if err != nil || time.Duration(x) > maxAge/length {
				return 0, wrong
			}
			return time.Duration(x) * length, nil
		}
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > maxAge {
		return 0, wrong
	}
	return d, nil
}

// maxAge is a hundred years: more is a slip, and would not fit a duration.
const maxAge = 100 * 365 * 24 * time.Hour

// place reads where an archive lies.
func place(v string) (string, error) {
	if bucket, ok := strings.CutPrefix(v, "s3://"); ok {
		if bucket == "" || strings.HasPrefix(bucket, "/") {
			return "", errors.New("name the bucket: s3://BUCKET/PREFIX")
		}
		return v, nil
	}
	if strings.HasPrefix(v, "~/") {
		return v, nil // see load
	}
	if !filepath.IsAbs(v) {
		return "", fmt.Errorf("%q is neither a folder's whole path nor s3://BUCKET/PREFIX", v)
	}
	return filepath.Clean(v), nil
}
