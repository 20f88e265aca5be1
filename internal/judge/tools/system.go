package tools

import "strings"

// lastText is the shell's text that sops exec-env is given last.
func lastText(words []string) (string, bool) {
	if len(words) < 4 || !Among("exec-env exec-file", words[1]) {
		return "", false
	}
	return words[len(words)-1], true
}

// envText is what env -S splits into words.
func envText(words []string) (string, bool) {
	for i, w := range words {
		if i+1 < len(words) && Among("-S --split-string", w) {
			return strings.Join(words[i+1:], " "), true
		}
	}
	return "", false
}
