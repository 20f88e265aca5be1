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

// from is a place as seen from where dir is seen.
func (p Place) from(dir string) Place {
	switch p.Shape {
	case Import:
		return p
	case PathPart, PathExpr, PathGlob:
		p.Under = Join(dir, p.Under)
		return p
	}
	p.Path = Join(dir, p.Path)
	return p
}

// In is a place of a member, in the folder of that member.
func (p Place) In(folder string) Place {
	p.Of = ""
	return p.from(folder)
}

// under reports whether a path is that of a folder, or lies below it.
func under(file, dir string) bool {
	return dir == "" && !path.IsAbs(file) && file != ".." && !strings.HasPrefix(file, "../") || file == dir || strings.HasPrefix(file, dir+"/")
}

// below is a path as seen from a folder that it lies below.
func below(file, dir string) (rel string, ok bool) {
	switch {
	case !under(file, dir):
		return "", false
	case file == dir:
		return "", true
	case dir == "":
		return file, true
	}
	return file[len(dir)+1:], true
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
	case Dotted:
		module := strings.TrimSuffix(file, path.Ext(file))
		return under(p.Path, module) && module != "" || p.Path != "" && under(module, p.Path)
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
		return strings.Contains(strings.ToLower(rel), strings.ToLower(p.Path))
	case PathExpr:
		expr := expression("(?i)" + p.Path)
		return expr != nil && expr.MatchString("/"+whole)
	case PathGlob:
		for dir := strings.TrimSuffix(rel, "/"); dir != ""; {
			if globFits(p.Path, dir) {
				return true
			}
			at := strings.LastIndexByte(dir, '/')
			dir = dir[:max(at, 0)]
		}
	}
	return false
}

func folderOf(file string) string { return Join("", path.Dir(file)) }

// takesPackage reports whether the tests of a package lie in the place. It is
// given by its folder, or by its import path, whose end then is that folder.
func (p Place) takesPackage(pkg string) bool {
	host, _, nested := strings.Cut(pkg, "/")
	imported := nested && strings.Contains(strings.Trim(host, "."), ".")
	switch {
	case p.Of != "":
		return false
	case p.Shape == Import:
		return p.imports(pkg, imported)
	case p.Shape == Folder && imported:
		return p.Path != "" && strings.HasSuffix(pkg, "/"+p.Path) || p.Path == "" && strings.Count(pkg, "/") <= 2
	case p.Shape == Folder:
		return pkg == p.Path
	case p.Shape == Tree && imported:
		return p.Path == "" || strings.Contains(pkg+"/", "/"+p.Path+"/")
	case p.Shape == Tree || p.Shape == Dotted:
		return under(pkg, p.Path)
	case p.Shape == File:
		return false // some of its files only
	}
	rel, ok := below(pkg, p.Under)
	return ok && p.fits(rel+"/", pkg+"/")
}

// imports reports whether an import path names a package: the same path, or its
// folder, which the path then ends in.
func (p Place) imports(pkg string, imported bool) bool {
	base, all := strings.CutSuffix(p.Path, "/...")
	if imported || pkg == base {
		return pkg == base || all && strings.HasPrefix(pkg, base+"/")
	}
	if pkg == "" {
		return strings.Count(base, "/") <= 2 // a module of its own name: host/owner/name
	}
	for dir := pkg; dir != ""; dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)] {
		if strings.HasSuffix(base, "/"+dir) {
			return true
		}
		if !all {
			return false
		}
	}
	return strings.Count(base, "/") <= 2
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
	switch {
	case p.Of != n.Of && p != (Place{}):
		return false
	case p.Test != "" && p.Test != n.Test && (n.Test == "" || p.Test[0] == ':' || n.Test[0] == ':' || !p.takesName(n.Test)):
		return false
	case p.Of != "" && p.Shape == Tree && p.Path == "":
		return true
	case p.Shape == n.Shape && p.Path == n.Path && p.Under == n.Under:
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
		return all && n.Shape == Import && (n.Path == base || strings.HasPrefix(n.Path, base+"/"))
	}
	if p.Shape == PathPart && n.Shape == PathPart {
		return p.Under == n.Under && strings.Contains(strings.ToLower(n.Path), strings.ToLower(p.Path))
	}
	rel, in := below(n.Path, p.Under)
	return in && n.Shape == File && p.fits(rel, n.Path)
}

// lies reports whether the place lies wholly below a folder.
func (p Place) lies(dir string) bool {
	switch home, ok := p.home(); {
	case p.Shape == Import:
		return dir == ""
	case p.Shape == Dotted:
		return under(p.Path, dir) && p.Path != dir
	default:
		return ok && under(home, dir)
	}
}

// home is the nearest folder, or the file, that all of a place lies below.
func (p Place) home() (dir string, ok bool) {
	switch p.Shape {
	case Tree, Folder, File:
		return p.Path, true
	case Dotted:
		return folderOf(p.Path), true
	case PathGlob:
		fixed, _, _ := strings.Cut(p.Path, "*")
		fixed, _, _ = strings.Cut(fixed, "?")
		return Join(p.Under, fixed[:strings.LastIndexByte(fixed, '/')+1]), true
	}
	return p.Under, p.Shape != Import
}

// apart reports whether nothing of another place can lie in this one.
func (p Place) apart(n Place) bool {
	plain := func(s Shape) bool { return s == Tree || s == Folder || s == File }
	return plain(p.Shape) && plain(n.Shape) && p.Of == n.Of && !under(p.Path, n.Path) && !under(n.Path, p.Path)
}
