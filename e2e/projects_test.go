package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// wholeEnv has the long tables run every row with every client.
const wholeEnv = "PITON_E2E_WHOLE"

// today reports whether row i of a long table is tried with this client where not the
// whole is asked for: a third of the rows a day, each with one of them, so that each has
// been tried with every client in nine days.
func today(i int, c client) bool {
	n := i + time.Now().YearDay()
	return os.Getenv(wholeEnv) != "" || n%3 == 0 && every[n/3%len(every)] == c
}

// changedFiles names the file of each project in which `a + b` stands.
var changedFiles = map[string]string{
	"a.go": "a/a.go", "a.py": "a.py", "a.ts": "a.ts", "a.rs": "src/lib.rs", "A.java": "src/main/java/A.java", "a.cs": "Cart.cs",
}

// standIn is a test runner that prints what the real one does. It only builds or
// lists where it is told to.
const standIn = `#!/bin/sh
case " $* " in
*" --no-run "*) exit 0 ;;
*" --collect-only "*) echo '5 tests collected'; exit 0 ;;
esac
if grep -q 'a - b' '{file}'; then cat '{outputs}/{red}' >&{fd}; exit 1; fi
cat '{outputs}/{green}' >&{fd}
`

// standIns are the runners, the file that they look at, and where they print.
var standIns = []struct{ program, file, red, green, fd string }{
	{"pytest", "a.py", "pytest-quiet.txt", "pytest-green.txt", "1"},
	{"python", "a.py", "pytest-quiet.txt", "pytest-green.txt", "1"},
	{"tox", "a.py", "tox-red.txt", "tox-green.txt", "1"},
	{"jest", "a.ts", "jest-red.txt", "jest-green.txt", "2"},
	{"vitest", "a.ts", "vitest-red.txt", "vitest-green.txt", "1"},
	{"cargo", "a.rs", "cargo-red.txt", "cargo-green.txt", "1"},
	{"mvn", "A.java", "maven-red.txt", "maven-green.txt", "1"},
	{"dotnet", "a.cs", "dotnet-red.txt", "dotnet-green.txt", "1"},
}

// plant makes the project of a file in the place of the one that there is, in a
// commit, and puts its runners into the search path.
func (w *world) plant(project string) {
	w.t.Helper()
	all, err := txtar.ParseFile("testdata/projects.txtar")
	check(w.t, err)
	check(w.t, os.RemoveAll(w.project))
	check(w.t, os.Mkdir(w.project, 0o755))
	for _, f := range all.Files {
		if name, ok := strings.CutPrefix(f.Name, project+"/"); ok {
			check(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
			w.write(name, string(f.Data))
		}
	}
	w.runners()
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "first")
}

func (w *world) runners() {
	w.t.Helper()
	outputs, err := filepath.Abs("../internal/judge/tools/testdata/outputs")
	check(w.t, err)
	bin := w.path("node_modules/.bin")
	for _, s := range standIns {
		text := strings.NewReplacer("{file}", w.path(changedFiles[s.file]), "{outputs}", outputs, "{red}", s.red, "{green}", s.green, "{fd}", s.fd).Replace(standIn)
		check(w.t, os.WriteFile(filepath.Join(w.bin, s.program), []byte(text), 0o755))
		if _, err := os.Stat(w.path(s.file)); s.file == "a.ts" && err == nil { // npx looks there
			check(w.t, os.MkdirAll(bin, 0o755))
			check(w.t, os.WriteFile(filepath.Join(bin, s.program), []byte(text), 0o755))
		}
	}
}

// verified is what a stop so far has called verified, or "".
func (w *world) verified() string {
	w.t.Helper()
	for _, d := range w.decisions() {
		if d.Reason == "all_clear" {
			return d.Reason
		}
	}
	for _, s := range w.hooks(w.client.events().stop) {
		for _, praise := range []string{"all clear", "nothing is left unverified"} {
			if strings.Contains(s.stdout, praise) {
				return s.stdout
			}
		}
	}
	return ""
}

// said is what the last stop so far told anybody.
func (w *world) said() string {
	w.t.Helper()
	stops := w.hooks(w.client.events().stop)
	if len(stops) == 0 {
		return "(no stop)"
	}
	return strings.TrimSpace(stops[len(stops)-1].stdout)
}
