package shell

import (
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// parameters are the words behind a cmdlet: those with a name, and the rest.
type parameters struct {
	named map[string]arg
	rest  []arg
}

// parametersOf reads a cmdlet's words. A switch has no value, as that of another
// program's flag.
func parametersOf(words []arg) parameters {
	p := parameters{named: map[string]arg{}}
	for i := 0; i < len(words); i++ {
		name, isName := strings.CutPrefix(strings.ToLower(words[i].text), "-")
		if !isName || words[i].quoted || name == "" {
			p.rest = append(p.rest, words[i])
			continue
		}
		name, _, _ = strings.Cut(name, ":")
		p.named[name] = arg{}
		if i+1 < len(words) && !tools.Among(switches, name) && (words[i+1].quoted || !strings.HasPrefix(words[i+1].text, "-")) {
			i++
			p.named[name] = words[i]
		}
	}
	return p
}

const switches = "force recurse append nonewline passthru whatif confirm raw wait simplematch casesensitive notmatch list quiet unique descending verbose noclobber file directory name hidden leaf stream autosize wrap"

func (p parameters) has(name string) bool { _, ok := p.named[name]; return ok }

// places are the paths that a cmdlet is given: by name, or the words in their order.
func (p parameters) places() []arg {
	for _, name := range []string{"path", "literalpath", "filepath"} {
		if a, ok := p.named[name]; ok && a.unix != "" {
			return append([]arg{a}, p.rest...)
		}
	}
	return p.rest
}

// given is a value by its name, or the word at a place.
func (p parameters) given(name string, at int) (arg, bool) {
	if a, ok := p.named[name]; ok {
		return a, true
	}
	if places := p.places(); at < len(places) {
		return places[at], true
	}
	return arg{}, false
}

// cmdlet writes a cmdlet as the program that does the same; fed says that it is
// fed by a pipe.
type cmdlet func(p parameters, fed bool) []arg

var cmdlets = sync.OnceValue(func() map[string]cmdlet {
	all := map[string]cmdlet{}
	for names, write := range map[string]cmdlet{
		"set-location sl chdir":                 func(p parameters, _ bool) []arg { return prefixed(p.places(), "cd") },
		"push-location":                         func(p parameters, _ bool) []arg { return prefixed(p.places(), "pushd") },
		"pop-location":                          func(parameters, bool) []arg { return literalArgs("popd") },
		"remove-item ri del erase rd rm rmdir":  removes,
		"copy-item copy cpi cp":                 func(p parameters, _ bool) []arg { return moves(p, "cp") },
		"move-item move mi mv":                  func(p parameters, _ bool) []arg { return moves(p, "mv") },
		"rename-item ren rni":                   renames,
		"new-item ni":                           makes,
		"set-content sc out-file":               func(p parameters, fed bool) []arg { return fills(p, fed, ">") },
		"add-content ac":                        func(p parameters, fed bool) []arg { return fills(p, fed, ">>") },
		"tee-object":                            func(p parameters, _ bool) []arg { return prefixed(p.places(), "tee") },
		"get-content gc type":                   shows,
		"select-object select":                  selects,
		"select-string sls findstr findstr.exe": finds,
		"where-object where ?":                  func(parameters, bool) []arg { return literalArgs("grep", ".") },
		"out-string out-host out-default oss":   func(parameters, bool) []arg { return literalArgs("cat") },
		"out-null":                              func(parameters, bool) []arg { return append(literalArgs("cat"), sign(">"), literalArg("/dev/null")) },
		"invoke-expression iex":                 func(p parameters, _ bool) []arg { return prefixed(p.places(), "eval") },
		"write-host write-output write echo":    says,
		"start-sleep":                           func(parameters, bool) []arg { return literalArgs("sleep", "1") },
	} {
		for _, name := range strings.Fields(names) {
			all[name] = write
		}
	}
	return all
})

// canonicals are the cmdlets that the table of programs knows, by their names in
// small letters.
var canonicals = sync.OnceValue(func() map[string]string {
	all := map[string]string{"gci": "Get-ChildItem", "dir": "Get-ChildItem", "gi": "Get-Item", "sort": "Sort-Object", "measure": "Measure-Object", "fl": "Format-List", "ft": "Format-Table"}
	for name := range strings.FieldsSeq(tools.Cmdlets) {
		all[strings.ToLower(name)] = name
	}
	return all
})

func sign(text string) arg { return arg{text: text, unix: text} }

func prefixed(words []arg, program ...string) []arg { return append(literalArgs(program...), words...) }

func removes(p parameters, _ bool) []arg {
	if p.has("whatif") {
		return literalArgs("true")
	}
	flags := literalArgs("rm")
	if p.has("recurse") || p.has("r") || p.has("rf") {
		flags = append(flags, literalArg("-r"))
	}
	return append(flags, p.places()...)
}

func moves(p parameters, program string) []arg {
	words := prefixed(p.places(), program)
	if to, ok := p.named["destination"]; ok && to.unix != "" {
		words = append(words, to)
	}
	return words
}

// renames writes the new name beside the old one.
func renames(p parameters, _ bool) []arg {
	from, ok := p.given("path", 0)
	to, named := p.named["newname"]
	if !named && len(p.rest) > 0 {
		to = p.rest[len(p.rest)-1]
	}
	if !ok || to.unix == "" || to.text == from.text {
		return literalArgs("mv")
	}
	if i := strings.LastIndexByte(from.text, '/'); i >= 0 && !strings.Contains(to.text, "/") {
		to = arg{text: from.text[:i+1] + to.text, unix: single(from.text[:i+1]) + to.unix}
	}
	return append(literalArgs("mv"), from, to)
}

func makes(p parameters, _ bool) []arg {
	kind := p.named["itemtype"]
	if kind.text == "" {
		kind = p.named["type"]
	}
	places := p.places()
	if name, ok := p.named["name"]; ok && name.unix != "" {
		places = []arg{name}
	}
	switch {
	case strings.EqualFold(kind.text, "directory"):
		return prefixed(places, "mkdir", "-p")
	case p.has("value") && len(places) > 0:
		return append(literalArgs("cat"), sign(">"), places[0])
	}
	return prefixed(places, "touch")
}

// fills writes what a pipe or a word gives to a file.
func fills(p parameters, fed bool, into string) []arg {
	place, ok := p.given("path", 0)
	if !ok || place.unix == "" {
		return literalArgs("Set-Content")
	}
	if p.has("append") {
		into = ">>"
	}
	value, has := p.named["value"]
	if !has && !fed && len(p.places()) > 1 {
		value, has = p.places()[1], true
	}
	if has && value.unix != "" {
		return append(literalArgs("printf", "%s"), value, sign(into), place)
	}
	return append(literalArgs("cat"), sign(into), place)
}

func shows(p parameters, _ bool) []arg {
	for name, program := range map[string]string{"tail": "tail", "last": "tail", "totalcount": "head", "first": "head", "head": "head"} {
		if n, ok := p.named[name]; ok && n.unix != "" {
			return append(append(literalArgs(program, "-n"), n), p.places()...)
		}
	}
	return prefixed(p.places(), "cat")
}

func selects(p parameters, _ bool) []arg {
	if n, ok := p.named["last"]; ok && n.unix != "" {
		return append(literalArgs("tail", "-n"), n)
	}
	for _, name := range []string{"first", "skip", "index", "skiplast"} {
		if n, ok := p.named[name]; ok && n.unix != "" {
			return append(literalArgs("head", "-n"), n)
		}
	}
	return literalArgs("cat")
}

func finds(p parameters, fed bool) []arg {
	pattern, ok := p.named["pattern"]
	rest := slices.DeleteFunc(p.places(), func(a arg) bool { return strings.HasPrefix(a.text, "/") && len(a.text) < 4 })
	if !ok && len(p.rest) > 0 {
		pattern, ok = p.rest[0], true
		rest = slices.DeleteFunc(rest, func(a arg) bool { return a == pattern })
	}
	if !ok || pattern.unix == "" {
		return literalArgs("grep", ".")
	}
	if fed {
		rest = nil
	}
	return append(append(literalArgs("grep", "-e"), pattern), rest...)
}

func says(p parameters, _ bool) []arg { return prefixed(p.rest, "echo") }
