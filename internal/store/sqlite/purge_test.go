package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// TestPurge stores secrets as an older program might have, takes them out, and
// looks for them in the bytes of the files.
func TestPurge(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "piton.db")
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Type: piton.TypeCustom, CreatedAt: piton.FromMillis(1)}
	var ids []string
	for i := range 70 { // over an epoch's edge; every tenth holds the secret
		state := fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("plain words ", 2000))
		if i%10 == 0 {
			state = fmt.Sprintf(`{"n":%d,"text":"%s and %s"}`, i, strings.Repeat("plain words ", 2000), secret)
		}
		sum := sha256.Sum256([]byte(state))
		p := store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
			ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: w.ID, Branch: piton.MainBranch}, Trigger: piton.TriggerManual, CreatedAt: piton.FromMillis(2),
			Described: piton.Described{Name: "n " + secret, Tags: []string{"t"}}, OfState: piton.OfState{SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
		}}
		err := s.Update(ctx, func(tx store.LocalTx) error {
			if i == 0 {
				if err := tx.PutWorkflow(ctx, redact.Unchecked(w)); err != nil {
					return err
				}
				if err := tx.PutSession(ctx, redact.Unchecked(agent.Session{Identity: agent.Identity{ID: piton.NewID(piton.SessionPrefix), Agent: "claude", ClientID: "c"}, Remembers: agent.Remembers{LastMessage: "use " + secret}})); err != nil {
					return err
				}
				if err := tx.PutVerified(ctx, "k", redact.Unchecked(agent.Verified{Command: "make test", Output: "with " + secret})); err != nil {
					return err
				}
			}
			c, err := tx.Append(ctx, redact.Unchecked(p))
			ids = append(ids, c.ID)
			if err != nil || i > 0 {
				return err
			}
			return errors.Join(addSchedule(ctx, tx.Schedules, secret), addRun(ctx, tx.Runs, w.ID, secret))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	k := history.Keeper{Store: s, Local: s.Local()}
	dry, err := k.Purge(ctx, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Purge(ctx, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Taken != 70+7+1+1+5+2+1 || dry.Taken != got.Taken || len(got.Checkpoints) != 70 || len(got.Beyond) == 0 {
		t.Errorf("got %d taken out of %d, dry %d, beyond %q", got.Taken, len(got.Checkpoints), dry.Taken, got.Beyond)
	}
	for _, file := range []string{path, path + "-wal"} {
		if raw, err := os.ReadFile(file); err != nil || bytes.Contains(raw, []byte(secret[4:])) {
			t.Errorf("%s still holds the secret (%v)", filepath.Base(file), err)
		}
	}
	checkPurged(ctx, t, k, ids)
	r, err := s.Runs().Run(ctx, "run_0")
	if err != nil || !strings.Contains(r.Plan+r.Error+r.Owner.Host, "[REDACTED:github-token]") {
		t.Errorf("run: got %+v, %v, want it without the secret", r, err)
	}
	if plan, err := s.Runs().RunPlan(ctx, r.ID); err != nil || !strings.Contains(string(plan), "[REDACTED:github-token]") {
		t.Errorf("plan: got %s, %v, want it without the secret", plan, err)
	}
	if plan, err := s.Schedules().SchedulePlan(ctx, "sch_0000000000000001"); err != nil || !strings.Contains(string(plan), "[REDACTED:github-token]") {
		t.Errorf("plan of a schedule: got %s, %v, want it without the secret", plan, err)
	}
	for text, want := range map[string]piton.Code{"with " + secret: piton.NotFound, "without": ""} {
		sum := sha256.Sum256([]byte(text))
		if got, err := s.Runs().Artifact(ctx, r.ID, hex.EncodeToString(sum[:])); piton.CodeOf(err) != want || err == nil && string(got) != text {
			t.Errorf("artifact: got %q, %v, want %q", got, err, want)
		}
	}
	if x, err := s.Schedules().Schedule(ctx, "sch_0000000000000001"); err != nil || !strings.Contains(x.Query, "[REDACTED:github-token]") {
		t.Errorf("schedule: got %+v, %v, want it without the secret", x, err)
	}
	if again, err := k.Purge(ctx, false, nil); err != nil || again.Taken != 0 {
		t.Errorf("again: got %d, %v, want nothing", again.Taken, err)
	}
}

// addSchedule adds a schedule with a secret in its texts.
func addSchedule(ctx context.Context, schedules store.ScheduleWriter, secret string) error {
	x := piton.Schedule{ID: "sch_0000000000000001", Name: "s", Query: "use " + secret}
	return schedules.AddSchedule(ctx, redact.Unchecked(x), redact.Unchecked("name: "+secret+"\n"))
}

// addRun adds a run with a secret in each of its texts.
func addRun(ctx context.Context, runs store.RunWriter, workflow, secret string) error {
	r := piton.Run{ID: "run_0000000000000001", WorkflowID: workflow, Branch: piton.MainBranch, Plan: "plan " + secret, Error: "error " + secret,
		Status: piton.RunRunning, Owner: piton.Owner{PID: 1, Host: secret}, Fence: 1}
	if err := runs.AddRun(ctx, redact.Unchecked(r), redact.Unchecked(json.RawMessage(`{"name":"`+secret+`"}`))); err != nil {
		return err
	}
	if err := errors.Join(runs.PutArtifact(ctx, r.ID, redact.Unchecked([]byte("with "+secret))), runs.PutArtifact(ctx, r.ID, redact.Unchecked([]byte("without")))); err != nil {
		return err
	}
	return runs.AnswerRun(ctx, redact.Unchecked(piton.Answer{RunID: r.ID, StepID: "s", Shown: "aa", Words: "use " + secret}))
}

func checkPurged(ctx context.Context, t *testing.T, k history.Keeper, ids []string) {
	for i, id := range ids {
		l, err := k.Load(ctx, history.Selector{ID: id}, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(l.State), "[REDACTED:github-token]"); got != (i%10 == 0) || !strings.HasPrefix(string(l.State), fmt.Sprintf(`{"n":%d,"text":"plain`, i)) {
			t.Errorf("%d: got %.40q…, redacted %v", i, l.State, got)
		}
	}
	v, err := k.Verify(ctx, history.VerifyOptions{})
	if err != nil || len(v.Damaged)+len(v.Store) > 0 {
		t.Errorf("verify: got %+v, %v, want nothing", v, err)
	}
}

// TestReclaimMends turns off what a file needs to give pages back, as a power
// cut while it was made can leave it.
func TestReclaimMends(t *testing.T) {
	ctx := t.Context()
	s, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "piton.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.DB.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`PRAGMA auto_vacuum = 0`, `VACUUM`} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	mode := func() (n int) {
		if err := s.DB.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := mode(); got != 0 {
		t.Fatalf("before: got %d, want 0", got)
	}
	if _, err := s.Reclaim(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := mode(); got != 2 {
		t.Errorf("after: got %d, want 2", got)
	}
}
