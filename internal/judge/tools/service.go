package tools

import (
	"slices"
	"strings"
)

// ComposeFiles are those that words tell docker compose to read, as written.
func ComposeFiles(words []string) (files []string) {
	if end := slices.IndexFunc(words, func(w string) bool { return Among("exec run", w) }); end >= 0 {
		words = words[:end]
	}
	for _, f := range Read(words, "-f --file --project-directory").Flags {
		switch {
		case Among("-f --file", f.Name):
			files = append(files, f.Value)
		case f.Name == "--project-directory": // where paths are then seen from is not followed
			files = append(files, "$"+f.Value)
		}
	}
	return files
}

// Mounts are the folders of this machine that words tell a container to mount.
func Mounts(words []string) (all []string) {
	const flags = "-v --volume --mount --volumes-from"
	for _, f := range Read(words, flags).Flags {
		switch {
		case Among(flags, f.Name):
			all = append(all, mountSource(f.Value))
		case strings.HasPrefix(f.Name, "-v"):
			all = append(all, mountSource(f.Name[2:]))
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
