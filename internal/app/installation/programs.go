package installation

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/piton-project/piton/internal/setup"
)

// HowToInstall says how all programs of one build are had; the demo says it too.
const HowToInstall = setup.HowToInstall

// NoHook is why neither init nor the demo can begin.
const NoHook = "the program piton-hook is neither beside piton nor in PATH"

// HookProgram is the piton-hook beside the program self, else the one in PATH; "" where
// there is none. The one beside it goes by its name in PATH where that leads to it: that
// name stays the same when a package manager puts another version in its place, and a
// person who has approved the hook approves it once.
func HookProgram(self, path string) string {
	const name = "piton-hook"
	return inPathIfSame(programOf(self, name, path), name, path)
}

// ServerProgram is the program self by its name in PATH where that leads to it, as with HookProgram.
func ServerProgram(self, path string) string { return inPathIfSame(self, "piton", path) }

// programOf is a program of Piton's: the one beside self, or beside what self links to,
// else the one in PATH; "" where there is none.
func programOf(self, name, path string) string {
	folders := []string{filepath.Dir(self)}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		folders = append(folders, filepath.Dir(real))
	}
	return first(name, append(folders, filepath.SplitList(path)...))
}

// first is the program of a name in the first of the folders that has it. A folder that
// depends on where the caller stands is left out.
func first(name string, folders []string) string {
	for _, dir := range folders {
		if !filepath.IsAbs(dir) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return program
		}
	}
	return ""
}

// inPathIfSame is the program by its name in PATH where that leads to it.
func inPathIfSame(program, name, path string) string {
	named := first(name, filepath.SplitList(path))
	own, errOwn := os.Stat(program)
	other, errOther := os.Stat(named)
	if errOwn == nil && errOther == nil && os.SameFile(own, other) {
		return named
	}
	return program
}
