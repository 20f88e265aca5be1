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
	case "go":
		return goProgram(words)
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

// goTools are those that come with Go.
const goTools = "addr2line api asm buildid cgo compile covdata cover dist doc fix link nm objdump pack pprof preprofile test2json trace vet"

// goProgram is the program that go tool and go run module@version start.
func goProgram(words []string) []string {
	at := nextOperand(words, 1, valued("go"))
	if at+1 >= len(words) {
		return nil
	}
	sub := words[at]
	at = nextOperand(words, at+1, valued("go"))
	if at >= len(words) {
		return nil
	}
	module := words[at]
	if sub == "tool" && among(goTools, module) {
		return nil
	}
	if i := strings.IndexByte(module, '@'); i >= 0 {
		module = module[:i]
	} else if first, _, _ := strings.Cut(module, "/"); sub == "run" && (!strings.Contains(first, ".") || strings.Trim(first, ".") == "" || !strings.Contains(module, "/")) {
		return nil // a package of its own
	}
	if base := module[strings.LastIndexByte(module, '/')+1:]; len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		module = strings.TrimSuffix(module, "/"+base)
	}
	if sub != "tool" && sub != "run" || module == "" {
		return nil
	}
	return slices.Concat([]string{module}, words[at+1:])
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
		s.operands = packageScript(s.head, ops)
	case "gradle":
		s.operands = gradleTasks(ops)
	case "composer":
		if len(ops) > 1 && among("run run-script", ops[0]) {
			s.operands = ops[1:]
		}
	case "dotnet":
		if len(ops) > 1 && ops[0] == "watch" {
			s.operands = ops[1:]
		}
	case "hatch":
		ops = slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return strings.HasPrefix(op, "+") })
		if len(ops) > 1 && ops[0] == "run" {
			s.operands = slices.Concat(ops[:1], strings.Split(ops[1], ":"), ops[2:])
		}
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
// A script that has the name of a command of its own (npm ci) keeps its run.
func packageScript(manager string, ops []string) []string {
	if len(ops) > 2 && ops[0] == "workspace" {
		ops = ops[2:]
	}
	if len(ops) > 2 && ops[0] == "workspaces" && among("foreach run", ops[1]) {
		ops = ops[2:]
	}
	if len(ops) > 1 && among("run run-script", ops[0]) {
		if among("install add remove update publish pack version audit exec link init create list config", ops[1]) || ops[1] == "ci" && manager != "yarn" {
			return slices.Concat([]string{"run"}, ops[1:])
		}
		return ops[1:]
	}
	if len(ops) > 0 && among("t tst", ops[0]) {
		return slices.Concat([]string{"test"}, ops[1:])
	}
	return ops
}

// gradleTasks names the tasks of sub-projects (:app:test) and of variants
// (testDebugUnitTest) as those of the whole.
func gradleTasks(ops []string) []string {
	tasks := make([]string, len(ops))
	for i, op := range ops {
		tasks[i] = op[strings.LastIndexByte(op, ':')+1:]
		if strings.HasPrefix(tasks[i], "test") && strings.HasSuffix(tasks[i], "UnitTest") {
			tasks[i] = "test"
		}
	}
	return tasks
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
