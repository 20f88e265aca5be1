// Package config reads Piton's settings in layers: built-in, the user's file,
// the project's file, the environment (docs/spec.md, "Configuration and
// trust").
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/debrief"
)

// maxFile bounds a configuration file, so that nothing large is read at a stop.
const maxFile = 1 << 20

// Config is what is in force.
type Config struct {
	Debrief     debrief.Settings
	Store       string // sqlite:PATH; empty: the file in PITON_HOME
	Checkpoints Checkpoints
	// From says where each value that is not built in came from, by key.
	From map[string]string
	// Problems are values that were left out, and why. People's programs show
	// them as errors, hooks write them to the log.
	Problems []error
	// Unread: the user's file could not be read at all, so that nobody knows
	// what it says.
	Unread bool

	own map[string]bool // keys that were set in our spelling
}

// key is one setting: its name in a file; in the environment it is PITON_ and
// the name in capitals with _.
type key struct {
	name string
	// project: an untrusted project file may set it. Keys that choose stores
	// or switch Piton off may not.
	project bool
	set     func(c *Config, v string) error
}

var keys = append([]key{
	{"debrief.mode", false, oneOf(func(c *Config) *string { return &c.Debrief.Mode }, debrief.ModeOn, debrief.ModeAudit, debrief.ModeOff)},
	{"debrief.min_turn", true, func(c *Config, v string) (err error) {
		c.Debrief.MinTurn, err = duration(v, c.Debrief.MinTurn)
		return err
	}},
	{"debrief.timer", true, func(c *Config, v string) error {
		s := string(c.Debrief.Timer)
		err := oneOf(func(*Config) *string { return &s }, string(piton.TimerUnified), string(piton.TimerActivity))(c, v)
		c.Debrief.Timer = piton.Timer(s)
		return err
	}},
	{"debrief.reply", true, oneOf(func(c *Config) *string { return &c.Debrief.Reply }, debrief.ReplyAuto, debrief.ReplyBlock, debrief.ReplyContext)},
	{"debrief.all_clear", true, oneOf(func(c *Config) *string { return &c.Debrief.AllClear }, debrief.AllClearNotice, debrief.AllClearMessage, debrief.AllClearSilent)},
	{"debrief.hold_on_observations", true, flag(func(c *Config) *bool { return &c.Debrief.HoldOnObservations })},
	{"store", false, func(c *Config, v string) error { c.Store = v; return nil }},
}, checkpointKeys()...)

// Keys lists the settings, in our spelling.
func Keys() []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

// Places are where settings are read from.
type Places struct {
	UserFile string // see UserFile
	Project  string // a work tree's root; empty: none
	Getenv   func(string) string
	// Environ are all variables, as os.Environ has them, to find misspelt ones
	// among; nil: nobody looks.
	Environ []string
}

// UserFile is where the user's settings lie.
func UserFile(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG rules ignore a relative one
		dir = filepath.Join(UserHome(getenv), ".config")
	}
	return filepath.Join(dir, "piton", "config.yaml")
}

// Load reads all layers. It never fails: what cannot be used is left out and
// named in Problems, those of the project's file last. While anything of the
// user's cannot be used, nothing is pruned unasked: it might have said to keep
// what is pruned.
func Load(p Places) Config {
	c := Config{Debrief: debrief.DefaultSettings(), Checkpoints: defaultCheckpoints(p.Getenv), From: map[string]string{}, own: map[string]bool{}}
	c.file(p.UserFile, false)
	user := len(c.Problems)
	if p.Project != "" {
		c.file(filepath.Join(p.Project, ".piton.yaml"), true)
	}
	project := slices.Clone(c.Problems[user:])
	c.Problems = c.Problems[:user]
	for _, k := range keys {
		name := EnvName(k.name)
		if v := p.Getenv(name); v != "" {
			c.apply(k, v, name)
		}
	}
	c.strangers(p.Environ)
	if len(c.Problems) > 0 {
		c.Checkpoints.Prune = PruneOff
	}
	c.Problems = append(c.Problems, project...)
	return c
}

// EnvName is the environment variable of a key.
func EnvName(key string) string {
	return "PITON_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// strangers names variables that look like settings and are none.
func (c *Config) strangers(environ []string) {
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, v, _ := strings.Cut(line, "=")
		known := name == "PITON_HOME" || name == "PITON_VERIFYING" || strings.HasPrefix(name, "PITON_TEST_") || strings.HasPrefix(name, "PITON_E2E_") ||
			slices.ContainsFunc(keys, func(k key) bool { return EnvName(k.name) == name })
		if strings.HasPrefix(name, "PITON_") && v != "" && !known {
			c.problem("the environment", "unknown variable %s%s", name, suggestVariable(name))
		}
	}
}

func (c *Config) apply(k key, v, from string) {
	c.own[k.name] = true
	if err := k.set(c, v); err != nil {
		c.problem(from, "%s: %w", k.name, err)
		return
	}
	c.From[k.name] = from
}

func (c *Config) problem(from, format string, args ...any) {
	c.Problems = append(c.Problems, &piton.Error{Code: piton.Invalid, Op: "read the settings in " + from, Err: fmt.Errorf(format, args...)})
}

// file reads a layer; untrusted: only what an untrusted project may set.
func (c *Config) file(path string, untrusted bool) {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return
	}
	if err != nil {
		c.Unread = c.Unread || !untrusted
		c.problem(path, "%w", err)
		return
	}
	var root map[string]any
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); err != nil && err != io.EOF { // EOF: it says nothing
		c.Unread = c.Unread || !untrusted
		c.problem(path, "%w", err)
		return
	}
	values := flatten("", root)
	var others []spelling // after our own, which win
	for _, name := range slices.Sorted(maps.Keys(values)) {
		k, ok := find(name)
		other, isOther := findOther(name)
		switch {
		case !ok && !isOther:
			c.problem(path, "unknown key %q%s", name, suggest(name))
		case untrusted && !k.project:
			c.problem(path, "%s cannot be set by a project's file; set it in the user's file or the environment", name)
		case ok:
			c.apply(k, values[name], path)
		default:
			others = append(others, other)
		}
	}
	for _, o := range others {
		c.applyOther(o, values[o.name], path)
	}
}

var errNotDir = errors.New("a part of the path is no folder")

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		if strings.Contains(err.Error(), "not a directory") {
			return nil, errNotDir
		}
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("not a regular file of at most %d bytes", maxFile)
	}
	return os.ReadFile(path)
}

// flatten turns nested maps into dotted names.
func flatten(prefix string, m map[string]any) map[string]string {
	flat := map[string]string{}
	for k, v := range m {
		name := prefix + k
		if sub, ok := v.(map[string]any); ok {
			for n, x := range flatten(name+".", sub) {
				flat[n] = x
			}
			continue
		}
		if v == nil {
			continue // a key without a value sets nothing
		}
		flat[name] = fmt.Sprint(v)
	}
	return flat
}

func find(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}
