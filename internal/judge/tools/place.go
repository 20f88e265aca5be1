package tools

import (
	"path"
	"strings"
)

// Place is where tests are taken. Paths have slashes, and no ./ before them.
type Place struct {
	Shape Shape  `json:"shape,omitempty"`
	Path  string `json:"path,omitempty"`
	Under string `json:"under,omitempty"` // the folder below which a part, an expression or a glob is looked for
	Of    string `json:"of,omitempty"`    // the member of a workspace that it lies in, by a name that only the project's files place
	Test  string `json:"test,omitempty"`  // the one test of it that is taken, with those below: TestX::test_y; or a line, :12
	Not   bool   `json:"not,omitempty"`   // it is left out
}

// Shape is how a place's path is read. The zero value takes all below a folder.
type Shape int

// Shapes.
const (
	Tree     Shape = iota // a folder with all below it, or a file; "" is all
	Folder                // a folder's own files: a Go package
	File                  // one file
	PathPart              // each file whose path contains it, whatever the case
	PathExpr              // each file whose path, after a /, fits a regular expression, whatever the case
	PathGlob              // each file that fits a glob, or lies in a folder that does
	Dotted                // a module, a class in it or a test, with slashes: app/tests/TestX
	Import                // a Go package by its import path; /... at the end takes all below
)

// searched reports whether the place is looked for among paths, below Under.
func (s Shape) searched() bool { return s >= PathPart && s <= PathGlob }

// slashed is a path as places have it.
func slashed(word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	if word == "" || word[0] == '~' || strings.ContainsAny(word, "$`") {
		return word
	}
	return slashless(path.Clean(word))
}

// from is a place as seen from where dir is seen.
func (p Place) from(dir string) Place {
	switch {
	case p.Shape.searched():
		p.Under = Join(dir, p.Under)
	case p.Shape != Import:
		p.Path = Join(dir, p.Path)
	}
	return p
}

// under reports whether a path is that of a folder, or lies below it.
func under(file, dir string) bool {
	if dir == "" {
		return !strings.HasPrefix(file+"/", "../")
	}
	return strings.HasPrefix(file+"/", dir+"/")
}

// below is a path as seen from a folder that it lies below.
func below(file, dir string) (rel string, ok bool) {
	switch {
	case !under(file, dir):
		return "", false
	case dir == "":
		return file, true
	}
	return strings.TrimPrefix(file[len(dir):], "/"), true
}

// takesFile reports whether a file lies in the place.
func (p Place) takesFile(file string) bool {
	if p.Of != "" {
		return false
	}
	switch p.Shape {
	case Tree, File:
		return under(file, p.Path)
	case Folder:
		return folderOf(file) == p.Path
	case Dotted: // all of a module, or what of it is named
		module := strings.TrimSuffix(file, path.Ext(file))
		return p.Path != "" && (module != "" && under(p.Path, module) || under(module, p.Path))
	case Import:
		return p.takesPackage(folderOf(file))
	}
	rel, ok := below(file, p.Under)
	return ok && p.fits(rel, file)
}

// fits reports whether a path below Under, or with a / behind it that of a
// folder, fits the place.
func (p Place) fits(rel, whole string) bool {
	switch p.Shape {
	case PathPart:
		return containsFold(rel, p.Path)
	case PathExpr:
		return fits("(?i)"+p.Path, "/"+whole)
	}
	for dir := strings.TrimSuffix(rel, "/"); dir != ""; dir, _ = cutLast(dir, "/") {
		if globFits(p.Path, dir) {
			return true
		}
	}
	return false
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func folderOf(file string) string { return slashless(path.Dir(file)) }

// takesPackage reports whether the tests of a package lie in the place. It is
// given by its folder, or by its import path, whose end then is that folder.
func (p Place) takesPackage(pkg string) bool {
	imported := fits(`^[^/]*[^/.]\.+[^/.][^/]*/`, pkg) // it begins with the name of a host
	root := strings.Count(pkg, "/") <= 2               // host/owner/name
	switch {
	case p.Of != "", p.Shape == File: // of which only some files are taken
		return false
	case p.Shape == Import:
		return p.imports(pkg, imported)
	case p.Shape == Folder && imported:
		return p.Path == "" && root || p.Path != "" && strings.HasSuffix(pkg, "/"+p.Path)
	case p.Shape == Folder:
		return pkg == p.Path
	case p.Shape == Tree && imported:
		return p.Path == "" || strings.Contains(pkg+"/", "/"+p.Path+"/")
	case !p.Shape.searched():
		return under(pkg, p.Path)
	}
	rel, ok := below(pkg, p.Under)
	return ok && p.fits(rel+"/", pkg+"/")
}

// imports reports whether an import path names a package: the same path, or its
// folder, which the path then ends in.
func (p Place) imports(pkg string, imported bool) bool {
	base, all := strings.CutSuffix(p.Path, "/...")
	root := strings.Count(base, "/") <= 2 // a module of its own name: host/owner/name
	switch {
	case imported, pkg == base:
		return pkg == base || all && under(pkg, base)
	case !all:
		return pkg == "" && root || pkg != "" && strings.HasSuffix(base, "/"+pkg)
	}
	for dir := pkg; dir != ""; dir, _ = cutLast(dir, "/") {
		if strings.HasSuffix(base, "/"+dir) {
			return true
		}
	}
	return root
}

// leavesTest reports whether one test alone is left out.
func (p Place) leavesTest() bool { return p.Not && p.Test != "" }

// takesName reports whether a test of the place is, or is below, its Test.
func (p Place) takesName(name string) bool {
	if strings.HasPrefix(p.Test, ":") {
		return name != "" && strings.HasSuffix(name, p.Test)
	}
	return name != "" && Choice{By: Exactly, Texts: []string{p.Test}}.takes(name, "")
}

// covers reports whether all that lies in another place lies in this one.
func (p Place) covers(n Place) bool {
	whole := p.Shape == Tree && p.Path == ""
	switch {
	case p == Place{}:
		return n.lies("")
	case p.Of != n.Of, p.Test != "" && !p.coversTest(n.Test):
		return false
	case p.Of != "" && whole, p.Shape == n.Shape && p.Path == n.Path && p.Under == n.Under:
		return true
	}
	switch p.Shape {
	case Tree:
		return n.lies(p.Path)
	case Folder:
		return n.Shape == File && folderOf(n.Path) == p.Path
	case Dotted:
		return n.Shape == Dotted && under(n.Path, p.Path)
	case Import:
		base, all := strings.CutSuffix(p.Path, "/...")
		return all && n.Shape == Import && under(n.Path, base)
	}
	if p.Shape == PathPart && n.Shape == PathPart {
		return p.Under == n.Under && containsFold(n.Path, p.Path)
	}
	rel, in := below(n.Path, p.Under)
	return in && n.Shape == File && p.fits(rel, n.Path)
}

// coversTest reports whether the one test of the place is another one, or the group that
// it is in. Of lines nobody tells.
func (p Place) coversTest(test string) bool {
	lines := strings.HasPrefix(p.Test, ":") || strings.HasPrefix(test, ":")
	return p.Test == test || test != "" && !lines && p.takesName(test)
}

// lies reports whether the place lies wholly below a folder.
func (p Place) lies(dir string) bool {
	switch p.Shape {
	case Import:
		return dir == ""
	case Dotted:
		return under(p.Path, dir) && p.Path != dir
	}
	return under(p.home(), dir)
}

// home is the nearest folder, or the file, that all of a place lies below.
func (p Place) home() (dir string) {
	if !p.Shape.searched() {
		return p.Path
	}
	if p.Shape == PathGlob {
		return Join(p.Under, expression(`^(?:[^*?]*/)?`).FindString(p.Path))
	}
	return p.Under
}

// apart reports whether nothing of another place can lie in this one.
func (p Place) apart(n Place) bool {
	known := max(p.Shape, n.Shape) <= File && p.Of == n.Of
	return known && !under(p.Path, n.Path) && !under(n.Path, p.Path)
}

// Within reports whether one place lies in another, both as words: ./a in ./...,
// tests/x.py in tests, x.py::y in x.py. Folders that stand for all below them (./a/...)
// lie only in such.
func Within(place, wide string) bool {
	place, wide = strings.TrimPrefix(place, "./"), strings.TrimPrefix(wide, "./")
	base, all := strings.CutSuffix(wide, "...")
	base = strings.TrimSuffix(base, "/")
	switch {
	case place == wide, all && base == "", all && place == base:
		return true
	case !all && strings.HasSuffix(place, "..."):
		return false
	}
	return base == "." || begins(place, base+"/|"+base+"::")
}
