package shell

import (
	"strings"
	"testing"
)

func anyMatches(t *testing.T, line, pattern string) bool {
	t.Helper()
	found, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, c := range found {
		if c.Matches(pattern) {
			return true
		}
	}
	return false
}

func TestMatches(t *testing.T) {
	cases := map[string]struct {
		pattern string
		yes, no []string
	}{
		"go test": {"go test", []string{
			"go test", "go test ./...", "go test -race -run X ./pkg", "go -C dir test ./...", "/usr/local/go/bin/go test", "go1.25 test ./...",
			"cd x && go test ./...", "(cd x; go test)", "CI=1 timeout 60 go test", "$(go test)", "bash -c 'go test'", "find . -name go.mod -execdir go test ./... \\;",
			"if go test; then :; fi", "ls | xargs go test", `"go" 'test'`, "$GOROOT/bin/go test", "docker run --rm -v .:/w golang go test ./...",
			"go test -run 'TestX$' ./...", "go test -bench . ./...", "docker compose exec web go test ./...", "echo 'go test' | bash",
		}, []string{
			"go vet ./...", "go build test", "go", "gotest", "test go", "echo go test", `echo "go test"`, "printf 'go test\\n'", `grep "go test" Makefile`,
			`git commit -m "go test"`, "cat go test", "# go test", "man go test", "which go test", "command -v go test", "type go test", "go help test",
			"go test -c", "go test -list . ./...", "go test -run '^$' ./...", "go test -run=^$ -bench=. ./...", "go test -h", "go test -n ./...", "go test --help", "go test -run NONE",
			"cat <<EOF\ngo test\nEOF", "X='go test'", "alias t='go test'", "f() { go test; }", "$GO test", "ssh host go test",
		}},
		"go test with a path":          {"go test ./pkg", []string{"go test ./pkg", "go test -v ./cmd ./pkg"}, []string{"go test ./..."}},
		"go test with a flag":          {"go test -race", []string{"go test -race ./...", "go test -v -race"}, []string{"go test ./..."}},
		"a line that ends in a runner": {"npm install && mocha", []string{"mocha"}, []string{"npm install"}},
		"go benchmarks":                {"go test -bench", []string{"go test -run '^$' -bench=. ./...", "go test -bench ."}, []string{"go test"}},
		"flags that only show":         {"go test -list", []string{"go test -list . ./..."}, []string{"go test"}},
		"make test": {"make test", []string{
			"make test", "make -C web test", "make -j4 lint test", "make --directory=web -s test PKG=x", "gmake test", "/usr/bin/make -k test", "nice make test", "make -Otarget test",
		}, []string{"make", "make tests", "make -n test", "make -nk test", "make --dry-run test", "make -C test", "make -f test lint", "cmake test", "make test-unit", "make -q test"}},
		"make -C": {"make -C web test", []string{"make -C web test"}, []string{"make -C api test", "make test"}},
		"npm test": {"npm test", []string{
			"npm test", "npm t", "npm run test", "npm --prefix web run test", "npm run -w web test", "npm run test -- --watch=false", "npm run-script test", "npm -s test",
		}, []string{"npm run test:unit", "npm install test", "npm run", "npm run test --dry-run", "npm test -- --listTests", "pnpm test", "npm run build test-x"}},
		"npm run test": {"npm run test", []string{"npm test", "npm t"}, []string{"npm run lint"}},
		"npm run lint": {"npm run lint", []string{"npm run lint", "cd web && npm run lint --silent"}, []string{"npm run lint:fix", "npm test"}},
		"pnpm test":    {"pnpm test", []string{"pnpm -r test", "pnpm --filter web test", "pnpm run test", "pnpm -C web test"}, []string{"npm test", "pnpm build"}},
		"yarn test":    {"yarn test", []string{"yarn test", "yarn run test", "yarn workspace web test", "yarn --cwd web test"}, []string{"yarn add test"}},
		"bun test":     {"bun test", []string{"bun test"}, []string{"bun run test", "npm test"}},
		"jest": {"jest", []string{"jest", "npx jest", "node_modules/.bin/jest --ci", "yarn jest", "pnpm exec jest", "pnpm jest -t x", "node node_modules/.bin/jest"},
			[]string{"jest --listTests", "npm install jest", "yarn add jest", "yarn test", "npx jest --version"}},
		"pytest": {"pytest", []string{
			"pytest", "pytest -q tests/", "python -m pytest", "python3 -m pytest tests", "python3.12 -W ignore -m pytest", "uv run pytest", "uv run python -m pytest", "poetry run pytest -x", ".venv/bin/pytest",
			"coverage run -m pytest", "python -m coverage run -m pytest", "py.test", "sudo -u x pytest", "docker compose exec -T web pytest", "pytest -p no:cacheprovider",
		}, []string{"pytest --collect-only", "pytest --co -q", "pytest --version", "python -m pytest --help", "pip install pytest", "which pytest", "ls pytest", "python pytest_x.py", "uv run pytest --collect-only"}},
		"python -m pytest": {"python -m pytest", []string{"pytest", "python3 -m pytest -q"}, []string{"python -m unittest"}},
		"uv run pytest":    {"uv run pytest", []string{"uv run pytest", "pytest -q"}, []string{"uv run mypy"}},
		"unittest":         {"python -m unittest", []string{"python3 -m unittest discover"}, []string{"python -m pytest"}},
		"cargo test": {"cargo test", []string{"cargo test", "cargo +nightly test --all", "cargo t", "cargo -q test -p x", "cargo --manifest-path a/Cargo.toml test"},
			[]string{"cargo test --no-run", "cargo build", "cargo test -- --list", "cargo install test"}},
		"gradle test": {"gradle test", []string{"./gradlew test", "gradlew clean test", "gradle -p app test", "./gradlew :app:x test"}, []string{"./gradlew build -x test", "./gradlew test -m", "./gradlew test --dry-run"}},
		"gradlew":     {"./gradlew test", []string{"gradle test", "../gradlew test"}, nil},
		"mvn test":    {"mvn test", []string{"./mvnw -q test", "mvn -pl core clean test"}, []string{"mvn test -DskipTests", "mvn package"}},
		"just ci":     {"just ci", []string{"just ci", "just -f x/justfile ci", "just lint ci"}, []string{"just --list", "just -n ci", "just"}},
		"docker compose up": {"docker compose up", []string{"docker compose up -d", "docker-compose up", "docker compose -f a.yml --profile x up web", "sudo docker compose up"},
			[]string{"docker compose logs up", "docker compose down", "docker up"}},
		"docker logs": {"docker logs web", []string{"docker logs -f web"}, []string{"docker logs api"}},
		"git push":    {"git push", []string{"git push", "git -C x push -u origin main", "git -c a=b push"}, []string{"git stash push", "git push --dry-run", "git commit -m push", "git help push"}},
		"a script": {"scripts/test.sh", []string{"scripts/test.sh", "./scripts/test.sh -v", "cd scripts && ./test.sh", "bash scripts/test.sh", "bash -x scripts/test.sh", "source scripts/test.sh"},
			[]string{"cat scripts/test.sh", "chmod +x scripts/test.sh", "bash -n scripts/test.sh", "vim scripts/test.sh"}},
		"a python script": {"python scripts/check.py", []string{"python3 scripts/check.py -v", "./scripts/check.py", "uv run scripts/check.py"}, []string{"python scripts/other.py", "cat scripts/check.py"}},
		"manage.py test":  {"python manage.py test", []string{"python manage.py test app", "./manage.py test", "docker compose run --rm web python manage.py test"}, []string{"python manage.py migrate"}},
		"node --test":     {"node --test", []string{"node --test", "node --test tests/"}, []string{"node x.js"}},
		"tox env":         {"tox -e py311", []string{"tox -e py311", "tox -q -e py311 -- -k x"}, []string{"tox -e lint", "tox -e py311 --notest"}},
		"black --check":   {"black --check .", []string{"black --check .", "black -q --check src ."}, []string{"black ."}},
		"terraform plan":  {"terraform plan", []string{"terraform plan -out x", "terraform -chdir=infra plan", "tofu plan"}, []string{"terraform apply plan"}},
		"a dry run asked": {"kubectl apply --dry-run", []string{"kubectl apply --dry-run=client -f x.yaml"}, []string{"kubectl apply -f x.yaml"}},
		"systemctl":       {"systemctl restart app", []string{"sudo systemctl restart app"}, []string{"systemctl status app"}},
		"helm":            {"helm upgrade", []string{"helm upgrade x y --version 1.2.3"}, []string{"helm upgrade --dry-run x y"}},
		"a whole line":    {"cd web && CI=1 npm test 2>&1 | tail -3", []string{"cd web && npm test", "npm --prefix web t"}, []string{"cd web", "tail -3", "npm run lint"}},
		"a quoted word":   {"go test -run 'TestA$'", []string{"go test -run 'TestA$' ./..."}, []string{"go test -run TestB"}},
		"go test, wrapped": {"go test", []string{
			"env A=1 timeout 60 sudo -u x go test ./...", "go list ./... | xargs -n 1 go test", "xargs -I{} sh -c 'cd {} && go test ./...'", "bash -euxo pipefail -c 'go test'", "(cd x && (go test))", "{ go test; }",
			"script -qc 'go test' /dev/null", "watch -n 2 go test", "ls | parallel -j 4 go test {}", "entr -c go test", "nix develop -c go test", "nix develop .#ci --command bash -c 'go test'", "nix-shell --run 'go test'",
			"systemd-run --user --scope -p MemoryMax=1G go test", "arch -arm64 go test", "faketime 2020-01-01 go test", "aws-vault exec x -- go test", "dotenv -e .env go test", "dotenv -f .env run -- go test", "rtk go test", "richgo test ./...",
			"fish -c 'go test'", "devcontainer exec --workspace-folder . go test", "distrobox enter x -- go test", "vagrant ssh -c 'go test'", "mise exec -- go test", "kubectl exec -it p -- go test",
			"[ -f x ] && go test", "if true; then go test; fi", "true && go test", "false || go test", "test 1 = 1 && go test", "if ! false; then go test; fi", "f() { return; }; f; go test", "cd x || exit 1; go test", "exec 2>log; go test",
			"[ -f x ] || { echo no; exit 1; }; go test", "for d in a; do [ -d $d ] || exit 1; done; go test", "(exit 1); go test", "$(exit 1); go test", "trap 'exit 1' INT; go test", "case $x in a) exit;; esac; go test", "while read l; do exit; done; go test",
		}, []string{
			"if false; then go test; fi", "exit 0; go test", "exit; go test", "exit 1; go test", "{ exit; }; go test", "(exit 0; go test)", "exec true; go test", "true || go test", ": || go test", "false && go test", "true && false && go test; true",
			"(false) && go test", "! true && go test", "[ 1 = 2 ] && go test", "if [ \"a\" != 'a' ]; then go test; fi", "if ! true; then go test; fi", "if true; then :; else go test; fi", "while false; do go test; done", "until true; do go test; done", "for x in; do go test; done",
			"bash -n -c 'go test'", "f() { exit; }; f; go test", "eval 'exit 0'; go test",
		}},
		"go test of nothing": {"go test", []string{
			"go test -run 'TestA|XXX' ./...", "go test -run '^TestA$/^sub$'", "go test -run 'A$|^B'", "go test -run 'a\\$b'", "go test -skip Slow ./...", "go test -count=1", "go test -count 10 ./...", "go test -exec 'sudo -E' ./...", "go test -run '(^TestA$)' .", "go test -run TestNone",
		}, []string{
			"go test -exec true ./...", "go test -exec=/bin/true ./...", "go test -skip . ./...", "go test -skip='.*' ./...", "go test -count=0", "go test -count 0 ./...", "go test -run 'XXX^$'", "go test -run 'XXX^' .", "go test -run '$a'", "go test -run=XXX", "go test -run xxx ./...", "go test --run=NONE",
			"go test -run NoSuchTest", "go test -run '^$/x'",
		}},
		"cargo nextest":   {"cargo nextest", []string{"cargo nextest run", "cargo +nightly nextest r"}, []string{"cargo nextest list", "cargo nextest show-config version"}},
		"cargo llvm-cov":  {"cargo llvm-cov", []string{"cargo llvm-cov", "cargo llvm-cov nextest", "cargo llvm-cov --html"}, []string{"cargo llvm-cov report --lcov", "cargo llvm-cov clean"}},
		"gotestsum":       {"gotestsum", []string{"go tool gotestsum ./...", "go run gotest.tools/gotestsum@latest ./...", "go tool -modfile=tools.mod gotestsum -- ./...", "go run gotest.tools/gotestsum --format dots"}, []string{"go tool cover", "go run ./cmd/gotestsum-x", "go run gotestsum.go"}},
		"ginkgo":          {"ginkgo", []string{"go run github.com/onsi/ginkgo/v2/ginkgo -r", "ginkgo -r"}, []string{"go get github.com/onsi/ginkgo/v2"}},
		"vitest":          {"vitest", []string{"npx vitest@latest run", "npx -y vitest", "pnpm dlx vitest", "pnpm exec vitest run"}, []string{"npm i vitest@latest"}},
		"bazel test":      {"bazel test", []string{"bazelisk test //...", "bazel --output_base=x test //..."}, []string{"bazel build //...", "bazel test --nobuild //..."}},
		"gradle task":     {"gradle test", []string{"./gradlew :app:test", "gradle :a:b:test --tests X", "./gradlew testDebugUnitTest"}, []string{"./gradlew testClasses", "./gradlew build"}},
		"gradle build":    {"gradle build", []string{"./gradlew build", "./gradlew build -x lint"}, []string{"./gradlew build -x test", "gradle build --exclude-task test"}},
		"gradle alone":    {"gradle", []string{"./gradlew build -x test"}, []string{"gradle --dry-run build"}},
		"mvnd":            {"mvn verify", []string{"mvnd -B verify"}, []string{"mvnd verify -DskipTests"}},
		"dotnet watch":    {"dotnet test", []string{"dotnet watch test", "dotnet watch --project x test", "dotnet test --no-build"}, []string{"dotnet watch run"}},
		"hatch":           {"hatch run test", []string{"hatch run test", "hatch run test:all", "hatch run +py=3.11 test:cov", "hatch -e x run test"}, []string{"hatch run lint:all"}},
		"hatch pytest":    {"pytest", []string{"hatch run test:pytest -q", "hatch run +py=3.11 pytest"}, nil},
		"a script's name": {"pdm run test", []string{"pdm run test", "pdm run -p x test"}, []string{"test -f x", "[ -f x ]", "pdm run lint"}},
		"tox":             {"tox", []string{"tox", "tox -e py311", "tox -e py,lint", "python -m tox -e tests", "tox -q"}, []string{"tox -e lint", "tox -e lint,mypy", "tox -e=docs", "tox -l"}},
		"nox":             {"nox", []string{"nox", "nox -s tests", "nox -s lint tests"}, []string{"nox -s lint", "nox --session=docs", "nox -s lint -- src"}},
		"tox by its name": {"tox -e lint", []string{"tox -e lint"}, nil},
		"make alone":      {"make --", []string{"make", "make -j4 -C web V=1", "cd x && make"}, []string{"make test", "make -n", "make clean all"}},
		"npm run ci":      {"npm run ci", []string{"npm run ci", "npm --prefix web run ci", "npm run -w web ci"}, []string{"npm ci", "npm run lint"}},
		"yarn run ci":     {"yarn run ci", []string{"yarn run ci", "yarn ci"}, nil},
		"py":              {"pytest", []string{"py -3.11 -m pytest"}, nil},
		"yarn 1":          {"yarn test", []string{"yarn workspaces run test", "yarn workspaces foreach -A run test"}, []string{"yarn workspaces list"}},
		"make flags":      {"make test", []string{"make test V=1 MAKEFLAGS=-j4"}, []string{"make test MAKEFLAGS=-n"}},
		"cargo watch":     {"cargo test", []string{"cargo watch -x test", "cargo watch --exec 'test --all'"}, []string{"cargo watch -x check"}},
		"nothing":         {"", nil, []string{"go test", ""}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, line := range c.yes {
				if !anyMatches(t, line, c.pattern) {
					t.Errorf("%q: got no match of %q, want one", line, c.pattern)
				}
			}
			for _, line := range c.no {
				if anyMatches(t, line, c.pattern) {
					t.Errorf("%q: got a match of %q, want none", line, c.pattern)
				}
			}
		})
	}
}

// TestMustHaves are the forms of a test run that agents use most.
func TestMustHaves(t *testing.T) {
	cases := map[string]struct {
		line, pattern string
		want          Status
	}{
		"after cd":            {"cd x && go test ./...", "go test", Decides},
		"behind a pipe":       {"go test ./... 2>&1 | tail -3", "go test", Hidden},
		"or true":             {"go test ./... || true", "go test", Hidden},
		"in the background":   {"go test ./... &", "go test", Background},
		"in a shell's script": {"bash -c 'cd a && make test'", "make test", Decides},
		"pipefail":            {"set -o pipefail; go test ./... | tee log", "go test", Decides},
		"in wrappers":         {"CI=1 timeout 60 go test ./...", "go test", Decides},
		"in a loop":           {"for d in a b; do (cd $d && go test ./...); done", "go test", Hidden},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			for _, cmd := range found {
				if cmd.Matches(c.pattern) {
					if cmd.Status != c.want {
						t.Errorf("%s: got %v, want %v", c.line, cmd.Status, c.want)
					}
					return
				}
			}
			t.Errorf("%s: got no match of %q, want one", c.line, c.pattern)
		})
	}
}

func TestLoose(t *testing.T) {
	cases := map[string]struct {
		line string
		want bool
	}{
		"plain":                 {"go test ./... &&", true},
		"a part":                {"cd x && go test ./... | (", true},
		"behind a wrapper":      {"timeout 60 go test ( ", true},
		"in an open string":     {`bash -c "cd x; go test`, true},
		"echoed":                {`echo "go test`, false},
		"in a commit's message": {`git commit -m "go test`, false},
		"in a comment":          {"# go test (", false},
		"another":               {"go vet (", false},
		"many words":            {strings.Repeat("go ", 20000), false},
		"empty":                 {"", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ReadLoose(c.line).Match(ReadPattern("go test")); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
