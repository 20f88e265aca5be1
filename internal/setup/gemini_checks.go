package setup

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// geminiSystem are the machine's settings of Gemini CLI: defaults below a person's, and what overrules them.
func geminiSystem(folder string) (below, above []string) {
	if folder == "" {
		folder = "/etc/gemini-cli"
		switch runtime.GOOS {
		case "darwin":
			folder = "/Library/Application Support/GeminiCli"
		case "windows":
			folder = `C:\ProgramData\gemini-cli`
		}
	}
	return []string{filepath.Join(folder, "system-defaults.json")}, []string{filepath.Join(folder, "settings.json")}
}

func geminiChecks(x *exam) []Check {
	return []Check{x.geminiAllowed(), x.geminiFolder(), x.geminiRetention()}
}

// geminiAllowed: neither hooks as such nor Piton's are switched off.
func (x *exam) geminiAllowed() Check {
	const name = "hooks allowed"
	if on, from := x.setting("hooksConfig", "enabled"); on == "false" {
		return fail(name, from+" sets hooksConfig.enabled to false", "remove it there")
	}
	off := map[string]string{} // lists of all scopes add up
	for _, f := range x.files {
		var names []string
		if json.Unmarshal([]byte(f.setting(f.text, "hooksConfig", "disabled")), &names) == nil {
			for _, n := range names {
				off[n] = f.path
			}
		}
	}
	for _, f := range x.files {
		for _, p := range f.places {
			called := p.name
			if called == "" {
				called = p.command
			}
			if from, ok := off[called]; ok {
				return fail(name, fmt.Sprintf("%s has %q in hooksConfig.disabled", from, called), "'/hooks enable "+called+"' in Gemini CLI, or remove it there")
			}
		}
	}
	return pass(name, "no settings switch hooks off")
}

// geminiFolder: in a folder that is not trusted no hook runs, a user's own neither.
func (x *exam) geminiFolder() Check {
	const name = "folder trust"
	switch env := x.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); {
	case x.Project == "":
		return pass(name, "no project to look at")
	case env == "true":
		return pass(name, "GEMINI_CLI_TRUST_WORKSPACE is true")
	case env == "false" || x.Getenv("GEMINI_RESTRICTED_MODE") == "true":
		return fail(name, "the environment lets no folder be trusted, so no hooks run", "unset GEMINI_CLI_TRUST_WORKSPACE and GEMINI_RESTRICTED_MODE")
	}
	for i := len(x.files) - 1; i >= 0; i-- { // a project cannot switch it off for itself
		f := x.files[i]
		v := f.setting(f.text, "security", "folderTrust", "enabled")
		if f.scope == "project" || v == "" {
			continue
		}
		if v == "false" {
			return pass(name, f.path+" does without")
		}
		break
	}
	path := x.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
	if path == "" {
		path = filepath.Join(x.ConfigDir, "trustedFolders.json")
	}
	text, err := read(path)
	if err != nil {
		return warn(name, err.Error(), "make it readable")
	}
	var rules map[string]string
	if plain := blankComments(text); !blank(plain) {
		if err := json.Unmarshal(plain, &rules); err != nil {
			return fail(name, path+" is not JSON: "+err.Error(), "mend it by hand: Gemini CLI does not start with it")
		}
	}
	switch trustOf(rules, real(x.Project)) {
	case "":
		return warn(name, x.Project+" is not among the trusted folders; no hooks run there until it is", "start gemini there and trust it, or '/permissions'")
	case "DO_NOT_TRUST":
		return fail(name, path+" says that "+x.Project+" is not to be trusted: no hooks run there", "if that is not meant, '/permissions' in Gemini CLI")
	}
	return pass(name, x.Project+" is trusted")
}

// trustOf is the level that the longest fitting rule gives a folder, "" where none fits.
func trustOf(rules map[string]string, folder string) string {
	longest, level := -1, ""
	for rule, l := range rules {
		of := rule
		if l == "TRUST_PARENT" {
			of = filepath.Dir(rule)
		}
		known := slices.Contains([]string{"TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"}, l)
		if within := inside(real(of), folder); known && within && len(rule) > longest {
			longest, level = len(rule), l
		}
	}
	return level
}

func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// real is a path without links, as far as it exists.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// geminiRetention: a conversation that was resumed is not deleted at the next start, as Gemini CLI can do while it cleans up.
func (x *exam) geminiRetention() Check {
	const name = "transcripts"
	on, from := x.setting("general", "sessionRetention", "enabled")
	if on == "false" {
		return pass(name, "kept ("+from+")")
	}
	return warn(name, "Gemini CLI cleans old conversations up, and its next start can delete one that was resumed",
		`set {"general": {"sessionRetention": {"enabled": false}}} in `+filepath.Join(x.ConfigDir, x.client.settings))
}
