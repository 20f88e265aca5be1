package project

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// served tells whether a file belongs to a suite that needs more than the tree:
// a browser and a server, or a live database. The suite's settings say which
// folder it is, or the file itself speaks of such things and lies in a folder
// of tests.
func (l *layout) served(e *tools.Ecosystem, file string) bool {
	for _, dir := range up(dirOf(file)) {
		for _, s := range tools.Served {
			config := ""
			for prefix := range strings.SplitSeq(s.Configs, "|") {
				config = cmp.Or(config, l.folder(dir).file(prefix+"*"))
			}
			if config == "" {
				continue
			}
			for _, suite := range l.suiteFolders(dir, path.Join(dir, config), s) {
				if suite != "" && under(file, suite) {
					return true
				}
			}
		}
	}
	if !e.Holds(file) && !slices.ContainsFunc(strings.Split(dirOf(file), "/"), tools.TestFolder) {
		return false
	}
	text := l.read(file)
	return slices.ContainsFunc(tools.Phrases(tools.ServedWords), func(word string) bool { return strings.Contains(text, word) })
}

var testDir = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:testDir|specPattern|supportFile)["']?\s*:\s*["'` + "`" + `]([^"'` + "`" + `*{]*)`)
})

// suiteFolders are the folders of the suite that a file of settings in dir is
// about: those it names, else the customary one; all of dir where that holds
// nothing else.
func (l *layout) suiteFolders(dir, config string, s tools.Suite) (all []string) {
	for _, named := range testDir().FindAllStringSubmatch(l.read(config), -1) {
		to := path.Join(dir, named[1])
		if path.Ext(to) != "" {
			to = path.Dir(to)
		}
		if to != dir {
			all = append(all, to)
		}
	}
	if tools.TestFolder(path.Base(dir)) {
		all = append(all, dir)
	}
	if s.Folder != "" {
		all = append(all, path.Join(dir, s.Folder))
	}
	return all
}
