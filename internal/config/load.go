package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// Load reads all layers. It never fails: values that cannot be used are left out
// and listed in Problems, those of the project's file last. While any of the
// user's settings cannot be used, nothing is pruned automatically: they might
// have said to keep it.
func Load(p Places) Config {
	return load(p, open(p.UserFile))
}

// In reads the other layers at p again; the user's file is as it was read.
func (c Config) In(p Places) Config { return load(p, c.userFile) }

func load(p Places, mine document) Config {
	c := builtIn(p.Getenv)
	c.userFile = mine
	c.Unread = mine.err != nil
	c.layer(mine, layer{from: p.UserFile, fromUser: true})
	words := c.projectEntries(mine, p)
	user := len(c.Problems)
	if p.Project != "" {
		c.project(p)
	}
	project := slices.Clone(c.Problems[user:])
	for _, w := range words {
		c.layer(w.document, w.layer) // what is wrong with it was said already
	}
	c.Problems = c.Problems[:user]
	c.environment(p)
	if len(c.Problems) > 0 {
		c.Checkpoints.Prune = PruneOff
	}
	c.Store = WithHome(c.Store, p.Getenv)
	if rest, ok := strings.CutPrefix(c.Checkpoints.Archive, "~/"); ok {
		c.Checkpoints.Archive = filepath.Join(UserHome(p.Getenv), rest)
	}
	c.Problems = append(c.Problems, project...)
	c.Debrief.LogCheckUntrusted = c.Project.Path != "" && !c.Project.Trusted && c.From["debrief.log_check"] == c.Project.Path
	c.Debrief.LeftOut = c.Project.leftOutSummary()
	return c
}
