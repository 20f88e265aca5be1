package claude

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/piton-project/piton/internal/client"
)

// systemFiles are the administrator's settings of Claude Code: one file and a folder of more, merged by name.
func systemFiles(folder string) (below, above []string) {
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

// hooksAllowed: no scope switches hooks off.
func hooksAllowed(x *client.Exam) client.Check {
	const name = "hooks allowed"
	for _, f := range x.Files {
		if f.Setting("disableAllHooks") == "true" {
			return client.Fail(name, f.Path+" sets disableAllHooks", "remove disableAllHooks there")
		}
		if f.Scope == "managed" && f.Setting("allowManagedHooksOnly") == "true" {
			return client.Fail(name, f.Path+" allows the administrator's hooks only", "ask the administrator to allow piton-hook")
		}
	}
	return client.Pass(name, "no settings switch hooks off")
}

// leastDays is how long transcripts should stay: a debrief and a resume on Monday read Friday's.
const leastDays = 7

// transcriptsKept: they are not deleted while somebody may come back to them.
func transcriptsKept(x *client.Exam) client.Check {
	const name = "transcripts"
	days, from := x.Setting("cleanupPeriodDays")
	if days == "" {
		days, from = "30", "by default"
	}
	detail := fmt.Sprintf("kept %s days (%s)", days, from)
	if n, err := strconv.ParseFloat(days, 64); err == nil && n < leastDays {
		return client.Warn(name, detail, fmt.Sprintf("set cleanupPeriodDays to %d or more", leastDays))
	}
	return client.Pass(name, detail)
}
