package tools

import (
	"slices"
	"strings"
)

// ComposeFiles are those that words tell docker compose to read, as written.
func ComposeFiles(words []string) (files []string) {
	for i, word := range words {
		flag, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		switch {
		case Among("exec run", word):
			return files
		case Among("-f --file", flag):
			files = append(files, value)
		case flag == "--project-directory": // where paths are then seen from is not followed
			files = append(files, "$"+value)
		}
	}
	return files
}

// Mounts are the folders of this machine that words tell a container to mount.
func Mounts(words []string) (all []string) {
	const flags = "-v --volume --mount --volumes-from"
	for i, word := range words {
		switch flag, value, joined := strings.Cut(word, "="); {
		case Among(flags, flag) && joined:
			all = append(all, mountSource(value))
		case Among(flags, word):
			all = append(all, mountSource(slices.Concat(words[i+1:], []string{""})[0]))
		case strings.HasPrefix(word, "-v") && !strings.HasPrefix(word, "--"):
			all = append(all, mountSource(word[2:]))
		}
	}
	return all
}

func mountSource(mount string) string {
	for part := range strings.SplitSeq(mount, ",") {
		if name, value, ok := strings.Cut(part, "="); ok && Among("source src", name) {
			return value
		}
	}
	if len(mount) > 2 && mount[1] == ':' {
		return mount // C:\x
	}
	mount, _, _ = strings.Cut(mount, ":")
	return mount
}
