package filestore

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
)

// Kills of the full run and of -short; every killsPerStore a new store begins.
const (
	kills         = 200
	shortKills    = 20
	killsPerStore = 10
	savers        = 3
)

// childEnv names the folder that a test's own binary is to save to.
const childEnv = "PITON_TEST_CHILD"

func TestMain(m *testing.M) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := saveChild(context.Background(), dir, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// saveChild saves to a few workflows and says each id with the sum of its
// state as soon as it is acknowledged, until it is killed. Now and then it
// completes one, and deletes one of its own and says so before and after.
func saveChild(ctx context.Context, dir, seed string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(uint64(os.Getpid()), 5))
	last := ""
	for i := 0; ; i++ {
		state := fmt.Sprintf(`{"seed":%q,"i":%d,"text":%q}`, seed, i, strings.Repeat("green rivers ", rnd.IntN(1000)))
		flow := derived(piton.WorkflowPrefix, fmt.Sprint("flow ", rnd.IntN(4)))
		p := prepared(piton.NewID(piton.CheckpointPrefix), flow, state)
		if last != "" && i%7 == 0 {
			fmt.Println("deleting", last)
		}
		err := s.Save(ctx, func(tx piton.CheckpointTx) error {
			if _, err := tx.Workflow(ctx, flow, ""); piton.CodeOf(err) == piton.NotFound {
				if err := tx.PutWorkflow(ctx, piton.Workflow{ID: flow, Type: piton.TypeCustom}); err != nil {
					return err
				}
			}
			if last != "" && i%7 == 0 {
				if _, err := tx.Delete(ctx, []string{last}); err != nil {
					return err
				}
			}
			c, err := tx.Append(ctx, p)
			if err == nil && i%5 == 0 {
				err = tx.Complete(ctx, c.ID, c.CreatedAt)
			}
			return err
		})
		if err != nil {
			return err
		}
		if last != "" && i%7 == 0 {
			fmt.Println("deleted", last)
		}
		fmt.Println("saved", p.Record.ID, p.Record.SHA256)
		last = p.Record.ID
	}
}

// TestNothingAcknowledgedIsLostByKill kills one of several saving processes at
// random moments and looks for everything they had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	n := kills
	if testing.Short() {
		n = shortKills
	}
	total := 0
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for done := 0; done < n; {
		dir := filepath.Join(t.TempDir(), "store")
		saved, maybe := map[string]string{}, map[string]bool{}
		for range killsPerStore / savers {
			var all []*exec.Cmd
			var outs []*bufio.Scanner
			for i := range savers {
				cmd, out := startSaver(t, dir, fmt.Sprint(done+i))
				all, outs = append(all, cmd), append(outs, out)
			}
			for i, cmd := range all {
				// Some are killed while they open, the others after some saves.
				for range rnd.IntN(8) {
					if !outs[i].Scan() {
						t.Fatalf("a child ended by itself: %v", cmd.Wait())
					}
					hear(saved, maybe, outs[i].Text())
				}
				time.Sleep(time.Duration(rnd.IntN(5000)) * time.Microsecond)
				cmd.Process.Kill()
			}
			for i, cmd := range all {
				for outs[i].Scan() {
					hear(saved, maybe, outs[i].Text())
				}
				cmd.Wait()
				if text := cmd.Stderr.(*strings.Builder).String(); text != "" {
					t.Fatalf("a child failed by itself: %s", text)
				}
			}
			done += savers
			sound(t, dir, saved, maybe)
		}
		total += len(saved)
	}
	t.Logf("%d kills, %d checkpoints acknowledged and kept, all there", n, total)
}

func startSaver(t *testing.T, dir, seed string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, seed)
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = &strings.Builder{}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		r.Close()
	})
	return cmd, bufio.NewScanner(io.Reader(r))
}

// hear takes down what a child has said; a torn line was not said.
func hear(saved map[string]string, maybe map[string]bool, line string) {
	words := strings.Fields(line)
	switch {
	case len(words) == 3 && words[0] == "saved" && len(words[2]) == 64:
		saved[words[1]] = words[2]
	case len(words) == 2 && words[0] == "deleting":
		maybe[words[1]] = true
	case len(words) == 2 && words[0] == "deleted":
		delete(saved, words[1])
	}
}

// sound fails unless all that was acknowledged is there, every number is given
// once, every state loads, and the check finds no fault.
func sound(t *testing.T, dir string, saved map[string]string, maybe map[string]bool) {
	t.Helper()
	s := reopened(t, dir)
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	head := map[string]piton.Checkpoint{}
	for _, c := range slices.Backward(page.Checkpoints) {
		have[c.ID] = true
		if c.Seq <= head[c.WorkflowID].Seq {
			t.Fatalf("%s: got the number %d behind %d", c.ID, c.Seq, head[c.WorkflowID].Seq)
		}
		head[c.WorkflowID] = c
		state, err := s.State(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(state); saved[c.ID] != "" && hex.EncodeToString(sum[:]) != saved[c.ID] {
			t.Fatalf("%s: got another state than the acknowledged", c.ID)
		}
	}
	for id := range saved {
		if !have[id] && !maybe[id] {
			t.Fatalf("%s was acknowledged and is lost", id)
		}
	}
	for id, c := range head {
		w, err := s.Workflow(t.Context(), id, "")
		if err != nil || w.HeadID != c.ID || w.Seq < c.Seq {
			t.Fatalf("workflow: got %+v, %v, want the head %s with %d", w, err, c.ID, c.Seq)
		}
	}
	err = s.Save(t.Context(), func(tx piton.CheckpointTx) error { return tx.Count(t.Context(), "checked", 1) })
	if err != nil {
		t.Fatal(err)
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Fatalf("got the faults %q (%v), want none", faults, err)
	}
}
