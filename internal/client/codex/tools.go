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

// handsPatch tells whether a command does nothing but hand a patch to apply_patch:
// as a here-document, or as a here-string of PowerShell.
func handsPatch(command string) bool {
	if !strings.Contains(command, patchBegin) {
		return false
	}
	command = strings.TrimSpace(command)
	if strings.HasPrefix(command, "@'\n") || strings.HasPrefix(command, "@\"\n") {
		last := command[strings.LastIndexByte(command, '\n')+1:]
		return strings.Join(strings.Fields(last), "") == command[1:2]+"@|apply_patch"
	}
	return strings.HasPrefix(command, "apply_patch")
}

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
