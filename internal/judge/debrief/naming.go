package debrief

import "strings"

// headShown is how much of an output names its error.
const headShown = 500

// errorKinds are looked for in this order in small letters.
var errorKinds = []struct {
	name  string
	marks []string
}{
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

// nameError names an error from the beginning of its output, with the line
// that says so.
func nameError(output string, test bool) (kind, line string) {
	head := strings.ToValidUTF8(told(output), "")
	head = head[:min(len(head), headShown)]
	lines := strings.Split(head, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(plain(l))
	}
	for _, k := range errorKinds {
		for _, l := range lines {
			if containsAny(strings.ToLower(l), k.marks...) {
				return k.name, said(k.name, l, lines)
			}
		}
	}
	for _, l := range lines {
		if l != "" {
			line = l
			break
		}
	}
	if mark := failureMark(head); mark != "" {
		line = mark
	}
	if test {
		return "test failure", line
	}
	return "error", line
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
	return mentions(output, "command not found", "not recognized as an internal", "executable file not found", "cannot connect to the docker daemon", "is the docker daemon running", "docker daemon is not running")
}

// misused tells an output which says that the line was typed wrong and did
// nothing at all.
func misused(output string) bool {
	return mentions(output, "unknown flag", "unknown shorthand flag", "unrecognized argument", "unrecognized option", "unrecognized subcommand", "invalid option", "illegal option", "unknown option",
		"flag provided but not defined", "missing script", "no rule to make target", "unknown command", "unknown subcommand", "is not a git command", "no such command", "no such subcommand")
}

func mentions(output string, words ...string) bool {
	return containsAny(strings.ToLower(output[:min(len(output), 2*headShown)]), words...)
}
