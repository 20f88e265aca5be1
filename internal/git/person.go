package git

import (
	"path/filepath"
	"strings"
)

// Person is the name that the account's own settings of git give its user; "" for none.
// Those of a repository are not looked at. home is the user's home.
func Person(getenv func(string) string, home string) (name string) {
	if name = getenv("GIT_AUTHOR_NAME"); name != "" {
		return name
	}
	folder := getenv("XDG_CONFIG_HOME")
	if folder == "" {
		folder = filepath.Join(home, ".config")
	}
	for _, file := range []string{filepath.Join(folder, "git", "config"), filepath.Join(home, ".gitconfig")} {
		text, _ := readSmall(file)
		for _, s := range settings(string(text)) {
			if s.Section == "user" && s.Sub == "" && s.Key == "name" {
				name = strings.TrimSpace(s.Value)
			}
		}
	}
	return name
}
