package shell

import (
	"slices"
	"strings"
)

// args are a command's arguments sorted by the conventions of command lines.
type args struct {
	flags    []flag
	operands []string // neither flags nor their values
	rest     []string // the operands after --
}

type flag struct{ name, value string }

// read sorts the arguments of words. valued lists, between spaces, the flags
// that take the next word as their value.
func read(words []string, valued string) (a args) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			a.rest = words[i+1:]
			a.operands = append(a.operands, a.rest...)
			return a
		case len(w) < 2 || w[0] != '-':
			a.operands = append(a.operands, w)
		default:
			f := flag{name: w}
			if name, value, ok := strings.Cut(w, "="); ok {
				f = flag{name, value}
			} else if among(valued, w) && i+1 < len(words) {
				i++
				f.value = words[i]
			}
			a.flags = append(a.flags, f)
		}
	}
	return a
}

// among reports whether word is one of list, which has spaces between its words.
func among(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}

// has reports whether one of the flags in list was given, as a word of its own.
func (a args) has(list string) bool {
	return slices.ContainsFunc(a.flags, func(f flag) bool { return among(list, f.name) })
}

// letter reports whether a short flag was given, alone or in a group like -rf.
func (a args) letter(letters string) bool {
	return slices.ContainsFunc(a.flags, func(f flag) bool {
		return !strings.HasPrefix(f.name, "--") && strings.ContainsAny(f.name, letters)
	})
}

// values are those given to the flags in list.
func (a args) values(list string) (values []string) {
	for _, f := range a.flags {
		if f.value != "" && among(list, f.name) {
			values = append(values, f.value)
		}
	}
	return values
}

// operand is the operand at place i, "" if there are fewer.
func (a args) operand(i int) string {
	if i < len(a.operands) {
		return a.operands[i]
	}
	return ""
}

// from are the operands from place i on.
func (a args) from(i int) []string {
	return a.operands[min(i, len(a.operands)):]
}

// program is what the head word names: /usr/bin/go, ./gradlew and python3.12
// are go, gradle and python. It is asked of every word many times, and looks no
// further than it has to.
func program(word string) string {
	if ownProgram(word) {
		return word
	}
	name := word[max(strings.LastIndexByte(word, '/'), strings.LastIndexByte(word, '\\'))+1:]
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at] // npx vitest@latest
	}
	if n := len(name); n > 3 && name[n-4] == '.' {
		for _, ext := range [...]string{".exe", ".cmd", ".bat"} {
			name = strings.TrimSuffix(name, ext)
		}
	}
	switch name {
	case "gradlew":
		return "gradle"
	case "mvnw", "mvnd":
		return "mvn"
	case "bazelisk":
		return "bazel"
	case "richgo":
		return "go"
	case "py":
		return "python"
	case "gmake":
		return "make"
	case "py.test":
		return "pytest"
	case "nodejs":
		return "node"
	case "gtimeout":
		return "timeout"
	case "podman":
		return "docker"
	case "tofu":
		return "terraform"
	}
	if n := len(name); n > 0 && (name[n-1] == '.' || name[n-1] >= '0' && name[n-1] <= '9') {
		bare := strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")
		if among("python pip pytest go ruby php node clang-format", bare) {
			return bare
		}
	}
	return name
}

// valued lists the flags of a program that take a value and may stand before
// the words a pattern names: `make -C web test` is `make test`.
func valued(program string) string {
	switch program {
	case "make":
		return "-C -f -I -o -W --directory --file --makefile --old-file --what-if"
	case "go":
		return "-C -run -count -timeout -tags -p -bench -benchtime -cover -coverprofile -coverpkg -covermode -cpu -parallel -skip -list -fuzz -fuzztime -o -exec -ldflags -gcflags -mod -modfile -overlay -shuffle"
	case "npm":
		return "--prefix -w --workspace -C"
	case "pnpm":
		return "--dir -C --filter -F --filter-prod"
	case "yarn", "bun":
		return "--cwd --filter"
	case "git":
		return "-C -c --git-dir --work-tree --namespace --exec-path"
	case "docker":
		return "-f -p --file --project-name --project-directory --profile --env-file -H --host --context --config"
	case "cargo":
		return "-C --manifest-path --color --config -Z -p --package --exclude --target --features -F --profile --test --bin --example --bench -j --jobs"
	case "kubectl":
		return "-n --namespace --context --kubeconfig --cluster --user -l --selector"
	case "helm":
		return "-n --namespace --kube-context --kubeconfig"
	case "gradle":
		return "-p --project-dir -b --build-file -c --settings-file -x --exclude-task -I --init-script --tests"
	case "mvn":
		return "-f --file -pl --projects -P --activate-profiles -s --settings"
	case "just":
		return "-f --justfile -d --working-directory --dotenv-path"
	case "task":
		return "-t --taskfile -d --dir"
	case "pytest":
		return "-k -m -n -c -p -o -W --rootdir --maxfail --timeout --durations --junitxml"
	case "uv":
		return "--directory --project"
	case "poetry":
		return "-C --directory -P --project"
	case "hatch":
		return "-e --env -p --project"
	case "dotnet":
		return "--project -c --configuration -f --framework --filter -l --logger -v --verbosity"
	case "swift":
		return "--package-path --filter --scratch-path -c"
	case "dotenv":
		return "-e -f -p"
	case "ninja":
		return "-C -f -j -k"
	case "rake":
		return "-f --rakefile"
	case "prettier", "eslint", "jest", "vitest", "tsc":
		return "-c --config --config-path -p --project -t --testNamePattern --ext"
	}
	return ""
}

// ownDir is the directory that a program's own flag sends it to.
func ownDir(words []string) string {
	flags := ""
	name := program(words[0])
	switch name {
	case "git":
		words = words[:min(len(words), nextOperand(words, 1, valued(name)))] // git commit -C is another
		flags = "-C"
	case "make", "go", "ninja":
		flags = "-C --directory"
	case "npm":
		flags = "--prefix -C"
	case "pnpm", "cargo", "poetry":
		flags = "-C --dir --directory"
	case "yarn", "bun":
		flags = "--cwd"
	case "gradle":
		flags = "-p --project-dir"
	case "just":
		flags = "-d --working-directory"
	case "uv":
		flags = "--directory"
	case "terraform":
		flags = "-chdir"
	default:
		return ""
	}
	dir := ""
	for _, d := range read(words, valued(name)).values(flags) {
		dir = join(dir, d)
	}
	return dir
}
