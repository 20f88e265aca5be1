package shell

import (
	"slices"
	"strings"
	"testing"
)

// all gathers what get returns for every command of the line.
func all(t *testing.T, line string, get func(Command) []string) (names []string) {
	t.Helper()
	found, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, c := range found {
		names = append(names, get(c)...)
	}
	return names
}

func TestEdits(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"redirections":            {"a > f; b >> g; c &> h; d 2>e", "f g h e"},
		"devices and descriptors": {"a >/dev/null 2>&1 >&2 3>&- | tee /dev/stderr", ""},
		"redirection in a folder": {"cd src && echo x > a.go", "src/a.go"},
		"absolute and home":       {"cd src && echo x > /tmp/a && echo y > ~/b", "/tmp/a ~/b"},
		"around a block":          {"cd d && { a; b; } > f", "d/f"},
		"here-document":           {"cat > a.py <<'EOF'\nimport x > y\nEOF", "a.py"},
		"tee":                     {"a | tee -a f g | sudo tee h", "f g h"},
		"sed -i":                  {"sed -i 's/a/b/' x.go y.go", "x.go y.go"},
		"sed -i with -e":          {"sed -i.bak -e 's/a/b/' -e 's/c/d/' x.go", "x.go"},
		"sed -i of BSD":           {"sed -i '' 's/a/b/' x.go", "x.go"},
		"sed in a group":          {"sed -Ei 's/a/b/' x.go", "x.go"},
		"sed --in-place":          {"sed --in-place=.bak 's/a/b/' x.go", "x.go"},
		"sed that prints":         {"sed -n '1,3p' x.go", ""},
		"sed -ne":                 {"sed -ne '/i/p' x.go", ""},
		"perl -pi":                {"perl -pi -e 's/a/b/' x.go", "x.go"},
		"perl -i -pe":             {"perl -i -pe 's/a/b/' x.go", "x.go"},
		"perl -0pi.bak":           {"perl -0pi.bak -e 's/a/b/' x.go", "x.go"},
		"perl that prints":        {"perl -Mstrict -ne 'print if /i/' x.go", ""},
		"awk in place":            {"gawk -i inplace '{print}' x.txt", "x.txt"},
		"yq -i":                   {"yq -i '.a = 1' x.yaml", "x.yaml"},
		"yq eval -i":              {"yq eval -i '.a = 1' x.yaml", "x.yaml"},
		"cp":                      {"cp a.go b.go", "b.go"},
		"cp into a folder":        {"cp a.go x/b.go dir", "dir/a.go dir/b.go"},
		"cp into the place":       {"cd d && cp ../a.go .", "d/a.go"},
		"cp -t":                   {"cp -t dir a b", "dir/a dir/b"},
		"mv":                      {"mv -f a.go b.go", "a.go b.go"},
		"mv into a folder":        {"mv a.go b/", "a.go b/a.go"},
		"install":                 {"install -m 755 a bin/a", "bin/a"},
		"install -d":              {"install -d bin", ""},
		"ln":                      {"ln -s ../a b", "b"},
		"ln with one":             {"ln -s ../a", "a"},
		"rm":                      {"rm -rf a *.o", "a *.o"},
		"touch":                   {"touch -d now a b", "a b"},
		"truncate":                {"truncate -s 0 log", "log"},
		"dd":                      {"dd if=/dev/zero of=f bs=1", "f"},
		"dd to a device":          {"dd if=f of=/dev/sda", ""},
		"mkdir":                   {"mkdir -p a", ""},
		"chmod":                   {"chmod +x a.sh", "a.sh"},
		"sort -o":                 {"sort -o f f", "f"},
		"curl -o":                 {"curl -sSL -o f https://x/y", "f"},
		"curl -O":                 {"curl -O https://x/y.tgz", "y.tgz"},
		"git mv":                  {"git -C sub mv a b", "sub/a sub/b"},
		"git rm":                  {"git rm -f a", "a"},
		"git rm --cached":         {"git rm --cached a", ""},
		"git restore":             {"git restore -s HEAD~1 a.go", "a.go"},
		"git restore --staged":    {"git restore --staged a.go", ""},
		"git checkout --":         {"git checkout HEAD -- a.go", "a.go"},
		"git apply":               {"git apply <<'EOF'\n--- a/x.go\n+++ b/x.go\nEOF", "x.go"},
		"patch":                   {"patch -p1 < x.diff", ""},
		"apply_patch": {"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n*** Move to: c.go\n@@\n-x\n+y\n*** Add File: b.go\n+z\n*** End Patch\nEOF",
			"a.go c.go b.go"},
		"gofmt -w":         {"gofmt -w a.go b.go", "a.go b.go"},
		"gofmt -l":         {"gofmt -l .", ""},
		"prettier":         {"npx prettier --write src/a.ts src", "src/a.ts"},
		"black":            {"python -m black a.py", "a.py"},
		"black --check":    {"black --check a.py", ""},
		"ruff format":      {"uv run ruff format a.py", "a.py"},
		"ruff check":       {"ruff check a.py", ""},
		"ruff check --fix": {"ruff check --fix a.py", "a.py"},
		"eslint --fix":     {"eslint --fix a.js", "a.js"},
		"go build -o":      {"go build -o bin/x ./cmd/x", "bin/x"},
		"go mod tidy":      {"cd m && go mod tidy", "m/go.mod m/go.sum"},
		"go test cover":    {"go test -coverprofile=c.out ./...", "c.out"},
		"a variable":       {`cd d && echo x > "$OUT/a" && rm "$X"`, "$OUT/a $X"},
		"xargs":            {"ls | xargs rm -f a", "a"},
		"find -exec":       {`find . -name x -exec sed -i s/a/b/ y.go {} +`, "y.go {}"},
		"what is echoed":   {`echo "x > y"; echo 'rm a'`, ""},
		"help":             {"rm --help", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(all(t, c.line, Command.Edits), " "); got != c.want {
				t.Errorf("%s: got %q, want %q", c.line, got, c.want)
			}
		})
	}
}

func TestMayEdit(t *testing.T) {
	cases := map[string]struct {
		want  bool
		lines []string
	}{
		"reading": {false, []string{
			"ls", "cat a", "grep -r x .", "rg x", "find . -name x", "sed -n 1p a", "awk '{print $1}' a", "head -3 a", "jq . a", "wc -l a", "echo x", "cd a", "pwd", "env", "true", "sleep 1",
			"git status", "git diff", "git log -p", "git show", "git add .", "git commit -m x", "git push", "git fetch", "git stash list", "git checkout -b x", "git reset", "git clean -n",
			"go test ./...", "go vet ./...", "go build ./...", "go mod download", "cargo test", "cargo clippy", "cargo fmt --check", "npm test", "npm run lint", "npm run test:unit", "make test", "make lint check",
			"pytest", "python -m pytest", "npx jest", "tsc --noEmit", "eslint .", "ruff check .", "ruff format --check", "black --check .", "gofmt -l .", "golangci-lint run", "mypy .", "terraform plan", "terraform fmt -check",
			"docker ps", "docker compose up -d", "kubectl get pods", "systemctl restart x", "curl -s https://x", "gh pr view", "python --version", "make -n all", "./gradlew test", "mvn -q verify", "source .venv/bin/activate", "mkdir a",
			"perl -ne print a", "psql -c 'select 1'", "type rm", "git apply --check x", "go tool cover -func=c.out",
		}},
		"editing": {true, []string{
			"rm a", "sed -i s/a/b/ x", "git checkout main", "git switch main", "git merge x", "git pull", "git reset --hard", "git stash", "git stash pop", "git apply x", "git clean -fd", "git restore .",
			"patch -p1 < x", "gofmt -w .", "go generate ./...", "go run ./x", "go fmt ./...", "go mod tidy", "go test ./... -update", "cargo fmt", "cargo fix", "cargo clippy --fix", "npm install", "npm run build", "npm run lint:fix",
			"npx jest -u", "pytest --snapshot-update", "prettier --write .", "black .", "ruff format", "ruff check --fix .", "eslint --fix .", "python x.py", "python -c 'x'", "./x.sh", "make", "make all", "make fmt",
			"node x.js", "tsc", "terraform apply", "terraform fmt", "unzip x", "tar xf x", "wget https://x/y", "find . -delete", "docker cp a:/b c", "unknown", "cp a b", "ls | xargs rm", "awk '{print > \"x\"}' a", "bash x.sh", "echo x > y", "perl -e 'unlink 1'",
		}},
	}
	for name, c := range cases {
		for _, line := range c.lines {
			t.Run(name+" "+line, func(t *testing.T) {
				found, err := Parse(line)
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.ContainsFunc(found, Command.MayEdit); got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		}
	}
}

func TestReads(t *testing.T) {
	cases := map[string]struct{ line, want string }{
		"cat":           {"cd d && cat -n a.go b.go", "d/a.go d/b.go"},
		"head":          {"head -n 20 a.go", "a.go"},
		"tail":          {"tail -20 a.go", "a.go"},
		"sed -n":        {"sed -n '1,20p' a.go", "a.go"},
		"sed -n -e":     {"sed -n -e 1p -e 3p a.go", "a.go"},
		"awk":           {"awk -F : '{print $1}' a", "a"},
		"grep":          {"grep -n -A 3 foo a.go", "a.go"},
		"grep -e":       {"grep -e foo a.go", "a.go"},
		"grep in all":   {"grep -r foo .", ""},
		"rg":            {"rg -n foo src/a.go", "src/a.go"},
		"jq":            {"jq .x a.json", "a.json"},
		"diff":          {"diff -u a b", "a b"},
		"less":          {"less a", "a"},
		"nl in a pipe":  {"nl -ba a.go | sed -n '1,3p'", "a.go"},
		"input":         {"wc -l < a", "a"},
		"loop's input":  {"while read l; do :; done < a", "a"},
		"substitution":  {"diff <(a) b", "b"},
		"standard in":   {"cat - | cat", ""},
		"here-document": {"cat <<EOF\nx\nEOF", ""},
		"echo":          {"echo a.go", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(all(t, c.line, Command.Reads), " "); got != c.want {
				t.Errorf("%s: got %q, want %q", c.line, got, c.want)
			}
		})
	}
}
