package setup

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// claudeManaged are the administrator's settings of Claude Code: one file and a folder of more, merged by name.
func claudeManaged(folder string) []string {
	if folder == "" {
		folder = "/etc/claude-code"
		switch runtime.GOOS {
		case "darwin":
			folder = "/Library/Application Support/ClaudeCode"
		case "windows":
			folder = `C:\Program Files\ClaudeCode`
		}
	}
	more, _ := filepath.Glob(filepath.Join(folder, "managed-settings.d", "*.json")) // sorted
	return append([]string{filepath.Join(folder, "managed-settings.json")}, more...)
}

func claudeChecks(x *exam) []Check {
	return []Check{x.claudeAllowed(), x.claudeVersion(), x.claudeTranscripts(), x.claudeFolder()}
}

// claudeAllowed: no scope switches hooks off.
func (x *exam) claudeAllowed() Check {
	const name = "hooks allowed"
	for _, f := range x.files {
		if setting(f.text, "disableAllHooks") == "true" {
			return fail(name, f.path+" sets disableAllHooks", "remove disableAllHooks there")
		}
		if f.scope == "managed" && setting(f.text, "allowManagedHooksOnly") == "true" {
			return fail(name, f.path+" allows the administrator's hooks only", "ask the administrator to allow piton-hook")
		}
	}
	return pass(name, "no settings switch hooks off")
}

// claudeVersion: the client is there and not too old.
func (x *exam) claudeVersion() Check {
	name := x.client.title
	path, err := x.LookPath(x.client.program)
	if err != nil {
		return warn(name, x.client.program+" is not in PATH", "install "+name+", if you want to use it here")
	}
	answer, err := x.ask(path, "--version")
	if err != nil {
		return warn(name, path+" does not answer: "+err.Error(), "")
	}
	if atLeast, ok := reaches(answer, x.client.oldest); !ok {
		return warn(name, fmt.Sprintf("%s says %q, which names no version", path, answer), "")
	} else if !atLeast {
		return warn(name, fmt.Sprintf("%s; Piton is made for %s and newer", answer, x.client.oldest), "update "+name)
	}
	return pass(name, answer)
}

// reaches tells whether the version at the beginning of an answer ("2.1.328 (Claude Code)") is oldest or newer.
func reaches(answer, oldest string) (atLeast, ok bool) {
	word, _, _ := strings.Cut(answer, " ")
	have, want := strings.Split(word, "."), strings.Split(oldest, ".")
	if len(have) < len(want) {
		return false, false
	}
	for i := range want {
		h, err := strconv.Atoi(have[i][:len(have[i])-len(strings.TrimLeft(have[i], "0123456789"))])
		if err != nil {
			return false, false
		}
		if w, _ := strconv.Atoi(want[i]); h != w {
			return h > w, true
		}
	}
	return true, true
}

// leastDays is how long transcripts should stay: a debrief and a resume on Monday read Friday's.
const leastDays = 7

// claudeTranscripts: they are not deleted while somebody may come back to them.
func (x *exam) claudeTranscripts() Check {
	const name = "transcripts"
	days, from := "30", "by default"
	for _, f := range x.files { // a later scope overrules
		if d := setting(f.text, "cleanupPeriodDays"); d != "" {
			days, from = d, "in "+f.path
		}
	}
	detail := fmt.Sprintf("kept %s days (%s)", days, from)
	if n, err := strconv.ParseFloat(days, 64); err == nil && n < leastDays {
		return warn(name, detail, fmt.Sprintf("set cleanupPeriodDays to %d or more", leastDays))
	}
	return pass(name, detail)
}

// claudeFolder: with CLAUDE_CONFIG_DIR set, sessions with and without it have different settings.
func (x *exam) claudeFolder() Check {
	const name = "config folder"
	usual := x.client.home(x.Home)
	if x.Home == "" || filepath.Clean(x.ConfigDir) == filepath.Clean(usual) {
		return pass(name, x.ConfigDir)
	}
	hooked := func(folder string) bool {
		path := filepath.Join(folder, x.client.settings)
		text, _ := read(path)
		found, _ := parse(path, text)
		return len(found) > 0
	}
	here, there := hooked(x.ConfigDir), hooked(usual)
	detail := fmt.Sprintf("CLAUDE_CONFIG_DIR is %s, not %s", x.ConfigDir, usual)
	switch {
	case there && !here:
		return warn(name, detail+"; only the latter has hooks", runInit+" with CLAUDE_CONFIG_DIR set")
	case here && !there:
		return warn(name, detail+"; only the former has hooks", runInit+" without CLAUDE_CONFIG_DIR, if you start sessions that way too")
	}
	return pass(name, detail)
}
