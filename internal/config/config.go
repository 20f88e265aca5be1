// Package config reads Piton's settings in layers: built-in, the user's file,
// the project's file, the user's settings for the project, the environment
// (docs/spec.md, "Configuration and trust").
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// Config is what is in force.
type Config struct {
	Debrief     debrief.Settings
	Store       string // sqlite:PATH; empty: the file in PITON_HOME
	Checkpoints Checkpoints
	Restore     Restore
	Run         Run
	Serve       Serve
	Aliases     []string // own commands of 'piton', as in "mine = list --open"
	ProjectName string   // names the project of runs, wherever its folder lies; empty: its origin or path does
	Listeners   []agent.Listener
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

	own      map[string]bool // keys that were set in our spelling
	userFile document        // the user's file
}

// ProjectFile is a project's settings file, where there is one.
type ProjectFile struct {
	Path    string   // empty: there is none
	Trusted bool     // somebody has looked at this very text ('piton trust')
	LeftOut []string // the keys it sets that need trust, and do not count without, or only in part
	Stood   bool     // it was trusted before it changed: what it asked for more then counts too
}

// leftOutSummary says in a few words what of the file does not count; "" where all
// does.
func (p ProjectFile) leftOutSummary() string {
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

// Checkpoints says which checkpoints are made and how long they stay
// (docs/config.md).
type Checkpoints struct {
	Enabled   bool // hooks save at all
	Auto      bool // hooks save inside a turn too
	Compress  bool // states are compressed in the store
	By        bool // records say who saved
	Retention piton.Retention
	Archive   string // where the cold ones lie: a folder's absolute path, or s3://BUCKET/PREFIX
	Prune     string // PruneDaily or PruneOff
}

// Restore says what of a work tree's files is kept, so that it can be brought back (docs/config.md).
type Restore struct {
	Mode    string   // RestoreOn or RestoreOff
	Secrets string   // of files that may hold a secret: RestoreKeep or RestoreOmit
	Keep    []string // names of ignored files that are kept too, by patterns of one folder's names
	// In MB: of a file, of what one mark adds, and of all.
	MaxFile, MaxMark, MaxAll int
	For                      time.Duration
}

// The values of restore.mode and restore.secrets.
const (
	RestoreOn   = "on"
	RestoreOff  = "off"
	RestoreKeep = "keep"
	RestoreOmit = "omit"
)

// defaultRestore keeps what may be secret too: its loss is certain and its only copy gone, while the
// kept one is read by nobody but its owner, and never shown, sent or exported.
func defaultRestore() Restore {
	return Restore{Mode: RestoreOn, Secrets: RestoreKeep, Keep: []string{".env", ".env.*"}, MaxFile: 20, MaxMark: 100, MaxAll: 1024, For: 7 * 24 * time.Hour}
}

// How often the store is pruned unasked.
const (
	PruneDaily = "daily"
	PruneOff   = "off"
)

// defaultCheckpoints is what applies where nothing is set.
func defaultCheckpoints(getenv func(string) string) Checkpoints {
	return Checkpoints{
		Enabled: true, Auto: true, Compress: true, By: true, Retention: piton.DefaultRetention,
		Archive: filepath.Join(Home(getenv), "archive"), Prune: PruneDaily,
	}
}

// Run are the settings for runs of plans.
type Run struct {
	Agent  string                 // the client of steps that name none; empty: the first that is installed
	Prices map[string]agent.Price // by model, or by client for its other models
}

// Serve are the settings for the daemon.
type Serve struct {
	Runs     int  // how many runs it works on at once
	Project  int  // likewise of one project; 0: no fewer
	AllHomes bool // it takes up queued runs and schedules of other homes of the store too
}

// Allow is what redaction keeps although it looks like a secret (docs/spec.md,
// "Never stored"). Only the user's own file sets it.
type Allow struct {
	Names    []string // names whose values are kept; * stands for any characters
	Patterns []string // values that are kept; * stands for any characters
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

// builtIn is what is in force where nothing is set.
func builtIn(getenv func(string) string) Config {
	return Config{
		Debrief: debrief.DefaultSettings(), Checkpoints: defaultCheckpoints(getenv), Restore: defaultRestore(), Serve: Serve{Runs: 8},
		From: map[string]string{}, Layers: map[string]string{}, own: map[string]bool{},
	}
}

// leaveOut notes that a key of the project's file needs trust.
func (c *Config) leaveOut(name string) {
	if !slices.Contains(c.Project.LeftOut, name) {
		c.Project.LeftOut = append(c.Project.LeftOut, name)
	}
}

func (c *Config) problem(from, format string, args ...any) {
	e := &piton.Error{Code: piton.Invalid, Op: "read the settings in " + from, Err: fmt.Errorf(format, args...)}
	var cause *piton.Error
	if errors.As(e.Err, &cause) {
		e.Hint = cause.Hint
	}
	c.Problems = append(c.Problems, e)
}
