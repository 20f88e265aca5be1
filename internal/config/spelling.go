package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

func wholeDays(v string) (string, error) {
	if _, err := strconv.ParseUint(v, 10, 31); err != nil {
		return "", fmt.Errorf("%q is not a number of days", v)
	}
	return v + "d", nil
}

// anyAge: the newest checkpoint of a workflow is hot at any age.
func anyAge(v string) (string, error) {
	_, err := parseDays(v)
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
