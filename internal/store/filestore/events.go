package filestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// eventLines sorts events into the files of their days.
func (d *disk) eventLines(log []store.LogEvent) (all []lines, err error) {
	for _, e := range log {
		if e.At.IsZero() {
			e.At = now()
		}
		raw, err := plain(e)
		if err != nil {
			return nil, err
		}
		file := events + "/" + e.At.UTC().Format("2006-01-02") + ".jsonl"
		i := slices.IndexFunc(all, func(l lines) bool { return l.File == file })
		if i < 0 {
			l := lines{File: file}
			if info, err := d.root.Lstat(file); err == nil && info.Mode().IsRegular() {
				l.From = info.Size()
			}
			i, all = len(all), append(all, l)
		}
		all[i].Lines = append(all[i].Lines, string(raw))
	}
	return all, nil
}

// appendEvents adds the lines that are not there yet.
func (b *batch) appendEvents(all []lines) {
	for _, l := range all {
		b.own(l.File)
		end, err := b.endOf(l.File, l.From)
		b.fail(err)
		b.append(l.File, l.missing(end))
	}
	if len(all) > 0 {
		b.syncDir(events)
	}
}

// endOf is what a file holds behind an offset, with the byte before it.
func (d *disk) endOf(file string, from int64) (string, error) {
	f, info, err := localfs.OpenIn(d.root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	from = max(0, min(from, info.Size())-1, info.Size()-maxJournal)
	b, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	return string(b), err
}

// missing is what is to be appended to a file that ends so. A line that a crash has torn
// is ended, not continued, unless it is one of these.
func (l lines) missing(end string) string {
	have := strings.Split(end, "\n")
	torn := have[len(have)-1]
	have = have[:len(have)-1]
	var text strings.Builder
	if torn != "" && !slices.Contains(l.Lines, torn) {
		text.WriteString("\n")
	}
	for _, line := range l.Lines {
		switch i := slices.Index(have, line); {
		case i >= 0:
			have[i] = "" // one may stand there twice
		case torn == line:
			text.WriteString("\n")
			torn = ""
		default:
			text.WriteString(line + "\n")
		}
	}
	return text.String()
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

// createds are the checkpoints that the events say were saved, by file: the newest files
// of events, not more than maxEvents bytes of them. The last line decides, for a name may
// have been used before.
func (d *disk) createds() map[string]piton.Checkpoint {
	all := map[string]piton.Checkpoint{}
	names, _ := d.names(events)
	slices.Sort(names)
	left := int64(maxEvents)
	for _, name := range slices.Backward(names) {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		raw, err := d.read(events+"/"+name, left)
		if err != nil {
			continue
		}
		left -= int64(len(raw))
		older := map[string]piton.Checkpoint{}
		for line := range bytes.Lines(raw) {
			if file, c, ok := created(line); ok {
				older[file] = c
			}
		}
		maps.Copy(older, all)
		all = older
	}
	return all
}

// created reads an event of a save: the file it went to, and what was saved.
func created(line []byte) (file string, c piton.Checkpoint, ok bool) {
	has := func(kind store.EventKind) bool { return bytes.Contains(line, []byte(`"`+kind+`"`)) }
	if len(line) > maxEventLine || !has(store.CheckpointCreated) && !has(store.CheckpointImported) {
		return "", c, false
	}
	var e struct {
		store.LogEvent
		Data record `json:"data"` // its file, and some of its keys
	}
	err := json.Unmarshal(line, &e)
	d := e.Data
	named, numbered := d.File != "" && d.SHA256 != "", isNumber(d.Seq) && isNumber(d.Ordinal)
	if err != nil || !named || !numbered {
		return "", c, false
	}
	if d.CreatedAt.IsZero() {
		d.CreatedAt = e.At
	}
	return d.File, piton.Checkpoint{
		ID: e.Checkpoint, InWorkflow: piton.InWorkflow{WorkflowID: e.Workflow, SessionID: e.Session, Project: e.Project, Branch: d.Branch, Seq: d.Seq,
			ParentID: d.ParentID}, InStore: piton.InStore{Ordinal: d.Ordinal}, AtStep: piton.AtStep{StepName: d.StepName}, CreatedAt: d.CreatedAt, OfState: piton.OfState{StateBytes: d.StateBytes, SHA256: d.SHA256},
	}, true
}
