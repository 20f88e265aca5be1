package shell

import (
	"slices"
	"strings"
)

// forms are the ways to see words: as they stand, and step by step without what
// runs them: wrappers, python -m, an interpreter before its script.
func forms(words []string) [][]string {
	all := [][]string{words}
	for range maxDepth {
		next := reduce(words)
		if next == nil {
			break
		}
		all, words = append(all, next), next
	}
	if bin := packageBin(words); bin != nil {
		all = append(all, bin)
	}
	return all
}

// plain is the last form: the program that does the work.
func plain(words []string) []string {
	for range maxDepth {
		next := reduce(words)
		if next == nil {
			break
		}
		words = next
	}
	return words
}

func reduce(words []string) []string {
	if inner, _ := unwrap(words); inner != nil {
		return inner
	}
	name := program(words[0])
	valued, text := "", "" // flags with a value; letters that end a group before a text
	switch name {
	case "python":
		valued, text = "-W -X", "c"
	case "bash", "sh", "zsh", "dash", "source", ".":
		valued, text = "-o -O", "csn"
	case "node":
		valued, text = "-r --require --import --loader -C", "ep"
	case "ruby", "perl", "php":
		valued, text = "-I -C", "eErn"
	default:
		return nil
	}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "" || word == "-" || among("--eval --print", word):
			return nil
		case word[0] != '-':
			return words[i:] // a script
		case strings.HasPrefix(word, "--"):
		case among(valued, word):
			i++
		case name == "python" && strings.HasSuffix(word, "m"):
			if i+1 < len(words) && words[i+1] != "" {
				return words[i+1:]
			}
			return nil
		case strings.ContainsRune(text, rune(word[len(word)-1])):
			return nil
		}
	}
	return nil
}

// packageBin is the program that yarn, pnpm or bun starts for a word that is
// none of its own commands: `yarn jest`.
func packageBin(words []string) []string {
	name := program(words[0])
	if !among("yarn pnpm bun", name) {
		return nil
	}
	at := nextOperand(words, 1, valued(name))
	if at >= len(words) || words[at] == "" || among("run exec dlx x test t install i add remove rm up update upgrade publish pack link init create why list ls audit start stop build config workspace workspaces", words[at]) {
		return nil
	}
	return words[at:]
}

// spelled is a command with its spelling evened out.
type spelled struct {
	head string
	args
}

func canonical(words []string) spelled {
	words = docker(words)
	s := spelled{head: program(words[0])}
	table := valued(s.head)
	if s.head == "docker" {
		words, table = dockerGlobals(words, table)
	}
	s.args = read(words, table)
	switch ops := s.operands; s.head {
	case "npm", "pnpm", "yarn":
		s.operands = packageScript(ops)
	case "cargo":
		if len(ops) > 0 && strings.HasPrefix(ops[0], "+") {
			ops = ops[1:]
		}
		s.operands = ops
		if long := cargoAlias(s.operand(0)); long != "" {
			s.operands = slices.Concat([]string{long}, ops[1:])
		}
	}
	return s
}

// dockerGlobals takes off the flags before docker's subcommand; after it -f
// and -p mean other things.
func dockerGlobals(words []string, table string) (rest []string, none string) {
	at := nextOperand(words, 1, table)
	rest = []string{words[0]}
	if at < len(words) && words[at] == "compose" {
		rest = append(rest, "compose")
		at = nextOperand(words, at+1, table)
	}
	return append(rest, words[min(at, len(words)):]...), ""
}

// packageScript gives `npm run test`, `yarn workspace web test` and `npm t` the
// form of `npm test`.
func packageScript(ops []string) []string {
	if len(ops) > 2 && ops[0] == "workspace" {
		ops = ops[2:]
	}
	if len(ops) > 2 && ops[0] == "workspaces" && ops[1] == "foreach" {
		ops = ops[2:]
	}
	if len(ops) > 1 && among("run run-script", ops[0]) {
		return ops[1:]
	}
	if len(ops) > 0 && among("t tst", ops[0]) {
		return slices.Concat([]string{"test"}, ops[1:])
	}
	return ops
}

func cargoAlias(sub string) string {
	switch sub {
	case "t":
		return "test"
	case "b":
		return "build"
	case "c":
		return "check"
	case "r":
		return "run"
	}
	return ""
}
