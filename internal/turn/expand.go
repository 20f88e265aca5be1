package turn

import (
	"slices"

	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
)

// expander reads commands through the project's own targets, and keeps what it
// has answered, so that a turn can be recorded with it.
type expander struct {
	tests *project.Tests
	asked []Expanded

	services []Serviced
	imports  []Imported
	narrowed []Narrowed
}

// Imported is which test files import a file of a recorded turn.
type Imported struct {
	Path  string   `json:"path"`
	Tests []string `json:"tests,omitempty"`
}

// importers is debrief.Input.Importers.
func (x *expander) importers(path string) []string {
	if x == nil {
		return nil
	}
	if tests, known := importing(x.imports, path); known {
		return tests
	}
	found := x.tests.Importers(path)
	x.imports = append(x.imports, Imported{path, found})
	return found
}

// importing is what was answered before.
func importing(imports []Imported, path string) (tests []string, known bool) {
	at := slices.IndexFunc(imports, func(i Imported) bool { return i.Path == path })
	if at < 0 {
		return nil, false
	}
	return imports[at].Tests, true
}

// imported is all that was asked about imports.
func (x *expander) imported() []Imported {
	if x == nil {
		return nil
	}
	return x.imports
}

// Narrowed is what a test command of a recorded turn came to for some files only.
type Narrowed struct {
	Dir   string   `json:"dir,omitempty"`
	Run   string   `json:"run"`
	Paths []string `json:"paths"`
	To    string   `json:"to,omitempty"`
}

// narrow is debrief.Input.Narrow.
func (x *expander) narrow(dir, run string, paths []string) string {
	if x == nil {
		return ""
	}
	if to, known := narrowing(x.narrowed, dir, run, paths); known {
		return to
	}
	to := x.tests.Narrowed(dir, run, paths)
	x.narrowed = append(x.narrowed, Narrowed{dir, run, paths, to})
	return to
}

// narrowing is what was answered before.
func narrowing(all []Narrowed, dir, run string, paths []string) (to string, known bool) {
	at := slices.IndexFunc(all, func(n Narrowed) bool { return n.Dir == dir && n.Run == run && slices.Equal(n.Paths, paths) })
	if at < 0 {
		return "", false
	}
	return all[at].To, true
}

// narrowings is all that was asked about test commands for some files only.
func (x *expander) narrowings() []Narrowed {
	if x == nil {
		return nil
	}
	return x.narrowed
}

// Serviced is what the project's compose files said of a service that a recorded
// turn names.
type Serviced struct {
	Dir     string          `json:"dir,omitempty"`
	Files   []string        `json:"files,omitempty"`
	Name    string          `json:"name"`
	Service debrief.Service `json:"service,omitzero"`
	Known   bool            `json:"known,omitempty"`
}

// service is debrief.Input.Service.
func (x *expander) service(dir string, files []string, name string) (debrief.Service, bool) {
	if x == nil {
		return debrief.Service{}, false
	}
	if s, ok := serviced(x.services, dir, files, name); ok {
		return s.Service, s.Known
	}
	found, known := x.tests.Service(dir, files, name)
	x.services = append(x.services, Serviced{Dir: dir, Files: files, Name: name, Service: debrief.Service(found), Known: known})
	return debrief.Service(found), known
}

// serviced is what was said before.
func serviced(said []Serviced, dir string, files []string, name string) (Serviced, bool) {
	at := slices.IndexFunc(said, func(s Serviced) bool { return s.Dir == dir && s.Name == name && slices.Equal(s.Files, files) })
	if at < 0 {
		return Serviced{}, false
	}
	return said[at], true
}

// Expanded is what a command of a recorded turn came to.
type Expanded struct {
	Dir   string        `json:"dir,omitempty"`
	Words []string      `json:"words"`
	Runs  []debrief.Run `json:"runs,omitempty"`
	Read  bool          `json:"read,omitempty"`
}

// expand is debrief.Input.Expand.
func (x *expander) expand(dir string, words []string) ([]debrief.Run, bool) {
	if x == nil {
		return nil, false
	}
	if runs, read, known := answered(x.asked, dir, words); known {
		return runs, read
	}
	found, read := x.tests.Expand(dir, words)
	e := Expanded{Dir: dir, Words: words, Read: read}
	for _, r := range found {
		e.Runs = append(e.Runs, debrief.Run(r))
	}
	x.asked = append(x.asked, e)
	return e.Runs, read
}

// answered is what was answered before.
func answered(asked []Expanded, dir string, words []string) (runs []debrief.Run, read, known bool) {
	at := slices.IndexFunc(asked, func(e Expanded) bool { return e.Dir == dir && slices.Equal(e.Words, words) })
	if at < 0 {
		return nil, false, false
	}
	return asked[at].Runs, asked[at].Read, true
}

// said is all that was asked about services.
func (x *expander) said() []Serviced {
	if x == nil {
		return nil
	}
	return x.services
}

// answers is all that was asked about commands.
func (x *expander) answers() []Expanded {
	if x == nil {
		return nil
	}
	return x.asked
}

// homeOf is where a file lives; nil where nobody looked.
func homeOf(homes map[string]project.Home, path string) *debrief.Home {
	home, ok := homes[path]
	if !ok {
		return nil
	}
	return &home
}
