package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// TestMain makes this binary the helpers that scripts run beside the programs too.
func TestMain(m *testing.M) {
	testscript.Main(programs{m}, map[string]func(){"piton-later": laterMain, "sql": sqlMain, "agent": agentMain, "tty": ttyMain})
}

// programs runs the tests with the programs of a user beside those of TestMain, and in
// PATH. This binary could be each of them, but holds the tests too: it would start in twice
// the time, some 3,000 times.
type programs struct{ *testing.M }

// hookFolder holds piton-hook. Scripts have PATHs with it and without.
const hookFolder = "hooks"

func (p programs) Run() int {
	dir, err := exec.LookPath("tty")
	if err != nil {
		panic(err)
	}
	// With no version but "devel", all of them: doctor compares them.
	info, _ := debug.ReadBuildInfo()
	race := slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	for out, build := range map[string][]string{"": {"."}, hookFolder: {"../piton-hook"}} {
		args := append([]string{"build", "-buildvcs=false", "-o", filepath.Join(filepath.Dir(dir), out) + string(filepath.Separator)}, build...)
		if race && out != hookFolder { // under the race detector each start of a hook would take seconds
			args = slices.Insert(args, 1, "-race")
		}
		if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			panic(string(said))
		}
	}
	return p.M.Run()
}

// laterMain is piton with a clock that is TEST_CLOCK ahead.
func laterMain() {
	proc.Adopt()
	ahead, err := time.ParseDuration(os.Getenv("TEST_CLOCK"))
	if err != nil {
		panic(err)
	}
	con := newConsole(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	con.Clock = func() time.Time { return time.Now().Add(ahead) }
	defer con.Close()
	root := rootCommand(con)
	if c, err := root.ExecuteContextC(context.Background()); err != nil {
		con.Status = con.Fail(context.Background(), c.CommandPath(), err)
	}
	os.Exit(con.Status)
}

// TestScripts runs testdata/script/*.txtar: the real programs, each script in
// a home of its own.
func TestScripts(t *testing.T) {
	p := scripts(t, builtHook(t), "")
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// TestStores runs each of testdata/stores/*.txtar over every kind of store: the
// same verbs, the same answers.
func TestStores(t *testing.T) {
	hooks := builtHook(t)
	files, err := filepath.Glob("testdata/stores/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts: got %q, %v", files, err)
	}
	for _, file := range files {
		for name, store := range map[string]func(testing.TB) string{
			"sqlite":   func(testing.TB) string { return "sqlite:$WORK/db/piton.db" },
			"file":     func(testing.TB) string { return "file:$WORK/shared" },
			"postgres": pgtest.DSN,
		} {
			t.Run(name, func(t *testing.T) {
				p := scripts(t, hooks, store(t))
				p.Files = []string{file}
				testscript.Run(t, p)
			})
		}
	}
}

// builtHook is the folder with piton-hook.
func builtHook(t testing.TB) string {
	return filepath.Join(filepath.Dir(need.Program(t, "piton")), hookFolder)
}

// scripts says how scripts are run, with the programs and a home of its own for
// each; store is their PITON_STORE, $WORK in it the script's folder.
func scripts(t *testing.T, hooks, store string) testscript.Params {
	need.Program(t, "git")
	piton := need.Program(t, "piton")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars,
				"HOME="+e.Cd+"/home", "PITON_HOME="+e.Cd+"/state", "BIN="+filepath.Dir(piton), "HOOKS="+hooks,
				"PATH="+strings.Join([]string{filepath.Dir(piton), hooks, pathWithoutClients()}, string(os.PathListSeparator)),
				"DB="+e.Cd+"/state/piton.db", "EXAMPLES="+filepath.Join(here, "../../examples"), "DOCS="+filepath.Join(here, "../../docs"), "TERM=xterm", "PITON_PAGER=cat", "TZ=UTC", "TRANSCRIPT="+e.Cd+"/transcript.jsonl",
				"GORACE=atexit_sleep_ms=0", // else each process under -race sleeps a second
				"GOCACHE="+goCache(),       // a tool that compiles all anew takes minutes on a busy machine
				"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
				"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.com",
			)
			if store != "" {
				e.Vars = append(e.Vars, "PITON_STORE="+strings.ReplaceAll(store, "$WORK", e.Cd))
			}
			return os.Mkdir(e.Cd+"/home", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": cmdStatus, "var": cmdVar, "json": cmdJSON, "jsonlines": cmdJSONLines, "screens": cmdScreens},
		Condition: func(cond string) (bool, error) {
			switch kind, _, _ := strings.Cut(store, ":"); cond {
			case "root":
				return os.Getuid() == 0, nil
			case "agent": // what only a person may do is refused then
				return slices.ContainsFunc(proc.Ancestors(), func(p proc.Ancestor) bool { return clients.Runs(p.Name, p.Argv) != "" }), nil
			case "filestore":
				return kind == "file", nil
			case "local":
				return kind == "" || kind == "sqlite", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// pathWithoutClients is PATH without the folders that hold an agent client of
// this machine's, which init and doctor would find.
func pathWithoutClients() string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(folder string) bool {
		return slices.ContainsFunc(setup.Agents(), func(client string) bool {
			_, err := os.Stat(filepath.Join(folder, client))
			return err == nil
		})
	}), string(os.PathListSeparator))
}

// cmdStatus runs a program that is to end with a status: status 3 piton load.
// Of what failed the rest of the contract is checked too: nothing on stdout, in
// JSON mode one object on stderr.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
	if want == 0 || args[1] != "piton" || args[2] == "doctor" {
		return // doctor's answer is its list, broken links and all
	}
	if want >= cli.StepFailed && slices.Contains([]string{"run", "runs", "demo"}, args[2]) {
		return // what a run has done so far is its answer
	}
	out := ts.ReadFile("stdout")
	if args[2] == "import" && out != "" {
		return // it did what it could, and says what was left out
	}
	if out != "" {
		ts.Fatalf("it failed, and stdout has %q", out)
	}
	if cli.WantsJSON(args) {
		oneJSON(ts, "stderr")
	}
}

// cmdVar keeps what stdout has, or a part of its JSON: var ID, var ID
// checkpoint.id.
func cmdVar(ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case neg || len(args) < 1 || len(args) > 2:
		ts.Fatalf("usage: var NAME [path]")
	case len(args) == 1:
		ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
	default:
		v, ok := at(oneJSON(ts, "stdout"), args[1])
		if !ok {
			ts.Fatalf("stdout has no %s", args[1])
		}
		ts.Setenv(args[0], v)
	}
}

// cmdJSON looks at a file, or stdout or stderr, that holds exactly one JSON
// value: json stdout error.code invalid. "count" is how many there are. Without a
// wanted value it tells whether the path is there.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: [!] json file path [value]")
	}
	got, ok := at(oneJSON(ts, args[0]), args[1])
	if len(args) == 2 {
		if ok == neg {
			ts.Fatalf("%s: there: %v, value %q", args[1], ok, got)
		}
		return
	}
	if (ok && got == args[2]) == neg {
		ts.Fatalf("%s: got %q (there: %v), want %q", args[1], got, ok, args[2])
	}
}

func oneJSON(ts *testscript.TestScript, file string) any {
	text := ts.ReadFile(file)
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s is not JSON: %v\n%s", file, err, text)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s has more than one JSON value:\n%s", file, text)
	}
	if strings.Count(text, "\n") != 1 {
		ts.Fatalf("%s is not one line:\n%s", file, text)
	}
	return v
}

// cmdJSONLines looks at what stdout has, JSON values one a line: of the last one
// at a path, or of how many have a value there: jsonlines last success true,
// jsonlines count event=step_started 3.
func cmdJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonlines last PATH VALUE | count PATH=VALUE N")
	}
	var last any
	n := 0
	path, value, _ := strings.Cut(args[1], "=")
	for text := range strings.Lines(ts.ReadFile("stdout")) {
		last = nil
		if err := json.Unmarshal([]byte(text), &last); err != nil {
			ts.Fatalf("%q is not JSON: %v", text, err)
		}
		if got, ok := at(last, path); ok && got == value {
			n++
		}
	}
	got, _ := at(last, path)
	if args[0] == "count" {
		got = strconv.Itoa(n)
	}
	if got != args[2] {
		ts.Fatalf("%s %s: got %s, want %s\n%s", args[0], args[1], got, args[2], ts.ReadFile("stdout"))
	}
}

// at follows a path of keys and numbers with dots.
func at(v any, path string) (string, bool) {
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[key]; !ok {
				return "", false
			}
		case []any:
			n, err := strconv.Atoi(key)
			switch {
			case key == "count":
				v = json.Number(strconv.Itoa(len(x)))
			case err != nil || n < 0 || n >= len(x):
				return "", false
			default:
				v = x[n]
			}
		default:
			return "", false
		}
	}
	if s, ok := v.(string); ok {
		return s, true
	}
	b, err := json.Marshal(v)
	return string(b), err == nil
}

// sqlMain runs statements on a database, to damage it or to look into it: sql
// FILE STATEMENT...
func sqlMain() {
	db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_pragma=foreign_keys(0)")
	for _, statement := range os.Args[2:] {
		if err != nil {
			break
		}
		err = query(db, statement)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func query(db *sql.DB, statement string) error {
	rows, err := db.Query(statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return err
		}
		fmt.Println(v)
	}
	return rows.Err()
}

// goCache is the build cache of the go command that runs the tests.
func goCache() string {
	dir, _ := os.UserCacheDir()
	return cmp.Or(os.Getenv("GOCACHE"), filepath.Join(dir, "go-build"))
}
