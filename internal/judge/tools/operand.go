package tools

import (
	"path"
	"strings"
)

// Ways to read an operand as a place.

// slashed is a path as places have it.
func slashed(word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	switch {
	case strings.HasPrefix(word, "~") || strings.ContainsAny(word, "$`"):
		return word
	case word == "":
		return ""
	}
	if word = path.Clean(word); word == "." {
		return ""
	}
	return word
}

// pathPlace is a file or a folder, or a glob of them.
func pathPlace(word string) Place {
	if strings.ContainsAny(word, "*?") {
		return Place{Shape: PathGlob, Path: slashed(word)}
	}
	return Place{Path: slashed(word)}
}

// nodePlace is a path with tests of it behind ::, as pytest has them.
func nodePlace(word string) Place {
	file, test, _ := strings.Cut(word, "::")
	p := pathPlace(file)
	p.Test = test
	return p
}

// linePlace is a path with a line behind it: spec/x_spec.rb:12.
func linePlace(word string) Place {
	file, line, ok := strings.Cut(word, ":")
	if at := strings.IndexByte(word, '['); at > 0 && strings.HasSuffix(word, "]") { // rspec's x_spec.rb[1:2]
		file, line, ok = word[:at], word[at:], true
	}
	if !ok || strings.Trim(line, "0123456789:-,[]") != "" {
		return pathPlace(word)
	}
	p := pathPlace(file)
	p.Test = ":" + line
	return p
}

// dottedPlace is a module, a class in it or a test: app.tests.TestX. A path
// with slashes is one, too.
func dottedPlace(word string) Place {
	if strings.Contains(word, "/") || strings.HasSuffix(word, ".py") {
		return pathPlace(word)
	}
	return Place{Shape: Dotted, Path: strings.ReplaceAll(word, ".", "/")}
}

// partPlace is a part of paths. What begins with . or / is a path.
func partPlace(word string) Place {
	switch {
	case strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "/") || word == ".":
		return linePlace(word)
	case strings.ContainsAny(word, "*?"):
		return Place{Shape: PathGlob, Path: slashed(word)}
	}
	p := linePlace(word)
	p.Shape = PathPart
	if strings.HasSuffix(word, "/") {
		p.Path += "/"
	}
	return p
}

// exprPlace is an expression on paths, as Jest has it.
func exprPlace(word string) Place {
	word = strings.TrimPrefix(word, "./")
	if word == "" || word == "." {
		return Place{}
	}
	return Place{Shape: PathExpr, Path: word}
}

// memberPlace is a member of a workspace by its name or its folder: web, ./web,
// web..., !web.
func memberPlace(word string) Place {
	word, not := strings.CutPrefix(word, "!")
	word = strings.TrimSuffix(strings.TrimPrefix(word, "..."), "...")
	dir := strings.Trim(word, "{}")
	switch {
	case strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") || dir == ".":
		p := pathPlace(dir)
		p.Not = not
		return p
	case strings.ContainsAny(word, "*^[]"):
		return Place{Path: "$" + word, Not: not} // what only the package manager finds
	}
	return Place{Of: word, Not: not}
}

// goPlace is a package, a pattern of packages or a file, as go has them.
func goPlace(word string) Place {
	base, all := strings.CutSuffix(word, "...")
	local := base == "" || base[0] == '.' || base[0] == '/' || base[0] == '$'
	switch {
	case strings.Contains(base, "...") || base != "" && all && !strings.HasSuffix(base, "/"):
		return Place{Path: "$" + word} // part of a name
	case word == "all" || word == "work":
		return Place{}
	case strings.HasSuffix(word, ".go"):
		return Place{Shape: File, Path: slashed(word)}
	case !local:
		return Place{Shape: Import, Path: strings.TrimSuffix(word, "/")}
	case all:
		return Place{Path: slashed(base)}
	}
	return Place{Shape: Folder, Path: slashed(word)}
}

// labelPlace is a label of Bazel and the like: //a/..., //a:test, a::.
func labelPlace(word string) Place {
	if at := strings.Index(word, "//"); at >= 0 {
		word = word[at+2:]
	}
	base, all := strings.CutSuffix(word, "...")
	if !all {
		base, all = strings.CutSuffix(word, "::")
	}
	dir, target, named := strings.Cut(base, ":")
	switch {
	case all || named && target == "all":
		return Place{Path: slashed(strings.TrimSuffix(dir, "/"))}
	case named && strings.HasSuffix(dir, path.Ext(dir)) && path.Ext(dir) != "":
		return Place{Shape: File, Path: slashed(dir)}
	}
	return Place{Shape: Folder, Path: slashed(dir)}
}
