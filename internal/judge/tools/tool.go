// Package tools is the table of what Piton knows about the programs that agents
// run: their names, flags and subcommands, what they verify, write and destroy,
// and how a project that uses them is recognised. It reads no file and runs
// nothing. What is known stands in data/*.toml, a file for each ecosystem, with how its
// runners' output says what passed and failed; go generate writes it as a table. A new
// tool is a row there; a runner of tests also needs a line of cases in
// internal/judge/debrief/testdata/runners.txt, and outputs in testdata/outputs.
package tools

// Tool is a row of the table. Lists of words are separated by spaces, lists of
// phrases by "|".
type Tool struct {
	Names     string // the programs of this row
	Aliases   string // other names of the first of them: gmake is make
	Versioned bool   // a version may follow its name: python3.12
	Installed bool   // it never is a file of the project: ./go is another program
	Ecosystem string // whose tests it runs

	Does Does  // what it does, whatever its arguments
	Subs []Sub // what it does with certain arguments

	Grammar
	Site
	Dryness
	Starter
	Effects
	Runs
}

// Grammar is how a tool's arguments are read.
type Grammar struct {
	Takes   string // its flags that take the next word as their value
	Before  bool   // Takes is about flags before the subcommand; after it they mean other things
	Chooses int    // how many operands choose what it does; 0: it does all that it is told, or nobody knows
	Groups  string // subcommands that have subcommands of their own
	Own     string // its own subcommands; any other word is a program of the project (yarn tsc)

	Spell     []Spelling // other ways to say the same, each tried once, in order
	SpellEach string     // an expression that each operand fits, and whose groups are all of it that counts
}

// Spelling is a way to begin the operands that has another, usual one: `npm run test`
// is `npm test`.
type Spelling struct {
	Words string // phrases; * in a word stands for any text
	More  int    // at least so many operands follow
	Not   string // and the first of these is none of these words
	As    string // what stands in the place of Words
	Cut   string // the operand that follows is several, which this separates
}

// Site is where a tool works, and on what.
type Site struct {
	Folder      string // flags that name the folder it works in
	FolderFirst bool   // only before the subcommand
	Project     string // flags that name the project, or the file with its definitions
	Defines     bool   // that file holds its targets
	Paths       bool   // its operands are the tests to run
	All         string // the operand that stands for all packages; folders can take its place
}

// Dryness is what keeps a tool from doing what it is for.
type Dryness struct {
	Dry       string // flags that make it show or prepare only
	DrySubs   string // phrases: subcommands that do the same
	DryFits   string // an expression of what does so: the first operand, and a flag with = and its value or an operand
	DryCall   dry    // what does so otherwise
	DryEnv    string // variables that it takes flags from, or that do so themselves
	Instead   string // with one of these flags it has something else to do
	HandsOn   bool   // flags after -- are for the program that it runs
	VersionOf bool   // --version chooses a version
}

// Starter is how a tool runs other programs.
type Starter struct {
	Wraps  []Wrap       // the ways in which it runs the command in its arguments
	Away   Host         // where that command then runs
	Limits bool         // it ends that command after a time
	Feeds  bool         // it adds words that it reads to that command
	Script *Interpreter // it runs the script, or the module, in its arguments
	Inner  inner        // the program that it runs, where no Wrap can say it
	Calls  []Callee     // or that its text or its script calls
	Text   *Text        // where its arguments hold a shell's text
	Exec   string       // flags that are followed by a command for each file found
}

// Effects are what a tool writes, prints and destroys.
type Effects struct {
	Writes  []Case // the files that it changes; where none holds, any
	Shows   *Shows // the files that it prints
	Streams *Streams
	Risks   []Case // what it can destroy beyond recall
}

// Runs is how a tool takes and reports targets and tests.
type Runs struct {
	TargetsOf string   // it runs the targets of this tool
	Targets   *Targets // the targets or scripts that a project defines for it
	Output    string   // names of formats that read what it prints; empty: as any runner's
	Picks     []Picks  // how its arguments say what it takes, by subcommand
}

// Sub is what a tool does with the arguments in Words, a list of phrases.
type Sub struct {
	Words string
	Does  Does
}

// Does is a set of what a command does, and of what its failure means.
type Does uint64

// What a command does.
const (
	Reads      Does = 1 << iota // it changes no file
	Tests                       // it runs tests of its ecosystem
	Umbrella                    // a project's customary name for all its tests
	Runner                      // it runs tests wherever it stands in a target or a script
	Testless                    // it runs no test, whatever the project
	Checks                      // it looks at a part of the project at a time
	Asks                        // status 1 is an answer
	Probes                      // it asks whether something is there
	Prints                      // it reads and prints only
	Talks                       // it asks another machine, or a server
	Formats                     // it changes files in a way that no test would notice
	Installs                    // it writes manifests, lock files and what it fetches
	Program                     // a program stands on the line itself: python -c
	Mentions                    // its arguments may mention a command without running it
	Idle                        // it does nothing but end
	Nothing                     // it does nothing that a test would
	Trivial                     // it hardly ever fails
	Loud                        // where it fails, it says so in words that are known
	Database                    // it takes SQL
	Subject                     // its first operand says what it does
	Variable                    // a Makefile's variable of its name holds it: $(GO)
	Exported                    // a Makefile may export flags for it
	Commits                     // it makes a commit
	Joins                       // it brings in commits of others
	Fetches                     // it brings in files of others
	Moves                       // a file that it writes may keep an old time, or be a whole tree
	Builds                      // it builds an image
	Configures                  // it sets up a folder to build in
	Configured                  // it builds in such a folder
	Outside                     // it tests what was built in a folder beside the tree
	Delivers                    // it hands the work on: a commit, a push, a pull request
	Hosted                      // it tells how the project's checks went on another machine
)

// Case is what a command does where its arguments are such; all that is set must
// hold. Of several the first that holds counts.
type Case struct {
	Sub      string // phrases that the operands begin with
	Any      string // one of the operands
	Flags    string // one of these flags, or
	Letters  string // one of these letters
	Unless   string // none of these flags
	Without  string // and none of these letters
	Fits     string // an expression that the words fit, joined by blanks
	Executes string // the command that it runs on each file that it finds is one of these
	Most     int    // no more operands than these; 0: any number
	Dashes   bool   // operands stand behind --, and it is about these

	Kind string // what it can destroy

	// What it changes.
	Takes  string // flags that take the next word, where the tool's own do not say it
	From   int    // the first operand that is a file
	Files  files  // how the operands name files
	Values string // flags and variables whose values are files
	Names  string // files of these names
	Least  int    // with fewer operands, files that others name
	Others bool   // files that nobody names
}

// Wrap is a way to run the command in the arguments.
type Wrap struct {
	Sub     string // the subcommand; "" for none
	Takes   string // its flags that take the next word as their value
	Skip    int    // operands before the command: timeout's duration, exec's service
	Before  string // an expression of what else may stand there: words, and what the first word begins with
	After   string // what stands before one of these flags is its own
	Not     string // flags with which it runs no command, or one that is a shell's text
	Folder  string // flags that name the folder, beside --directory and --cwd
	Scripts bool   // a word that names no known program is one of the project's scripts
	Image   bool   // a container is made from an image for the command
}

// Host is where a wrapped command runs.
type Host int

// Hosts.
const (
	Here      Host = iota
	Container      // it may hold the project
	Machine        // it has files of its own
)

// Interpreter is how a program takes its script.
type Interpreter struct {
	Takes  string // flags that take the next word as their value
	Text   string // letters that end a group of flags before the program's text
	Module bool   // -m runs a module
	Shell  bool   // the text is a shell's, and is read
	Files  bool   // the script is a shell's
}

// Callee is a program, or a library, that a word of the arguments calls.
type Callee struct {
	Fits string // an expression of that word
	Name string
	Part string // an expression: it fits also where only some tests are taken
	Rest bool   // the words behind are its own
}

// Text is where the arguments hold a shell's text.
type Text struct {
	Sub     string // subcommands: only there
	Flags   string // flags that the text follows
	Rest    bool   // it is all words from there on
	Last    bool   // it is the last word, whatever the flags
	Program string // the program that it is the arguments of
}

// Shows is which operands are files that a program prints.
type Shows struct {
	Takes   string // flags that take the next word as their value
	From    int    // the first operand that is a file
	Unless  string // flags that give what the first operands would
	Streams bool   // those of a stream editor
}

// Streams is how a stream editor is told what to do. A flag fits an expression with
// a blank, the next word and a blank behind it.
type Streams struct {
	Edits   string // an expression of flags by which it writes its files back
	Script  string // an expression of flags that give the script, in the next word if they are short
	Takes   string // flags that take the next word as their value
	Verbs   string // words that may stand before the script
	Filters string // letters without which its script may write any file
}

// DestroyData is the kind of what SQL can destroy; the other kinds stand in the data.
const DestroyData = "destroy data"

// Targets are what a project defines for a task runner.
type Targets struct {
	Files string // where, the first that is there
	Form  Form
	Goal  string // what it does when it is told nothing; "": the first target
	Calls string // phrases before a target's name
	Verb  string // subcommands before it; the words after it are its own
	Must  bool   // without one of them, words are not targets

	Tables   string // of settings: the tables that hold them, alternatives; * stands for any name
	Mentions string // a word that such a file must hold, to be read at all
	Lists    string // what a list in such a table is: "commands", "tasks", or the "words" of one command
	Folders  string // folders in which each file is one
	Climbs   bool   // the tool looks for its files in the folders above, too
	Quiet    bool   // they count, and are not asked for: a row of the ecosystem is
}

// Form is how a file defines targets.
type Form int

// Forms.
const (
	Makefile Form = iota + 1
	Justfile
	Taskfile
	PackageJSON
	ComposerJSON
	Scattered // no file says it: see Loose
	Tabled    // TOML or JSON: see Targets.Tables
	Rakefile
	Mixfile
	HooksFile // pre-commit's
)

// Picks is how the arguments of a run say what it takes. Flags that it does not
// name choose nothing.
type Picks struct {
	Sub      string // phrases: the subcommands that it is about; "" for any
	With     string // only with one of these flags
	Ends     string // flags after which the words are another program's
	Values   string // flags that take the next word, beside those of the tool
	Operand  []Spot // how an operand says what is taken
	Fixed    int    // operands that can be read, or choose nothing; with more, nobody can tell
	Own      bool   // without a place it takes the package of its folder
	Below    string // flags by which a folder stands for all below it
	Places   []PlaceFlags
	Roots    string // flags that name the folder, or a file in it, that all the rest lies below
	Names    []Chooser
	Marks    string // flags by which tests are left out that no name tells
	Affected bool   // it takes only what depends on changes, which is such a mark
	Again    string // flags that take the tests that failed before
	Tags     string // flags for build tags and features
	Stops    string // flags by which it ends at the first failure
	GoesOn   string // flags without which it does
	More     quirk  // what no row can say
}

// Spot is a way to read a word as a place. The groups path, line, test and of of its
// expression are parts of the place; without path it is the whole word. A group not
// that holds ! leaves the place out.
type Spot struct {
	Re      string
	Shape   Shape
	Literal bool // * and ? in it make no glob
	Foreign bool // only another program knows what the word stands for
	None    bool // the word chooses nothing
}

// PlaceFlags are flags whose values are places.
type PlaceFlags struct {
	Flags string
	As    []Spot
	Not   bool // they are left out
	List  bool // a value may be several
}

// Chooser are flags whose values choose tests by name.
type Chooser struct {
	Flags    string
	Operands bool // or the operands do
	By       Reading
	Not      bool
	Last     bool   // only the last one counts
	All      string // values that leave nothing out
	Fold     bool   // whatever the case
	Slashes  bool   // between slashes stands an expression
}

// dry is a way to tell from a call that it does nothing, which no expression can say.
type dry int

const (
	idleVariable dry = iota + 1 // a variable of make names a program that does nothing: GO=true
	onlyLints                   // tox or nox is told to run environments of which none tests
)

// inner is a way to find the program that a tool runs, which no Wrap can say.
type inner int

const (
	goProgram inner = iota + 1 // go tool and go run module@version
	nxTarget                   // nx run-many --targets=lint,test, and nx run app:test
)

// files is a way in which operands name the files that a command changes.
type files int

const (
	operands  files = iota + 1 // they are files
	formatted                  // what has an extension is a file; formatters are given folders as often
	gitPaths                   // they are files, folders or everything
	downloads                  // they are addresses whose last part names the file
	copied                     // the last one is where cp and its kin put the others
	patches                    // a patch in the words or on standard input names them
	streams                    // they are those of a stream editor
	targets                    // they are targets: what one changes is told by its name
	script                     // the first one is a task of a package manager
	snapshots                  // a test run changes files only where it takes what it sees for right
)

// quirk is how a tool's words say what it takes where no row can say it.
type quirk int

const (
	gotestsumWords quirk = iota + 1 // what follows its first operand is go test's
	discovered                      // -p of unittest names the files that it looks for
	cargoFilters                    // parts of names stand before and behind --
	gradleTasks                     // :app:test is of one project, test of all
	mavenNames                      // -Dtest=A,!B,C#x+y
	dotnetFilter                    // FullyQualifiedName~X, its alternatives and conjunctions
	rakeVariables                   // TEST=path and TESTOPTS=-n x
	yarnMember                      // yarn workspace web test
	nxProject                       // nx test app, nx app:test
)

// Call is a command with its spelling evened out.
type Call struct {
	Tool  *Tool
	Head  string   // the program's name
	Words []string // as written
	Stdin string   // if the line holds it
	Args
}
