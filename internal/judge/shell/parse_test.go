package shell

import (
	"strings"
	"testing"
)

// show prints commands one per line: dir> words, status, and what it writes.
func show(found []Command) string {
	var b strings.Builder
	for _, c := range found {
		if c.Dir != "" {
			b.WriteString(c.Dir + "> ")
		}
		b.WriteString(strings.Join(c.Words, "|") + " " + c.Status.String())
		for _, w := range c.Writes {
			b.WriteString(" >" + w)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestParse(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"empty":                               {"", ""},
		"comment":                             {"# go test ./...", ""},
		"assignment only":                     {"FOO=1", ""},
		"lone command":                        {"go test ./...", "go|test|./... decides"},
		"assignments before":                  {"CI=1 A='b c' go test", "go|test decides"},
		"quotes":                              {`echo "a b" 'c d' e\ f "g\"h" $'i\nj' "k$l"`, "echo|a b|c d|e f|g\"h|i\nj|k$l decides"},
		"words that are not literal":          {`$CMD "${X:-y}" $((1+2)) *.go ~/a`, "$CMD|${X:-y}|$((1+2))|*.go|~/a decides"},
		"cd and":                              {"cd x && go test", "cd|x decides\nx> go|test decides"},
		"cd in steps":                         {"cd x; cd y/../z; make", "cd|x hidden\nx> cd|y/../z hidden\nx/z> make decides"},
		"cd back":                             {"cd x && cd - && make", "cd|x decides\nx> cd|- decides\nmake decides"},
		"cd home":                             {"cd && make", "cd decides\n~> make decides"},
		"cd to a variable":                    {`cd "$D" && touch a`, "cd|$D decides\n$D> touch|a decides"},
		"cd absolute":                         {"cd a && cd /b && ls", "cd|a decides\na> cd|/b decides\n/b> ls decides"},
		"pushd and popd":                      {"pushd x && make && popd && ls", "pushd|x decides\nx> make decides\nx> popd decides\nls decides"},
		"cd in a subshell":                    {"(cd x && make); ls", "cd|x hidden\nx> make hidden\nls decides"},
		"cd fails or":                         {"cd x || exit 1; make", "cd|x decides\nexit|1 hidden\nx> make decides"},
		"cd else make it":                     {"cd x || mkdir x", "cd|x hidden\nmkdir|x hidden"},
		"make -C":                             {"make -C a test", "a> make|-C|a|test decides"},
		"git -C in cd":                        {"cd a && git -C b status", "cd|a decides\na/b> git|-C|b|status decides"},
		"git commit -C is not a folder":       {"git commit -C HEAD", "git|commit|-C|HEAD decides"},
		"npm prefix":                          {"npm --prefix web run test", "web> npm|--prefix|web|run|test decides"},
		"terraform chdir":                     {"terraform -chdir=infra plan", "infra> terraform|-chdir=infra|plan decides"},
		"chain":                               {"a && b && c", "a decides\nb decides\nc decides"},
		"semicolon":                           {"a; b", "a hidden\nb decides"},
		"newlines":                            {"a\nb\n", "a hidden\nb decides"},
		"or true":                             {"a || true", "a hidden\ntrue hidden"},
		"or false":                            {"a || false", "a decides\nfalse hidden"},
		"or leaves":                           {"a || exit 1; b", "a decides\nexit|1 hidden\nb decides"},
		"or leaves in a block":                {"a || { echo no >&2; exit 1; }; b", "a decides\necho|no hidden\nexit|1 hidden\nb decides"},
		"or leaves well":                      {"a || exit 0; b", "a hidden\nexit|0 hidden\nb hidden"},
		"or leaves in a block, after an echo": {"a || { echo; exit; }; b", "a hidden\necho hidden\nexit hidden\nb hidden"},
		"exec":                                {"exec a; b", "a decides"},
		"exec of a shell":                     {"exec sh -c a; b", "a decides"},
		"continue":                            {"set -e; for d in a b; do a || continue; b; done; c", "set|-e hidden\na hidden\ncontinue hidden\nb hidden\nc decides"},
		"set -e that may not run":             {"a || set -e; b; c", "a hidden\nset|-e hidden\nb hidden\nc decides"},
		"or leaves a subshell only":           {"(a || exit 1; b); c", "a hidden\nexit|1 hidden\nb hidden\nc decides"},
		"and or":                              {"a && b || c", "a hidden\nb hidden\nc hidden"},
		"negated":                             {"! a", "a hidden"},
		"pipe":                                {"a | b | c", "a hidden\nb hidden\nc decides"},
		"pipefail":                            {"set -o pipefail; a | b", "set|-o|pipefail hidden\na decides\nb decides"},
		"pipefail lifted":                     {"set -o pipefail; set +o pipefail; a | b", "set|-o|pipefail hidden\nset|+o|pipefail hidden\na hidden\nb decides"},
		"set -euo pipefail":                   {"set -euo pipefail\na | b\nc", "set|-euo|pipefail hidden\na decides\nb decides\nc decides"},
		"set -e":                              {"set -e; a; b", "set|-e hidden\na decides\nb decides"},
		"set -e ignores a chain":              {"set -e; a && b; c", "set|-e hidden\na hidden\nb hidden\nc decides"},
		"set -e in a subshell":                {"set -e; (a; b); c", "set|-e hidden\na decides\nb decides\nc decides"},
		"set -e in a condition":               {"set -e; if (a; b); then c; fi; d", "set|-e hidden\na hidden\nb hidden\nc hidden\nd decides"},
		"set -e in a loop":                    {"set -e; for d in a b; do go $d; done; x", "set|-e hidden\ngo|$d decides\nx decides"},
		"exit of the status":                  {"a; exit $?", "a decides\nexit|$? decides"},
		"exit of the pipe's left":             {"a | tail -3; exit ${PIPESTATUS[0]}", "a decides\ntail|-3 hidden\nexit|${PIPESTATUS[0]} decides"},
		"background":                          {"a & b", "a background\nb decides"},
		"background chain":                    {"cd x && a &", "cd|x background\nx> a background"},
		"background subshell":                 {"(a; b) & c", "a background\nb background\nc decides"},
		"waited for":                          {"a & b & wait", "a hidden\nb hidden\nwait decides"},
		"coproc":                              {"coproc a", "a background"},
		"if":                                  {"if a; then b; elif c; then d; else e; fi", "a hidden\nb hidden\nc hidden\nd hidden\ne hidden"},
		"if not, leave":                       {"if ! a; then echo; exit 1; fi; b", "a decides\necho hidden\nexit|1 hidden\nb decides"},
		"if not, leave well":                  {"if ! a; then exit; fi; b", "a hidden\nexit hidden\nb hidden"},
		"if, else leave":                      {"if a; then b; else exit 1; fi", "a decides\nb hidden\nexit|1 hidden"},
		"if, else fail":                       {"if a; then b; else false; fi", "a decides\nb hidden\nfalse hidden"},
		"never run":                           {"true || a; false && b; : || c; d", "true hidden\nfalse hidden\n: hidden\nd decides"},
		"while":                               {"while read l; do a; done < f", " decides\nread|l hidden\na hidden"},
		"for":                                 {"for d in a b; do a; done", "a hidden"},
		"for leaves":                          {"for d in a b; do a $d || exit 1; done", "a|$d decides\nexit|1 hidden"},
		"case":                                {"case $x in a) b;; *) c;; esac", "b hidden\nc hidden"},
		"block":                               {"{ a; b; } > f", " decides >f\na hidden\nb decides"},
		"time":                                {"time -p go test", "go|test decides"},
		"command substitution":                {"echo $(a | b) `c`", "a hidden\nb hidden\nc hidden\necho|$(a | b)|`c` decides"},
		"assigned substitution":               {"x=$(a) && b", "a decides\nb decides"},
		"assigned substitution twice":         {"x=$(a)$(b)", "a hidden\nb decides"},
		"exported substitution":               {"export x=$(a)", "a hidden"},
		"process substitution":                {"diff <(a) <(b)", "a hidden\nb hidden\ndiff|<(a)|<(b) decides"},
		"tee by process substitution":         {"go test > >(tee log) 2>&1", "tee|log hidden\ngo|test decides"},
		"redirections":                        {"a > f 2>&1 >> g 2>/dev/null &> h >| i < in", "a decides >f >g >h >i"},
		"redirection alone":                   {"> f", " decides >f"},
		"here-document":                       {"cat > f <<'EOF'\nrm -rf /\nEOF\nls", "cat hidden >f\nls decides"},
		"here-document expands":               {"cat <<EOF\n$(a)\nEOF", "a hidden\ncat decides"},
		"function called":                     {"f() { a; b; }; f && c", "a hidden\nb decides\nc decides"},
		"function not called":                 {"f() { rm -rf x; }", ""},
		"function that recurses":              {"f() { f; }; f", "f decides"},
		"bash -c":                             {"bash -c 'cd a && make test'; ls", "cd|a hidden\na> make|test hidden\nls decides"},
		"bash -lc last":                       {`bash -lc "cd a && make test"`, "cd|a decides\na> make|test decides"},
		"bash -ec":                            {"bash -ec 'a; b'", "a decides\nb decides"},
		"bash -o pipefail -c":                 {"bash -eo pipefail -c 'a | b; c'", "a decides\nb decides\nc decides"},
		"bash -c with arguments":              {"bash -c 'a $1' x y", "a|$1 decides"},
		"bash -c of a variable":               {`bash -c "$X"`, "$X decides"},
		"bash -c unreadable":                  {"bash -c 'a ('", "bash|-c|a ( decides"},
		"bash of a file":                      {"bash x.sh -c", "bash|x.sh|-c decides"},
		"bash of a here-document":             {"bash <<'EOF'\ncd a\nmake test\nEOF", "cd|a hidden\na> make|test decides"},
		"bash of a here-string":               {"bash <<< 'make test'", "make|test decides"},
		"bash of an echo":                     {"echo 'make test' | sh -s", "echo|make test hidden\nmake|test decides"},
		"bash in bash":                        {`bash -c "sh -c 'a; b'"`, "a hidden\nb decides"},
		"eval":                                {"eval 'cd x; a' && b", "cd|x hidden\nx> a decides\nx> b decides"},
		"trap":                                {"trap 'rm -rf t' EXIT; a", "rm|-rf|t hidden\na decides"},
		"su -c":                               {"su -c 'make test' user", "make|test decides"},
		"find -exec":                          {`find . -name '*.go' -exec gofmt -w {} \;`, "find|.|-name|*.go|-exec|gofmt|-w|{}|; decides\ngofmt|-w|{} hidden"},
		"quoted text is not a command":        {`echo "go test" 'a; b' && git commit -m "rm -rf /"`, "echo|go test|a; b decides\ngit|commit|-m|rm -rf / decides"},
		"mksh":                                {"a |&", "a background"},
		"zsh":                                 {"a &!", "a background"},
		"windows line ends":                   {"a\r\nb\r\n", "a hidden\nb decides"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(found); got != c.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.line, got, c.want)
			}
		})
	}
}

func TestUnwrap(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"sudo":                   {"sudo -u x -E FOO=1 a b", "a|b"},
		"sudo only asks":         {"sudo -v", "sudo|-v"},
		"env":                    {"env -u X A=b a b", "a|b"},
		"env alone":              {"env", "env"},
		"env script":             {"env -S 'a b' c", "a|b|c"},
		"timeout":                {"timeout -s KILL 60 a b", "a|b"},
		"timeout long flag":      {"timeout --signal=KILL 1m a", "a"},
		"nice":                   {"nice -n 5 a", "a"},
		"nohup":                  {"nohup a -x", "a|-x"},
		"time as a program":      {`\time -v a`, "a"},
		"command":                {"command a", "a"},
		"command -v":             {"command -v a", "command|-v|a"},
		"exec":                   {"exec a", "a"},
		"xargs":                  {"xargs -n1 -P 4 a -b", "a|-b"},
		"stdbuf":                 {"stdbuf -oL a", "a"},
		"setsid":                 {"setsid a", "a"},
		"ionice":                 {"ionice -c 3 a", "a"},
		"unbuffer":               {"unbuffer a", "a"},
		"several":                {"sudo timeout 5 nice env X=1 a", "a"},
		"uv run":                 {"uv run --with x pytest -q", "pytest|-q"},
		"uv run -m":              {"uv run -m pytest", "pytest"},
		"uv with a folder":       {"uv --directory d run pytest", "d> pytest"},
		"poetry run":             {"poetry run pytest", "pytest"},
		"pipenv run":             {"pipenv run pytest", "pytest"},
		"pdm run":                {"pdm run pytest", "pytest"},
		"hatch run":              {"hatch run pytest", "pytest"},
		"npx":                    {"npx -y jest --ci", "jest|--ci"},
		"npx package":            {"npx -p x jest", "jest"},
		"npx script":             {"npx -c 'jest --ci'", "jest|--ci"},
		"npm exec":               {"npm exec -- jest", "jest"},
		"pnpm exec":              {"pnpm -C web exec jest", "web> jest"},
		"yarn exec":              {"yarn exec jest", "jest"},
		"bunx":                   {"bunx jest", "jest"},
		"bundle exec":            {"bundle exec rspec", "rspec"},
		"bundle install":         {"bundle install", "bundle|install"},
		"docker compose exec":    {"docker compose -f x.yml exec -T -u me web pytest -q", "pytest|-q"},
		"docker-compose run":     {"docker-compose run --rm -e A=b web pytest", "pytest"},
		"docker exec":            {"docker exec -it web pytest", "pytest"},
		"docker compose up":      {"docker compose up -d", "docker|compose|up|-d"},
		"mise exec":              {"mise exec node@20 -- npm test", "npm|test"},
		"direnv exec":            {"direnv exec . make", "make"},
		"kubectl exec":           {"kubectl exec -n x pod -- ls", "ls"},
		"wrapper around a shell": {"timeout 60 bash -c 'a'", "a"},
		"flock script":           {"flock /tmp/l -c 'a b'", "a|b"},
		"script":                 {"script -qec 'a b' /dev/null", "a|b"},
		"no command":             {"timeout 5", "timeout|5"},
		"nix":                    {"nix develop .#x -c make test", "make|test"},
		"coverage":               {"coverage run -m pytest", "pytest"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(found); got != c.want+" decides" {
				t.Errorf("%s: got %q, want %q", c.line, got, c.want+" decides")
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]string{
		"a broken line":      "go test ./... &&",
		"an open quote":      `echo "go test`,
		"a line too long":    "echo " + strings.Repeat("x", maxLine),
		"too many brackets":  strings.Repeat("(", maxNest+1),
		"too many commands":  strings.Repeat("a;", maxSteps+1),
		"functions multiply": "a() { b; b; b; b; b; b; b; b; }; b() { c; c; c; c; c; c; c; c; }; c() { d; d; d; d; d; d; d; d; }; d() { e; e; e; e; e; e; e; e; }; e() { f; f; f; f; f; f; f; f; }; f() { g; g; g; g; g; g; g; g; }; a",
	}
	for name, line := range cases {
		t.Run(name, func(t *testing.T) {
			if found, err := Parse(line); err == nil {
				t.Errorf("got %d commands, want an error", len(found))
			}
		})
	}
}

func TestSucceeded(t *testing.T) {
	cases := map[string]struct {
		line       string // the command asked about is the first named "it"
		ok, failed Verdict
	}{
		"lone":                  {"it", Yes, No},
		"first of a chain":      {"it && echo ok", Yes, No},
		"last of a chain":       {"cd x && it", Yes, No},
		"before a semicolon":    {"it; echo done", Unknown, Unknown},
		"behind a pipe":         {"it 2>&1 | tail -3", Unknown, Unknown},
		"last of a pipe":        {"yes | it", Yes, No},
		"or true":               {"it || true", Unknown, No},
		"or a message":          {"it && echo PASS || echo FAIL", Unknown, No},
		"right of or":           {"test -d x || it", Unknown, No},
		"background":            {"it &", No, No},
		"background, waited":    {"it & wait", Unknown, Unknown},
		"condition":             {"if it; then echo ok; fi", Unknown, Unknown},
		"body":                  {"if [ -f x ]; then it; fi", Unknown, No},
		"loop":                  {"for d in a b; do it; done", Unknown, No},
		"negated":               {"! it", Unknown, Unknown},
		"substituted":           {"echo $(it)", Unknown, Unknown},
		"its status handed on":  {"it | tail; exit ${PIPESTATUS[0]}", Yes, No},
		"set -e, not the last":  {"set -e; it; echo done", Yes, No},
		"called in a function":  {"f() { it; }; f", Yes, No},
		"shell in a pipe":       {"bash -c it | tail", Unknown, Unknown},
		"subshell, not the end": {"(it); echo done", Unknown, Unknown},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			for _, cmd := range found {
				if len(cmd.Words) == 0 || cmd.Words[0] != "it" {
					continue
				}
				if ok, failed := cmd.Succeeded(true), cmd.Succeeded(false); ok != c.ok || failed != c.failed {
					t.Errorf("%s: got %v when ok and %v when failed, want %v and %v", c.line, ok, failed, c.ok, c.failed)
				}
				return
			}
			t.Errorf("%s: no command", c.line)
		})
	}
}
