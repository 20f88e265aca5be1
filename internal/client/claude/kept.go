package claude

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// kept are the files in which the client keeps what a session's commands said,
// where it is too much for the transcript or was said in the background.
type kept struct {
	client.Stored
	outputs string   // the folder of large outputs
	tasks   []string // the folders of commands in the background
}

// taskFolders are where the client keeps what commands in the background have
// said, for a session: a folder of the user's among the machine's temporary files.
func taskFolders(path string) (dirs []string) {
	session, project := strings.TrimSuffix(filepath.Base(path), ".jsonl"), filepath.Base(filepath.Dir(path))
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		dirs = append(dirs, filepath.Join(tmp, "claude-"+strconv.Itoa(os.Getuid()), project, session, "tasks"))
	}
	return slices.Compact(dirs)
}

// outputOf is what the model was told. Where the client kept a large output in a
// file, and told the model of its first 2 KB and itself of the first 30,000
// characters, it is that file, or else those characters; cut tells that they are
// not all.
func (k *kept) outputOf(said string, r toolResult) (out string, cut bool) {
	if !strings.HasPrefix(said, "<persisted-output>") && r.stored == "" {
		return said, false
	}
	named := r.stored
	if named == "" {
		_, rest, _ := strings.Cut(said, "saved to: ")
		named, _, _ = strings.Cut(rest, "\n")
	}
	stderr := rawjson.Text(r.stderr)
	if out, whole, ok := k.Output(k.outputs, strings.TrimSpace(named)); ok {
		return joined(out, stderr), !whole
	}
	out = joined(rawjson.Text(r.stdout), stderr)
	if len(out) < len(said) {
		out = said
	}
	return out, true
}

func joined(out, stderr string) string {
	if stderr == "" || strings.Contains(out, stderr) {
		return out
	}
	return out + "\n" + stderr
}

// behind is what a command in the background has said.
func (k *kept) behind(task string) (said string, whole, ok bool) {
	if task == "" {
		return "", false, false
	}
	for _, dir := range k.tasks {
		if said, whole, ok = k.Output(dir, task+".output"); ok {
			return said, whole, true
		}
	}
	return "", false, false
}
