package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxVariable bounds the value of an environment variable: a program is not given
// a longer one (MAX_ARG_STRLEN of Linux is 128 KiB, with the name).
const maxVariable = 127 << 10

// fits reports why a value cannot stand in the environment.
func fits(value string) error {
	switch {
	case len(value) > maxVariable:
		return fmt.Errorf("the value has %d bytes, and a command takes at most %d by its environment; hand it over in a file, or by 'stdin'", len(value), maxVariable)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("the value has a NUL character, which no command can be given")
	}
	return nil
}

// parsedScript takes a command apart and finds its holes.
func parsedScript(command string) (string, []hole, error) {
	parts, err := split(command)
	if err != nil {
		return "", nil, err
	}
	return script(parts)
}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"}

// readable reports why a script with values cannot be made safe: what reads it is
// no shell.
func readable(command string, shell any) error {
	if shell == nil || !strings.Contains(command, "${{") && !strings.Contains(command, "${env:") {
		return nil
	}
	program, _ := shell.(string)
	if list, ok := shell.([]any); ok && len(list) > 0 {
		program, _ = list[0].(string)
	}
	words := strings.Fields(program)
	if len(words) > 0 && slices.Contains(shells, path.Base(words[0])) {
		return nil
	}
	return fmt.Errorf("values cannot be put safely into a script that is no shell's; give them by 'env' and read them there")
}

// codeAt is the index of the argument that a shell runs as a script, -1 where
// there is none. An error where another program would run a value as code.
func codeAt(command []any) (int, error) {
	if len(command) < 3 {
		return -1, nil
	}
	program, _ := command[0].(string)
	name := path.Base(program)
	isShell := slices.Contains(shells, name)
	for i := 1; i < len(command)-1; i++ {
		flag, _ := command[i].(string)
		if base := path.Base(flag); slices.Contains(shells, base) || interprets(base) { // behind env, sudo and the like
			name, isShell = base, slices.Contains(shells, base)
			continue
		}
		if isShell && strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.HasSuffix(flag, "c") {
			return i + 1, nil
		}
		next, _ := command[i+1].(string)
		if !isShell && slices.Contains([]string{"-c", "-e", "--eval", "-r", "--command", "-Command"}, flag) && interprets(name) && strings.Contains(next, "${{") {
			return -1, fmt.Errorf("%s would run the value as code; pass it as an argument of its own, behind the script", name)
		}
	}
	return -1, nil
}

// interprets tells whether a program runs code that it is given as an argument.
func interprets(name string) bool {
	for _, lang := range []string{"python", "node", "perl", "ruby", "php", "deno", "bun", "lua", "Rscript", "pwsh", "powershell", "osascript"} {
		if strings.HasPrefix(name, lang) {
			return true
		}
	}
	return false
}
