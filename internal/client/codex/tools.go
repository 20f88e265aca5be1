package codex

import (
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
)

// toolKind says what the client's tools do. A shell has had many names; hooks
// call each of them Bash.
func toolKind(name string) agent.CallKind {
	switch name {
	case "Bash", "shell", "shell_command", "exec_command", "local_shell", "container.exec":
		return agent.CallShell
	case "apply_patch", "Edit", "Write":
		return agent.CallEdit
	case "view_image":
		return agent.CallRead
	}
	return agent.CallOther
}

// patchBegin is the first line of a patch, after which each file has a line of
// its own.
const patchBegin = "*** Begin Patch"

// patchedFiles are the files that a patch names, and whether it adds one.
func patchedFiles(patch, dir string) (paths []string, adds bool) {
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				paths = append(paths, client.Absolute(dir, strings.TrimSpace(name)))
				adds = adds || mark == "*** Add File: "
			}
		}
	}
	return paths, adds
}
