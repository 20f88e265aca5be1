package debrief

import (
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
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
	Exit      string   // path of the marker file that lets a stop through
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

	Known     []string         // files that the session has seen in earlier turns, relative to Root
	Earlier   bool             // what the session has seen in earlier turns is known (Known), or there were none
	Doubts    []Doubt          // about ways to run tests
	Others    []string         // files that other sessions' calls name as edited, relative to Root: foreign, unless a call names them
	Elapsed   time.Duration    // the work since the turn's start
	LogCheck  string           // Settings.LogCheck
	Untrusted bool             // an untrusted project's file names it (Settings.LogCheckUntrusted)
	Besides   []string         // Settings.Besides
	Item      string           // the active work item's name; empty: none
	Planned   []string         // the files that its plan names
	Verified  []agent.Verified // what Piton has run itself
	Report    bool             // fill in Result.Rules
}

// Reading is what the calls' command lines say. It needs nothing else, so that
// it can be done while git is asked for the files.
type Reading struct{ turn *turn }

// File is a file that differs from the turn's beginning.
type File struct {
	Path      string    `json:"path"` // relative to Root, with slashes
	Created   bool      `json:"created,omitempty"`
	Deleted   bool      `json:"deleted,omitempty"`   // and Created: it was there when the turn began, but never in HEAD
	Committed bool      `json:"committed,omitempty"` // its change is in a commit of this turn
	ModTime   time.Time `json:"mod_time,omitzero"`   // zero if not known

	Home *proof.Home `json:"home,omitempty"` // its surroundings; nil if not known
	Thin tools.Thin  `json:",omitzero"`      // of a test file: how it shows less than when the turn began
}

// Service is what the project's files say of a container, as project.Service has
// it.
type Service struct {
	Folders []string `json:"folders,omitempty"`
	Built   bool     `json:"built,omitempty"`
}

// Run is a command that a line comes to in the end, as project.Run has it.
type Run struct {
	Words []string    `json:"words"`
	Dir   string      `json:"dir,omitempty"`   // relative to Root
	Scope tools.Scope `json:"scope,omitzero"`  // what it takes, seen from Root
	Plain bool        `json:"plain,omitempty"` // the line is the project's own plain entry
}

// Test is a command that runs tests, as project.TestCommand has it.
type Test struct {
	Run       string   `json:"run"`
	Matches   []string `json:"matches,omitempty"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Dir       string   `json:"dir,omitempty"`
	Accepted  bool     `json:"-"` // by the settings: asked for before those that are found

	only string // whose tests it runs in the end, where all that it runs is known: see Input.sole
}

// Result is the decision and its reasons.
type Result struct {
	Files        []agent.FileChange // all of them, with their owners
	Categories   []string           // of the agent's files, by precedence
	Actions      []string           // what is unproven; none: the stop is let through
	Observations []string           // what was noticed; alone they are a notice
	Evidence     []agent.Evidence
	AllClear     bool     // no action and no observation
	OnlyAdded    bool     // nothing but rules of an untrusted project's file observed anything
	Verified     bool     // a check counts for a file of the agent's: something was really checked, and not just nothing asked
	Stands       string   // the build or check of types that stood for tests, where there are none; redacted as quoted
	Unresolved   bool     // a command failed and never succeeded after
	Unproven     []string // the agent's files whose tests are asked for
	Rules        []Report // what each rule saw; where Input.Report asks for it
	Generic      bool     // the rules themselves failed; Message is Generic()
	Message      string   // for the agent; empty when all clear
}

// Report is what one rule saw and decided.
type Report struct {
	Rule        string           `json:"rule"`
	Files       []string         `json:"files"`
	Instruction string           `json:"instruction,omitempty"`
	Evidence    []agent.Evidence `json:"evidence"`
	Verdict     string           `json:"verdict"` // a sentence
	Asks        bool             `json:"asks"`    // it made an action
}

// Doubt is what speaks against a way to run tests: its definition.
type Doubt struct {
	Run   string `json:"run"`             // a pattern of commands
	Dir   string `json:"dir,omitempty"`   // where they run, relative to the root
	Why   string `json:"why"`             // such as "runs nothing"
	Never bool   `json:"never,omitempty"` // no run of it proves anything; else one does whose output names tests that passed
}

const slack = proof.Slack

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
	runs   *testRuns             // see ownRuns

	builds shell.Patterns // of what builds or checks types: the evidence of untested rules
	model  *model         // see weighed; nil until it is asked for

	patterns       map[string]shell.Pattern // see pattern
	commits, pulls bool                     // see gitCall
	followed       bool                     // see follow
	stashing       *[]*call                 // see stashes

	module struct { // see theModule
		dir   *string
		known bool
	}
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

	clean    *string    // see Output
	verdicts []*verdict // of the commands, as they are asked for
	mark     *string    // of a failure in the output
	sum      *tools.Summary
	expected *bool
}

// edit is a file that a call names as written.
type edit struct {
	path    string // relative to the root, may be a glob
	command int    // which one of the line's; -1 for an edit tool
	tree    bool   // stands for what lies below it
	tidies  bool
	keeps   bool // the file's old time may survive (mv, cp -p, tar)
}

// file is one of the agent's files with its last edit.
type file struct {
	File
	last moment
	tidy bool // all that the agent did to it was to format it
}

// moment is a place in the turn.
type moment = proof.Moment

// command is one command of a call's line, or all of a line that cannot be
// parsed. What is asked of it often is found once; equal lines share theirs.
type command struct {
	shell.Command
	turn       *turn
	line       string
	at         int    // its place in the line
	text       string // its words, blank-separated
	unreadable bool
	nature     nature // see look

	read spelling // once it is asked for
}

// spelling is a command's words, or those of a line that cannot be parsed.
type spelling interface {
	Match(shell.Pattern) bool
	MatchAny(shell.Patterns) bool
}

// testRuns are the patterns of what runs tests: of any language, and of each.
type testRuns struct {
	any shell.Patterns
	of  []shell.Patterns // as tools.Ecosystems
}

// nature is what a command's failure means.
type nature struct {
	known  bool   // by the table of tools
	whole  bool   // and by the project
	asks   bool   // status 1 is an answer
	probes bool   // asks whether something is there
	looks  bool   // reads and prints only
	calls  bool   // asks another machine, or a server
	checks bool   // looks at part of a project at a time
	inline bool   // a program on the line itself
	tests  uint32 // bit i: it runs tests of tools.Ecosystems[i]
}

// group is a category of this turn: a rule and its files.
type group struct {
	rule    Rule
	files   []file
	instead string // the category that speaks for this one: only tests changed
}

// demand is an instruction of a category whose evidence is missing.
type demand struct {
	subjects    []subject
	missing     string   // "no test run has passed since"
	instruction string   // "" for none
	patterns    []string // what would prove it
	asks        []Test   // the test commands it names
	tried       *call    // the failed call that it speaks of
	testRun     bool     // it asks for a test run and nothing else
	advice      bool
}

// subject is a category with the names of its files.
type subject struct{ name, files string }

// finding is what a rule came to: a demand, or why there is none.
type finding struct {
	demand
	group   group
	wish    string // the rule's instruction, filled in
	stands  string // the build that stood for tests
	rows    []agent.Evidence
	left    []file // those of the group that no check meets; nil: all
	verdict string
}

// asksFor tells whether the finding makes an action.
func (f finding) asksFor() bool { return f.instruction != "" && !f.advice }

// settle takes the demand back.
func (f *finding) settle(why string) { f.demand, f.verdict = demand{}, why }

// verdict is whether a run proves something, and why or why not.
type verdict struct {
	counts bool
	sure   bool // its status or a line of its output says so; else nothing speaks against it
	why    string
	failed bool // it ran and failed; else it just proves nothing
}

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

// model is the turn's checks, each beside the command that it was, and the needs
// of its files.
// Rule: docs/spec.md, "Evidence".
type model struct {
	proof.Turn
	calls []*call
	index map[[2]int]int // of a call and a command of it: which check

	named  int                  // failures that runs of the turn have named
	placed map[printed]string   // where they are in the tree
	open   map[int][]proof.Open // see opens; nil until it is asked for
	before []proof.Open
}

// maxNamed bounds the failures of a turn that are taken by name, newest or not:
// of a run beyond it, all that it took is open.
const maxNamed = 20_000

// printed is a file or a package as a runner in a folder names it.
type printed struct {
	pkg       bool
	name, dir string
}
