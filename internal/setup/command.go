package setup

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hookName is the program that all our hooks run, wherever it lies.
const hookName = "piton-hook"

// hookProgram returns the program of a hook's command line if the line is ours: it runs piton-hook, and nothing else but the
// question whether there is one. A line that runs another program too is not ours and is left alone.
func hookProgram(command string) (program string, ok bool) {
	for _, words := range simpleCommands(command) {
		switch {
		case baseName(words[0]) == hookName:
			program = words[0]
		case words[0] == "command" && len(words) == 3 && words[1] == "-v" && baseName(words[2]) == hookName:
		case words[0] == ":" || words[0] == "true":
		default:
			return "", false
		}
	}
	return program, program != ""
}

// agentOf is the client that a line of ours runs its program for.
func agentOf(command string) string {
	for _, words := range simpleCommands(command) {
		if baseName(words[0]) == hookName && len(words) > 1 {
			return words[1]
		}
	}
	return ""
}

// endsWell reports whether a command line exits with 0 whatever its commands do.
func endsWell(line string) bool {
	line = strings.TrimRight(line, " \t\n;")
	last := line[strings.LastIndexAny(line, "|;&\n")+1:]
	return slices.Contains([]string{":", "true", "exit 0"}, strings.TrimSpace(last))
}

// baseName is the last part of a program's path, as either system writes it.
func baseName(program string) string {
	return strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
}

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// simpleCommands splits a command line at its operators and each part into words, without quotes, redirections and assignments.
// It knows the shell well enough for lines that Piton writes; the rest must only not look like them. A line of ours that was cut
// short is still ours, so a parser that refuses invalid lines would not do.
func simpleCommands(line string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	begun, redirects, target := false, false, false // a word; it is a redirection; the next word is one's target

	endWord := func() {
		if begun {
			w := word.String()
			switch {
			case redirects:
				target = strings.HasSuffix(w, ">") || strings.HasSuffix(w, "<")
			case target:
				target = false
			case len(words) == 0 && assignment().MatchString(w):
			default:
				words = append(words, w)
			}
		}
		word.Reset()
		begun, redirects = false, false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
		}
		words, target = nil, false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			begun = true
			for i++; i < len(line) && line[i] != c; i++ {
				if c == '"' && line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\\\"$`", line[i+1]) >= 0 {
					i++
				}
				word.WriteByte(line[i])
			}
		case c == '\\' && i+1 < len(line):
			begun = true
			i++
			word.WriteByte(line[i])
		case c == ' ' || c == '\t':
			endWord()
		case c == '&' && redirects && strings.HasSuffix(word.String(), ">"): // 2>&1
			word.WriteByte(c)
		case strings.IndexByte(";&|\n()`", c) >= 0:
			endCommand()
		default:
			begun = true
			redirects = redirects || c == '>' || c == '<'
			word.WriteByte(c)
		}
	}
	endCommand()
	return all
}

// quote makes a string one word of a shell's command line, with quotes even where none are needed: Codex asks its user again about
// a line that has changed.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
