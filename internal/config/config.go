// Package config reads Piton's settings in layers: built-in, the user's file,
// the project's file, the user's own word about the project, the environment
// (docs/spec.md, "Configuration and trust").
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// Config is what is in force.
type Config struct {
	Debrief     debrief.Settings
	Store       string // sqlite:PATH; empty: the file in PITON_HOME
	Checkpoints Checkpoints
	Allow       Allow
	// From says where each value that is not built in came from, by key; of one
	// that adds up, all places with commas.
	From map[string]string
	// Layers says the same of each of Debrief.Rules, by name.
	Layers map[string]string
	// Project is the project's own file.
	Project ProjectFile
	// Problems are values that were left out, and why. People's programs show
	// them as errors, hooks write them to the log.
	Problems []error
	// Unread: the user's file could not be read at all, so that nobody knows
	// what it says.
	Unread bool

	own  map[string]bool // keys that were set in our spelling
	mine document        // the user's file
}

// ProjectFile is a project's settings file, where there is one.
type ProjectFile struct {
	Path    string   // empty: there is none
	Trusted bool     // somebody has looked at this very text ('piton trust')
	LeftOut []string // the keys it sets that need trust, and do not count without, or only in part
	Stood   bool     // it was trusted before it changed: what it asked for more then counts too
}

// waiting says in a few words what of the file does not count; "" where all
// does.
func (p ProjectFile) waiting() string {
	if len(p.LeftOut) == 0 {
		return ""
	}
	named := p.LeftOut[:min(len(p.LeftOut), 3)]
	text := strings.Join(named, ", ")
	if more := len(p.LeftOut) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Places are where settings are read from.
type Places struct {
	UserFile string // see UserFile
	Project  string // a work tree's root; empty: none
	Getenv   func(string) string
	// Environ are all variables, as os.Environ has them, to find misspelt ones
	// among; nil: nobody looks.
	Environ []string
	// Origin is the normalised URL of the project's origin, Repository the folder
	// that all work trees of its repository share; "" for none. They are asked
	// for where the settings need them; nil: nobody knows.
	Origin, Repository func() string
	// Was is the text of the project's file before this turn changed it; nil where
	// it did not, or there was none.
	Was *string
}

// UserFile is where the user's settings lie.
func UserFile(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG rules ignore a relative one
		dir = filepath.Join(UserHome(getenv), ".config")
	}
	return filepath.Join(dir, "piton", "config.yaml")
}

// ProjectPath is where the settings of the work tree at root lie.
func ProjectPath(root string) string { return filepath.Join(root, ".piton.yaml") }

// builtIn is what is in force where nothing is set.
func builtIn(getenv func(string) string) Config {
	return Config{
		Debrief: debrief.DefaultSettings(), Checkpoints: defaultCheckpoints(getenv),
		From: map[string]string{}, Layers: map[string]string{}, own: map[string]bool{},
	}
}

// Load reads all layers. It never fails: what cannot be used is left out and
// named in Problems, those of the project's file last. While anything of the
// user's cannot be used, nothing is pruned unasked: it might have said to keep
// what is pruned.
func Load(p Places) Config {
	return load(p, open(p.UserFile))
}

// In reads the other layers at p again; the user's file is as it was read.
func (c Config) In(p Places) Config { return load(p, c.mine) }

func load(p Places, mine document) Config {
	c := builtIn(p.Getenv)
	c.mine = mine
	c.Unread = mine.err != nil
	c.layer(mine, layer{from: p.UserFile, mine: true})
	words := c.words(mine, p)
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
	c.Debrief.LeftOut = c.Project.waiting()
	return c
}

// layer is a place that sets keys.
type layer struct {
	from    string
	mine    bool // the user's file or the environment: any key
	trusted bool // a project's file that somebody has looked at
	stood   bool // as it was before: it adds what it asked for more
	lines   bool // problems name the line
}

// adds tells whether the layer may only ask for more than those before it.
func (l layer) adds() bool { return l.stood || !l.mine && !l.trusted }

// may tells why a layer may not set a key; nil if it may.
func (l layer) may(k key) error {
	switch {
	case l.mine || k.scope == stricter || k.scope == vouched && l.trusted && (!l.stood || k.name == verifyKey):
		return nil
	case k.scope == own:
		return errOwn
	case k.scope == machine:
		return errors.New("cannot be set by a project's file or for one project: it is the same for all of them; set it in the user's file or the environment")
	}
	return ErrUntrusted
}

// errOwn is in that of what only the user's file may set.
var errOwn = errors.New("can be set by your own settings file only")

// ErrUntrusted is in the problem of what only a trusted project's file may set:
// nothing is broken, somebody has to look at it.
var ErrUntrusted = errors.New("cannot be set by a project's file that is not trusted; look at it and run 'piton trust'")

// errWeaker is in that of what would ask for less than without the file.
var errWeaker = fmt.Errorf("may ask for less than without it, and %w", ErrUntrusted)

// waits notes that a key of the project's file needs trust.
func (c *Config) waits(name string) {
	if !slices.Contains(c.Project.LeftOut, name) {
		c.Project.LeftOut = append(c.Project.LeftOut, name)
	}
}

// layer applies a document.
func (c *Config) layer(d document, l layer) {
	if d.err != nil {
		c.problem(l.from, "%w", d.err)
	}
	l.lines = true
	var others []setting // after our own, which win
	for _, s := range d.settings {
		k, ok := find(s.name)
		_, isOther := findOther(s.name)
		switch {
		case ok && l.may(k) != nil:
			c.problem(l.from, "%s %w", s.name, l.may(k))
			if k.scope == vouched {
				c.waits(s.name)
			}
		case ok:
			c.apply(k, s.node, l)
		case isOther && !l.mine:
			c.problem(l.from, "%s %w", s.name, l.may(key{scope: machine}))
		case isOther:
			others = append(others, s)
		case s.name == projectsKey && l.mine && s.node.Kind == yaml.MappingNode: // see words
		default:
			c.problem(l.from, "%s", unknown(s))
		}
	}
	for _, s := range others {
		o, _ := findOther(s.name)
		c.applyOther(o, plain(s.node), l.from)
	}
}

// maxName bounds a name that no key has: more of it is not told, nor compared.
const maxName = 100

// unknown says what is wrong with a key that is none.
func unknown(s setting) string {
	if len(s.name) > maxName {
		return fmt.Sprintf("unknown key %q... (%d bytes)", s.name[:maxName], len(s.name))
	}
	if slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, s.name+".") }) {
		return fmt.Sprintf("%s holds keys, not %s", s.name, kindOf(s.node))
	}
	if s.name == projectsKey {
		return projectsKey + " holds projects and is for the user's file, as in {~/src/x: {debrief: {mode: off}}}"
	}
	if name, ok := strings.CutPrefix(s.name, agentsKey); ok {
		if name, _, _ = strings.Cut(name, "."); !slices.Contains(clients.Names(), name) {
			return fmt.Sprintf("unknown key %q; the agents are %s", s.name, strings.Join(clients.Names(), ", "))
		}
	}
	return fmt.Sprintf("unknown key %q%s", s.name, suggest(s.name))
}

// project applies the project's file. One that has changed since somebody looked
// at it, or in this turn, counts as it stood then and as it reads now: each adds
// what it asks for more.
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
	c.Project.Trusted = d.there && trusts.holds(path, d.text, p.Repository)
	if !c.Project.Trusted {
		c.stood(p, path, trusts)
	}
	c.layer(d, layer{from: path, trusted: c.Project.Trusted})
}

// stood applies what the project's file said before: when somebody looked at it,
// and when this turn began. What cannot be used of it is no problem of now.
func (c *Config) stood(p Places, path string, trusts Trusts) {
	problems, left := len(c.Problems), len(c.Project.LeftOut)
	if x, ok := trusts.Of(path); ok {
		if text, kept := x.Before(Home(p.Getenv)); kept {
			c.Project.Stood = true
			c.layer(documentOf(text), layer{from: path + " (as it was trusted)", trusted: true, stood: true})
		}
	}
	if p.Was != nil && *p.Was != "" {
		text := []byte(*p.Was)
		c.layer(documentOf(text), layer{from: path + " (before this turn)", trusted: trusts.holds(path, text, p.Repository), stood: true})
	}
	c.Problems, c.Project.LeftOut = c.Problems[:problems], c.Project.LeftOut[:left]
}

func (c *Config) environment(p Places) {
	for _, k := range keys {
		name := EnvName(k.name)
		v := p.Getenv(name)
		if v == "" {
			continue
		}
		if k.scope == own {
			c.problem(name, "%s %w", k.name, errOwn)
			continue
		}
		n, err := variable(k, v)
		if err != nil {
			c.problem(name, "%s: %w", k.name, err)
			continue
		}
		c.apply(k, n, layer{from: name, mine: true})
	}
	c.strangers(p.Environ)
}

// variable reads a variable's text: of a key that holds a list YAML in the flow
// style, [a, b], or one value as it stands.
func variable(k key, v string) (*yaml.Node, error) {
	if k.list == nil || !strings.HasPrefix(v, "[") && !strings.HasPrefix(v, "{") {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}, nil
	}
	n, err := parse([]byte(v))
	if err != nil {
		return nil, fmt.Errorf("%q is not a list such as [a, b]: %w", v, err)
	}
	return n, nil
}

// EnvName is the environment variable of a key.
func EnvName(key string) string {
	return "PITON_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// strangers names variables that look like settings and are none.
func (c *Config) strangers(environ []string) {
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, v, _ := strings.Cut(line, "=")
		known := name == "PITON_HOME" || name == "PITON_EPISODE" || name == "PITON_VERIFYING" || strings.HasPrefix(name, "PITON_TEST_") || strings.HasPrefix(name, "PITON_E2E_") ||
			slices.ContainsFunc(keys, func(k key) bool { return EnvName(k.name) == name })
		if strings.HasPrefix(name, "PITON_") && v != "" && !known {
			c.problem("the environment", "unknown variable %s%s", name, suggestVariable(name))
		}
	}
}

// apply sets one key.
func (c *Config) apply(k key, n *yaml.Node, l layer) {
	c.own[k.name] = true
	if k.list != nil {
		set, errs := k.list(c, n, l)
		for _, err := range errs {
			c.problem(l.from, "%s: %w", k.name, err)
			if errors.Is(err, ErrUntrusted) {
				c.waits(k.name)
			}
		}
		if set {
			c.came(k, l.from)
		}
		return
	}
	if kind := kindOf(n); n.Kind != yaml.ScalarNode {
		c.problem(l.from, "%s: it wants one value, not %s", k.name, kind)
		return
	}
	was := c.Debrief
	if err := k.set(c, plain(n)); err != nil {
		c.problem(l.from, "%s: %w", k.name, err)
		return
	}
	if l.adds() && reflect.DeepEqual(was, c.Debrief) {
		return // it says what is so anyway
	}
	if l.adds() && k.keeps != nil && !k.keeps(&was, &c.Debrief) {
		c.Debrief = was
		c.problem(l.from, "%s %w", k.name, errWeaker)
		c.waits(k.name)
		return
	}
	c.came(k, l.from)
}

// came notes where a value is from.
func (c *Config) came(k key, from string) {
	if was := c.From[k.name]; k.adds && was != "" && was != from {
		from = was + ", " + from
	}
	c.From[k.name] = from
}

func (c *Config) problem(from, format string, args ...any) {
	e := &piton.Error{Code: piton.Invalid, Op: "read the settings in " + from, Err: fmt.Errorf(format, args...)}
	var cause *piton.Error
	if errors.As(e.Err, &cause) {
		e.Hint = cause.Hint
	}
	c.Problems = append(c.Problems, e)
}
