package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/store/localfs"
)

// tries are how runs were continued last. Those that had crashed are in a file, because a
// run may be what the daemon itself has died of.
type tries struct {
	path string
	runs map[string]try
}

// try is how a run was continued last.
type try struct {
	Count   int        `json:"count"` // in a row, while it stood so
	At      piton.Time `json:"at"`
	Stood   string     `json:"stood"` // how it stood then: one that stands so again got no step further
	Crashed bool       `json:"crashed"`
}

// standing is how a run stands now.
func standing(x planruns.Unattended) try {
	if x.Run.Status == piton.RunRunning {
		return try{Stood: fmt.Sprint(x.Run.Done, " steps"), Crashed: true}
	}
	return try{Stood: x.Run.CheckpointID + " " + string(x.Run.Status)}
}

// pauses are the waits before a run is continued that got no step further, from the
// first time on. Behind the last one a run that has crashed waits for a person, for a day.
var pauses = []time.Duration{0, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// forgiven is after which time a run begins anew to be tried.
const forgiven = 24 * time.Hour

// when says when a run that stands so may be continued; false: it waits for a person. One
// that has not crashed never does, though it cannot begin (its folder is gone, say). A pure
// function. A time that is yet to come is that of a clock that was set back: it counts as now.
func (t try) when(is try, now piton.Time) (piton.Time, bool) {
	age := now.Sub(t.At.Time)
	switch {
	case t.Stood != is.Stood || age > forgiven:
		return now, true
	case t.Crashed && t.Count >= len(pauses):
		return now, false
	}
	pause := pauses[min(t.Count, len(pauses)-1)]
	return piton.At(now.Add(pause - max(age, 0))), true
}

// again is the try that begins now, of a run that stands so.
func (t try) again(is try, now piton.Time) try {
	if is.At, is.Count = now, 1; t.Stood == is.Stood && now.Sub(t.At.Time) <= forgiven {
		is.Count += t.Count
	}
	return is
}

// due says when a run may be continued; false: never by itself.
func (t *tries) due(x planruns.Unattended, now piton.Time) (piton.Time, bool) {
	return t.runs[x.Run.ID].when(standing(x), now)
}

// note keeps that a run is continued now.
func (t *tries) note(x planruns.Unattended, now piton.Time) error {
	is := t.runs[x.Run.ID].again(standing(x), now)
	if t.runs[x.Run.ID] = is; !is.Crashed {
		return nil
	}
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
}

const maxTriesFile = 1 << 20

// readTries reads the tries of a home. A file that cannot be read is begun anew.
func readTries(home string) *tries {
	t := &tries{path: filepath.Join(home, "daemon-runs.json"), runs: map[string]try{}}
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
	crashed := maps.Clone(t.runs)
	maps.DeleteFunc(crashed, func(_ string, x try) bool { return !x.Crashed })
	text, err := json.Marshal(crashed)
	if err != nil {
		return err
	}
	return localfs.Replace(t.path, text, 0o600, nil)
}
