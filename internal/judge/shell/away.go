package shell

import (
	"slices"
	"strings"
)

// Away is the container or machine that runs a command instead of this one.
type Away struct {
	By     string   // what sends it there: "docker run"
	Image  string   // of docker run
	Mounts []string // of docker run: the folders of this machine that it is given, as written
	Apart  bool     // it is another machine, which has files of its own
}

// away reads a wrapper that sends a command away; nil for one that does not.
// inner is the command in it.
func away(words, inner []string) *Away {
	words = docker(words)
	name := program(words[0])
	own := words[1:max(len(words)-len(inner), 1)]
	switch name {
	case "kubectl", "oc":
		return &Away{By: "kubectl exec", Apart: true}
	case "lima", "wsl", "toolbox", "distrobox", "devcontainer":
		return &Away{By: name}
	case "docker":
	default:
		return nil
	}
	sub := nextOperand(words, 1, valued(name))
	if sub >= len(words) || words[sub] != "run" {
		return &Away{By: "docker"} // one that is there already, or that the project describes
	}
	a := &Away{By: "docker run"}
	for i, word := range own {
		next := ""
		if i+1 < len(own) {
			next = own[i+1]
		}
		switch flag, value, joined := strings.Cut(word, "="); {
		case among("-v --volume --mount --volumes-from", flag) && joined:
			a.Mounts = append(a.Mounts, source(value))
		case among("-v --volume --mount --volumes-from", word):
			a.Mounts = append(a.Mounts, source(next))
		case strings.HasPrefix(word, "-v") && !strings.HasPrefix(word, "--"):
			a.Mounts = append(a.Mounts, source(word[2:]))
		}
	}
	if len(own) > 0 {
		a.Image = own[len(own)-1]
	}
	return a
}

// source is the folder of this machine in what docker is told to mount.
func source(mount string) string {
	for part := range strings.SplitSeq(mount, ",") {
		if name, value, ok := strings.Cut(part, "="); ok && among("source src", name) {
			return value
		}
	}
	if len(mount) > 2 && mount[1] == ':' {
		return mount // C:\\x
	}
	mount, _, _ = strings.Cut(mount, ":")
	return mount
}

// projectFlags are the flags of a program that name the project, or the file
// with its definitions, that it works on.
func projectFlags(head string) string {
	switch head {
	case "make":
		return "-f --file --makefile"
	case "cargo":
		return "--manifest-path"
	case "mvn":
		return "-f --file"
	case "gradle":
		return "-b --build-file -c --settings-file"
	case "just":
		return "-f --justfile"
	case "task":
		return "-t --taskfile -d --dir"
	case "rake":
		return "-f --rakefile"
	case "pytest":
		return "--rootdir --config-file -c"
	case "jest":
		return "--rootDir --config -c"
	case "vitest":
		return "--root --dir --config -c"
	case "mocha", "playwright", "deno":
		return "--config -c"
	case "tox":
		return "-c --conf"
	case "nox":
		return "-f --noxfile"
	case "phpunit":
		return "-c --configuration"
	case "swift":
		return "--package-path"
	case "dotnet", "poetry", "uv", "hatch", "pdm":
		return "--project"
	case "composer":
		return "-d --working-dir"
	case "go":
		return "-modfile"
	}
	return ""
}

// Projects are the paths by which the command's own flags choose a project, or
// a file with definitions, other than those that lie where it runs: make -f,
// cargo --manifest-path. They are joined with Dir.
func (c Command) Projects() []string {
	var all []string
	if len(c.Words) == 0 {
		return nil
	}
	for _, form := range forms(c.Words) {
		head := program(form[0])
		names := projectFlags(head)
		if names == "" {
			continue
		}
		for _, f := range read(form, valued(head)+" "+names).flags {
			if among(names, f.name) && f.value != "" {
				all = append(all, join(c.Dir, f.value))
			}
		}
	}
	return slices.Compact(all)
}

// Definitions are those of Projects that hold the targets of make, just, task
// or rake.
func (c Command) Definitions() []string {
	if len(c.Words) == 0 || !among("make just task rake", program(plain(c.Words)[0])) {
		return nil
	}
	return c.Projects()
}

// Targets are the paths that a test runner is told to take: ./a/..., ../x,
// /y/test_z.py. Names that could be something else are left out. They are
// joined with Dir.
func (c Command) Targets() []string {
	var all []string
	if len(c.Words) == 0 {
		return nil
	}
	words := plain(c.Words)
	s := canonical(words)
	if !among("go pytest node deno bats dotnet phpunit rspec mocha vitest jest unittest bun playwright", s.head) {
		return nil
	}
	for _, o := range s.operands {
		switch {
		case o == "..", strings.HasPrefix(o, "./"), strings.HasPrefix(o, "../"), strings.HasPrefix(o, "/"), o == ".":
			o, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(o, "..."), "/"), "::")
			if o == "" {
				o = "/"
			}
			if joined := join(c.Dir, o); joined != "" {
				all = append(all, joined)
			} else {
				all = append(all, ".")
			}
		case s.head == "go" && o == "test":
		case s.head == "go" && among("std cmd", o):
			all = append(all, "/") // Go's own packages
		default:
			all = append(all, ".") // something else, which is here
		}
	}
	return all
}
