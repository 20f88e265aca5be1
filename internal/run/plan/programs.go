package plan

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// program says which of its arguments a program reads as code. A program that is
// in no row hands its arguments on as data.
type program struct {
	names    string // of the program, without the digits of a version
	code     string // options before code: "-c --eval"
	flags    string // letters of options without a value
	valued   string // letters of options with a value that is data
	attached string // letters of options whose value, if any, is in the same word
	pairs    string // options with two values that are data
	opens    string // letters of options with which every operand is code
	after    string // operands behind which every operand is code
	settings string // beginnings of operands behind these that are data: git config user.name
	module   string // the option behind which a module's name stands, as a program's
	environ  bool   // it runs the variables of its environment
	from, to int    // the operands that are code, unless an option had it
	wraps    bool   // behind its first operands (from) stands a command
	stdin    bool   // it reads code from its input
	anywhere bool   // also behind programs that are in no row: docker run IMAGE sh -c
	write    string // what to write instead
}

const (
	every      = 1 << 20
	byArgument = `pass it as an argument behind the code, as in sh -c 'echo "$1"' sh ${{ … }}`
	byOption   = "pass it by an option, as in awk -v x=${{ … }}, jq --arg x ${{ … }}, psql -v x=${{ … }}"
	byEnv      = "put it in a variable of the environment that the code reads: X=${{ … }} PROGRAM …"
	byName     = "write the name itself"
	itself     = "write the command itself, and the value as an argument of its own"
)

// programs is what is known. Where a letter of an option is not known, what stands
// behind it may be its value or an operand, and is held to be both.
var programs = []program{
	{names: "sh bash rbash dash zsh ksh rksh mksh lksh ash posh yash osh fish nu elvish xonsh csh tcsh", code: "-c", flags: "abefhiklmnprstuvxBCDEHPT", valued: "oO", to: 1, stdin: true, anywhere: true, write: byArgument},
	{names: "eval", to: every, write: "leave out eval; a value is one word already"},
	{names: ". source", to: 1, stdin: true, write: "write the file's name"},
	{names: "trap alias fc history hash", to: every, write: itself},
	{names: "read", code: "-a", flags: "ers", valued: "dinNptu", to: every, write: byName},
	{names: "mapfile readarray unset getopts compgen complete bind enable wait", code: "-a -C -A -f -F -p -W", valued: "dinNtucOs", to: every, write: byName},
	{names: "printf", code: "-v", write: byName},
	{names: "test [", code: "-v -R", write: byName},
	{names: "python pypy", code: "-c -m", flags: "bBdEhiIOPqRsSuvVx", valued: "WX", module: "-m", to: 1, stdin: true, anywhere: true, write: "pass it as an argument behind the code, and read sys.argv"},
	{names: "timeit pdb profile cProfile trace runpy code doctest", code: "-s -c --setup", to: every, stdin: true, write: byEnv},
	{names: "perl raku", code: "-e -E -M -m -I", flags: "acnpstTuUwWXvhfgS", attached: "i0lFCdDVx", opens: "np", to: 1, stdin: true, anywhere: true, write: byEnv},
	{names: "ruby", code: "-e -r -I", flags: "acnpslwvSyh", valued: "CE", attached: "i0xFKTW", to: 1, stdin: true, anywhere: true, write: "pass it as an argument behind the code, and read ARGV"},
	{names: "node nodejs tsx ts-node", code: "-e -p -r -pe --eval --print --require --import", to: 1, stdin: true, anywhere: true, write: "pass it as an argument behind the code, and read process.argv"},
	{names: "deno bun", code: "-e -p --eval --print", from: 0, to: 2, stdin: true, anywhere: true, write: byArgument},
	{names: "php", code: "-r -B -R -E -f --run --file", flags: "naeisw", valued: "cdzS", to: 1, stdin: true, anywhere: true, write: byArgument},
	{names: "lua luajit julia elixir groovy scala ghc clojure clj bb guile tclsh wish expect osascript Rscript R octave gnuplot erl swift",
		code: "-e -E -c -l -L -r --eval -eval --execute --exec", to: 1, stdin: true, anywhere: true, write: byEnv},
	{names: "pwsh powershell", code: "-c -Command -command -e -EncodedCommand -f -File", to: every, stdin: true, anywhere: true, write: byEnv},
	{names: "awk gawk mawk nawk", code: "-f -e -E -i -l --file --source --include --load", valued: "Fv", to: 1, anywhere: true, write: byOption},
	{names: "sed gsed", code: "-e -f --expression --file", flags: "nErsuz", valued: "l", attached: "i", to: 1, anywhere: true, write: "use ${{ replace(TEXT, OLD, NEW) }}, or awk -v x=${{ … }}"},
	{names: "jq gojq jaq yq", code: "-f --from-file", flags: "rRsnceaSCMj", pairs: "--arg --argjson --slurpfile --rawfile", to: 1, write: byOption},
	{names: "psql", code: "-c -f --command --file", flags: "aAbeEHlnqstwWxXzS01", valued: "dhpUvoPFRTL", stdin: true, write: byOption},
	{names: "mysql mariadb", code: "-e --execute --init-command", stdin: true, write: byEnv},
	{names: "sqlite sqlite3 duckdb", code: "-cmd -init -c -s -f", from: 1, to: every, stdin: true, write: "bind it, as in sqlite3 DB \".param set …\" from a file, or write the statement from a program"},
	{names: "clickhouse-client mongosh mongo sqlcmd ansible", code: "-q -Q -a --query --eval --args", stdin: true, write: byEnv},
	{names: "split csplit man tcpdump dpkg cmake ninja just nmap", code: "--filter -P --pager -z --pre-invoke --post-invoke -f --justfile --script", write: itself},
	{names: "bc dc ed ex red m4", code: "-e --expression", to: every, stdin: true, write: "compute it in the expression"},
	{names: "vi vim nvim view emacs gdb lldb", code: "-c -S -s -ex -x -o --cmd --eval -eval --execute -l -f", write: itself},
	{names: "make gmake", code: "-f --file --makefile --eval", valued: "jlCIoW", to: every, environ: true, write: "write it into a file that the recipe reads, as in printf %s ${{ … }} >FILE"},
	{names: "git", code: "-c -x -O --config-env --exec --exec-path --upload-pack --receive-pack --extcmd --tree-filter --msg-filter --index-filter --env-filter --commit-filter --parent-filter --open-files-in-pager", after: "foreach config run", settings: "user. author. committer. branch. color.", write: itself},
	{names: "find", code: "-exec -execdir -ok -okdir -fprintf -fprint", write: itself},
	{names: "tar gtar", code: "-I -F --to-command --checkpoint-action --use-compress-program --info-script --rsh-command", write: itself},
	{names: "rsync scp sftp sort zip npx nc ncat", code: "-e -S -o -TT -c --rsh --rsync-path --compress-program --unzip-command --call", write: itself},
	{names: "npm pnpm yarn go", code: "-c -exec -toolexec --call", after: "config env", settings: "//", write: itself},
	{names: "curl wget", code: "-K -o -e --config --execute --use-askpass", flags: "sSLfkgGiIvN#aJq", valued: "XHdFubATmrxwCDEtyYzQU", write: itself},
	{names: "ssh rsh mosh", code: "-o -F", flags: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDEeIiJLlmOpQRSWw", from: 1, to: every, stdin: true, write: "send it on its input, as in printf %s ${{ … }} | ssh HOST 'cat >FILE'"},
	{names: "su runuser sg script", code: "-c --command --session-command", flags: "lmpaefqt", valued: "sgG", from: 1, to: every, write: byEnv},
	{names: "watch parallel tmux screen socat crontab at batch", valued: "njP", to: every, stdin: true, write: itself},
	{names: "env", code: "-S --split-string", flags: "iv0", valued: "uC", wraps: true, write: itself},
	{names: "xargs", flags: "0rtpxo", valued: "aEdILlnPs", wraps: true, write: itself},
	{names: "sudo doas", flags: "AbEeHiKklNnPSsVv", valued: "ugpCDhrtTRUa", wraps: true, write: itself},
	{names: "command builtin exec nohup setsid time nice ionice stdbuf strace ltrace unshare nsenter setarch systemd-run fakeroot busybox caffeinate xvfb-run entr",
		flags: "pvVclwft", valued: "anieoP", wraps: true, write: itself},
	{names: "timeout chroot flock taskset chrt", code: "-c --command", flags: "v", valued: "ksEw", from: 1, wraps: true, write: itself},
}

// dataOnly are programs whose arguments are data and no names of programs, and
// which read no value as an option that does harm.
var dataOnly = strings.Fields("echo printf test [ : true false return exit shift expr")

// harmless are programs behind which the name of an interpreter is just a word.
var harmless = strings.Fields("command grep egrep fgrep rg cat ls mkdir rm cp mv which type apt apt-get brew pip pip3 cd export")

// containers are programs that start another one where it is not seen: one whose name is
// not known is held to be a shell where -c stands behind it.
const containers = "docker podman nerdctl kubectl oc lxc incus crictl docker-compose podman-compose vagrant multipass wsl distrobox toolbox"

// programsByName has the rows by their names.
var programsByName = sync.OnceValue(func() map[string]*program {
	m := map[string]*program{}
	for i := range programs {
		for _, name := range strings.Fields(programs[i].names) {
			m[name] = &programs[i]
		}
	}
	return m
})

// programNamed is the row of a program by its path, with or without a version:
// /usr/bin/python3.12; nil where there is none.
func programNamed(file string) (string, *program) {
	name := path.Base(file)
	if p := programsByName()[name]; p != nil {
		return name, p
	}
	return name, programsByName()[strings.TrimRight(name, "0123456789.-")]
}

// isKnown tells whether the name of a program is known before the script runs: the shell
// replaces at most the folder that it lies in by a variable or the home, and it is not a device.
func isKnown(name string) bool {
	return name == "[" || knownName().MatchString(name) && !isDevice(name)
}

// isDevice tells whether a name is one of what a process has open, or of itself, also
// from a folder that only the shell knows: $d/stdin.
func isDevice(name string) bool { return device().MatchString(path.Clean(name)) }

var (
	knownName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[^*?\[{]*/)?[^/$*?\[{}~]+$`) })
	device    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^/(?:dev|proc)/|\.\./(?:dev|proc)/|\$.*/(?:stdin|[0-9]*)$`)
	})
	scriptFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^-(?:[^-].*)?c$`) })
)

// has tells whether a list of words in a text has a word.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// isVariable tells whether what has a value is a variable with a name.
func isVariable(name string) bool {
	return syntax.ValidName(name) && !has("_ BASH_ARGV BASH_REMATCH COPROC", name)
}

// shellers are programs that have a text read by a shell, with their environment.
const shellers = "su runuser sg script watch parallel tmux screen at batch flock env ssh"

var shells = []string{"sh", "bash", "rbash", "dash", "zsh", "ksh", "ash", "busybox"}

// isScriptFlag tells whether a shell reads a script behind this word: -c, -ec.
func isScriptFlag(word string) bool { return scriptFlag().MatchString(word) }
