package filestore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// lines are what a transaction adds to one file of events.
type lines struct {
	File  string   `json:"file"`
	From  int64    `json:"from"` // the file's size before
	Lines []string `json:"lines"`
}

// eventLines sorts events into the files of their days.
func (s *Store) eventLines(log []store.LogEvent) ([]lines, error) {
	var all []lines
	for _, e := range log {
		at := e.At
		if at.IsZero() {
			at = now()
			e.At = at
		}
		raw, err := plain(e)
		if err != nil {
			return nil, err
		}
		file := events + "/" + at.UTC().Format("2006-01-02") + ".jsonl"
		i := slices.IndexFunc(all, func(l lines) bool { return l.File == file })
		if i < 0 {
			l := lines{File: file}
			if info, err := s.disk.root.Lstat(file); err == nil && info.Mode().IsRegular() {
				l.From = info.Size()
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			i, all = len(all), append(all, l)
		}
		all[i].Lines = append(all[i].Lines, string(raw))
	}
	return all, nil
}

// appendEvents adds the lines that are not there yet, each with one write. A
// line that a crash has torn is ended, not continued.
func (s *Store) appendEvents(all []lines) error {
	for _, l := range all {
		if err := s.disk.own(l.File); err != nil {
			return err
		}
		have, torn, err := s.linesFrom(l.File, l.From)
		if err != nil {
			return err
		}
		for _, line := range l.Lines {
			if have[line] > 0 {
				have[line]--
				continue
			}
			text := line + "\n"
			switch {
			case torn == line:
				text = "\n"
			case torn != "":
				text = "\n" + text
			}
			torn = ""
			if err := s.disk.append(l.File, []byte(text)); err != nil {
				return err
			}
		}
		if err := s.disk.sync(l.File); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	return s.disk.syncDir(events)
}

// linesFrom counts the whole lines behind an offset, and returns the torn one
// the file ends in.
func (s *Store) linesFrom(file string, from int64) (have map[string]int, torn string, err error) {
	have = map[string]int{}
	f, info, err := localfs.OpenIn(s.disk.root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return have, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	from = max(0, min(from, info.Size())-1, info.Size()-maxJournal)
	b, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, "", err
	}
	for line := range bytes.Lines(b) {
		if text, ok := bytes.CutSuffix(line, []byte("\n")); ok {
			have[string(text)]++
		} else {
			torn = string(line)
		}
	}
	return have, torn, nil
}

// createdEvent is what the log keeps of a checkpoint: enough to know it by,
// should its file be damaged.
func createdEvent(c piton.Checkpoint) store.LogEvent {
	e := store.EventOf(store.CheckpointCreated, c.CreatedAt, c)
	e.Data = map[string]any{
		"file": filepath.Base(c.File), "branch": c.Branch, "seq": c.Seq, "ordinal": c.Ordinal, "parent_id": c.ParentID,
		"step_name": c.StepName, "created_at": c.CreatedAt, "state_bytes": c.StateBytes, "sha256": c.SHA256,
	}
	return e
}

// now is the time of what the store itself logs.
func now() piton.Time { return piton.At(time.Now()) }
