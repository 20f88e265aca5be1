package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// systemFiles are the machine's settings of Gemini CLI: defaults below a person's, and what overrules them.
func systemFiles(folder string) (below, above []string) {
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

// hooksAllowed: neither hooks as such nor Piton's are switched off.
func hooksAllowed(x *client.Exam) client.Check {
	const name = "hooks allowed"
	if on, from := x.Setting("hooksConfig", "enabled"); on == "false" {
		return client.Fail(name, from+" sets hooksConfig.enabled to false", "remove it there")
	}
	off := map[string]string{} // lists of all scopes add up
	for _, f := range x.Files {
		var names []string
		if json.Unmarshal([]byte(f.Setting("hooksConfig", "disabled")), &names) == nil {
			for _, n := range names {
				off[n] = f.Path
			}
		}
	}
	for _, f := range x.Files {
		for _, p := range f.Hooks {
			called := cmp.Or(p.Name, p.Command)
			if from, ok := off[called]; ok {
				return client.Fail(name, fmt.Sprintf("%s has %q in hooksConfig.disabled", from, called), "'/hooks enable "+called+"' in Gemini CLI, or remove it there")
			}
		}
	}
	return client.Pass(name, "no settings switch hooks off")
}

// folderTrusted: in a folder that is not trusted no hook runs, a user's own neither.
func folderTrusted(x *client.Exam) client.Check {
	const name = "folder trust"
	switch env := x.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); {
	case x.Project == "":
		return client.Pass(name, "no project to look at")
	case env == "true":
		return client.Pass(name, "GEMINI_CLI_TRUST_WORKSPACE is true")
	case env == "false" || x.Getenv("GEMINI_RESTRICTED_MODE") == "true":
		return client.Fail(name, "the environment lets no folder be trusted, so no hooks run", "unset GEMINI_CLI_TRUST_WORKSPACE and GEMINI_RESTRICTED_MODE")
	}
	for i := len(x.Files) - 1; i >= 0; i-- { // a project cannot switch it off for itself
		f := x.Files[i]
		v := f.Setting("security", "folderTrust", "enabled")
		if f.Scope == "project" || v == "" {
			continue
		}
		if v == "false" {
			return client.Pass(name, f.Path+" does without")
		}
		break
	}
	path := cmp.Or(x.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH"), filepath.Join(x.ConfigDir, "trustedFolders.json"))
	text, err := x.Read(path)
	if err != nil {
		return client.Warn(name, err.Error(), "make it readable")
	}
	var rules map[string]string
	if plain := rawjson.BlankComments(text); len(bytes.TrimSpace(plain)) > 0 {
		if err := json.Unmarshal(plain, &rules); err != nil {
			return client.Fail(name, path+" is not JSON: "+err.Error(), "fix it by hand: Gemini CLI does not start with it")
		}
	}
	switch trustOf(rules, client.RealPath(x.Project)) {
	case "":
		return client.Warn(name, x.Project+" is not among the trusted folders; no hooks run there until it is", "start gemini there and trust it, or '/permissions'")
	case "DO_NOT_TRUST":
		return client.Fail(name, path+" says that "+x.Project+" is not to be trusted: no hooks run there", "if that is not meant, '/permissions' in Gemini CLI")
	}
	return client.Pass(name, x.Project+" is trusted")
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
		if within := inside(client.RealPath(of), folder); known && within && len(rule) > longest {
			longest, level = len(rule), l
		}
	}
	return level
}

func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// transcriptsKept: a conversation that was resumed is not deleted at the next start, as Gemini CLI can do while it cleans up.
func transcriptsKept(x *client.Exam) client.Check {
	const name = "transcripts"
	on, from := x.Setting("general", "sessionRetention", "enabled")
	if on == "false" {
		return client.Pass(name, "kept ("+from+")")
	}
	return client.Warn(name, "Gemini CLI cleans old conversations up, and its next start can delete one that was resumed",
		`set {"general": {"sessionRetention": {"enabled": false}}} in `+filepath.Join(x.ConfigDir, "settings.json"))
}
