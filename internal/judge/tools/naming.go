package tools

import (
	"path"
	"slices"
	"strings"
)

// OfFile is a file's ecosystem; nil if it has none.
func OfFile(file string) *Ecosystem {
	ext := strings.TrimPrefix(path.Ext(file), ".")
	at := slices.IndexFunc(Ecosystems, func(e *Ecosystem) bool { return ext != "" && Among(e.Extensions, ext) })
	if at < 0 {
		return nil
	}
	return Ecosystems[at]
}

// EcosystemOf is the name of a file's ecosystem, "" if it has none.
func EcosystemOf(file string) string {
	if e := OfFile(file); e != nil {
		return e.Name
	}
	return ""
}

// Stem is a file's name without its folder and extensions: a.test for
// web/a.test.ts.
func Stem(file string) string {
	name := path.Base(file)
	return strings.TrimSuffix(name, path.Ext(name))
}

// Holds reports whether a file is named as one that holds tests. A file of a
// folder of tests that bears no such name is none: it may be a helper.
func (e *Ecosystem) Holds(file string) bool {
	stem := Stem(file)
	inline := e.Inline != "" && Among("test tests", stem)
	return (inline || e.TestFile(path.Base(file)) || e.named(file, "*")) && OfFile(file) == e
}

// Owns reports whether a test file bears the name of another file.
func (e *Ecosystem) Owns(test, file string) bool {
	of := Stem(file)
	switch {
	case !e.Holds(test):
		return false
	case Among("test tests", strings.ToLower(Stem(test))): // of all in its folder
		return path.Dir(test) == path.Dir(file) || path.Dir(test) == strings.TrimSuffix(file, path.Ext(file))
	case Among("index mod __init__", of) && e.named(test, path.Base(path.Dir(file))): // they stand for their folder
		return true
	}
	return e.named(test, of) || e.named(test, strings.TrimLeft(of, "_"))
}

// named reports whether a file is named as the test of a file of that name, in which *
// stands for any.
func (e *Ecosystem) named(test, of string) bool {
	dir, stem := path.Base(path.Dir(test)), Stem(test)
	return slices.ContainsFunc(strings.Fields(e.Own), func(own string) bool {
		folder, own := path.Split(own)
		named := strings.Replace(own, "*", of, 1)
		return (folder == "" || folder == dir+"/") && len(stem) >= len(named) && fitsWord(named, stem)
	})
}

// TestFolder reports whether a folder of this name customarily holds tests and
// nothing else.
func TestFolder(name string) bool {
	return Among(testFolders, name)
}

// TestFile reports whether a file of this name holds tests, wherever it lies.
func (e *Ecosystem) TestFile(name string) bool {
	return slices.ContainsFunc(strings.Fields(e.Named), func(glob string) bool {
		fits, err := path.Match(glob, name)
		return err == nil && fits
	})
}

// Phrases splits a list of phrases.
func Phrases(list string) []string {
	if list == "" {
		return nil
	}
	return slices.Clip(strings.Split(list, "|"))
}
