package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
)

// Purge takes secrets out of what is stored, by the rules of this version: of
// the stores, the archive's files and the log. progress makes what tells how far
// each of them has come. With an error the answer says what was done before it.
func (a *App) Purge(ctx context.Context, dry bool, progress func(what string) func(done, total int64)) (history.Purged, error) {
	p := history.Purged{Checkpoints: []string{}, Files: []string{}, Beyond: []string{}, DryRun: dry}
	k, err := a.writer(ctx)
	if err != nil && !missing(err) {
		return p, err
	}
	if err == nil {
		p, err = k.Purge(ctx, dry, progress("Purging"))
		if err == nil && a.shared != nil { // the agents' side lies here
			k.Store = a.local
			var own history.Purged
			own, err = k.Purge(ctx, dry, progress("Purging the local file"))
			p.Taken += own.Taken
			p.Checkpoints, p.Files, p.Beyond = append(p.Checkpoints, own.Checkpoints...), append(p.Files, own.Files...), append(p.Beyond, own.Beyond...)
			p.Stopped = own.Stopped
		}
		if err != nil {
			return p, err
		}
	}
	for _, name := range []string{place.Log(a.o.Home), place.Log(a.o.Home) + ".1"} {
		n, err := purgeLog(name, dry)
		if err != nil {
			return p, err
		}
		p.Taken += n
	}
	slices.Sort(p.Beyond)
	p.Beyond = slices.Compact(p.Beyond)
	return p, nil
}

// purgeLog takes secrets out of a log. A line that is written meanwhile may be
// lost.
func purgeLog(name string, dry bool) (int, error) {
	op := "take secrets out of " + name
	raw, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	var clean bytes.Buffer
	taken := 0
	for line := range strings.Lines(string(raw)) {
		text, n := redact.Text(line)
		clean.WriteString(text)
		taken += n
	}
	if taken == 0 || dry {
		return taken, nil
	}
	if err = os.WriteFile(name+".new", clean.Bytes(), 0o600); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return 0, &piton.Error{Code: piton.Unavailable, Op: op, Hint: "see that it can be written", Err: err}
	}
	return taken, nil
}
