package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
)

func trustCommand(a *app) *cobra.Command {
	var show, list, revoke bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let a project's own settings run commands and switch Piton off",
		Long: `Show the file .piton.yaml of this project, or what has changed in it since it
was trusted, and ask whether it may run commands (debrief.verify) and switch
Piton off (debrief.mode, checkpoints.enabled, ...), and ask for less than without
it. Without trust it only adds to what is asked for. Trust is for the very bytes that are shown: a changed
file is asked about again.

It needs a terminal, and is refused inside an agent: there is no --yes.`,
		Example: "  piton trust\n  piton trust --show\n  piton trust --list --json\n  piton trust --revoke",
		Args:    none("go to the project's folder and give no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			root, err := workTree()
			if err == nil {
				err = atMostOneFlag(c, "show", "list", "revoke")
			}
			switch {
			case err != nil:
				return err
			case list:
				return a.listTrust()
			case show:
				return a.showTrust(root)
			case revoke:
				return a.revokeTrust(c.Context(), root)
			}
			return a.giveTrust(c.Context(), root)
		},
	}
	c.Flags().BoolVar(&show, "show", false, "tell whether this project's file is trusted, and change nothing")
	c.Flags().BoolVar(&list, "list", false, "list all files that are trusted")
	c.Flags().BoolVar(&revoke, "revoke", false, "take the trust in this project's file back")
	return c
}

// workTree is the root of the work tree we are in; outside of one the folder.
func workTree() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", &piton.Error{Code: piton.Unavailable, Op: "find the project", Hint: "go to a folder that exists", Err: err}
	}
	if root, _, ok := git.Find(here); ok {
		return root, nil
	}
	return here, nil
}

const opTrust = "trust the project's file"

func (a *app) giveTrust(ctx context.Context, root string) error {
	if err := a.byPerson(ctx, opTrust); err != nil {
		return err
	}
	if !isTerminal(a.in) || !a.outTerminal() {
		return piton.Errorf(piton.Invalid, opTrust, "run it in a terminal, without --json; 'piton trust --show' tells how it stands", "a person has to see the file and answer, and there is no terminal")
	}
	path := config.ProjectPath(root)
	text, err := config.ProjectText(root)
	if err != nil {
		return err
	}
	all, err := config.LoadTrusts(a.home())
	if err != nil {
		return err
	}
	before, known := all.Of(path)
	if known && before.SHA256 == config.Sum(text) {
		fmt.Fprintf(a.out, "%s is trusted already, since %s.\n", line(path), before.At)
		return nil
	}
	if err := a.present(path, text, before, known); err != nil {
		return err
	}
	for _, err := range a.config(root).Problems {
		if !errors.Is(err, config.ErrUntrusted) {
			fmt.Fprintf(a.out, "%s: %s\n", a.yellow("left out all the same"), clean(err.Error()))
		}
	}
	asks := config.AsksOf(text, a.getenv)
	if len(asks.Keys) == 0 {
		fmt.Fprint(a.out, "\nNothing in it needs trust; with it the words of its rules are not quoted as a stranger's.\n")
	} else {
		fmt.Fprintf(a.out, "\nWith trust these keys count too: %s.\n", strings.Join(asks.Keys, ", "))
	}
	if len(asks.Runs) > 0 { // said last, however long the file is
		fmt.Fprint(a.out, "Piton would run at stops:\n")
		for _, run := range asks.Runs {
			fmt.Fprintf(a.out, "  %s\n", line(run))
		}
	}
	yes, err := a.ask(ctx, "Trust this file? [y/N] ")
	if err != nil {
		return err
	}
	if !yes {
		fmt.Fprintln(a.out, "Not trusted; nothing has changed.")
		return nil
	}
	if all, err = config.LoadTrusts(a.home()); err != nil { // the answer may have taken long
		return err
	}
	_, secrets := redact.Text(string(text)) // then no copy is kept to compare with
	if err := all.Give(a.home(), path, git.RepositoryOf(root), text, secrets == 0, time.Now()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "Trusted: %s. When it changes, 'piton trust' asks again.\n", line(path))
	return err
}

// present shows the file, or what has changed in it since it was trusted.
func (a *app) present(path string, text []byte, before config.Trust, known bool) error {
	if old, kept := before.Before(a.home()); known && kept {
		fmt.Fprintf(a.out, "%s has changed since it was trusted (%s):\n\n", line(path), before.At)
		diff := setup.Diff([]setup.Change{{Path: path, Before: old, After: text}})
		_, err := io.WriteString(a.out, a.colourDiff(clean(diff)))
		return err
	}
	if known {
		fmt.Fprintf(a.out, "%s has changed since it was trusted (%s):\n\n", line(path), before.At)
	} else {
		fmt.Fprintf(a.out, "%s:\n\n", line(path))
	}
	_, err := io.WriteString(a.out, clean(string(bytes.TrimRight(text, "\n")))+"\n")
	return err
}

// ask asks a person for a yes; anything else is a no.
func (a *app) ask(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(a.out, question)
	answer, err := bufio.NewReader(interruptible(ctx, a.in)).ReadString('\n')
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return false, &piton.Error{Code: piton.Unavailable, Op: "read the answer", Err: err}
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// trustJSON is a trusted file as docs/json.md has it.
type trustJSON struct {
	Path    string     `json:"path"`
	Trusted bool       `json:"trusted"`
	SHA256  string     `json:"sha256,omitempty"` // of what was looked at
	At      piton.Time `json:"at,omitzero"`
	LeftOut []string   `json:"left_out,omitempty"`
}

func (a *app) showTrust(root string) error {
	p := a.config(root).Project
	if p.Path == "" {
		_, err := config.ProjectText(root) // says why there is none
		if err == nil {
			err = piton.Errorf(piton.NotFound, "read the project's settings", "", "there is no %s", config.ProjectPath(root))
		}
		return err
	}
	all, err := config.LoadTrusts(a.home())
	if err != nil {
		return err
	}
	before, known := all.Of(p.Path)
	if a.json {
		return a.printJSON(trustJSON{p.Path, p.Trusted, before.SHA256, before.At, p.LeftOut})
	}
	switch {
	case p.Trusted && known:
		fmt.Fprintf(a.out, "%s is trusted, since %s.\n", line(p.Path), before.At)
	case p.Trusted:
		fmt.Fprintf(a.out, "%s is trusted, by another work tree of its repository.\n", line(p.Path))
	case known:
		fmt.Fprintf(a.out, "%s has changed since it was trusted (%s); 'piton trust' asks again.\n", line(p.Path), before.At)
	default:
		fmt.Fprintf(a.out, "%s is not trusted; 'piton trust' asks.\n", line(p.Path))
	}
	if len(p.LeftOut) > 0 {
		fmt.Fprintf(a.out, "Left out until then: %s.\n", strings.Join(p.LeftOut, ", "))
	}
	return nil
}

func (a *app) listTrust() error {
	all, err := config.LoadTrusts(a.home())
	if err != nil {
		return err
	}
	rows := []trustJSON{}
	for _, x := range all.Files {
		text, err := config.ProjectText(filepath.Dir(x.Path))
		rows = append(rows, trustJSON{Path: x.Path, Trusted: err == nil && config.Sum(text) == x.SHA256, SHA256: x.SHA256, At: x.At})
	}
	if a.json {
		return a.printJSON(map[string]any{"files": rows})
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, "No project's file is trusted.")
		return nil
	}
	table := [][]string{{"File", "Trusted", "Now"}}
	for _, r := range rows {
		now := "as it was"
		if !r.Trusted {
			now = "changed or gone"
		}
		table = append(table, []string{line(r.Path), r.At.String(), now})
	}
	return a.table(table)
}

func (a *app) revokeTrust(ctx context.Context, root string) error {
	if err := a.byPerson(ctx, "take the trust back"); err != nil {
		return err
	}
	all, err := config.LoadTrusts(a.home())
	if err != nil {
		return err
	}
	path := config.ProjectPath(root)
	done, err := all.Revoke(a.home(), path, git.RepositoryOf(root))
	switch {
	case err != nil:
		return err
	case !done:
		return piton.Errorf(piton.NotFound, "take the trust back", "'piton trust --list' shows what is trusted", "%s was not trusted", path)
	case a.json:
		return a.printJSON(trustJSON{Path: path})
	}
	_, err = fmt.Fprintf(a.out, "%s is not trusted any more.\n", line(path))
	return err
}
