package config

import (
	"bytes"
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

// MayListen reports whether the layers at p can have a listener at all: a hook that
// was started for a tool asks this before it reads the project's file as YAML.
func (c Config) MayListen(p Places) bool {
	word := []byte(listenersKey)
	if bytes.Contains(c.userFile.text, word) || p.Getenv(EnvName(listenersKey)) != "" {
		return true
	}
	if p.Project == "" {
		return false
	}
	text, err := read(ProjectPath(p.Project))
	return err == nil && bytes.Contains(text, word)
}
