package store

import (
	"strings"

	"github.com/piton-project/piton"
)

// MaxCandidates bounds what is listed of the ids that an ambiguous beginning
// fits.
const MaxCandidates = 5

// hints for what is not found, by the ids' prefix.
const (
	listHint     = "'list' shows what there is"
	sessionsHint = "'sessions' shows what there is"
)

// NoCheckpoint is the error for a checkpoint that is not in the store.
func NoCheckpoint(op string) error {
	return piton.Errorf(piton.NotFound, op, listHint, "no such checkpoint")
}

// NoWorkflow is the error for a workflow that is not in the store.
func NoWorkflow(op string) error {
	return piton.Errorf(piton.NotFound, op, listHint, "no such workflow")
}

// NoSession is the error for a session that is not in the store.
func NoSession(op string) error {
	return piton.Errorf(piton.NotFound, op, sessionsHint, "no such session")
}

// CheckID returns an error unless ref is an id with this prefix, or an id's
// beginning.
func CheckID(op, prefix, ref string) error {
	if piton.IsID(prefix, ref) {
		return nil
	}
	return piton.Errorf(piton.Invalid, op, "an id looks like "+prefix+"0123456789abcdef, and its beginning will do", "%q is not an id", ref)
}

// ResolveID returns the id that ref stands for: ref itself, or the only id that
// begins with it. ids are those that begin with ref, sorted; more than
// MaxCandidates+1 of them are not needed. NotFound when there is none, Invalid
// when there are several.
func ResolveID(op, prefix, ref string, ids []string) (string, error) {
	switch {
	case len(ids) == 0 && prefix == piton.SessionPrefix:
		return "", piton.Errorf(piton.NotFound, op, sessionsHint, "nothing has this id")
	case len(ids) == 0 && prefix == piton.RunPrefix:
		return "", piton.Errorf(piton.NotFound, op, runsHint, "nothing has this id")
	case len(ids) == 0:
		return "", piton.Errorf(piton.NotFound, op, listHint, "nothing has this id")
	case len(ids) == 1 || ids[0] == ref:
		return ids[0], nil
	}
	more := ""
	if len(ids) > MaxCandidates {
		ids, more = ids[:MaxCandidates], " and more"
	}
	return "", piton.Errorf(piton.Invalid, op, "give more characters of the one you mean", "ambiguous: %s%s", strings.Join(ids, ", "), more)
}
