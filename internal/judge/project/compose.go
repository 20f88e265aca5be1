package project

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Service is what the project's compose files say of a container's files.
type Service struct {
	Folders []string `json:"folders,omitempty"` // of the work tree, relative to its root, that are mounted there; "" is all of it
	Built   bool     `json:"built,omitempty"`   // its image is built from a folder of the tree
}

// Names of compose files, and of those that are read beside them.
const (
	composeFiles     = "compose.yaml compose.yml docker-compose.yml docker-compose.yaml"
	composeOverrides = "compose.override.yml compose.override.yaml docker-compose.override.yml docker-compose.override.yaml"
)

// maxCompose bounds the compose files that are read for one command.
const maxCompose = 8

// Service finds a service by its name, or by that of its container. files are
// those that the command names, as seen from dir; without any it is the nearest
// ones in dir and above it. Not known where no file can be read, or none has the
// service.
func (t *Tests) Service(dir string, files []string, name string) (s Service, known bool) {
	at, texts := t.composed(dir, files)
	for _, text := range texts {
		var file struct{ Services map[string]map[string]any }
		if !readYAML(text, &file) {
			return Service{}, false // what it says of mounts is not known
		}
		for is, c := range file.Services {
			if !meansService(is, c, name) {
				continue
			}
			known = true
			_, built := t.inTree(at, context(c["build"]))
			s.Built = s.Built || built
			volumes, _ := c["volumes"].([]any)
			for _, v := range volumes {
				if host, ok := t.inTree(at, source(v)); ok && !slices.Contains(s.Folders, host) {
					s.Folders = append(s.Folders, host)
				}
			}
		}
	}
	return s, known
}

// composed are the texts of the compose files, and the folder that their paths
// are seen from.
func (t *Tests) composed(dir string, files []string) (at *folder, texts []string) {
	if at = t.top.at(dir); at == nil || strings.ContainsAny(dir, "$`") || len(files) > maxCompose {
		return nil, nil
	}
	if len(files) == 0 {
		at = at.nearest(func(at *folder) bool { return at.has(strings.ReplaceAll(composeFiles, " ", "|")) })
		for _, names := range []string{composeFiles, composeOverrides} {
			all := strings.Fields(names)
			if i := slices.IndexFunc(all, func(name string) bool { return at != nil && at.has(name) }); i >= 0 {
				files = append(files, all[i])
			}
		}
	}
	for _, file := range files {
		text := at.read(clean(file))
		if text == "" {
			return nil, nil
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return at.at(path.Dir(clean(files[0]))), texts
}

// meansService reports whether a command means a service: by its name, or by that
// of its container, which compose makes of the project's, the service's and a number.
func meansService(is string, c map[string]any, name string) bool {
	made := strings.HasSuffix(name, "-"+is+"-1") || strings.HasSuffix(name, "_"+is+"_1")
	return name != "" && (name == is || name == c["container_name"] || made)
}

// context is the folder that an image is built from, in the short or the long form.
func context(build any) string {
	if long, ok := build.(map[string]any); ok {
		build = cmp.Or(long["context"], any("."))
	}
	dir, _ := build.(string)
	return dir
}

// source is the folder that a volume is, in the short or the long form; "" for a
// volume's name, a home, a variable.
func source(volume any) string {
	if long, ok := volume.(map[string]any); ok && long["type"] == "bind" {
		dir, _ := long["source"].(string)
		return dir
	}
	short, _ := volume.(string)
	dir, inside, _ := strings.Cut(here().ReplaceAllString(short, "."), ":")
	if inside == "" || dir == "" || dir[0] != '.' && !path.IsAbs(dir) {
		return ""
	}
	return dir
}

var here = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\$PWD|\$\{PWD(?::-\.)?\})`) })

// inTree is a folder of the machine as seen from the tree's root; "" also for one
// that holds the tree. What only the shell knows is not.
func (t *Tests) inTree(at *folder, dir string) (rel string, ok bool) {
	if dir == "" || strings.ContainsAny(dir, "$`~") {
		return "", false
	}
	if !path.IsAbs(dir) {
		dir = path.Join(at.path, dir)
	}
	root := path.Clean(t.root)
	if dir = path.Clean(dir); dir == root || strings.HasPrefix(root, strings.TrimSuffix(dir, "/")+"/") {
		return "", true
	}
	return strings.CutPrefix(dir, root+"/")
}
