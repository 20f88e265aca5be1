package setup

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
)

// claudeSystem are the administrator's settings of Claude Code: one file and a folder of more, merged by name.
func claudeSystem(folder string) (below, above []string) {
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
	return nil, append([]string{filepath.Join(folder, "managed-settings.json")}, more...)
}

func claudeChecks(x *exam) []Check {
	return []Check{x.claudeAllowed(), x.claudeTranscripts()}
}

// claudeAllowed: no scope switches hooks off.
func (x *exam) claudeAllowed() Check {
	const name = "hooks allowed"
	for _, f := range x.files {
		if f.setting(f.text, "disableAllHooks") == "true" {
			return fail(name, f.path+" sets disableAllHooks", "remove disableAllHooks there")
		}
		if f.scope == "managed" && f.setting(f.text, "allowManagedHooksOnly") == "true" {
			return fail(name, f.path+" allows the administrator's hooks only", "ask the administrator to allow piton-hook")
		}
	}
	return pass(name, "no settings switch hooks off")
}

// leastDays is how long transcripts should stay: a debrief and a resume on Monday read Friday's.
const leastDays = 7

// claudeTranscripts: they are not deleted while somebody may come back to them.
func (x *exam) claudeTranscripts() Check {
	const name = "transcripts"
	days, from := x.setting("cleanupPeriodDays")
	if days == "" {
		days, from = "30", "by default"
	}
	detail := fmt.Sprintf("kept %s days (%s)", days, from)
	if n, err := strconv.ParseFloat(days, 64); err == nil && n < leastDays {
		return warn(name, detail, fmt.Sprintf("set cleanupPeriodDays to %d or more", leastDays))
	}
	return pass(name, detail)
}
