package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
)

func purgeCommand(a *app) *cobra.Command {
	var secrets, dry bool
	c := &cobra.Command{
		Use:   "purge --secrets",
		Short: "Take secrets out of what is already stored",
		Long: `Take secrets out of what is already stored, by the rules of this version: states,
records, sessions, events, decisions, the archive's files and the log. What is
changed gets a new sum; nothing else ever changes a checkpoint. The database is
written anew, so that the old bytes are gone from its file; savers wait for that.
It names what it cannot reach. A secret that was stored is to be changed anyway.`,
		Example: "  piton purge --secrets --dry-run\n  piton purge --secrets",
		Args:    none(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if !secrets {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "give --secrets; 'piton delete' and 'piton prune' remove whole checkpoints", "what to purge is not said")
			}
			ctx := c.Context()
			k, err := a.pruner(ctx)
			var p history.Purged
			switch {
			case missing(err):
				p = history.Purged{Checkpoints: []string{}, Files: []string{}, Beyond: []string{}, DryRun: dry}
			case err != nil:
				return err
			default:
				p, err = k.Purge(ctx, dry, a.progress("Purging"))
				if err == nil && a.far != nil { // the agents' side lies here
					k.Store = a.store
					var own history.Purged
					own, err = k.Purge(ctx, dry, a.progress("Purging the local file"))
					p.Taken += own.Taken
					p.Checkpoints, p.Files, p.Beyond = append(p.Checkpoints, own.Checkpoints...), append(p.Files, own.Files...), append(p.Beyond, own.Beyond...)
					p.Stopped = own.Stopped
				}
				if err != nil {
					if printed := a.printPurged(p); printed != nil {
						return printed
					}
					return err
				}
			}
			for _, name := range []string{"piton.log", "piton.log.1"} {
				n, err := purgeLog(filepath.Join(a.home(), name), dry)
				if err != nil {
					return err
				}
				p.Taken += n
			}
			slices.Sort(p.Beyond)
			p.Beyond = slices.Compact(p.Beyond)
			return a.printPurged(p)
		},
	}
	c.Flags().BoolVar(&secrets, "secrets", false, "take secrets out")
	c.Flags().BoolVar(&dry, "dry-run", false, "count them and change nothing")
	return c
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

func (a *app) printPurged(p history.Purged) error {
	if a.json {
		return a.printJSON(p)
	}
	var b strings.Builder
	for _, id := range p.Checkpoints {
		fmt.Fprintln(&b, id)
	}
	if _, err := io.WriteString(a.out, b.String()); err != nil {
		return err
	}
	what := "Secrets taken out"
	if p.DryRun {
		what = "Secrets found, nothing was changed"
	}
	fmt.Fprintf(a.err, "%s: %d, in %d checkpoints and %d archive files.\n", what, p.Taken, len(p.Checkpoints), len(p.Files))
	if p.Stopped != "" && !p.DryRun {
		fmt.Fprintln(a.err, "It ended before all was done: there may be more, and the old bytes still lie in the store's files. Run it again.")
	}
	for _, x := range p.Beyond {
		fmt.Fprintf(a.err, "Not reached: %s.\n", line(x))
	}
	return nil
}
