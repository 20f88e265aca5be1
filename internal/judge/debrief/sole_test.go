package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// An umbrella whose own commands are all known says nothing of code in another
// language; one that is not read, or that runs tests of several, may take it.
func TestUmbrellaOfOneLanguage(t *testing.T) {
	golang, node := debrief.Run{Words: []string{"go", "test", "./..."}}, debrief.Run{Words: []string{"npx", "vitest", "run"}}
	for _, c := range []struct {
		name string
		file string
		runs []debrief.Run
		read bool
		want []string
	}{
		{"its own language", "a.go", []debrief.Run{golang}, true, []string{"a.go"}},
		{"another language", "tail.config.js", []debrief.Run{golang}, true, nil},
		{"two languages", "tail.config.js", []debrief.Run{golang, node}, true, []string{"tail.config.js"}},
		{"a script that nobody has read", "tail.config.js", []debrief.Run{golang}, false, []string{"tail.config.js"}},
		{"a run of nobody knows what", "tail.config.js", []debrief.Run{golang, {Words: []string{"./all.sh"}}}, true, []string{"tail.config.js"}},
		{"none", "tail.config.js", nil, true, []string{"tail.config.js"}},
	} {
		s := turn().edit(c.file)
		s.in.Expand = func(_ string, words []string) ([]debrief.Run, bool) {
			if words[0] != "make" {
				return []debrief.Run{{Words: words}}, true
			}
			return c.runs, c.read
		}
		wants(t, c.name, s.look().Actions, c.want...)
	}
}
