package setup

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
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
		return filepath.Join(t.Project, ".claude")
	}
	return filepath.Join(t.Home, ".claude")
}

func TestInitAndUninstallLeaveNoTrace(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string // below the client's folder; nil: there is no such folder
		folders []string          // likewise
	}{
		{"nothing there", nil, nil},
		{"an empty folder", nil, []string{"."}},
		{"an empty folder for commands", nil, []string{"commands"}},
		{"settings", map[string]string{"settings.json": "{\n  \"model\": \"opus\"\n}"}, nil},
		{"settings of no bytes", map[string]string{"settings.json": ""}, nil},
		{"settings of white space", map[string]string{"settings.json": "\r\n\t"}, nil},
		{"an empty object", map[string]string{"settings.json": "{ }\n"}, nil},
		{"another command", map[string]string{"commands/other.md": "hi"}, nil},
		{"a foreign /checkpoint", map[string]string{"commands/checkpoint.md": "mine", "settings.json": `{"hooks":{}}`}, nil},
	} {
		for _, scope := range []Scope{User, Project} {
			t.Run(c.name+", "+string(scope), func(t *testing.T) {
				tg := target(t, scope)
				for name, text := range c.files {
					write(t, filepath.Join(folderOf(tg), name), text, 0o644)
				}
				for _, name := range c.folders {
					must(t, os.MkdirAll(filepath.Join(folderOf(tg), name), 0o755))
				}
				root := filepath.Dir(tg.Home)
				before := tree(t, root)

				for round := range 2 {
					must(t, Apply(plan(t, Init, tg).Changes))
					if p := plan(t, Init, tg); len(p.Changes) > 0 {
						t.Fatalf("round %d: a second Init changes:\n%s", round, Diff(p.Changes))
					}
					must(t, Apply(plan(t, Uninstall, tg).Changes))
					if p := plan(t, Uninstall, tg); len(p.Changes) > 0 {
						t.Fatalf("round %d: a second Uninstall changes:\n%s", round, Diff(p.Changes))
					}
					os.Remove(tg.State) // Piton's own
					if diff := cmp.Diff(before, tree(t, root)); diff != "" {
						t.Fatalf("round %d (-before +after):\n%s", round, diff)
					}
				}
			})
		}
	}
}

func TestInitWhatIsWritten(t *testing.T) {
	for _, scope := range []Scope{User, Project} {
		t.Run(string(scope), func(t *testing.T) {
			tg := target(t, scope)
			tg.Hook = "/usr/local/bin/piton-hook"
			p := plan(t, Init, tg)
			got := strings.ReplaceAll(Diff(p.Changes), filepath.Dir(tg.Home), "")
			golden(t, "testdata/init-"+string(scope)+".diff", []byte(got))
			if len(p.Notes) > 0 {
				t.Errorf("notes: %q, want none", p.Notes)
			}
		})
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
	if text := string(load(t, settings)); strings.Contains(text, "/older/") || strings.Contains(text, "PostToolUseFailure") {
		t.Errorf("the older installation is still there:\n%s", text)
	}
	must(t, Apply(plan(t, Uninstall, tg).Changes))
	if got := string(load(t, settings)); got != mine {
		t.Errorf("got %s, want %s", got, mine)
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
