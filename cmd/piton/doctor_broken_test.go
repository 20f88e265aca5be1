//go:build linux

package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// patient is a home with Piton set up for Claude Code, of a user whom permissions hold back.
type patient struct {
	*testing.T
	dir string
	env map[string]string
	uid int
}

func newPatient(t *testing.T) *patient {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{T: t, dir: dir, uid: os.Getuid()}
	p.ok(os.Chmod(filepath.Dir(dir), 0o755))
	p.env = map[string]string{"HOME": dir + "/home", "PITON_HOME": dir + "/state", "PATH": dir + "/bin", "TZ": "UTC", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"}
	for _, folder := range []string{"bin", "home/.claude", "project"} {
		p.ok(os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	for name, from := range map[string]string{"piton": need.Program(t, "piton"), "piton-hook": filepath.Join(builtHook(t), "piton-hook")} {
		p.ok(exec.Command("cp", from, dir+"/bin/"+name).Run())
	}
	for _, name := range []string{"sh", "git", "sleep"} {
		p.ok(os.Symlink(need.Program(t, name), dir+"/bin/"+name))
	}
	p.write("bin/claude", "#!/bin/sh\necho '2.1.328 (Claude Code)'\n")
	if p.uid == 0 {
		p.uid = 65534
		p.ok(filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error { return os.Lchown(path, p.uid, p.uid) }))
	}
	p.do("git", "init", "-q", ".")
	p.do("piton", "init", "--agent", "claude")
	p.do("piton", "save", "--workflow", "first", "--name", "first")
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	return p
}

func (p *patient) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// write writes a file that its user owns.
func (p *patient) write(file, text string) {
	p.Helper()
	path := filepath.Join(p.dir, file)
	p.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	_ = os.Remove(path)
	p.ok(os.WriteFile(path, []byte(text), 0o755))
	for at := path; len(at) > len(p.dir) && os.Getuid() == 0; at = filepath.Dir(at) {
		p.ok(os.Chown(at, p.uid, p.uid))
	}
}

func (p *patient) read(file string) string {
	p.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, file))
	p.ok(err)
	return string(b)
}

func (p *patient) mode(file string, mode fs.FileMode) {
	p.Helper()
	p.ok(os.Chmod(filepath.Join(p.dir, file), mode))
}

// run runs a program in the project as the user.
func (p *patient) run(argv ...string) (said string, status int) {
	p.Helper()
	program := argv[0]
	if !filepath.IsAbs(program) {
		program = filepath.Join(p.dir, "bin", program)
	}
	x := exec.Command(program, argv[1:]...)
	x.Dir = filepath.Join(p.dir, "project")
	for name, value := range p.env {
		x.Env = append(x.Env, name+"="+value)
	}
	if os.Getuid() == 0 {
		x.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.uid)}}
	}
	var out, errs bytes.Buffer
	x.Stdout, x.Stderr = &out, &errs
	_ = x.Run()
	if x.ProcessState == nil {
		p.Fatalf("%q could not be started", argv)
	}
	if out.Len() == 0 {
		return errs.String(), x.ProcessState.ExitCode()
	}
	return out.String(), x.ProcessState.ExitCode()
}

func (p *patient) do(argv ...string) {
	p.Helper()
	if said, status := p.run(argv...); status != 0 {
		p.Fatalf("%q: status %d\n%s", argv, status, said)
	}
}

func (p *patient) doctor() app.Diagnosis {
	p.Helper()
	said, _ := p.run("piton", "doctor", "--json")
	var d app.Diagnosis
	if err := json.Unmarshal([]byte(said), &d); err != nil {
		p.Fatalf("doctor: %v\n%s", err, said)
	}
	return d
}

// keep reads a file and returns what brings it back.
func (p *patient) keep(file string) (back func(*patient)) {
	text, info := p.read(file), must(os.Stat(filepath.Join(p.dir, file)))(p)
	return func(p *patient) {
		p.write(file, text)
		p.mode(file, info.Mode().Perm())
	}
}

func must[T any](x T, err error) func(*patient) T {
	return func(p *patient) T {
		p.Helper()
		p.ok(err)
		return x
	}
}

// TestDoctorOfBrokenSetups breaks a sound set-up in one way each, and reads what doctor says
// of it and what it names as the remedy. Then the remedy is done, and doctor is content.
func TestDoctorOfBrokenSetups(t *testing.T) {
	init := func(p *patient) { p.do("piton", "init", "--agent", "claude") }
	// replaced puts another program in the place of one.
	replaced := func(file, text string) func(*patient) func(*patient) {
		return func(p *patient) func(*patient) {
			back := p.keep(file)
			p.write(file, text)
			return back
		}
	}
	closed := func(file string, mode, was fs.FileMode) func(*patient) func(*patient) {
		return func(p *patient) func(*patient) {
			p.mode(file, mode)
			return func(p *patient) { p.mode(file, was) }
		}
	}
	const line = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"do it"},"uuid":"u1","timestamp":"2026-11-30T10:00:00.000Z","userType":"external","cwd":"/","sessionId":"6152e381-4c21-432b-8da3-8b6a5782ebeb","version":"2.1.300"}` + "\n"
	for _, c := range []struct {
		name   string
		breaks func(*patient) func(*patient) // and returns the remedy
		check  string
		status string
		says   string
		remedy string
	}{
		{"the hook program is gone", func(p *patient) func(*patient) {
			back := p.keep("bin/piton-hook")
			p.ok(os.Remove(p.dir + "/bin/piton-hook"))
			return back
		}, "hook paths", client.StatusFailure, "no such file", "piton init"},
		{"the hook program is not executable", closed("bin/piton-hook", 0o644, 0o755), "hook paths", client.StatusFailure, "not executable", "piton init"},
		{"the hook program is made for another machine", replaced("bin/piton-hook", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00 and more"), "hooks run", client.StatusFailure, "no piton-hook of this version answers", "--version"},
		{"the hook program says something else", replaced("bin/piton-hook", "#!/bin/sh\necho hello\n"), "hooks run", client.StatusFailure, "no piton-hook of this version answers", "piton init"},
		{"the hook program hangs", replaced("bin/piton-hook", "#!/bin/sh\ncase $1 in --version) echo piton-hook devel;; *) exec sleep 600;; esac\n"), "hooks run", client.StatusFailure, "does not end within 10s", "piton init"},
		{"the hook program is of an earlier version", replaced("bin/piton-hook", "#!/bin/sh\ncase $1 in --version) echo piton-hook v0.0.1;; esac\n"), "piton-hook", client.StatusFailure, `says "piton-hook v0.0.1"`, "install all programs"},
		{"another piton comes first in PATH", func(p *patient) func(*patient) {
			p.write("before/piton", "#!/bin/sh\necho piton v0.0.1\n")
			p.env["PATH"] = p.dir + "/before:" + p.dir + "/bin"
			return func(p *patient) { p.env["PATH"] = p.dir + "/bin" }
		}, "piton", client.StatusWarning, "agents run", "change PATH"},
		{"the client's settings are cut off", func(p *patient) func(*patient) {
			back := p.keep("home/.claude/settings.json")
			p.write("home/.claude/settings.json", "{")
			return back
		}, "settings", client.StatusFailure, "not JSON", "by hand"},
		{"hooks are switched off", func(p *patient) func(*patient) {
			back := p.keep("home/.claude/settings.json")
			p.write("home/.claude/settings.json", strings.Replace(p.read("home/.claude/settings.json"), "{", `{"disableAllHooks": true,`, 1))
			return back
		}, "hooks allowed", client.StatusFailure, "disableAllHooks", "remove disableAllHooks"},
		{"both scopes have hooks", func(p *patient) func(*patient) {
			p.do("piton", "init", "--agent", "claude", "--scope", "project")
			return func(p *patient) { p.do("piton", "uninstall", "--agent", "claude", "--scope", "project", "--yes") }
		}, "hooks twice", client.StatusWarning, "handled twice", "--scope project"},
		{"an event has no hook", func(p *patient) func(*patient) {
			p.write("home/.claude/settings.json", strings.Replace(p.read("home/.claude/settings.json"), `"Stop"`, `"Stopp"`, 1))
			return init
		}, "hooks", client.StatusFailure, "missing: Stop", "piton init --agent claude"},
		{"the MCP server is dead", func(p *patient) func(*patient) {
			p.write("dead/piton", "#!/bin/sh\nexit 1\n")
			p.write("home/.claude.json", `{"mcpServers":{"piton":{"type":"stdio","command":"`+p.dir+`/dead/piton","args":["mcp"]}}}`)
			return init
		}, "MCP answers", client.StatusFailure, "does not answer", "piton init"},
		{"a client's log may not be read", func(p *patient) func(*patient) {
			p.write("home/.claude/projects/x/log.jsonl", line)
			p.mode("home/.claude/projects/x/log.jsonl", 0)
			return func(p *patient) { p.mode("home/.claude/projects/x/log.jsonl", 0o600) }
		}, "newest log", client.StatusWarning, "permission denied", "make it readable"},
		{"the folder of a client's logs may not be read", func(p *patient) func(*patient) {
			p.write("home/.claude/projects/x/log.jsonl", line)
			p.mode("home/.claude/projects", 0)
			return func(p *patient) { p.mode("home/.claude/projects", 0o755) }
		}, "newest log", client.StatusWarning, "permission denied", "readable"},
		{"Gemini CLI does not trust the folder", func(p *patient) func(*patient) {
			p.write("bin/gemini", "#!/bin/sh\necho 0.61.0\n")
			p.do("piton", "init", "--agent", "gemini")
			return func(p *patient) {
				p.write("home/.gemini/trustedFolders.json", `{"`+p.dir+`/project":"TRUST_FOLDER"}`)
			}
		}, "folder trust", client.StatusWarning, "not among the trusted folders", "trust it"},
		{"Codex CLI has not approved the hooks", func(p *patient) func(*patient) {
			p.write("bin/codex", "#!/bin/sh\necho codex-cli 0.169.0\n")
			p.do("piton", "init", "--agent", "codex")
			return func(p *patient) { p.do("piton", "uninstall", "--agent", "codex", "--yes") }
		}, "hooks approved", client.StatusFailure, "not approved yet", "/hooks"},
		{"there is no git", func(p *patient) func(*patient) {
			p.ok(os.Remove(p.dir + "/bin/git"))
			return func(p *patient) { p.ok(os.Symlink(need.Program(p.T, "git"), p.dir+"/bin/git")) }
		}, "git", client.StatusWarning, "not in PATH", "install git"},
		{"git is old", func(p *patient) func(*patient) {
			p.ok(os.Remove(p.dir + "/bin/git"))
			p.write("bin/git", "#!/bin/sh\necho git version 2.11.0\n")
			return func(p *patient) {
				p.ok(os.Remove(p.dir + "/bin/git"))
				p.ok(os.Symlink(need.Program(p.T, "git"), p.dir+"/bin/git"))
			}
		}, "git", client.StatusWarning, "2.17.0 and newer", "update git"},
		{"the store is read-only", closed("state/piton.db", 0o400, 0o600), "store", client.StatusFailure, "piton.db", "writ"},
		{"the store is damaged", func(p *patient) func(*patient) {
			back := p.keep("state/piton.db")
			p.write("state/piton.db", strings.Repeat("no store ", 2000))
			return back
		}, "store", client.StatusFailure, "damaged", "piton repair"},
		{"another process holds the store", func(p *patient) func(*patient) {
			db, err := sql.Open("sqlite3", "file:"+p.dir+"/state/piton.db?_txlock=immediate")
			p.ok(err)
			tx, err := db.Begin()
			p.ok(err)
			for _, end := range []string{"-wal", "-shm"} {
				_ = os.Chown(p.dir+"/state/piton.db"+end, p.uid, p.uid)
			}
			return func(p *patient) {
				p.ok(tx.Rollback())
				p.ok(db.Close())
			}
		}, "store", client.StatusFailure, "piton.db", ""},
		{"the disk is full", func(p *patient) func(*patient) {
			if err := syscall.Mount("tmpfs", p.dir+"/state", "tmpfs", 0, "size=1m,mode=0777"); err != nil {
				p.Skipf("nothing can be mounted here: %v", err)
			}
			p.Cleanup(func() { _ = syscall.Unmount(p.dir+"/state", syscall.MNT_DETACH) })
			p.ok(os.Chown(p.dir+"/state", p.uid, p.uid))
			p.mode("state", 0o700)
			p.do("piton", "save", "--workflow", "small")
			filler := must(os.Create(p.dir + "/state/filler"))(p)
			_, _ = filler.Write(make([]byte, 2<<20))
			p.ok(filler.Close())
			return func(p *patient) {
				p.ok(syscall.Mount("tmpfs", p.dir+"/state", "tmpfs", syscall.MS_REMOUNT, "size=16m"))
			}
		}, "store", client.StatusFailure, "full", "free"},
		{"a checkpoint comes from the future", func(p *patient) func(*patient) {
			p.env["TEST_CLOCK"] = "48h"
			p.ok(exec.Command("cp", need.Program(p.T, "piton-later"), p.dir+"/bin/piton-later").Run())
			p.do("piton-later", "save", "--workflow", "later")
			return func(p *patient) { p.do("piton", "delete", "--workflow", "later", "--yes") }
		}, "clock", client.StatusWarning, "ahead of this machine's clock", "set the clock"},
		{"a setting cannot be used", func(p *patient) func(*patient) {
			p.write("home/.config/piton/config.yaml", "debrief:\n  mode: maybe\n")
			return func(p *patient) { p.do("piton", "config", "set", "debrief.mode", "on") }
		}, "configuration", client.StatusFailure, "maybe", "piton config edit"},
		{"settings cannot be written", func(p *patient) func(*patient) {
			p.write("home/.config/piton/config.yaml", "{}\n")
			p.mode("home/.config/piton/config.yaml", 0o400)
			return func(p *patient) { p.mode("home/.config/piton/config.yaml", 0o600) }
		}, "settings and log", client.StatusWarning, "permission denied", "make it yours"},
		{"Piton's log cannot be written", func(p *patient) func(*patient) {
			p.write("state/piton.log", "")
			p.mode("state/piton.log", 0o400)
			return func(p *patient) { p.mode("state/piton.log", 0o600) }
		}, "settings and log", client.StatusWarning, "piton.log", "make it yours"},
		{"everybody can write to the home", closed("state", 0o777, 0o700), "state folder", client.StatusFailure, "everybody", "chmod 700"},
		{"the home cannot be written to", closed("state", 0o500, 0o700), "state folder", client.StatusFailure, "permission denied", "make it writable"},
		{"the file of marks is read-only", func(p *patient) func(*patient) {
			p.do("piton", "mark", "--name", "now")
			p.mode("state/marks.db", 0o400)
			return func(p *patient) { p.mode("state/marks.db", 0o600) }
		}, "undo", client.StatusFailure, "", "marks.db can be"},
		{"the shared folder cannot be written to", func(p *patient) func(*patient) {
			p.env["PITON_STORE"] = "file:" + p.dir + "/shared"
			p.do("piton", "save", "--workflow", "there")
			p.mode("shared", 0o500)
			return func(p *patient) { p.mode("shared", 0o700) }
		}, "store of several machines", client.StatusFailure, "permission denied", "writable"},
		{"PostgreSQL cannot be reached", func(p *patient) func(*patient) {
			p.env["PITON_STORE"] = "postgres://ann@127.0.0.1:1/piton?sslmode=disable"
			return func(p *patient) { delete(p.env, "PITON_STORE") }
		}, "store of several machines", client.StatusFailure, "127.0.0.1", ""},
		{"the archive cannot be written to", func(p *patient) func(*patient) {
			p.write("cold/x", "")
			p.mode("cold", 0o500)
			p.env["PITON_CHECKPOINTS_ARCHIVE"] = p.dir + "/cold"
			return func(p *patient) { p.mode("cold", 0o700) }
		}, "archive", client.StatusFailure, "permission denied", "make it writable"},
		{"the archive's bucket may not be written to", func(p *patient) func(*patient) {
			bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte(`<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`))
			}))
			p.Cleanup(bucket.Close)
			p.env["AWS_ACCESS_KEY_ID"], p.env["AWS_SECRET_ACCESS_KEY"] = "key", "hidden"
			p.env["PITON_CHECKPOINTS_ARCHIVE"] = "s3://bucket/prefix?endpoint=" + strings.TrimPrefix(bucket.URL, "http://") + "&region=here&insecure=1"
			return func(p *patient) {
				p.write("cold/x", "")
				p.env["PITON_CHECKPOINTS_ARCHIVE"] = p.dir + "/cold"
			}
		}, "archive", client.StatusFailure, "AccessDenied", "rights to list, read, write and delete"},
		{"the archive's bucket cannot be reached", func(p *patient) func(*patient) {
			p.env["AWS_ACCESS_KEY_ID"], p.env["AWS_SECRET_ACCESS_KEY"] = "key", "hidden"
			p.env["PITON_CHECKPOINTS_ARCHIVE"] = "s3://bucket/prefix?endpoint=127.0.0.1:1&region=here&insecure=1"
			return func(p *patient) { delete(p.env, "PITON_CHECKPOINTS_ARCHIVE") }
		}, "archive", client.StatusFailure, "127.0.0.1", ""},
		{"a service is there, and no daemon runs", func(p *patient) func(*patient) {
			p.do("piton", "serve", "--install")
			return func(p *patient) { p.do("piton", "serve", "--uninstall") }
		}, "daemon", client.StatusWarning, "none runs", "serve --install"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			if d := p.doctor(); d.Broken > 0 {
				t.Fatalf("before: got %+v", d.Checks)
			}
			remedy := c.breaks(p)
			before := p.files()
			got := p.finds(c.check, c.status)
			if after := p.files(); !slices.Equal(after, before) {
				t.Errorf("doctor left %v", slices.DeleteFunc(after, func(file string) bool { return slices.Contains(before, file) }))
			}
			if got.Status != c.status || !strings.Contains(got.Detail, c.says) || !strings.Contains(got.Hint, c.remedy) {
				t.Errorf("got %+v, want %s: %q, remedy %q", got, c.status, c.says, c.remedy)
			}
			remedy(p)
			if d := p.doctor(); d.Broken > 0 {
				t.Errorf("after the remedy: got %+v", slices.DeleteFunc(d.Checks, func(x setup.Check) bool { return x.OK }))
			}
			if got := p.finds(c.check, client.StatusOK); got.Status != "" && got.Status != client.StatusOK {
				t.Errorf("after the remedy: got %+v", got)
			}
		})
	}
}

// finds is the check of a name with a status, else another one of the name.
func (p *patient) finds(name, status string) (found setup.Check) {
	p.Helper()
	for _, x := range p.doctor().Checks {
		if x.Name == name && (found.Name == "" || x.Status == status) && found.Status != status {
			found = x
		}
	}
	return found
}

// files are the files of the home, the state and the project, with their sizes. Those that
// the store keeps beside itself while it is open come and go.
func (p *patient) files() (list []string) {
	_ = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// TestDoctorRunsNothingOfAProject: a project brings hook lines and servers along that look
// like Piton's, and programs that are called like Piton's. None of them runs.
func TestDoctorRunsNothingOfAProject(t *testing.T) {
	p := newPatient(t)
	evil := "#!/bin/sh\n: >" + p.dir + "/home/ran-$$\necho piton-hook is here\n"
	for _, file := range []string{"project/piton-hook", "project/bin/piton-hook", "project/piton", "project/claude", "project/git"} {
		p.write(file, evil)
	}
	mark := p.dir + "/home/ran"
	for _, line := range []string{
		"./piton-hook claude 2>/dev/null || :",
		p.dir + "/project/bin/piton-hook claude 2>/dev/null || :",
		"'" + p.dir + "/project/bin/piton-hook' claude 2>/dev/null || :",
		`piton-hook claude "$(: >` + mark + `)"`,
		"piton-hook claude \"`: >" + mark + "`\"",
		"PATH=" + p.dir + "/project/bin piton-hook claude 2>/dev/null || :",
		"LD_PRELOAD=" + p.dir + "/project/x.so piton-hook claude",
		"piton-hook claude >" + mark,
		"piton-hook claude 2>" + mark + " || :",
		"piton-hook claude; : >" + mark,
		"piton-hook claude\n: >" + mark,
		"command -v piton-hook >" + mark + " && piton-hook claude || :",
	} {
		for _, file := range []string{"project/.claude/settings.json", "project/.claude/settings.local.json"} {
			settings := must(json.Marshal(map[string]any{"hooks": map[string]any{"Stop": []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": line}}}}}}))(p)
			p.write(file, string(settings))
		}
		for _, program := range []string{"./piton", p.dir + "/project/piton"} {
			p.write("project/.mcp.json", `{"mcpServers":{"piton":{"command":"`+program+`","args":["mcp"]}}}`)
			p.run("piton", "doctor")
			p.run("piton", "status")
			for _, path := range p.files() {
				if strings.Contains(path, "/home/ran") {
					t.Fatalf("%q or the server %s ran", line, program)
				}
			}
		}
	}
	// The lines that init writes into a project are run, with the programs of this installation.
	p.ok(os.RemoveAll(p.dir + "/project/.claude"))
	p.ok(os.Remove(p.dir + "/project/.mcp.json"))
	p.do("piton", "init", "--agent", "claude", "--scope", "project")
	if got := p.finds("hooks run", client.StatusOK); got.Status != client.StatusOK || !strings.Contains(got.Detail, "each different one once: 2") {
		t.Errorf("got %+v, want both lines run", got)
	}
}

// TestDoctorEnds: where everything hangs doctor ends all the same.
func TestDoctorEnds(t *testing.T) {
	p := newPatient(t)
	for _, file := range []string{"bin/piton-hook", "bin/claude"} {
		p.write(file, "#!/bin/sh\ntrap '' TERM\nsleep 600\nsleep 600\n")
	}
	began := time.Now()
	if d := p.doctor(); d.Broken < 2 || time.Since(began) > 90*time.Second {
		t.Errorf("got %d broken after %v", d.Broken, time.Since(began))
	}
}

// TestDoctorTotals: the last line counts, and a client that is not there is one line.
func TestDoctorTotals(t *testing.T) {
	p := newPatient(t)
	p.ok(os.Mkdir(p.dir+"/home/.gemini", 0o755))
	said, status := p.run("piton", "doctor")
	d := p.doctor()
	sound := status == 0 && d.Broken+d.Warnings == 0 && d.Sound == len(d.Checks)
	totals := strings.HasSuffix(said, " ok, 0 warnings, 0 failures\n")
	if !sound || !totals || strings.Count(said, "Gemini CLI") != 2 {
		t.Errorf("status %d, %+v:\n%s", status, d, said)
	}
	p.ok(os.Remove(p.dir + "/bin/git"))
	if said, _ := p.run("piton", "doctor"); !strings.HasSuffix(said, " ok, 1 warning, 0 failures\n") {
		t.Errorf("without git:\n%s", said)
	}
	p.ok(os.Remove(p.dir + "/bin/piton-hook"))
	if said, _ := p.run("piton", "status"); strings.Contains(said, "hooks last ran") || !strings.Contains(said, "no such file") {
		t.Errorf("status without the hook program:\n%s", said)
	}
}

// TestDoctorOfPostgres: doctor writes to a store of several machines, and takes it back.
func TestDoctorOfPostgres(t *testing.T) {
	dsn := pgtest.DSN(t)
	p := newSpot(t)
	for _, c := range []struct {
		name, store, status, says string
	}{
		{"it can be written to", dsn, client.StatusOK, ""},
		{"it is read-only", dsn + map[bool]string{true: "&", false: "?"}[strings.Contains(dsn, "?")] + "default_transaction_read_only=on", client.StatusFailure, "read-only"},
	} {
		p.env["PITON_STORE"] = c.store
		if c.status == client.StatusOK {
			p.run("save --workflow w --state s.json")
		}
		_, said := p.run("doctor --json")
		var d app.Diagnosis
		p.ok(json.Unmarshal([]byte(said), &d))
		i := slices.IndexFunc(d.Checks, func(x setup.Check) bool { return x.Name == "store of several machines" })
		if i < 0 || d.Checks[i].Status != c.status || !strings.Contains(d.Checks[i].Detail, c.says) {
			t.Errorf("%s: got %+v, want %s: %q", c.name, d.Checks, c.status, c.says)
		}
	}
}
