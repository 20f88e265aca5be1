package debrief

import (
	"strings"
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
	if m := mount().FindStringSubmatch(p); m != nil {
		return strings.ToLower(m[1]) + ":/" + m[2]
	}
	return p
}

var mount = lazily(`^(?:/mnt|/cygdrive)?/([A-Za-z])(?:/(.*))?$`)

// drive is a path that begins with a drive's letter, which is made small.
func drive(p string) (string, bool) {
	if len(p) < 3 || p[1:3] != ":/" || !('a' <= p[0]|0x20 && p[0]|0x20 <= 'z') {
		return p, false
	}
	return strings.ToLower(p[:1]) + p[1:], true
}

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

var drivePath = lazily(`\b[A-Za-z]:(\\+[^\s\\"'` + "`" + `;&|<>]+)+`)

// atHome is a path of the shell's that begins at the user's home, made whole
// where the work tree lies in that home; others stay.
func (t *turn) atHome(p string) string {
	if !strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "$") {
		return p
	}
	m := fromHome().FindStringSubmatch(p)
	home := homeOf().FindString(slashed(t.Root) + "/")
	if m == nil || home == "" {
		return p
	}
	return strings.TrimSuffix(home, "/") + m[1]
}

// fromHome is how a shell names the user's home.
var fromHome = lazily(`^(?:~|\$HOME|\$\{HOME\})(|/.*)$`)

// homeOf is where users' homes lie on the systems that clients run on.
var homeOf = lazily(`^(/Users/[^/]+|/home/[^/]+|/root|[A-Za-z]:/Users/[^/]+)/`)
