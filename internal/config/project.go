package config

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// projectEntry is what the user's file says of this project.
type projectEntry struct {
	document
	layer layer
}

// projectEntries are the entries of projects: that fit the project, in the file's order,
// so that the last one decides. All entries are tried on nothing first: a slip
// in one is the user's, whatever project we are in.
func (c *Config) projectEntries(mine document, p Places) []projectEntry {
	var list []projectEntry
	for _, s := range mine.settings {
		if s.name != projectsKey {
			continue
		}
		for _, entry := range pairs(s.node) {
			from := p.UserFile + " (projects: " + entry.name + ")"
			if entry.node.Kind != yaml.MappingNode {
				c.problem(from, "it wants keys with values, not %s", kindOf(entry.node))
				continue
			}
			if strings.Contains(entry.name, "://") || strings.Contains(entry.name, "@") {
				c.problem(from, "a project is named by its folder, or by its origin as host/path: github.com/ann/shop")
				continue
			}
			w := projectEntry{document{settings: flatten("", entry.node)}, layer{from: from, trusted: true}}
			tried := builtIn(p.Getenv)
			tried.layer(w.document, w.layer)
			c.Problems = append(c.Problems, tried.Problems...)
			if p.Project != "" && matchesProject(entry.name, p) {
				list = append(list, w)
			}
		}
	}
	return list
}

// matchesProject reports whether an entry is about the project: its folder's path (~/ is
// the user's home), a glob on it, or its origin's host/path, which may be a
// glob too.
func matchesProject(entry string, p Places) bool {
	if rest, ok := strings.CutPrefix(entry, "~"); ok && (rest == "" || rest[0] == '/') {
		entry = UserHome(p.Getenv) + rest
	}
	if !filepath.IsAbs(entry) {
		return p.Origin != nil && matchGlob(entry, p.Origin())
	}
	root := filepath.Clean(p.Project)
	if matchGlob(filepath.Clean(entry), root) {
		return true
	}
	real, err := filepath.EvalSymlinks(entry) // root has no links in it
	return err == nil && real == root
}

// matchGlob matches a glob; brackets in a folder's name are not a glob there.
func matchGlob(glob, name string) bool {
	if name == "" || strings.Count(glob, "*") > maxStars || len(glob) > 1000 {
		return false
	}
	ok, err := doublestar.Match(glob, name)
	return glob == name || err == nil && ok
}

// maxStars bounds what a glob may cost.
const maxStars = 12

// project applies the project's file. If the file has changed since it was
// trusted, or in this turn, the earlier text and the present one both count: each
// can only add to what is asked for.
func (c *Config) project(p Places) {
	path := ProjectPath(p.Project)
	d := open(path)
	if !d.there && p.Was == nil {
		return
	}
	if d.there {
		c.Project.Path = path
	}
	trusts, err := LoadTrusts(Home(p.Getenv))
	if err != nil {
		trusts = Trusts{} // what cannot be read vouches for nothing
	}
	c.Project.Trusted = d.there && trusts.Holds(path, d.text, p.Repository)
	if !c.Project.Trusted {
		c.applyEarlier(p, path, trusts)
	}
	c.layer(d, layer{from: path, trusted: c.Project.Trusted})
}

// applyEarlier applies what the project's file said when it was trusted, and when
// this turn began. Problems in the earlier text are not reported.
func (c *Config) applyEarlier(p Places, path string, trusts Trusts) {
	problems, left := len(c.Problems), len(c.Project.LeftOut)
	if x, ok := trusts.Of(path); ok {
		if text, kept := x.Before(Home(p.Getenv)); kept {
			c.Project.Stood = true
			c.layer(documentOf(text), layer{from: path + " (as it was trusted)", trusted: true, earlier: true})
		}
	}
	if p.Was != nil && *p.Was != "" {
		text := []byte(*p.Was)
		c.layer(documentOf(text), layer{from: path + " (before this turn)", trusted: trusts.Holds(path, text, p.Repository), earlier: true})
	}
	c.Problems, c.Project.LeftOut = c.Problems[:problems], c.Project.LeftOut[:left]
}

// Asks is what a project's file sets that needs trust, and is ignored without:
// the keys, the commands that Piton would run at stops, and what its listeners
// would run or get.
type Asks struct {
	Keys, Runs, Tells []string
}

// AsksOf reads a project file's text. An error is one of the text: it cannot be read as
// settings.
func AsksOf(text []byte, getenv func(string) string) (Asks, error) {
	root, err := parse(text)
	if err != nil || root == nil {
		return Asks{}, err
	}
	d := document{settings: flatten("", root)}
	c, vouched := builtIn(getenv), builtIn(getenv)
	c.layer(d, layer{})
	vouched.layer(d, layer{trusted: true})
	a := Asks{Keys: c.Project.LeftOut}
	for _, v := range vouched.Debrief.Verify {
		a.Runs = append(a.Runs, v.Run)
	}
	for _, x := range vouched.Listeners {
		for _, argv := range [][]string{x.Summary, x.Command} {
			if len(argv) > 0 {
				a.Tells = append(a.Tells, strings.Join(argv, " "))
			}
		}
		if x.Webhook != "" {
			a.Tells = append(a.Tells, "POST "+ShownURL(x.Webhook))
		}
	}
	return a, nil
}
