package cli

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// RemedyVerbs and RemedyOptions are the verbs and options that hints name (piton.Error), and that are commands
// and flags here.
var (
	RemedyVerbs   = []string{"config", "delete", "diff", "export", "fork", "import", "inspect", "letters", "list", "load", "repair", "resume", "rules", "run", "runs", "save", "schema", "serve", "sessions", "trust", "uninstall", "verify"}
	RemedyOptions = []string{"accept", "accept_plan", "agent", "all", "branch", "dir", "follow", "from", "input", "install", "key", "listen", "list", "max_cost", "max_time", "max_tokens", "max_tries", "name", "nearest", "new", "older_than", "open", "output", "pane", "parent", "phase", "phase_number", "phase_total", "project", "redo", "reject", "repair", "resume", "save", "scope", "session", "show", "socket", "step", "store", "took", "type", "workflow"}
)

// remedy is a phrase in single quotes, with what stands before it.
var remedy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s(:;,])'([a-z_]+)((?: [^']*)?)'`) })

// CommandLine writes a hint for the command line: 'verify' becomes
// 'piton verify', 'fork ID branch NAME' becomes 'piton fork ID --branch NAME',
// and 'workflow NAME' becomes --workflow NAME.
func CommandLine(hint string) string {
	return remedy().ReplaceAllStringFunc(hint, func(s string) string {
		m := remedy().FindStringSubmatch(s)
		words := strings.Split(m[2]+m[3], " ")
		verb := slices.Contains(RemedyVerbs, words[0])
		setting := words[0] == "store" && len(words) == 1
		if !verb && (setting || !slices.Contains(RemedyOptions, words[0])) {
			return s
		}
		for i, w := range words {
			value := i > 0 && words[i-1] == "--scope" // project is an option's name too
			command := i == 1 && words[0] == "runs"   // list and show are options' names too
			if slices.Contains(RemedyOptions, w) && !(i == 0 && verb) && !value && !command {
				words[i] = "--" + strings.ReplaceAll(w, "_", "-")
			}
		}
		if verb {
			return m[1] + "'piton " + strings.Join(words, " ") + "'"
		}
		return m[1] + strings.Join(words, " ")
	})
}
