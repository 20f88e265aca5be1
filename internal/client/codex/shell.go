package codex

import (
	"strings"

	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// commandLine is the command line of a call: a string, or a program and its
// arguments, of which a shell's script is taken out.
func commandLine(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return rawjson.Text(raw)
	}
	var args []string
	for arg := range rawjson.Elements(raw) {
		args = append(args, rawjson.Text(arg))
	}
	if n := len(args); n >= 3 && isShell(args[0]) && isScriptFlag(args[n-2]) {
		return args[n-1]
	}
	for i, arg := range args {
		args[i] = shellQuoted(arg)
	}
	return strings.Join(args, " ")
}

// shellTool names the shell that runs a call's line: the one that is named, or that
// the line is handed to, else that of the system.
func shellTool(line, named []byte, dir string) string {
	program := rawjson.Text(named)
	for first := range rawjson.Elements(line) {
		program = rawjson.Text(first)
		break
	}
	switch programName(program) {
	case "":
		return client.ShellIn(dir)
	case "powershell", "pwsh":
		return client.PowerShell
	}
	return "Bash"
}

// programName is the name of a program in small letters, without its folder.
func programName(program string) string {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(program), ".exe")
}

func isShell(program string) bool {
	switch programName(program) {
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd":
		return true
	}
	return false
}

func isScriptFlag(arg string) bool {
	switch arg {
	case "-c", "-lc", "-cl", "-ic", "-lic", "-Command", "-command", "/c", "/C":
		return true
	}
	return false
}

// shellQuoted quotes one argument, where it must be.
func shellQuoted(arg string) string {
	if arg != "" && strings.Trim(arg, client.Letters+"./:=+,@%^") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
