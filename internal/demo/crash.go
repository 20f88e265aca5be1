package demo

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton"
)

// The kill comes after so many saves and a random time. The saver does nothing
// but save, so that it seldom hits between two saves; then it is tried again.
const (
	minSaves   = 3
	killWithin = 150 * time.Millisecond
	maxTries   = 10
)

// acked is a save whose success the saver has reported.
type acked struct {
	n       int
	id, sum string
	bytes   int
	micros  int64
}

// crash is the part in which a program is killed and its work taken up again.
type crash struct {
	*stage
	seen *Seen
	last piton.Checkpoint // the newest after the kill
}

// kill kills a program in the middle of a save and looks at what is left.
func (d *crash) kill(ctx context.Context) error {
	d.title("A program saves its state after each file it imports, and is killed")
	var saves []acked
	for range maxTries {
		more, inFlight, err := d.killSaver(ctx, len(saves)+1)
		if err != nil {
			return err
		}
		saves = append(saves, more...)
		if inFlight > 0 {
			d.tellSaves(saves, inFlight)
			return d.look(ctx, saves)
		}
	}
	return d.broken("in %d tries the program was never killed in the middle of a save", maxTries)
}

// killSaver starts the saver, kills it at a random moment, and returns what it
// has reported; inFlight is the number of the save it was at, 0 when it was at
// none.
func (d *crash) killSaver(ctx context.Context, from int) (saves []acked, inFlight int, err error) {
	cmd := exec.CommandContext(ctx, d.self, "demo", "saver", "--from", strconv.Itoa(from))
	cmd.Dir, cmd.Env = d.repo, d.env()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, 0, &piton.Error{Code: piton.Unavailable, Op: "start the program that saves", Err: err}
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n int
		var s acked
		if _, err := fmt.Sscanf(lines.Text(), "saving %d", &n); err == nil {
			inFlight = n
			continue
		}
		if _, err := fmt.Sscanf(lines.Text(), "saved %d %s %s %d %d", &s.n, &s.id, &s.sum, &s.bytes, &s.micros); err != nil {
			continue
		}
		inFlight = 0
		if saves = append(saves, s); len(saves) == minSaves {
			time.AfterFunc(rand.N(killWithin), func() { _ = cmd.Process.Kill() })
		}
	}
	err = cmd.Wait()
	if len(saves) < minSaves {
		return nil, 0, d.broken("the program that saves ended by itself (%v): %s", err, stderr.String())
	}
	return saves, inFlight, nil
}

func (d *crash) tellSaves(saves []acked, inFlight int) {
	const first, last = 2, 3
	for i, s := range saves {
		switch middle := len(saves) - first - last; {
		case i == first && middle > 1:
			d.printf("   and %d more\n", middle)
		case i < first || i >= first+middle || middle == 1:
			d.printf("   saved  %3d  %s  %5.1f KB  %4.1f ms\n", s.n, s.id, float64(s.bytes)/1000, float64(s.micros)/1000)
		}
	}
	d.printf("   saving %3d  %s\n", inFlight, d.paint.Red("killed with SIGKILL"))
}

// look reads every acknowledged checkpoint back and compares its sum with the
// one the saver made before it saved. The save that was killed has left
// nothing, or all.
func (d *crash) look(ctx context.Context, saves []acked) error {
	list, err := d.app.List(ctx, piton.ListRequest{Workflow: saverWorkflow})
	if err != nil {
		return err
	}
	start := time.Now()
	sums := map[string]string{}
	for _, s := range saves {
		sums[s.id] = s.sum
	}
	for _, c := range list.Checkpoints {
		l, err := d.app.Load(ctx, piton.LoadRequest{Choice: piton.Choice{Ref: c.ID}})
		if err != nil {
			return d.broken("checkpoint %s is lost after the kill: %v", c.ID, err)
		}
		want, ok := sums[c.ID]
		if ok {
			d.seen.Verified++
		} else if c.StepNumber != nil {
			want = fmt.Sprintf("%x", sha256.Sum256(saverState(*c.StepNumber)))
		}
		if fmt.Sprintf("%x", sha256.Sum256(l.State)) != want {
			return d.broken("checkpoint %s is not what was saved", c.ID)
		}
	}
	d.seen.Acknowledged = len(saves)
	if d.seen.Verified != len(saves) || len(list.Checkpoints) > len(saves)+1 {
		return d.broken("%d saves were acknowledged, %d of them are there, among %d checkpoints", len(saves), d.seen.Verified, len(list.Checkpoints))
	}
	d.seen.InFlight, d.last = "absent", list.Checkpoints[0]
	fate := "The save that was killed has left nothing behind."
	if len(list.Checkpoints) > len(saves) {
		d.seen.InFlight = "durable"
		fate = "The save that was killed was already durable; only its answer was lost."
	}
	d.say("%s %d of %d acknowledged checkpoints are whole, every sha256 compared, in %d ms. %s", d.paint.Green("ok"), d.seen.Verified, len(saves), time.Since(start).Milliseconds(), fate)
	return nil
}

// resume takes the work up again.
func (d *crash) resume(ctx context.Context) error {
	d.title("Later, a person or an agent takes the work up at the last checkpoint")
	r, err := d.app.Resume(ctx, piton.ResumeRequest{})
	if err != nil {
		return err
	}
	if r.Checkpoint.ID != d.last.ID || r.RecoveredFrom != "" {
		return d.broken("resume took %s, not the last checkpoint %s", r.Checkpoint.ID, d.last.ID)
	}
	d.seen.ResumedID = r.Checkpoint.ID
	d.shell("piton resume", r.Brief)
	d.say("'piton resume --agent claude --exec' would start an agent on this brief.")
	return nil
}
