package claude

import (
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// toolKind says what the client's tools do.
func toolKind(name string) agent.CallKind {
	switch name {
	case "Bash", "PowerShell":
		return agent.CallShell
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return agent.CallEdit
	case "Read", "NotebookRead":
		return agent.CallRead
	}
	return agent.CallOther
}

// pathsOf are the files that a tool's input names.
func pathsOf(input []byte) (paths []string) {
	for _, value := range rawjson.Values(input, "file_path", "notebook_path") {
		if p := rawjson.Text(value); p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// onlyComments tells an edit that changes nothing but comments.
func onlyComments(file string, input []byte) bool {
	v := rawjson.Values(input, "old_string", "new_string", "edits")
	if v[2] == nil {
		return v[0] != nil && client.OnlyComments(file, rawjson.Text(v[0]), rawjson.Text(v[1]))
	}
	n := 0
	for edit := range rawjson.Elements(v[2]) {
		w := rawjson.Values(edit, "old_string", "new_string")
		if n++; !client.OnlyComments(file, rawjson.Text(w[0]), rawjson.Text(w[1])) {
			return false
		}
	}
	return n > 0
}

// toolResult is what a tool told the client, beside what it told the model.
type toolResult struct {
	kind        string // Write: create, update
	task        string // the command goes on behind, under this id
	interrupted bool
	stdout      []byte
	stderr      []byte
	stored      string // the file that has all of the output
}

func readToolResult(raw []byte) toolResult {
	v := rawjson.Values(raw, "type", "backgroundTaskId", "interrupted", "stdout", "stderr", "persistedOutputPath")
	return toolResult{
		kind: rawjson.Text(v[0]), task: rawjson.Text(v[1]), interrupted: rawjson.IsTrue(v[2]), stdout: v[3], stderr: v[4], stored: rawjson.Text(v[5]),
	}
}

// neverRan reports whether a call was not started: a person, a rule or a hook
// refused it, or the client dropped it because another one of the same message
// had failed. Versions that do not name the denial are known by their words. What
// a person has rejected may have run: Esc in mid-run is told in the same way. With
// a reason it has not: only the question before a call takes one.
func neverRan(denial string, failed bool, said string) bool {
	withReason := strings.HasPrefix(said, "The user doesn't want to proceed") && strings.Contains(said, "To tell you how to proceed, the user said:")
	switch denial {
	case "cancelled", "permission-rule", "automode-blocked", "automode-unavailable", "automode-parsing-error":
		return true
	case "user-rejected":
		return failed && withReason
	case "":
		return failed && (withReason || startsWithAny(strings.TrimPrefix(said, "<tool_use_error>"), unstarted))
	}
	return false
}

// unstarted are the words of a call that was not started.
var unstarted = []string{
	"Sibling tool call errored", "Cancelled: parallel tool call",
	"Permission to use ", "Claude requested permissions to ", "This command requires approval",
	"PreToolUse:", "Hook PreToolUse:", // a hook's refusal
}

// stopped reports whether a person stopped a call that may have run.
func stopped(denial string, failed bool, said string) bool {
	unnamed := denial == "" && failed && startsWithAny(said, []string{"The user doesn't want to ", "[Request interrupted by user"})
	return unnamed || denial == "interrupted" || denial == "user-rejected"
}

func startsWithAny(s string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(s, b) })
}

// exitCode reads the "Exit code 1" that a failed command's result begins
// with.
func exitCode(said string) *int {
	rest, ok := strings.CutPrefix(said, "Exit code ")
	if !ok {
		return nil
	}
	digits, _, _ := strings.Cut(rest, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil {
		return nil
	}
	return &code
}
