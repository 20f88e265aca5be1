package project

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rakeLibrary is how a test library defines a task, what that runs, and its name
// where the Rakefile gives it none.
type rakeLibrary struct{ kind, runs, name string }

var rakeLibraries = []rakeLibrary{{"TestTask.new", "minitest", "test"}, {"RSpec::Core::RakeTask.new", "rspec", "spec"}, {"Cucumber::Rake::Task.new", "cucumber", "cucumber"}}

// rakeTasks reads a Rakefile as far as its lines say what a task is: the tasks
// that test libraries define, and those that need them.
func rakeTasks(text string) definitions {
	d := definitions{recipes: map[string]recipe{}}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		m := rakeTask().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		kind, name, rest := m[1], m[2], m[3]
		library := slices.IndexFunc(rakeLibraries, func(l rakeLibrary) bool { return strings.HasSuffix(kind, l.kind) })
		var r recipe
		switch {
		case library >= 0:
			r.lines = []string{rakeLibraries[library].runs}
			name = cmp.Or(name, rakeLibraries[library].name)
		case kind != "task" || name == "":
			continue
		default:
			_, needs, ok := strings.Cut(rest, "=>")
			if !ok {
				_, needs, _ = strings.Cut(rest, ":")
			}
			r.needs = rakeName().FindAllString(strings.ReplaceAll(needs, " do", ""), -1)
			d.vague = d.vague || strings.HasSuffix(line, " do") || strings.Contains(line, "{")
		}
		d.names = append(d.names, name)
		d.add([]string{name}, r)
	}
	return d
}

var rakeTask = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:desc .*; *)?([\w:]*(?:Task\.new|RakeTask\.new)|task)[ (]*:?["']?([\w:-]*?)["']?((?::| *=>|[ ,)]|$).*)$`)
})

var rakeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w[\w:-]*`) })

// mixAliases reads the aliases of a mix.exs.
func mixAliases(text string) definitions {
	d := definitions{recipes: map[string]recipe{}}
	at := mixBlock().FindStringIndex(text)
	if at == nil {
		return d
	}
	block, _, _ := strings.Cut(text[at[0]:], "\n  end")
	for _, m := range mixAlias().FindAllStringSubmatch(block, -1) {
		var r recipe
		for _, step := range mixStep().FindAllStringSubmatch(m[2], -1) {
			if command, ok := strings.CutPrefix(step[1], "cmd "); ok {
				r.lines = append(r.lines, command)
			} else {
				r.lines = append(r.lines, "mix "+step[1])
			}
		}
		d.vague = d.vague || strings.Contains(m[2], "&")
		d.set(m[1], r)
	}
	return d
}

var mixBlock = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*defp? aliases\b`) })

var mixAlias = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"?([\w.]+)"?:\s*(\[[^\]]*\]|"[^"]*")`)
})

var mixStep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"]*)"`) })

// hooks reads the hooks of pre-commit that name a command; default is all of
// them but those that run only where they are asked for by name.
func hooks(text string) definitions {
	d := definitions{recipes: map[string]recipe{}}
	var file struct {
		Repos []struct {
			Hooks []struct {
				ID, Entry string
				Stages    []string
			}
		}
	}
	readYAML(text, &file) // as much of it as fits
	for _, repo := range file.Repos {
		for _, h := range repo.Hooks {
			if h.ID == "" || h.Entry == "" {
				continue
			}
			d.names = append(d.names, h.ID)
			in := []string{h.ID, "default"}
			if slices.Equal(h.Stages, []string{"manual"}) {
				in = in[:1]
			}
			d.add(in, recipe{lines: []string{h.Entry}})
		}
	}
	return d
}
