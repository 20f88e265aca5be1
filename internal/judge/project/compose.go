package project

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
		var file composeFile
		if !readYAML(text, &file) {
			return Service{}, false // what it says of mounts is not known
		}
		for is, c := range file.Services {
			if !c.named(is, name) {
				continue
			}
			known = true
			s.Built = s.Built || t.context(at, c.Build)
			for _, v := range c.Volumes {
				if host, ok := t.host(at, v); ok && !slices.Contains(s.Folders, host) {
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
	at = t.top.at(dir)
	if at == nil || strings.ContainsAny(dir, "$`") {
		return nil, nil
	}
	if len(files) > 0 {
		for _, file := range files[:min(len(files), maxCompose)] {
			if text := at.read(path.Clean(file)); text != "" && !path.IsAbs(file) && !strings.HasPrefix(path.Clean(file), "..") {
				texts = append(texts, text)
			}
		}
		if len(texts) < len(files) {
			return nil, nil
		}
		return at.at(path.Dir(path.Clean(files[0]))), texts
	}
	at = at.nearest(func(at *folder) bool { return at.has(strings.ReplaceAll(composeFiles, " ", "|")) })
	if at == nil {
		return nil, nil
	}
	for _, names := range []string{composeFiles, composeOverrides} {
		for name := range strings.FieldsSeq(names) {
			if text := at.read(name); text != "" {
				texts = append(texts, text)
				break
			}
		}
	}
	return at, texts
}

// composeFile is as much of a compose file as is read.
type composeFile struct {
	Services map[string]composeService `yaml:"services"`
}

type composeService struct {
	Container string      `yaml:"container_name"`
	Build     yaml.Node   `yaml:"build"`
	Volumes   []yaml.Node `yaml:"volumes"`
}

// named reports whether a command means the service: by its name, or by that of
// its container, which compose makes of the project's, the service's and a number.
func (c composeService) named(is, name string) bool {
	return name != "" && (name == is || name == c.Container || strings.HasSuffix(name, "-"+is+"-1") || strings.HasSuffix(name, "_"+is+"_1"))
}

// context reports whether a service is built from a folder of the tree.
func (t *Tests) context(at *folder, build yaml.Node) bool {
	context := build.Value
	if build.Kind == yaml.MappingNode {
		var long struct {
			Context string `yaml:"context"`
		}
		if build.Decode(&long) != nil {
			return false
		}
		if context = long.Context; context == "" {
			context = "."
		}
	}
	_, ok := t.inTree(at, context)
	return ok
}

// host is the folder of the tree that a volume is, in the short or the long form.
func (t *Tests) host(at *folder, volume yaml.Node) (dir string, ok bool) {
	source := ""
	if volume.Kind == yaml.MappingNode {
		var long struct {
			Type   string `yaml:"type"`
			Source string `yaml:"source"`
		}
		if volume.Decode(&long) != nil || long.Type != "bind" {
			return "", false
		}
		source = long.Source
	} else {
		for _, here := range []string{"${PWD}", "$PWD", "${PWD:-.}"} {
			if rest, found := strings.CutPrefix(volume.Value, here); found {
				volume.Value = "." + rest
			}
		}
		var inside string
		if source, inside, ok = strings.Cut(volume.Value, ":"); !ok || inside == "" {
			return "", false
		}
		if source[:min(len(source), 1)] != "." && !path.IsAbs(source) {
			return "", false // a volume's name, a home, a variable
		}
	}
	return t.inTree(at, source)
}

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

// readYAML reads a file that anybody may have written: a panic is a mistake of it.
func readYAML(text string, into any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return yaml.Unmarshal([]byte(text), into) == nil
}
