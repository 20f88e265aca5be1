package project

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// Same reports whether a file of the tree differs from an earlier text in nothing
// that a test would notice.
func Same(root, path, was string) bool {
	now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	return err == nil && plain(path, string(now)) == plain(path, was)
}

func plain(path, text string) string {
	mark := "//"
	if tools.Among("python ruby shell elixir r julia perl", tools.EcosystemOf(path)) {
		mark = "#"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, mark+" ") {
			continue
		}
		b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
	}
	return b.String()
}
