package filestore

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
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
	maxJournal    = 256 << 20 // of a workflow's file too, which stands in a journal first
	maxMeta       = 1 << 20
	maxSeed       = 16 << 20
	maxEvents     = 256 << 20 // what is read of events in all
	maxEventLine  = 1 << 20
	maxRef        = 256 // the id of a current checkpoint, which may be another program's
	maxTag        = 190
)

// maxNumber bounds the numbers of checkpoints and transactions. They go on from
// what is read, so there must be room above.
const maxNumber = 1 << 60

func isNumber(n int64) bool { return n >= 0 && n <= maxNumber }

// isSum reports whether a text can be the sum of a state.
func isSum(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}

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

// isCheckpointName reports whether a name in checkpoints/ can be a checkpoint's
// file. Another program may choose it.
func isCheckpointName(name string) bool {
	visible := strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".")
	return visible && len(name) <= 255 && utf8.ValidString(name) && !strings.ContainsFunc(name, noneInNames)
}

func noneInNames(r rune) bool { return r == '/' || r == '\\' || r < ' ' || r == 0x7f }

// eventsName is the form of a file of events.
var eventsName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + events + `/[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl$`) })

// workflowName is a workflow's file.
func workflowName(id string) string { return workflows + "/" + id + ".json" }

// workflowID is the id in the name of a workflow's file; "" for another name.
func workflowID(name string) string {
	id, ok := strings.CutSuffix(name, ".json")
	if !ok || !piton.IsWholeID(piton.WorkflowPrefix, id) {
		return ""
	}
	return id
}

// stagedPrefix and stagedSuffix mark a file that has no name of its own yet.
const (
	stagedPrefix = ".piton-"
	stagedSuffix = ".tmp"
)

// stagedName is where a file's next content waits; in the same folder, so that
// the rename is one step.
func stagedName(name string) string {
	dir, base := path.Split(name)
	return dir + stagedPrefix + base + stagedSuffix
}

func isStaged(name string) bool {
	return strings.HasPrefix(name, stagedPrefix) && strings.HasSuffix(name, stagedSuffix)
}

// asideMark is in the names of what was found in a file's place and set aside.
const asideMark = ".damaged-"

// damagedPrefix begins the names of journals that were set aside.
const damagedPrefix = "journal-damaged-"

// nameKey is a number that stands for a name; the sum of those in a folder stands for
// all of them.
func nameKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int64(h.Sum64())
}

// unrested is added to a mark's key where the names are still to be compared.
const unrested = 1

// keyOf is a number that stands for some texts.
func keyOf(parts ...string) int64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return int64(binary.BigEndian.Uint64(sum[:]) &^ unrested)
}

// noSession is the first program's word for a session that has no name.
const noSession = "unknown"

// sessionName is what a file says of its session's own name.
func sessionName(id string) string {
	if id == noSession || piton.IsWholeID(piton.SessionPrefix, id) {
		return ""
	}
	return id
}

// sessionOf is what the layout calls the checkpoint's session: its caller's name
// for it, else our id. The first program's files always have one.
func sessionOf(c piton.Checkpoint) string { return cmp.Or(c.SessionName, c.SessionID, noSession) }

// phaseOf is what the layout calls the checkpoint's phase.
func phaseOf(c piton.Checkpoint) string { return cmp.Or(c.StepName, c.Name, string(c.Trigger)) }

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// derived is an id that always comes out of the same name.
func derived(prefix, name string) string {
	sum := sha256.Sum256([]byte(prefix + "file store\n" + name))
	id := []byte(prefix)
	for _, b := range sum[:16] {
		id = append(id, idAlphabet[b&31])
	}
	return string(id)
}

// strays is the workflow of damaged files of which nothing else is known.
var strays = derived(piton.WorkflowPrefix, "strays")

// stem is the file's name without ".json" and without a collision's number.
func stem(c piton.Checkpoint) string {
	return "ckpt-" + c.CreatedAt.UTC().Format("2006-01-02T15-04-05.000Z") + "-" + slug(phaseOf(c))
}

// slug is a name in the lower-case letters, digits and dashes of a file name.
func slug(s string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !strings.ContainsRune(letters, r) })
	name := strings.Join(words, "-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), 40)], "-"), "checkpoint")
}

// now is the time of what the store itself logs.
func now() piton.Time { return piton.At(time.Now()) }
