package debrief

import (
	"regexp"
	"strings"
	"sync"
)

// onDrive is a path as Windows has it, with a small drive letter, where the
// work tree lies on a drive and the path is as one of its shells has it: Git
// Bash writes /d/app for D:\app, WSL /mnt/d/app, Cygwin /cygdrive/d/app. Other
// paths stay. Names differ in no more than their drive letter's case.
func onDrive(root, p string) string {
	if _, ok := drive(root); !ok {
		return p
	}
	if rest, ok := drive(p); ok {
		return rest
	}
	for _, mount := range []string{"/mnt/", "/cygdrive/", "/"} {
		rest, ok := strings.CutPrefix(p, mount)
		if ok && len(rest) > 0 && letter(rest[0]) && (len(rest) == 1 || rest[1] == '/') {
			return strings.ToLower(rest[:1]) + ":/" + strings.TrimPrefix(rest[1:], "/")
		}
	}
	return p
}

// drive is a path that begins with a drive's letter, which is made small.
func drive(p string) (string, bool) {
	if len(p) < 3 || p[1] != ':' || p[2] != '/' || !letter(p[0]) {
		return p, false
	}
	return strings.ToLower(p[:1]) + p[1:], true
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// powerShell is the tool whose lines PowerShell runs, whatever its client calls it.
// They are not read.
const powerShell = "PowerShell"

// spelled is a line as a shell of Unix would have it: where the tree lies on a
// drive, the paths on a drive are read so.
func (t *turn) spelled(line string) string {
	if _, ok := drive(slashed(t.Root)); ok && strings.Contains(line, `\`) {
		return drivePath().ReplaceAllStringFunc(line, slashed)
	}
	return line
}

var drivePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[A-Za-z]:(\\+[^\s\\"'` + "`" + `;&|<>]+)+`) })

// atHome is a path of the shell's that begins at the user's home, made whole
// where the work tree lies in that home; others stay.
func (t *turn) atHome(p string) string {
	rest, ok := strings.CutPrefix(p, "~")
	if !ok {
		if rest, ok = strings.CutPrefix(p, "$HOME"); !ok {
			rest, ok = strings.CutPrefix(p, "${HOME}")
		}
	}
	if !ok || rest != "" && rest[0] != '/' {
		return p
	}
	if home := homeOf().FindString(slashed(t.Root) + "/"); home != "" {
		return strings.TrimSuffix(home, "/") + rest
	}
	return p
}

// homeOf is where users' homes lie on the systems that clients run on.
var homeOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/Users/[^/]+|/home/[^/]+|/root|[A-Za-z]:/Users/[^/]+)/`)
})
