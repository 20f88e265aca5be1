package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/edit"
)

// target is a home and a project below a temporary folder.
func target(t testing.TB, scope Scope) Target {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"home", "project"} {
		must(t, os.Mkdir(filepath.Join(root, folder), 0o755))
	}
	return Target{
		Agent: "claude", Scope: scope, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "project"),
		Hook: filepath.Join(root, "bin", "piton-hook"), Piton: filepath.Join(root, "bin", "piton"), State: filepath.Join(root, "state"),
	}
}

// folderOf is where the client's files of the target's scope lie.
func folderOf(t Target) string {
	if t.Scope == Project {
		return filepath.Join(t.Project, "."+t.Agent)
	}
	return filepath.Join(t.Home, "."+t.Agent)
}

// filesOf is what a client calls its settings and its command.
func filesOf(agent string) (settings, slash string) {
	c, _ := clientOf(agent)
	return c.File, c.Command.File
}

func TestInitAndUninstallLeaveNoTrace(t *testing.T) {
	for _, agent := range Agents() {
		settings, slash := filesOf(agent)
		for _, c := range []struct {
			name    string
			files   map[string]string // below the client's folder; nil: there is no such folder
			folders []string          // likewise
		}{
			{"nothing there", nil, nil},
			{"an empty folder", nil, []string{"."}},
			{"an empty folder for commands", nil, []string{filepath.Dir(slash)}},
			{"settings", map[string]string{settings: "{\n  \"model\": \"opus\"\n}"}, nil},
			{"settings of no bytes", map[string]string{settings: ""}, nil},
			{"settings of white space", map[string]string{settings: "\r\n\t"}, nil},
			{"an empty object", map[string]string{settings: "{ }\n"}, nil},
			{"another command", map[string]string{filepath.Dir(slash) + "/other.md": "hi"}, nil},
			{"a foreign command of that name", map[string]string{slash: "mine", settings: `{"hooks":{}}`}, nil},
			{"another settings file", map[string]string{"config.toml": "notify = [\"piton-hook\", \"codex\"]\n"}, nil},
		} {
			for _, scope := range []Scope{User, Project} {
				t.Run(agent+", "+c.name+", "+string(scope), func(t *testing.T) {
					t.Parallel() // it waits for the disk
					tg := target(t, scope)
					tg.Agent = agent
					for name, text := range c.files {
						write(t, filepath.Join(folderOf(tg), name), text, 0o644)
					}
					for _, name := range c.folders {
						must(t, os.MkdirAll(filepath.Join(folderOf(tg), name), 0o755))
					}
					leaveNoTrace(t, tg)
				})
			}
		}
	}
}

func leaveNoTrace(t *testing.T, tg Target) {
	root := filepath.Dir(tg.Home)
	before := tree(t, root)
	for round := range 2 {
		must(t, Apply(plan(t, Init, tg).Changes))
		if !Installed(tg) {
			t.Errorf("round %d: nothing is installed", round)
		}
		if p := plan(t, Init, tg); len(p.Changes) > 0 {
			t.Fatalf("round %d: a second Init changes:\n%s", round, Diff(p.Changes))
		}
		must(t, Apply(plan(t, Uninstall, tg).Changes))
		if p := plan(t, Uninstall, tg); len(p.Changes) > 0 {
			t.Fatalf("round %d: a second Uninstall changes:\n%s", round, Diff(p.Changes))
		}
		if Installed(tg) {
			t.Errorf("round %d: something is still installed", round)
		}
		os.Remove(tg.State) // Piton's own
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Fatalf("round %d (-before +after):\n%s", round, diff)
		}
	}
}

func TestInitWhatIsWritten(t *testing.T) {
	for _, agent := range Agents() {
		for _, scope := range []Scope{User, Project} {
			t.Run(agent+", "+string(scope), func(t *testing.T) {
				tg := target(t, scope)
				tg.Agent, tg.Hook = agent, "/usr/local/bin/piton-hook"
				p := plan(t, Init, tg)
				got := strings.ReplaceAll(Diff(p.Changes), filepath.Dir(tg.Home), "")
				golden(t, "testdata/init-"+agent+"-"+string(scope)+".diff", []byte(got))
				if c, _ := clientOf(agent); strings.Join(p.Notes, "") != c.Ready {
					t.Errorf("notes: got %q, want %q", p.Notes, c.Ready)
				}
			})
		}
	}
}

// Which hooks are there depends on what they are for.
func TestHooksAsSettingsNeedThem(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		name  string
		edit  func(*Target)
		tools map[string][]string // of each client, the events of its tools
		stop  map[string]time.Duration
	}{
		{"as a rule", func(*Target) {},
			map[string][]string{"claude": {"PreToolUse", "PostToolUse", "PostToolUseFailure"}, "gemini": {"BeforeTool", "AfterTool"}, "codex": {"PreToolUse", "PostToolUse"}},
			map[string]time.Duration{"claude": minute, "gemini": minute, "codex": 10 * minute}},
		{"nothing saved inside a turn", func(t *Target) { t.NoTools = true }, nil, nil},
		{"timer activity", func(t *Target) { t.NoTools, t.EveryTool = true, true },
			map[string][]string{"claude": {"PreToolUse", "PostToolUse", "PostToolUseFailure"}, "gemini": {"BeforeTool", "AfterTool"}, "codex": {"PreToolUse", "PostToolUse"}}, nil},
		{"commands to verify with", func(t *Target) { t.Verify = 5 * minute }, nil,
			map[string]time.Duration{"claude": 5*minute + 30*time.Second, "gemini": 5*minute + 30*time.Second, "codex": 10 * minute}},
		{"many of them", func(t *Target) { t.Verify = 20 * minute }, nil,
			map[string]time.Duration{"claude": 20*minute + 30*time.Second, "gemini": 20*minute + 30*time.Second, "codex": 20*minute + 30*time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, x := range allOfThem {
				tg := Target{}
				c.edit(&tg)
				var tools []string
				for _, h := range x.hooks(tg) {
					if strings.Contains(h.event, "Tool") {
						tools = append(tools, h.event)
					}
					if waits := h.event == x.Hooks.Waiting; waits && tg.NoTools && !tg.EveryTool {
						t.Errorf("%s hears %s, and the end of it never", x.name, h.event)
					}
					if got := time.Duration(h.timeout) * x.Hooks.Unit; h.event == x.Hooks.Stop && c.stop != nil && got != c.stop[x.name] {
						t.Errorf("%s's stop: got %s, want %s", x.name, got, c.stop[x.name])
					}
				}
				if (c.tools != nil || tg.NoTools) && !slices.Equal(tools, c.tools[x.name]) {
					t.Errorf("%s: got %q, want %q", x.name, tools, c.tools[x.name])
				}
			}
		})
	}
}

func TestConfigDir(t *testing.T) {
	for _, c := range []struct{ agent, variable, value, want string }{
		{"claude", "CLAUDE_CONFIG_DIR", "/c", "/c"},
		{"gemini", "GEMINI_CLI_HOME", "/g", "/g/.gemini"},
		{"codex", "CODEX_HOME", "/x/", "/x"},
		{"claude", "CODEX_HOME", "/x", ""},
		{"codex", "CODEX_HOME", "", ""},
		{"emacs", "", "/x", ""},
	} {
		got := ConfigDir(c.agent, func(name string) string {
			if name == c.variable {
				return c.value
			}
			return ""
		})
		if got != c.want {
			t.Errorf("%s with %s=%s: got %q, want %q", c.agent, c.variable, c.value, got, c.want)
		}
	}
}

func TestHere(t *testing.T) {
	none := func(string) (string, error) { return "", errors.New("not found") }
	tg := target(t, User)
	for _, agent := range Agents() {
		tg.Agent = agent
		if Here(tg, none) {
			t.Errorf("%s: here, with neither program nor folder", agent)
		}
		if !Here(tg, func(program string) (string, error) { return "/bin/" + program, nil }) {
			t.Errorf("%s: not here, with the program in PATH", agent)
		}
		must(t, os.Mkdir(folderOf(tg), 0o755))
		if !Here(tg, none) {
			t.Errorf("%s: not here, with its folder", agent)
		}
	}
}

func TestInitUpdatesAnOlderInstallation(t *testing.T) {
	tg := target(t, User)
	settings := filepath.Join(folderOf(tg), "settings.json")
	const mine = `{"model":"opus"}`
	write(t, settings, mine, 0o600)
	older := tg
	older.Hook, older.EveryTool = "/older/piton-hook", true
	must(t, Apply(plan(t, Init, older).Changes))
	must(t, Apply(plan(t, Init, tg).Changes))
	if text := string(load(t, settings)); strings.Contains(text, "/older/") || strings.Contains(text, `"*"`) {
		t.Errorf("the older installation is still there:\n%s", text)
	}
	must(t, Apply(plan(t, Uninstall, tg).Changes))
	if got := string(load(t, settings)); got != mine {
		t.Errorf("got %s, want %s", got, mine)
	}
}

// olderTools are the hooks at tools of earlier versions, by client.
var olderTools = map[string][]hook{
	"claude": {{event: "PreToolUse", matcher: "Bash"}, {event: "PostToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Bash"}},
	"gemini": {{event: "BeforeTool", matcher: "^run_shell_command$"}, {event: "AfterTool", matcher: "^(replace|write_file|run_shell_command)$"}},
	"codex":  {{event: "PreToolUse", matcher: "^Bash$"}, {event: "PostToolUse", matcher: "^(Bash|apply_patch)$"}},
}

// olderHooks are those of a client as an earlier version has set them up.
func olderHooks(c agentClient) []hook {
	list := slices.DeleteFunc(c.hooks(Target{}), func(h hook) bool { return strings.Contains(h.event, "Tool") })
	for _, h := range olderTools[c.name] {
		h.timeout, h.name = list[0].timeout, list[0].name
		list = append(list, h)
	}
	return list
}

// TestHooksOfAnEarlierVersion: doctor names the hooks that have changed and the command that
// brings them up to date; after it, and without it, uninstall leaves nothing.
func TestHooksOfAnEarlierVersion(t *testing.T) {
	for _, agent := range Agents() {
		t.Run(agent, func(t *testing.T) {
			c := soundOf(t, agent)
			x := allOfThem[slices.IndexFunc(allOfThem, func(x agentClient) bool { return x.name == agent })]
			var events []string
			for _, h := range x.Hooks.SomeTools {
				events = append(events, h.Event)
			}
			file := c.settings(User)
			older, err := merge(form{file, x.Comments}, load(t, file), map[string]string{}, olderHooks(x), x.line(c.Target))
			must(t, err)
			write(t, file, string(older), 0o644)

			c.finds(t, "hooks", "fail", "missing: "+strings.Join(events, ", "))
			for _, check := range c.doctor() {
				if check.Name == "hooks" && check.Hint != "run 'piton init --agent "+agent+"'" {
					t.Errorf("got the hint %q", check.Hint)
				}
			}
			must(t, Apply(plan(t, Init, c.Target).Changes))
			c.finds(t, "hooks", "ok", "events")
			if text := string(load(t, file)); strings.Contains(text, edit.Quote(olderTools[agent][0].matcher)) || strings.Count(text, "piton-hook") != len(x.hooks(c.Target)) {
				t.Errorf("the hooks of the earlier version are still there:\n%s", text)
			}
			write(t, file, string(older), 0o644)
			must(t, Apply(plan(t, Uninstall, c.Target).Changes))
			if text, err := os.ReadFile(file); strings.Contains(string(text), "piton-hook") {
				t.Errorf("uninstall leaves hooks (%v):\n%s", err, text)
			}
		})
	}
}

// A line that a person has approved stays while it leads to the same program, whatever that is called now.
func TestInitKeepsALineThatLeadsToTheSameProgram(t *testing.T) {
	for _, agent := range Agents() {
		tg := target(t, User)
		tg.Agent = agent
		script(t, tg.Hook, "")
		bin := filepath.Join(filepath.Dir(tg.Home), "link")
		must(t, os.Symlink(filepath.Dir(tg.Hook), bin))
		byLink := tg
		byLink.Hook, byLink.NoTools = filepath.Join(bin, "piton-hook"), true
		must(t, Apply(plan(t, Init, byLink).Changes))
		tg.NoTools = true
		if p := plan(t, Init, tg); len(p.Changes) > 0 {
			t.Errorf("%s: the same program by another name changes:\n%s", agent, Diff(p.Changes))
		}
		tg.NoTools = false
		after := Diff(plan(t, Init, tg).Changes)
		if strings.Contains(after, quote(tg.Hook)) || !strings.Contains(after, quote(byLink.Hook)) {
			t.Errorf("%s: new hooks have another line:\n%s", agent, after)
		}
		other := tg
		other.Hook = filepath.Join(filepath.Dir(tg.Home), "new", "piton-hook")
		script(t, other.Hook, "exit 1")
		if after := Diff(plan(t, Init, other).Changes); !strings.Contains(after, "+            \"command\": "+edit.Quote(quote(other.Hook)+" "+agent+" 2>/dev/null || :")) {
			t.Errorf("%s: another program is not installed:\n%s", agent, after)
		}
	}
}

func TestUninstallKeepsWhatCameLater(t *testing.T) {
	tg := target(t, Project)
	must(t, Apply(plan(t, Init, tg).Changes))
	settings := filepath.Join(folderOf(tg), "settings.json")
	write(t, settings, strings.Replace(string(load(t, settings)), "{\n", "{\n  \"model\": \"opus\",\n", 1), 0o644)
	write(t, filepath.Join(folderOf(tg), "commands", "other.md"), "hi", 0o644)
	must(t, Apply(plan(t, Uninstall, tg).Changes))
	want := map[string]string{".": "dir", "commands": "dir", "commands/other.md": "hi", "settings.json": "{\n  \"model\": \"opus\"\n}\n"}
	if diff := cmp.Diff(want, tree(t, folderOf(tg))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInitRefuses(t *testing.T) {
	good := target(t, User)
	for _, c := range []struct {
		name string
		edit func(*Target)
	}{
		{"unknown agent", func(t *Target) { t.Agent = "emacs" }},
		{"unknown scope", func(t *Target) { t.Scope = "machine" }},
		{"no home", func(t *Target) { t.Home = "" }},
		{"no project", func(t *Target) { t.Scope, t.Project = Project, "" }},
		{"relative hook", func(t *Target) { t.Hook = "bin/piton-hook" }},
		{"another hook", func(t *Target) { t.Hook = "/bin/sh" }},
		{"settings are a folder", func(t *Target) {
			t.ConfigDir = filepath.Join(t.Home, "c1")
			os.MkdirAll(t.ConfigDir+"/settings.json", 0o755)
		}},
		{"settings are not JSON", func(t *Target) {
			t.ConfigDir = filepath.Join(t.Home, "c2")
			os.MkdirAll(t.ConfigDir, 0o755)
			os.WriteFile(t.ConfigDir+"/settings.json", []byte("{,}"), 0o644)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := good
			c.edit(&tg)
			p, err := Init(tg)
			if piton.CodeOf(err) != piton.Invalid || len(p.Changes) > 0 {
				t.Errorf("got %v, %d changes, want invalid and none", err, len(p.Changes))
			}
			if e, ok := err.(*piton.Error); !ok || e.Hint == "" {
				t.Errorf("no hint: %v", err)
			}
		})
	}
}

func TestInitNotesTheOtherScope(t *testing.T) {
	tg := target(t, User)
	must(t, Apply(plan(t, Init, tg).Changes))
	tg.Scope = Project
	if p := plan(t, Init, tg); len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "handled twice") {
		t.Errorf("notes: got %q, want one on events handled twice", p.Notes)
	}
}

func TestConflictBetweenInitAndApply(t *testing.T) {
	tg := target(t, User)
	p := plan(t, Init, tg)
	settings := filepath.Join(folderOf(tg), "settings.json")
	write(t, settings, `{"theirs":1}`, 0o644)
	if err := Apply(p.Changes); piton.CodeOf(err) != piton.Conflict {
		t.Errorf("got %v, want conflict", err)
	}
	if diff := cmp.Diff(map[string]string{".": "dir", "settings.json": `{"theirs":1}`}, tree(t, folderOf(tg))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func plan(t testing.TB, what func(Target) (Plan, error), tg Target) Plan {
	t.Helper()
	p, err := what(tg)
	must(t, err)
	return p
}

// tree is all that lies below a folder: texts, and "dir" for folders.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		found[name] = "dir"
		if !d.IsDir() {
			found[name] = string(load(t, path))
		}
		return nil
	}))
	return found
}
