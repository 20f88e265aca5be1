package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client/clients"
)

// maxName bounds an unknown name: more of it is not shown, nor compared.
const maxName = 100

// unknown is the message for an unknown key.
func unknown(s setting) string {
	if len(s.name) > maxName {
		return fmt.Sprintf("unknown key %q... (%d bytes)", s.name[:maxName], len(s.name))
	}
	if slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, s.name+".") }) {
		return fmt.Sprintf("%s holds keys, not %s", s.name, kindOf(s.node))
	}
	if s.name == projectsKey {
		return projectsKey + " holds projects and is for the user's file, as in {~/src/x: {debrief: {mode: off}}}"
	}
	if name, ok := strings.CutPrefix(s.name, agentsKey); ok {
		if name, _, _ = strings.Cut(name, "."); !slices.Contains(clients.Names(), name) {
			return fmt.Sprintf("unknown key %q; the agents are %s", s.name, strings.Join(clients.Names(), ", "))
		}
	}
	return fmt.Sprintf("unknown key %q%s", s.name, suggest(s.name))
}

// suggest names the key that was probably meant: the one whose last word is
// closest; of several, the one in the same group.
func suggest(name string) string {
	group, leaf := split(name)
	best, least := "", 0
	for _, have := range spellings() {
		g, l := split(have)
		n := editDistance(leaf, l)
		half := g != group && 2*n >= len(leaf) // of a short word
		if n > maxTypos || half {
			continue
		}
		n *= 2
		if g != group {
			n++
		}
		if best == "" || n < least {
			best, least = have, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// suggestVariable does the same for an environment variable.
func suggestVariable(name string) string {
	for n := range maxTypos + 1 {
		for _, k := range keys() {
			if editDistance(name, EnvName(k.name)) == n {
				return "; did you mean " + EnvName(k.name) + "?"
			}
		}
	}
	return ""
}

// spellings are all keys a file may use.
func spellings() []string {
	names := Keys()
	for _, o := range otherSpellings {
		names = append(names, o.name)
	}
	return names
}

func split(name string) (group, leaf string) {
	i := strings.LastIndex(name, ".")
	return name[:max(i, 0)], name[i+1:]
}
