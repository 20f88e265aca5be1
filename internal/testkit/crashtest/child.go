package crashtest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// child is the work of one life.
type child struct {
	store store.Checkpoints
	cold  string // a folder
	alone bool   // it deletes, archives or prunes: no other does
	rnd   *rand.Rand
	seed  uint64
	out   io.Writer
	n     int      // pieces of work begun
	ids   []string // what may be deleted or archived
	old   map[string][]byte
	from  piton.Workflow // what is imported belongs to it
	seq   int64          // the last number imported
}

func (w *child) say(words ...any) error {
	_, err := fmt.Fprintln(w.out, words...)
	return err
}

// save saves from 100 B to 200 KB, as many below 4 KB as above; every other
// state is the workflow's last one, grown.
func (w *child) save(ctx context.Context) error {
	size := 100 << w.rnd.IntN(12)
	flow := fmt.Sprint("flow ", w.rnd.IntN(5))
	state := State(w.seed<<32|uint64(w.n), size/2+w.rnd.IntN(size/2))
	if old := w.old[flow]; old != nil && len(old) < 200<<10 && w.rnd.IntN(2) == 0 {
		state = fmt.Appendf(old[:len(old)-2:len(old)-2], `,{"n":%d,"content":"%s"}]}`, w.n, words(w.rnd))
	}
	w.old[flow] = state
	project := shared
	if w.alone && w.rnd.IntN(3) > 0 {
		project = own
	}
	begin := time.Now()
	c, err := history.Keeper{Store: w.store}.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: flow, InProject: piton.InProject{Project: project}, State: state}})
	if err != nil {
		return fmt.Errorf("after %v: %w", time.Since(begin), err)
	}
	if got := sum(state); got != c.SHA256 {
		return fmt.Errorf("%s: got the sum %s, want %s", c.ID, c.SHA256, got)
	}
	w.ids = append(w.ids, c.ID)
	return w.say(Save, c.ID, c.SHA256, c.Seq, c.WorkflowID, time.Since(begin).Microseconds())
}

// take imports one to four checkpoints in one transaction, sometimes one of
// them twice.
func (w *child) take(ctx context.Context) error {
	var entries []store.Entry
	parent := ""
	for i := range 1 + w.rnd.IntN(4) {
		state := State(w.seed<<40|uint64(w.n)<<8|uint64(i), 50<<w.rnd.IntN(8))
		w.seq += 1 + w.rnd.Int64N(3)
		c := piton.Checkpoint{
			ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: w.from.ID, Workflow: w.from.Name, Project: own, WorkflowType: w.from.Type, Branch: piton.MainBranch, Seq: w.seq, ParentID: parent},
			Trigger: piton.TriggerManual, CreatedAt: piton.At(time.Now()), OfState: piton.OfState{StateBytes: int64(len(state)), SHA256: sum(state), SchemaVersion: 1},
		}
		parent = c.ID
		entries = append(entries, store.Entry{Workflow: w.from, Checkpoint: c, State: state})
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Checkpoint.ID)
	}
	if err := w.say("begin", Import, "-", strings.Join(ids, ",")); err != nil {
		return err
	}
	again := w.rnd.IntN(3) == 0
	err := w.store.Save(ctx, func(tx store.Tx) error {
		for _, e := range entries {
			if added, err := tx.Import(ctx, redact.Value(e)); err != nil || !added {
				return fmt.Errorf("import %s: got %t, %w, want it added", e.Checkpoint.ID, added, err)
			}
		}
		if !again {
			return nil
		}
		if added, err := tx.Import(ctx, redact.Value(entries[0])); err != nil || added {
			return fmt.Errorf("import %s again: got %t, %w, want it left as it is", entries[0].Checkpoint.ID, added, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		c := e.Checkpoint
		w.ids = append(w.ids, c.ID)
		if err := w.say(Import, c.ID, c.SHA256, c.Seq, c.WorkflowID, 0); err != nil {
			return err
		}
	}
	return w.say("over", Import, "-", strings.Join(ids, ","))
}

// lexicon holds nothing that looks like a secret.
var lexicon = strings.Fields("all work and no play makes a dull day over the hills far away where green rivers run to the sea")

func words(rnd *rand.Rand) string {
	var s []string
	for range 12 {
		s = append(s, lexicon[rnd.IntN(len(lexicon))])
	}
	return strings.Join(s, " ")
}

// State is a JSON object of about n bytes, the same for the same seed. It ends
// in the list "todos".
func State(seed uint64, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 7))
	b := fmt.Appendf(nil, `{"seed":%d,"todos":[`, seed)
	for len(b) < n {
		b = fmt.Appendf(b, `{"content":"%s"},`, words(rnd))
	}
	return append(b, `{}]}`...)
}

func sum(state []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(state))
}
