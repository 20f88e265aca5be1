package daemon

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/store/localfs"
)

// tries are how often runs were continued after a crash. They are in a file, because a
// run may be what the daemon itself has died of.
type tries struct {
	path string
	runs map[string]try
	// still are the runs that were given up or answered and were continued by this
	// daemon, by how they stood then: one that stands as it did did not begin.
	still map[string]still
}

// still is how a run stood when it was continued.
type still struct {
	checkpoint string
	status     piton.RunStatus
	count      int // in a row, without its standing otherwise
	at         piton.Time
}

// try is how a run was continued last.
type try struct {
	Count int        `json:"count"` // since it was the last time seen to get on
	At    piton.Time `json:"at"`
	Done  int        `json:"done"` // its completed steps then
}

// pauses are the waits before a run is continued that got no step further, from the
// first time on. Behind the last one it waits for a person, for a day.
var pauses = []time.Duration{0, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// forgiven is after which time a run begins anew to be tried.
const forgiven = 24 * time.Hour

// when says when a run that has completed so many steps may be continued; false: it
// waits for a person. A pure function. A time that is yet to come is that of a clock
// that was set back: it counts as now.
func (t try) when(done int, now piton.Time) (piton.Time, bool) {
	switch age := now.Sub(t.At.Time); {
	case t.Count == 0 || done > t.Done || age > forgiven:
		return now, true
	case t.Count >= len(pauses):
		return now, false
	case age < 0:
		return piton.At(now.Add(pauses[t.Count])), true
	}
	return piton.At(t.At.Add(pauses[t.Count])), true
}

// again is the try that begins now.
func (t try) again(done int, now piton.Time) try {
	if done > t.Done || now.Sub(t.At.Time) > forgiven {
		t.Count = 0
	}
	return try{t.Count + 1, now, done}
}

// due says when a run may be continued; false: never by itself. One that has not
// crashed may at once, and where that has changed nothing (its folder is gone, say)
// again after ever longer pauses.
func (t *tries) due(x planruns.Unattended, now piton.Time) (piton.Time, bool) {
	if x.Run.Status == piton.RunRunning {
		return t.runs[x.Run.ID].when(x.Run.Done, now)
	}
	was := t.still[x.Run.ID]
	if !was.same(x) {
		return now, true
	}
	pause := pauses[min(was.count, len(pauses)-1)]
	if was.at.After(now.Time) {
		return piton.At(now.Add(pause)), true
	}
	return piton.At(was.at.Add(pause)), true
}

func (s still) same(x planruns.Unattended) bool {
	return s.count > 0 && s.checkpoint == x.Run.CheckpointID && s.status == x.Run.Status
}

// note keeps that a run is continued now.
func (t *tries) note(x planruns.Unattended, now piton.Time) error {
	if x.Run.Status != piton.RunRunning {
		was := t.still[x.Run.ID]
		if !was.same(x) {
			was.count = 0
		}
		t.still[x.Run.ID] = still{x.Run.CheckpointID, x.Run.Status, was.count + 1, now}
		return nil
	}
	t.runs[x.Run.ID] = t.runs[x.Run.ID].again(x.Run.Done, now)
	return t.write()
}

// forget drops what is older than it counts, of runs that nobody asks about.
func (t *tries) forget(list []planruns.Unattended, now piton.Time) {
	for id, x := range t.runs {
		asked := slices.ContainsFunc(list, func(u planruns.Unattended) bool { return u.Run.ID == id })
		if !asked && now.Sub(x.At.Time) > forgiven {
			delete(t.runs, id)
		}
	}
	for id, x := range t.still {
		if now.Sub(x.at.Time) > forgiven {
			delete(t.still, id)
		}
	}
}

const maxTriesFile = 1 << 20

// readTries reads the tries of a home. A file that cannot be read is begun anew.
func readTries(home string) *tries {
	t := &tries{path: filepath.Join(home, "daemon-runs.json"), runs: map[string]try{}, still: map[string]still{}}
	f, err := localfs.OpenOwn(t.path, false)
	if err != nil {
		return t
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		text, err := localfs.ReadAll(f, info.Size(), maxTriesFile)
		if err != nil || json.Unmarshal(text, &t.runs) != nil || t.runs == nil {
			t.runs = map[string]try{}
		}
	}
	return t
}

// write replaces the file.
func (t *tries) write() error {
	text, err := json.Marshal(t.runs)
	if err != nil {
		return err
	}
	return localfs.Replace(t.path, text, 0o600, nil)
}
