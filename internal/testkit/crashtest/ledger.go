package crashtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// Ledger is what children have said of one store, over all their lives. The
// zero Ledger is empty.
type Ledger struct {
	Cold string // the folder that prunings have written to

	Acknowledged int   // checkpoints saved or imported
	Completed    int   // and completed
	Deleted      int   // and deleted again
	Archived     int   // or moved to the archive
	Prunings     int   // that ended
	InDoubt      int   // pieces of work that a kill cut off after they were announced
	Micros       []int // how long the saves took

	kept  map[string]*kept
	doubt map[string]job // by what they do
}

// kept is a checkpoint that was acknowledged.
type kept struct {
	sha256, workflow string
	seq              int64
	imported         bool
	completed        bool
	deleted          bool
	file             string // the archive's; anyFile until it is known
}

// anyFile stands for a file of the archive that a pruning has chosen.
const anyFile = "any"

// job is a piece of work on several checkpoints: all of it or nothing is done,
// but for a pruning, which goes step by step.
type job struct {
	kind Kind
	file string
	ids  []string
	gone []string // what a pruning deletes
}

// Keep notes a checkpoint that was saved without a child.
func (l *Ledger) Keep(c piton.Checkpoint) {
	l.begin()
	l.kept[c.ID] = &kept{sha256: c.SHA256, workflow: c.WorkflowID, seq: c.Seq}
	l.Acknowledged++
}

func (l *Ledger) begin() {
	if l.kept == nil {
		l.kept, l.doubt = map[string]*kept{}, map[string]job{}
	}
}

// Read takes in a line of a child's. It is false for a line that is none: a
// torn last line was not said.
func (l *Ledger) Read(line string) bool {
	l.begin()
	f := strings.Fields(line)
	state := "done"
	if len(f) > 0 && (f[0] == "begin" || f[0] == "over") {
		state, f = f[0], f[1:]
	}
	if len(f) < 3 {
		return false
	}
	switch kind := Kind(f[0]); {
	case state == "done" && (kind == Save || kind == Import):
		k := kept{imported: kind == Import}
		var id string
		var micros int
		if _, err := fmt.Sscan(strings.Join(f[1:], " "), &id, &k.sha256, &k.seq, &k.workflow, &micros); err != nil {
			return false
		}
		l.kept[id] = &k
		l.Acknowledged++
		if kind == Save {
			l.Micros = append(l.Micros, micros)
		}
	case slices.Contains([]Kind{Complete, Delete, Import, Archive, Prune}, kind):
		j := job{kind: kind, file: f[1], ids: strings.Split(f[2], ",")}
		if kind == Prune {
			j = job{kind: kind, file: anyFile, ids: unlisted(f[1]), gone: unlisted(f[2])}
		}
		key := strings.Join(f[:3], " ")
		switch state {
		case "begin":
			l.doubt[key] = j
			return true
		case "done":
			l.settle(j)
		}
		delete(l.doubt, key)
	default:
		return false
	}
	return true
}

// unlisted reads ids between commas.
func unlisted(s string) []string {
	if s == "-" {
		return nil
	}
	return strings.Split(s, ",")
}

// settle notes that a job is done.
func (l *Ledger) settle(j job) {
	if j.kind == Prune {
		l.Prunings++
		l.settle(job{kind: Delete, ids: j.gone})
	}
	for _, id := range j.ids {
		k := l.kept[id]
		if k == nil {
			continue // of a life whose acknowledgement was not read
		}
		switch j.kind {
		case Import: // what is there is looked at anyway
		case Complete:
			k.completed = true
			l.Completed++
		case Delete:
			k.deleted = true
			l.Deleted++
		default:
			k.file = j.file
			l.Archived++
		}
	}
}
