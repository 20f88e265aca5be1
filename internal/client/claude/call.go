package claude

import (
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/agent"
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

// toolResult is what a tool told the client, beside what it told the model.
type toolResult struct {
	kind        string // Write: create, update
	background  bool   // the command goes on behind
	interrupted bool
	stdout      []byte
	stderr      []byte
}

func readToolResult(raw []byte) toolResult {
	v := rawjson.Values(raw, "type", "backgroundTaskId", "interrupted", "stdout", "stderr")
	return toolResult{
		kind: rawjson.Text(v[0]), background: rawjson.Text(v[1]) != "", interrupted: rawjson.IsTrue(v[2]), stdout: v[3], stderr: v[4],
	}
}

// refused reports whether a person stopped or refused the call. A rule or a
// hook that denies it makes a failed call. Versions that do not name the denial
// are known by their words.
func refused(denial string, failed bool, said string) bool {
	switch denial {
	case "user-rejected", "interrupted", "cancelled":
		return true
	case "":
		return failed && (strings.HasPrefix(said, "The user doesn't want to ") ||
			strings.HasPrefix(said, "[Request interrupted by user"))
	}
	return false
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

// outputOf is what the model was told; but where the client kept a large
// output in a file and told only of its first 2 KB, what the client itself was
// told: the first 30,000 characters.
func outputOf(said string, r toolResult) string {
	if !strings.HasPrefix(said, "<persisted-output>") {
		return said
	}
	out := rawjson.Text(r.stdout)
	if err := rawjson.Text(r.stderr); err != "" {
		out += "\n" + err
	}
	if len(out) < len(said) {
		return said
	}
	return out
}
