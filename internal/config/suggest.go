package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/nearest"
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

// suggest names the key that was probably meant: the one whose last word is nearest,
// in the same group before others.
func suggest(name string) string {
	group, leaf := split(name)
	var here, elsewhere []string
	keyOf := map[string]string{}
	for _, key := range slices.Backward(spellings()) {
		g, l := split(key)
		if g == group {
			here = append(here, l)
			continue
		}
		elsewhere, keyOf[l] = append(elsewhere, l), key
	}
	for _, l := range here {
		keyOf[l] = strings.TrimPrefix(group+"."+l, ".")
	}
	return meant(keyOf[cmp.Or(nearest.Name(leaf, here), nearest.Name(leaf, elsewhere))])
}

// suggestVariable does the same for an environment variable.
func suggestVariable(name string) string {
	var names []string
	for _, k := range keys() {
		names = append(names, EnvName(k.name))
	}
	return meant(nearest.Name(name, names))
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
