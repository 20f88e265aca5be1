package store

import "github.com/piton-project/piton"

// PlanArchive returns those of the checkpoints whose states move to a file of the
// archive: all but those that lie in it already. Invalid when the file has no
// name.
func PlanArchive(cs []piton.Checkpoint, file string) ([]piton.Checkpoint, error) {
	if file == "" {
		return nil, piton.Errorf(piton.Invalid, "archive", "give the archive's file", "the file has no name")
	}
	var moved []piton.Checkpoint
	for _, c := range cs {
		if c.Archive != file {
			moved = append(moved, c)
		}
	}
	return moved, nil
}

// PlanRewrite returns the record c with the texts and the sum of p in the place
// of its own, and the size of p's state where it has one here. Conflict when the
// state lies elsewhere by now than p says.
func PlanRewrite(op string, c piton.Checkpoint, p Prepared) (piton.Checkpoint, error) {
	r := p.Record
	if c.Archive != r.Archive {
		return c, piton.Errorf(piton.Conflict, op, "try again", "its state has been moved")
	}
	c.StepName, c.Name, c.Description, c.TaskSummary, c.Tags, c.Origin, c.SHA256 = r.StepName, r.Name, r.Description, r.TaskSummary, r.Tags, r.Origin, r.SHA256
	if c.Archive == "" {
		c.StateBytes = int64(len(p.State.Get()))
	}
	return c, nil
}

// MarkEvent tells that a checkpoint was marked as damaged, or that the mark was
// taken away when why is empty.
func MarkEvent(at piton.Time, c piton.Checkpoint, why string) LogEvent {
	e := EventOf(CheckpointDamaged, at, c)
	if why == "" {
		e.Kind = CheckpointRepaired
	}
	e.Data = map[string]any{"why": why}
	return e
}

// ArchiveEvent tells that a checkpoint's state lies in a file of the archive.
func ArchiveEvent(at piton.Time, c piton.Checkpoint, file string) LogEvent {
	e := EventOf(CheckpointArchived, at, c)
	e.Data = map[string]any{"file": file}
	return e
}
