package main

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/proc"
)

// spot is a home with a project, in which the lines of a situation run. A line is a
// command of piton's, run in this process, or begins with one of these words:
//
//	! LINE                fails
//	write FILE TEXT       \n in the text is a line feed
//	append FILE TEXT      adds to it
//	remove FILE           or a folder
//	copy FILE FILE
//	cut FILE              its last byte goes
//	sql STATEMENT         on the store, as 'sql' in scripts
//	marks STATEMENT       on the marks of files
//	env NAME=VALUE
//	cd FOLDER
//	log                   what was logged
//	hook CLIENT PAYLOAD   the reply of piton-hook
//	agent WORD ARG...     what a client does, see agentMain
//	api METHOD PATH BODY  a request to the HTTP API
//	exec PROGRAM ARG...   a process
//	start ARG...          piton in a process of its own, until the test ends
//	await FILE            until there is one
//	kill                  the processes that were started
//	heard                 waits until they have ended, and takes what they said
//	linux                 the system, of which some words are
//	person                no agent runs this test, which some commands refuse
//	var NAME PATTERN      takes what the pattern finds in what was said last
//
// $1 is the first checkpoint that was saved, $2 the second, $RUN the first run, $SES the session,
// $PID the started process, $DIR the folder.
type spot struct {
	*testing.T
	dir     string
	env     map[string]string
	vars    map[string]string
	said    string // by the line before
	started []*exec.Cmd
}

var rigFiles = map[string]string{
	"project/s.json":         `{"a":1}`,
	"project/empty.yaml":     "",
	"project/wrong.yaml":     "steps: [{id: a, actoin: shell}]\n",
	"project/plan.yaml":      "name: plan\nsteps:\n- {id: a, action: shell, parameters: {command: 'true'}}\n",
	"project/failing.yaml":   "name: failing\nsteps:\n- {id: a, action: shell, parameters: {command: 'test -e ok || exit 3'}}\n",
	"project/slow.yaml":      "name: slow\nsteps:\n- {id: a, run: 'touch began; until test -e go || ! test -e slow.yaml; do sleep 0.02; done'}\n- {id: b, needs: a, run: 'true'}\n",
	"project/ask.yaml":       "name: ask\nsteps:\n- {id: a, run: 'true'}\n- {id: q, needs: a, action: approve, parameters: {message: 'Release?'}}\n- {id: b, needs: q, run: 'true'}\n",
	"project/bound.yaml":     "name: bound\nbudget: {tries: 1}\nsteps:\n- {id: a, run: 'true'}\n- {id: b, needs: a, run: 'true'}\n",
	"project/go.mod":         "module x\n",
	"project/calc.go":        "package x\n",
	"project/x_test.go":      "package x\n",
	"project/Makefile":       "check:\n\tgo test ./...\n",
	"project/.git/HEAD":      "ref: refs/heads/main\n",
	"project/.git/config":    "[core]\n\trepositoryformatversion = 0\n",
	"project/.git/refs/x":    "",
	"project/.git/objects/x": "",
	"home/x":                 "",
	"bin/piton-hook":         "#!/bin/sh\necho piton-hook devel\n",
}

// hookProgram is piton-hook, built once for all situations.
var hookProgram string

func newSpot(t *testing.T) *spot {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &spot{T: t, dir: dir, vars: map[string]string{"DIR": dir, "HOOK": hookProgram, "SESSION": "6152e381-4c21-432b-8da3-8b6a5782ebeb"}, env: map[string]string{
		"HOME": dir + "/home", "PITON_HOME": dir + "/state", "PATH": dir + "/bin" + string(os.PathListSeparator) + pathWithoutClients(),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "PITON_PAGER": "cat",
	}}
	for file, text := range rigFiles {
		p.write(filepath.Join(dir, file), text)
	}
	t.Setenv("PATH", p.env["PATH"])
	t.Chdir(filepath.Join(dir, "project"))
	t.Cleanup(p.kill)
	return p
}

func (p *spot) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *spot) write(file, text string) {
	p.ok(os.MkdirAll(filepath.Dir(file), 0o755))
	p.ok(os.WriteFile(file, []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o755))
}

func (p *spot) read(file string) string {
	b, err := os.ReadFile(file)
	p.ok(err)
	return string(b)
}

func (p *spot) kill() {
	for _, c := range p.started {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	p.started = nil
}

func (p *spot) fill(line string) string {
	for name, value := range p.vars {
		line = regexp.MustCompile(`\$`+regexp.QuoteMeta(name)+`\b`).ReplaceAllLiteralString(line, value)
	}
	return line
}

// asAgent reports whether an agent runs this test: what only a person may do is
// refused then.
func asAgent() bool {
	return slices.ContainsFunc(proc.Ancestors(), func(x proc.Ancestor) bool { return clients.Runs(x.Name, x.Argv) != "" })
}

var word = regexp.MustCompile(`'([^']*)'|(\S+)`)

func wordsOf(line string) []string {
	words := []string{} // nil would be the words of this test
	for _, m := range word.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}

// run runs a line, and returns its status and all that it said.
func (p *spot) run(line string) (int, string) {
	p.Helper()
	first, rest, _ := strings.Cut(p.fill(line), " ")
	one, two, _ := strings.Cut(rest, " ")
	status := 0
	switch first {
	case "write":
		p.write(one, two)
	case "append":
		p.write(one, p.read(one)+two)
	case "remove":
		p.ok(os.RemoveAll(one))
	case "copy":
		p.write(two, p.read(one))
	case "cut":
		text := p.read(one)
		p.write(one, text[:len(text)-1])
	case "sql", "marks":
		file := map[string]string{"sql": "piton.db", "marks": "marks.db"}[first]
		db, err := sql.Open("sqlite3", "file:"+p.dir+"/state/"+file+"?_pragma=foreign_keys(0)")
		p.ok(err)
		p.ok(query(db, rest))
		p.ok(db.Close())
	case "env":
		name, value, _ := strings.Cut(rest, "=")
		p.env[name] = value
	case "hook":
		p.said = p.hook(one, two)
	case "agent":
		p.said = ""
		c := fakeClient{session: p.vars["SESSION"], transcript: p.dir + "/transcript.jsonl", cwd: p.dir + "/project", send: func(b []byte) error { p.said = p.hook("claude", string(b)); return nil }}
		words := wordsOf(rest)
		c.act(words[0], words[1:])
	case "api":
		path, body, _ := strings.Cut(two, " ")
		status, p.said = p.request(one, path, body)
	case "exec", "start":
		status, p.said = p.process(first, wordsOf(rest))
	case "log":
		p.said = p.read(p.dir + "/state/piton.log")
	case "cd":
		p.Chdir(rest)
	case "await":
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(one); err == nil {
				break
			}
			if time.Since(began) > time.Minute {
				p.Fatalf("no file %s", one)
			}
		}
	case "kill":
		p.kill()
	case "heard":
		for _, c := range p.started {
			_ = c.Wait()
			p.said = c.Stderr.(*bytes.Buffer).String()
		}
	case "person":
		if asAgent() {
			p.Skip("an agent runs this test")
		}
	case "linux":
		if runtime.GOOS != "linux" {
			p.Skip("another system")
		}
	case "var":
		m := regexp.MustCompile(two).FindStringSubmatch(p.said)
		if m == nil {
			p.Fatalf("%q is not in %s", two, p.said)
		}
		p.vars[one] = m[len(m)-1]
	default:
		status, p.said = p.piton(wordsOf(p.fill(line)))
	}
	return status, p.said
}
