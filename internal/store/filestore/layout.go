package filestore

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// What the store's files may hold (docs/format.md, "Files"). Others may write to
// the folder, and the sums have no key: whatever does not fit here is damaged,
// and nothing that it says is done.

// Bounds of files, in bytes. What the store writes itself is far below, or
// refused before it is written.
const (
	maxCheckpoint = 256 << 20 // a state of 64 MiB, as another program may format it
	maxWorkflow   = 64 << 20
	maxJournal    = 256 << 20
	maxMeta       = 1 << 20
	maxSeed       = 16 << 20
	maxEvents     = 256 << 20 // what is read of events in all
	maxEventLine  = 1 << 20
	maxRef        = 256 // the id of a current checkpoint, which may be another program's
)

// maxNumber bounds the numbers of checkpoints and transactions. They go on from
// what is read, so there must be room above.
const maxNumber = 1 << 60

func isNumber(n int64) bool { return n >= 0 && n <= maxNumber }

// isCheckpointName reports whether a name in checkpoints/ can be a checkpoint's
// file. Another program may choose it.
func isCheckpointName(name string) bool {
	visible := strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".")
	return visible && len(name) <= 255 && utf8.ValidString(name) && !strings.ContainsFunc(name, noneInNames)
}

func noneInNames(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f }

// eventsName is the form of a file of events.
var eventsName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + events + `/[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl$`) })

// Names in the store's folder.
const (
	lockFile    = ".piton.lock"
	storeFile   = "store.json"
	journalFile = "journal.json"
	seedFile    = "seed.json"
	checkpoints = "checkpoints"
	workflows   = "workflows"
	events      = "events"
)

// workflowName is a workflow's file.
func workflowName(id string) string { return workflows + "/" + id + ".json" }

// workflowID is the id in a file's name.
func workflowID(name string) (string, bool) {
	id, ok := strings.CutSuffix(name, ".json")
	return id, ok && piton.IsWholeID(piton.WorkflowPrefix, id)
}
