package debrief

import (
	"cmp"
	"strings"

	"github.com/piton-project/piton/internal/judge/tools"
)

// headShown is how much of an output names its error.
const headShown = 500

// errorKind is a kind of error, with parts of lines in small letters that name it.
type errorKind struct {
	name  string
	marks []string
}

// notInstalled is the kind of what a shell says that found no such program.
const notInstalled = "command not found"

func (k errorKind) is(low string) bool {
	if k.name == notInstalled {
		return tools.Absent(low)
	}
	return containsAny(low, k.marks...)
}

// errorKinds are looked for in this order in small letters.
var errorKinds = []errorKind{
	{notInstalled, nil},
	{"network problem", []string{"could not resolve host", "connection refused", "econnrefused", " enotfound", "etimedout", "econnreset", "network is unreachable", "no route to host", "temporary failure in name resolution", "proxyconnect", "tls handshake"}},
	{"syntax error", []string{"syntaxerror", "syntax error", "parse error", "parsing error", "unexpected token", "unexpected eof", "indentationerror", "invalid syntax"}},
	{"import error", []string{"importerror", "modulenotfounderror", "no module named", "cannot find module", "cannot find package", "module not found", "err_module_not_found", "unresolved import", "no required module provides", "is not in std"}},
	{"traceback", []string{"traceback (most recent call last)", "exception in thread", "unhandled exception", "unhandledpromiserejection", "uncaught "}},
	{"panic", []string{"panic:", "panicked at", "segmentation fault", "sigsegv", "core dumped"}},
	{"compile error", []string{"undefined:", "cannot use ", "error ts", "error[e", ": error:", "could not compile", "compilation failed", "compilation error", "failed to compile", "build failed", "declared and not used", "imported and not used", "cannot find symbol", "undeclared", "does not implement", "fatal error:"}},
	{"test failure", []string{"--- fail", "fail\t", "failed tests", "tests failed", "test failed", "assertionerror", "assertion failed", "failures:", "not ok "}},
	{"permission problem", []string{"permission denied", "operation not permitted", "eacces", "eperm", "access denied", "access is denied", "read-only file system"}},
	{"network problem", []string{"timed out", "timeout exceeded", "getaddrinfo", "network error", "ssl error", "certificate"}},
}

// nameError names an error, with the line that says so: of a test run the
// runner's own failing line, wherever it stands; else from the beginning of the
// output.
func nameError(output string, test bool) (kind, line string) {
	output = strings.ToValidUTF8(told(output), "")
	sum := tools.Summarize(output)
	if kind := kindOf(sum.Line); test && sum.Red {
		return cmp.Or(kind, "test failure"), sum.Line
	}
	lines := strings.Split(output[:min(len(output), headShown)], "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(tools.Uncoloured(l))
	}
	for _, k := range errorKinds {
		for _, l := range lines {
			if k.is(strings.ToLower(l)) {
				return k.name, said(k.name, l, lines)
			}
		}
	}
	kind, line = "error", telling(output)
	if test {
		kind = "test failure"
	}
	if mark := failureMark(strings.Join(lines, "\n")); mark != "" {
		line = mark
	}
	return kind, line
}

// telling is the line of an output that says what went wrong: the first that
// calls itself an error, or sums them up, else the first that is neither a
// warning nor what a script runner prints before it begins.
func telling(output string) (line string) {
	spare := ""
	for l := range strings.Lines(output) {
		l = strings.TrimSpace(tools.Uncoloured(l))
		low := strings.ToLower(l)
		switch {
		case l == "":
		case startsWithAny(low, "error:", "error ", "error[", "fatal", "npm err", "✖ "):
			return l
		case startsWithAny(low, "> ", "$ ", "warning", "warn ", "building '/nix/store"):
			spare = cmp.Or(spare, l)
		default:
			line = cmp.Or(line, l)
		}
	}
	return cmp.Or(line, spare)
}

// kindOf is the kind of error that one line names, "" for none.
func kindOf(line string) string {
	low := strings.ToLower(line)
	for _, k := range errorKinds {
		if k.is(low) {
			return k.name
		}
	}
	return ""
}

// said is the line to show: a traceback's own first line says nothing, its
// last one does.
func said(kind, line string, lines []string) string {
	if kind != "traceback" {
		return line
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if name, _, ok := strings.Cut(lines[i], ":"); ok && !strings.ContainsAny(name, " \"") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
			return lines[i]
		}
	}
	return line
}

// unavailable tells an output which says that the program, or what it needs to
// run at all, is not on this machine.
func unavailable(output string) bool {
	return mentions(output, "command not found", "not recognized as an internal", "executable file not found", "cannot connect to the docker daemon", "is the docker daemon running", "docker daemon is not running", "could not be found in this wsl", "] error 127") // make's
}

// misused tells an output which says that the line was typed wrong and did
// nothing at all.
func misused(output string) bool {
	return mentions(output, "unknown flag", "unknown shorthand flag", "unrecognized argument", "unrecognized option", "unrecognized subcommand", "invalid option", "illegal option", "unknown option",
		"flag provided but not defined", "missing script", "no rule to make target", "unknown command", "unknown subcommand", "is not a git command", "no such command", "no such subcommand")
}

// wrong tells an output which says that the call was wrong: there is no such
// folder, a pattern is broken, another call was cancelled.
func wrong(output string) bool {
	head := strings.ToLower(output[:min(len(output), 2*headShown)])
	for line := range strings.Lines(head) {
		if strings.Contains(line, "cd:") && containsAny(line, "no such file or directory", "not a directory", "too many arguments") {
			return true
		}
		if strings.HasPrefix(line, "pattern ") && strings.Contains(line, ": lstat ") && strings.Contains(line, "no such file or directory") {
			return true // go was asked for packages where there is no such folder
		}
	}
	if strings.HasSuffix(strings.TrimSpace(head), "/... [setup failed]") || containsAny(head, "does not contain main module or its selected dependencies") {
		return true // go takes a pattern of packages in the folder of another module
	}
	if at := strings.Index(head, "main module ("); at >= 0 && strings.Contains(head[at:], ") does not contain package ") {
		return true // go is asked for a package of another module
	}
	if strings.Contains(head, "can't open file '") && strings.Contains(head, "[errno 2]") || strings.Contains(head, "no such file or directory -- ") || strings.Contains(head, "cannot find module '/") && strings.Contains(head, "requirestack: []") {
		return true // an interpreter is given a script that is not there
	}
	return unheard(head) || mistyped(head) || containsAny(head, "sibling tool call errored", "regex parse error", "unmatched ( or \\(", "unmatched [", "invalid regular expression", "invalid preceding regular expression")
}

// unheard tells what PowerShell says, in whatever language it speaks, of a line
// that it could not read, or that names no command. Of such a thing in a script
// it names the file.
func unheard(head string) bool {
	return !strings.Contains(head, ".ps1:") && containsAny(head, ": parsererror: ", "], commandnotfoundexception")
}

// mistyped tells an output which is all that a shell says of a line that it
// cannot parse: nothing of the line ran. Some print the like of their own files
// before every command, so more lines than that say nothing.
func mistyped(head string) bool {
	lines := strings.Split(strings.TrimSpace(told(head)), "\n")
	if len(lines) > 3 || !containsAny(lines[0], "(eval):", "eval: line", "-c: line", "zsh:1:") {
		return false
	}
	return containsAny(lines[0], "parse error near", "unmatched", "unexpected eof while looking for matching", "syntax error near unexpected token", "syntax error: unexpected end of file")
}

func mentions(output string, words ...string) bool {
	return containsAny(strings.ToLower(output[:min(len(output), 2*headShown)]), words...)
}
