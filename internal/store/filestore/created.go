package filestore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/localfs"
)

// read reads the events, the newest first and not more than maxEvents of them.
// The last entry of a file decides, for a name may have been used before.
func (s *Store) createds() createds {
	all := createds{}
	names, err := s.disk.names(events)
	if err != nil {
		return all
	}
	left := int64(maxEvents)
	for _, name := range slices.Backward(names) {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		f, info, err := localfs.OpenIn(s.disk.root, events+"/"+name)
		if err != nil {
			continue
		}
		if left -= info.Size(); left > 0 {
			all.add(f)
		}
		f.Close()
	}
	return all
}

// add reads one file. What an earlier one has said stays: it is newer.
func (all createds) add(in io.Reader) {
	file := createds{}
	lines := bufio.NewReader(in)
	for {
		line, err := readLine(lines)
		if bytes.Contains(line, []byte(`"`+store.CheckpointCreated+`"`)) || bytes.Contains(line, []byte(`"`+store.CheckpointImported+`"`)) {
			if name, c, ok := created(line); ok {
				file[name] = c
			}
		}
		if err != nil {
			break
		}
	}
	for name, c := range file {
		if _, known := all[name]; !known {
			all[name] = c
		}
	}
}

// readLine reads a line; of one that is too long nothing.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxEventLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// created reads an event of a save: the file it went to, and what was saved.
func created(line []byte) (file string, c piton.Checkpoint, ok bool) {
	var e struct {
		store.LogEvent
		Data record `json:"data"` // its file, and some of its keys
	}
	read := json.Unmarshal(line, &e) == nil
	d := e.Data
	named, numbered := d.File != "" && d.SHA256 != "", isNumber(d.Seq) && isNumber(d.Ordinal)
	if !read || !named || !numbered {
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
