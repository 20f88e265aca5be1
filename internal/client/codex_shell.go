package client

import "strings"

// codexCommand is the command line of a call: a string, or a program and its
// arguments, of which a shell's script is taken out.
func codexCommand(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return text(raw)
	}
	var args []string
	for arg := range elements(raw) {
		args = append(args, text(arg))
	}
	if n := len(args); n >= 3 && codexShell(args[0]) && codexScriptFlag(args[n-2]) {
		return args[n-1]
	}
	for i, arg := range args {
		args[i] = shellQuoted(arg)
	}
	return strings.Join(args, " ")
}

func codexShell(program string) bool {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	switch strings.ToLower(strings.TrimSuffix(program, ".exe")) {
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd":
		return true
	}
	return false
}

func codexScriptFlag(arg string) bool {
	switch arg {
	case "-c", "-lc", "-cl", "-ic", "-lic", "-Command", "-command", "/c", "/C":
		return true
	}
	return false
}

// shellQuoted quotes one argument, where it must be.
func shellQuoted(arg string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=+,@%^", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
