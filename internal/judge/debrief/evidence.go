package debrief

import (
	"sync"
	"time"

	"github.com/piton-project/piton/internal/judge/found"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// What was found of the work tree.
type (
	Home  = found.Home
	Run   = found.Run
	Doubt = found.Doubt
)

// Input is the evidence of one turn.
type Input struct {
	Root      string // the work tree, absolute; paths of calls are seen from it
	Files     []File
	Calls     []agent.Call // in the order they began
	CallsSeen bool         // the transcript could be read; else nothing speaks against an action
	Partial   bool         // the calls do not reach back to the turn's beginning
	Tests     []Test
	Rules     []Rule   // Builtin() when nil
	Read      *Reading // of these Calls, where it was begun before; may be nil

	// Clean takes the secrets out of a call's output before anything of it is
	// quoted: few outputs are, and to look through all of them is dear. Nil: they
	// hold none.
	Clean func(text string) string

	// Resolve is an absolute path without symbolic links. It is asked only where a
	// call's path fits no file as it is. Nil: there are no links.
	Resolve func(path string) string

	// Expand is what a command comes to in the end, run in a folder relative to
	// Root: tasks, targets and scripts of the project read through; not read where
	// a definition says more than is understood of it. It is asked only for
	// commands that run tests or build, and beside a check that failed. Where it is nil, or answers nothing, a command
	// is its own and only run.
	Expand func(dir string, words []string) (runs []Run, read bool)

	// Service is what the project's compose files say of a service that a command
	// names which runs in a container. It is asked only where such a command runs
	// tests. Nil, or not known: nothing is known of it.
	Service func(dir string, files []string, name string) (s Service, known bool)

	// Same reports whether a changed file differs from how the turn found it in
	// nothing that a test would notice. It is asked only
	// where something would hold. Nil: nobody can tell, so it does differ.
	Same func(path string) bool

	// Importers are the test files of a file's project that import it. They are looked
	// for only where no test bears its name. Nil: nobody can tell.
	Importers func(path string) []string

	// Narrow is a test command of a folder for some files only, seen from the root;
	// "" where it cannot be narrowed. Nil: it cannot.
	Narrow func(dir, run string, paths []string) string

	Declared     []Test           // the type checks and builds that projects without tests declare
	Prompts      []string         // what the person said in this turn
	Words        []agent.Words    // what the agent said, its last words the last
	NoShell      bool             // the session has no tool that runs commands
	CheckedAfter bool             // a check of the run's step follows this stop
	Left         []Left           // what the work before left open
	Known        []string         // files that the session has seen in earlier turns, relative to Root
	Earlier      bool             // what the session has seen in earlier turns is known (Known), or there were none
	Doubts       []Doubt          // about ways to run tests
	Others       []string         // files that other sessions' calls name as edited, relative to Root: foreign, unless a call names them
	Elapsed      time.Duration    // the work since the turn's start
	LogCheck     string           // Settings.LogCheck
	Untrusted    bool             // an untrusted project's file names it (Settings.LogCheckUntrusted)
	Item         string           // the active work item's name; empty: none
	Planned      []string         // the files that its plan names
	Verified     []agent.Verified // what Piton has run itself
	Report       bool             // fill in Result.Rules
}

// Reading is what the calls' command lines say. It needs nothing else, so that
// it can be done while git is asked for the files.
type Reading struct{ turn *turn }

// read is what was read; nothing where nobody did.
func (r *Reading) read() *turn {
	if r == nil {
		return &turn{}
	}
	return r.turn
}

// File is a file that differs from the turn's beginning.
type File struct {
	Path      string    `json:"path"` // relative to Root, with slashes
	Created   bool      `json:"created,omitempty"`
	Deleted   bool      `json:"deleted,omitempty"`   // and Created: it was there when the turn began, but never in HEAD
	Committed bool      `json:"committed,omitempty"` // its change is in a commit of this turn
	ModTime   time.Time `json:"mod_time,omitzero"`   // zero if not known

	Home *Home      `json:"home,omitempty"` // its surroundings; nil if not known
	Thin tools.Thin `json:",omitzero"`      // of a test file: how it shows less than when the turn began
}

// Left is a file that the work before this turn left open, and why.
type Left struct {
	File
	Need agent.Need `json:"need"`
}

// Service is what the project's files say of a container, as project.Service has
// it.
type Service struct {
	Folders []string `json:"folders,omitempty"`
	Built   bool     `json:"built,omitempty"`
}

// Test is a command that runs tests, as found.TestCommand has it.
type Test struct {
	Run       string   `json:"run"`
	Matches   []string `json:"matches,omitempty"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Dir       string   `json:"dir,omitempty"`
	Accepted  bool     `json:"-"` // by the settings: asked for before those that are found

	only     string // whose tests it runs in the end, where all that it runs is known: see Input.sole
	narrowed bool   // for the packages of the changed files only
}

// Result is the decision and its reasons.
type Result struct {
	Files        []agent.FileChange // all of them, with their owners
	Categories   []string           // of the agent's files, by precedence
	Facts        []Fact             // of the turn's code; those that hold first
	Actions      []string           // what the agent is held for; none: the stop is let through
	Observations []string           // what was noticed; shown beside actions, alone a notice
	Lines        []Line             // what is no reason to hold, for a person
	Evidence     []agent.Evidence
	AllClear     bool     // no action and no line
	OnlyAdded    bool     // nothing but rules of an untrusted project's file observed anything
	Passed       string   // the checks that were seen to pass and cover all code that changed; "": not all is covered
	Judged       int      // changed files of code
	Passing      bool     // a check of this turn passed
	Unproven     []string // the agent's files whose tests are asked for
	Rules        []Report // what each rule saw; where Input.Report asks for it
	Generic      bool     // the rules themselves failed; Message is Generic()
	Message      string   // for the agent; empty when all clear
}

// Line is something that a person reads where nothing holds.
type Line struct {
	Text    string
	Finding string // what it is about, without the names of files: it is told once for a project
}

// Report is what one rule saw and decided.
type Report struct {
	Rule        string           `json:"rule"`
	Files       []string         `json:"files"`
	Instruction string           `json:"instruction,omitempty"`
	Evidence    []agent.Evidence `json:"evidence"` // what it weighed
	Verdict     string           `json:"verdict"`  // in words
	Asks        bool             `json:"asks"`     // it asks for something
}

// tick is by how much a file's time may lie beside the moment it was written:
// the kernel's clock for it is coarse, and clients' are in milliseconds.
const tick = 20 * time.Millisecond

// turn is the evidence, read once.
type turn struct {
	Input
	calls  []*call
	files  []file                // the agent's
	theirs map[string]bool       // what other sessions name as edited
	lines  map[string][]*command // of equal lines
	runs   once[shell.Patterns]  // see ownRuns
	builds shell.Patterns        // of what builds or checks types

	checked     once[[]*check]
	judgedFiles once[[]file]
	wants       once[wants]
	firstEdit   once[moment]
	tests       once[[]file]
	absent      once[[]string]
	stashing    once[[]*call]
	module      once[*string]
	places      map[printed]string // where what runners print lies
	named       int                // failures that were placed

	patterns       map[string]shell.Pattern // see pattern
	commits, pulls bool                     // a call commits, or joins what others made
	followed       bool                     // see follow
	outsiders      []string                 // see editedOutside
}

// call is a tool call with what its command line runs.
type call struct {
	agent.Call
	turn     *turn
	at       int // its place in the turn
	commands []*command
	edits    []edit
	mayEdit  bool // it can have changed files that it does not name
	tidies   bool // all that it can have changed was formatted, not edited
	installs bool // all that it can have changed is what a package manager writes
	own      bool // Piton ran it itself

	clean once[string] // see Output
	sum   once[tools.Summary]
}

// edit is a file that a call names as written.
type edit struct {
	path    string // relative to the root, may be a glob
	command int    // which one of the line's; -1 for an edit tool
	moves   bool   // it stands for what lies below it, whose old times may survive (mv, cp -p, tar)
	tidies  bool
}

// file is one of the agent's files with its last edit, or one of code that the work
// before left open. Its Home is known.
type file struct {
	File
	ecosystem string
	last      moment
	tidy      bool          // all that the agent did to it was to format it
	left      []*agent.Need // what the work before left open with it
	earlier   bool          // this turn did not change it
}

// command is one command of a call's line, or all of a line that cannot be
// parsed. What is asked of it often is found once; equal lines share theirs.
type command struct {
	shell.Command
	turn       *turn
	line       string
	at         int    // its place in the line
	text       string // its words, blank-separated
	unreadable bool
	known      once[nature] // by the table of tools
	whole      once[nature] // and by the project
	read       once[spelling]
}

// spelling is a command's words, or those of a line that cannot be parsed.
type spelling interface {
	Match(shell.Pattern) bool
	MatchAny(shell.Patterns) bool
}

// nature is what a command checks: it runs tests, or looks at part of a project at a
// time in another way.
type nature struct{ tests, checks bool }

// printed is a file or a package as a runner names it.
type printed struct {
	pkg       bool
	name, dir string
}

// group is a category of this turn: a rule and its files.
type group struct {
	rule    Rule
	files   []file
	instead string // the category that speaks for this one: only tests changed
}

// demand is an instruction of a person's rule whose evidence is missing.
type demand struct {
	subjects    []subject
	missing     string // "no test run has passed since"
	instruction string // "" for none
	advice      bool
}

// subject is a category with the names of its files.
type subject struct{ name, files string }

// finding is what a rule came to: a demand, or why there is none.
type finding struct {
	demand
	group   group
	wish    string // the rule's instruction, filled in
	rows    []agent.Evidence
	verdict string
}

// asksFor tells whether the finding makes an action.
func (f finding) asksFor() bool { return f.instruction != "" && !f.advice }

// contained runs f and reports whether it went through; a rule's slip must not
// stop the others.
func contained(f func()) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	f()
	return true
}

// kind is what a check looks at.
type kind string

// The kinds of checks.
const (
	noCheck   kind = ""
	kindTests kind = "tests"
	kindBuild kind = "build" // it builds or checks types
	kindLint  kind = "lint"
)

// check is a command of the turn that tests, builds or lints: what it takes, and how
// it went.
// Rule: docs/spec.md, "Evidence".
type check struct {
	kind
	call     *call
	cmd      *command
	dir      string        // the folder that it ran in, relative to the root
	projects []string      // the folders of the projects that it ran in
	runs     []tools.Scope // what it takes, seen from the root; several where a task runs several tools
	of       string        // whose tests it runs; "": nobody knows, or several's
	plain    bool          // it is its project's own entry: test, check, ci
	base     bool          // it ran while the changes were put away: what failed in it is not the agent's
	away     string        // why it says nothing of this tree; "": it does
	at       moment        // whose tree it speaks of
	is       outcome
	why      string
	failures []failure // what it names as failed, placed in the tree
	complete bool      // what failed of what ran is all named
	stops    bool      // it ends at the first failure: the rest may not have run
}

// failure is one thing that a check names as failed; what it does not name is empty.
type failure struct {
	test    string // its name
	file    string // the file that holds it
	pkg     string // the folder of its package, where a folder is one
	placed  bool   // pkg is known, the root included
	broken  bool   // it did not build, or could not be collected
	printed string // as the runner prints it, to be quoted
}

// outcome is how a check went, as far as it was seen.
type outcome int

// The outcomes. A pass is positive: a status that nothing hides says so, or a line
// of the runner.
const (
	unseen  outcome = iota // it ran, or may have, and nobody saw how it went
	unrun                  // it never ran, or could not
	nothing                // it ran, and found no test
	passed
	failed
)

// wants is what a person's words say of tests.
type wants struct{ noTests, mayFail, onlyLint bool }

// testRuns are the patterns of what runs tests of each of tools.Ecosystems, as the table
// of tools has it.
var testRuns = sync.OnceValue(func() (of []shell.Patterns) {
	for _, e := range tools.Ecosystems {
		of = append(of, shell.ReadPatterns(tools.TestPatterns(e.Name)))
	}
	return of
})
