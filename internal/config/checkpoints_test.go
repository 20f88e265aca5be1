package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
)

const day = 24 * time.Hour

// builtIn is what applies where nothing is set, with HOME as /home/ann.
func builtIn() config.Checkpoints {
	return config.Checkpoints{
		Enabled: true, Auto: true, Compress: true, By: true, Retention: piton.DefaultRetention,
		Archive: "/home/ann/.local/state/piton/archive", Prune: config.PruneDaily,
	}
}

func ann(env map[string]string) map[string]string {
	all := map[string]string{"HOME": "/home/ann"}
	for k, v := range env {
		all[k] = v
	}
	return all
}

func TestCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		env        map[string]string
		set        func(c *config.Checkpoints)
		problem    string // pruning is off with it
	}{
		{"nothing", "", nil, nil, ""},
		{"the home moved", "", map[string]string{"PITON_HOME": "/p"}, func(c *config.Checkpoints) { c.Archive = "/p/archive" }, ""},
		{"all of ours", `
checkpoints:
  enabled: no
  auto: off
  warm: 3
  warm_for: 12h
  delete_after: 90d
  named_cap: 7
  open_for: 2w
  open_cap: 0
  max_per_session: 25
  compress: false
  archive: s3://bucket/piton
  prune: off
`, nil, func(c *config.Checkpoints) {
			*c = config.Checkpoints{Archive: "s3://bucket/piton", Prune: config.PruneOff, Retention: piton.Retention{
				Warm: 3, WarmFor: 12 * time.Hour, DeleteAt: 90 * day, NamedCap: 7, OpenFor: 14 * day, OpenCap: 0, PerSession: 25}, By: true}
		}, ""},
		{"no bounds", "checkpoints: {warm: 0, warm_for: 0, delete_after: 0}", nil, func(c *config.Checkpoints) {
			c.Retention.Warm, c.Retention.WarmFor, c.Retention.DeleteAt = 0, 0, 0
		}, ""},
		{"the environment over the file", "checkpoints: {warm: 3, prune: daily}", map[string]string{"PITON_CHECKPOINTS_WARM": "4", "PITON_CHECKPOINTS_DELETE_AFTER": "60d"},
			func(c *config.Checkpoints) { c.Retention.Warm, c.Retention.DeleteAt = 4, 60*day }, ""},
		{"a folder", "checkpoints: {archive: /mnt/cold/}", nil, func(c *config.Checkpoints) { c.Archive = "/mnt/cold" }, ""},

		{"the executor's spelling", `
agent:
  checkpoints:
    enabled: false
    autoCheckpoint: false
    maxCheckpointsPerSession: 10
    pruneAfterDays: 60
    compressState: false
`, nil, func(c *config.Checkpoints) {
			c.Enabled, c.Auto, c.Compress = false, false, false
			c.Retention.PerSession, c.Retention.DeleteAt = 10, 60*day
		}, ""},
		{"a session's bound applies only where it is set", "agent: {checkpoints: {enabled: true}}", nil, nil, ""},
		{"the conductor's spelling", `
checkpoint_retention:
  hot_storage:
    max_age: 24h
    max_per_workflow: 1
  warm_storage:
    max_age: 3d
    max_per_workflow: 5
  pruning_schedule: daily
  preserve_always:
    - named_checkpoints
    - phase_completion_checkpoints
`, nil, func(c *config.Checkpoints) { c.Retention.WarmFor, c.Retention.Warm = 3*day, 5 }, ""},
		{"its keys at the top", "pruning_schedule: off\npreserve_always: [named_checkpoints]", nil, func(c *config.Checkpoints) { c.Prune = config.PruneOff }, ""},
		{"ours wins", "checkpoints: {delete_after: 90d, warm: 8}\nagent: {checkpoints: {pruneAfterDays: 3}}\ncheckpoint_retention: {warm_storage: {max_per_workflow: 1}}", nil,
			func(c *config.Checkpoints) { c.Retention.DeleteAt, c.Retention.Warm = 90*day, 8 }, ""},
		{"ours wins though it cannot be used", "checkpoints: {delete_after: never}\nagent: {checkpoints: {pruneAfterDays: 3}}", nil, nil, `"never" is not a duration`},
		{"the environment wins over another spelling", "agent: {checkpoints: {pruneAfterDays: 3}}", map[string]string{"PITON_CHECKPOINTS_DELETE_AFTER": "9d"},
			func(c *config.Checkpoints) { c.Retention.DeleteAt = 9 * day }, ""},

		{"days without a unit", "checkpoints: {delete_after: 365}", nil, nil, `checkpoints.delete_after: "365" has no unit; write 365d for days`},
		{"a negative age", "checkpoints: {warm_for: -1h}", nil, nil, "is not a duration"},
		{"longer than can be", "checkpoints: {warm_for: 99999999d}", nil, nil, "is not a duration"},
		{"a fraction of days", "checkpoints: {warm_for: 1.5d}", nil, func(c *config.Checkpoints) { c.Retention.WarmFor = 36 * time.Hour }, ""},
		{"a negative number", "checkpoints: {warm: -1}", nil, nil, `"-1" is not a number of checkpoints`},
		{"a number in words", "checkpoints: {named_cap: many}", nil, nil, "is not a number of checkpoints"},
		{"a relative folder", "checkpoints: {archive: cold}", nil, nil, "neither a folder's whole path"},
		{"a folder in the user's home", "checkpoints: {archive: ~/cold}", nil, func(c *config.Checkpoints) { c.Archive = "/home/ann/cold" }, ""},
		{"a folder in another's home", "checkpoints: {archive: ~bob/cold}", nil, nil, "neither a folder's whole path"},
		{"another protocol", "checkpoints: {archive: 'ftp://host/x'}", nil, nil, "neither a folder's whole path"},
		{"no bucket", "checkpoints: {archive: 's3:///x'}", nil, nil, "name the bucket"},
		{"another schedule", "checkpoints: {prune: hourly}", nil, nil, "none of daily, off"},
		{"another schedule in the conductor's spelling", "pruning_schedule: hourly", nil, nil, "pruning_schedule: \"hourly\" is none of daily, off"},
		{"days in words", "agent: {checkpoints: {pruneAfterDays: 30d}}", nil, nil, "not a number of days"},
		{"more that is hot", "checkpoint_retention: {hot_storage: {max_per_workflow: 2}}", nil, nil, "alone is hot"},
		{"a hot age in words", "checkpoint_retention: {hot_storage: {max_age: long}}", nil, nil, "is not a duration"},
		{"more to preserve", "preserve_always: [named_checkpoints, everything]", nil, nil, `"everything" is none of`},
		{"misspelt", "checkpoints: {delete_afer: 90d}", nil, nil, "did you mean checkpoints.delete_after?"},
		{"misspelt in camel case", "agent: {checkpoints: {pruneAfterDay: 90}}", nil, nil, "did you mean agent.checkpoints.pruneAfterDays?"},
		{"of the same group", "agent: {checkpoints: {enable: true}}", nil, nil, "did you mean agent.checkpoints.enabled?"},
		{"another setting that cannot be used", "debrief: {mode: loud}", nil, nil, "loud"},
		{"a bad value in the environment", "", map[string]string{"PITON_CHECKPOINTS_WARM": "x"}, nil, "is not a number"},
		{"a file that cannot be read", "checkpoints: {", nil, nil, "did not find"},
	} {
		want := builtIn()
		if c.set != nil {
			c.set(&want)
		}
		if c.problem != "" {
			want.Prune = config.PruneOff // what it did say is not known
		}
		got, _ := layers{user: c.yaml, env: ann(c.env)}.load(t)
		if diff := cmp.Diff(want, got.Checkpoints); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", c.name, diff)
		}
		if (c.problem == "") != (len(got.Problems) == 0) || !strings.Contains(problems(got), c.problem) {
			t.Errorf("%s: got the problems %q, want %q", c.name, problems(got), c.problem)
		}
	}
}

func TestCheckpointsFrom(t *testing.T) {
	c, p := layers{
		user: "checkpoints: {warm: 3}\nagent: {checkpoints: {pruneAfterDays: 3, maxCheckpointsPerSession: 4}}\ncheckpoint_retention: {hot_storage: {max_age: 24h}}\n",
		env:  ann(map[string]string{"PITON_CHECKPOINTS_MAX_PER_SESSION": "5"}),
	}.load(t)
	want := map[string]string{
		"checkpoints.warm":                         p.UserFile,
		"checkpoints.delete_after":                 p.UserFile + " (agent.checkpoints.pruneAfterDays)",
		"checkpoints.max_per_session":              "PITON_CHECKPOINTS_MAX_PER_SESSION",
		"checkpoint_retention.hot_storage.max_age": p.UserFile,
	}
	if diff := cmp.Diff(want, c.From); diff != "" || len(c.Problems) > 0 {
		t.Errorf("problems %q, where values come from (want -, got +):\n%s", problems(c), diff)
	}
}

// TestProjectSetsNoRetention: a repository that somebody cloned decides nothing
// about what is deleted, sent or switched off.
func TestProjectSetsNoRetention(t *testing.T) {
	for key, value := range map[string]string{
		"checkpoints.enabled": "false", "checkpoints.auto": "false", "checkpoints.compress": "false",
		"checkpoints.warm": "1", "checkpoints.warm_for": "1h", "checkpoints.delete_after": "1h", "checkpoints.named_cap": "1",
		"checkpoints.open_for": "1h", "checkpoints.open_cap": "1", "checkpoints.max_per_session": "1",
		"checkpoints.archive": "s3://theirs/x", "checkpoints.prune": "off",
		"agent.checkpoints.enabled": "false", "agent.checkpoints.pruneAfterDays": "0", "agent.checkpoints.maxCheckpointsPerSession": "1",
		"checkpoint_retention.warm_storage.max_age": "1h", "pruning_schedule": "off",
	} {
		c, p := layers{project: key + ": " + value, env: ann(nil)}.load(t)
		if diff := cmp.Diff(builtIn(), c.Checkpoints); diff != "" || !strings.Contains(problems(c), key+" cannot be set by a project's file") {
			t.Errorf("%s: got problems %q, want it refused (want -, got +):\n%s", key, problems(c), diff)
		}
		if len(c.From) > 0 {
			t.Errorf("%s: got %v from %s, want nothing", key, c.From, filepath.Base(p.Project))
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	env := []string{"HOME=/home/ann", "PITON_HOME=/p", "PITON_STORE=sqlite:/x", "PITON_TEST_LOAD=1", "PITON_RUN_ID=run_1", "PITON_STEP_ID=a", "PITON_ATTEMPT=1", "PITON_IDEMPOTENCY_KEY=k", "PITON_RESUMES=chk_1", "PITON_CHECKPOINTS_WARM=3", "PITON_DEBRIEF_MODE=on",
		"PITON_UNHEARD_OF=1", "PITON_CHECKPOINTS_DELETE_AFER=90d", "PITON_EMPTY=", "PITONS=7", "ODD"}
	c := config.Load(config.Places{Getenv: func(string) string { return "" }, Environ: env})
	want := "read the settings in the environment: unknown variable PITON_CHECKPOINTS_DELETE_AFER; did you mean PITON_CHECKPOINTS_DELETE_AFTER?\n" +
		"read the settings in the environment: unknown variable PITON_UNHEARD_OF"
	if got := problems(c); got != want || c.Checkpoints.Prune != config.PruneOff {
		t.Errorf("got  %s, pruning %s\nwant %s, and none unasked", got, c.Checkpoints.Prune, want)
	}
	if c := config.Load(config.Places{Getenv: func(string) string { return "" }, Environ: []string{"PITON_CHECKPOINTS_PRUNE=daily"}}); len(c.Problems) > 0 {
		t.Errorf("got %q, want no problem", problems(c))
	}
}

func TestDocsNameEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		if !strings.Contains(string(text), "| `"+key+"` |") {
			t.Errorf("docs/config.md has no row for %s", key)
		}
	}
}
