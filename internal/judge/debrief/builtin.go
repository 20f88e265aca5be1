package debrief

import (
	"path"
	"slices"
	"strings"
)

// docsName is the category that needs nothing.
const docsName = "docs"

// Builtin returns the profiles: what everyone's changes are measured by unless
// a rule of the user's or the project's says more.
func Builtin() []Rule {
	rules := slices.Concat(dependencies(), []Rule{
		{
			Name:        "SQL migrations",
			Profile:     "sql",
			Include:     []string{"**/migrations/**", "**/migrate/**/*.sql", "**/migration/**/*.sql", "**/db/migrate/**", "**/alembic/versions/**"},
			Exclude:     append(othersCode(), "**/*.md", "**/__init__.py"),
			Precedence:  30,
			Instruction: "apply them to a scratch database, or " + runTests,
			Evidence: []string{testMark, "migrate", "goose", "flyway", "liquibase", "alembic upgrade", "manage.py migrate", "prisma migrate",
				"rails db:migrate", "rake db:migrate", "sqlx migrate", "diesel migration", "atlas migrate", "atlas schema", "dbmate", "knex migrate:latest",
				"sequelize db:migrate", "typeorm migration:run", "drizzle-kit", "mix ecto.migrate", "make migrate", "psql", "sqlite3", "mysql", "mariadb", "duckdb"},
		},
		{
			Name:        "Docker files",
			Profile:     "docker",
			Include:     []string{"**/Dockerfile", "**/Dockerfile.*", "**/*.Dockerfile", "**/*.dockerfile", "**/Containerfile", "**/docker-compose*.yml", "**/docker-compose*.yaml", "**/compose.yml", "**/compose.yaml", "**/compose.*.yml", "**/compose.*.yaml", "**/docker-bake.*"},
			Exclude:     othersCode(),
			Precedence:  40,
			Instruction: "build the image, or check it with `docker build --check .` or `docker compose config`",
			Evidence: []string{"docker build", "docker buildx", "docker image", "docker compose", "docker run", "docker bake", "buildah", "nerdctl", "hadolint",
				"earthly", "skaffold build", "kaniko", "make docker", "make image", "make docker-build", "make build", "just docker", "just build"},
		},
		{
			Name:        "CI files",
			Profile:     "ci",
			Include:     []string{".github/workflows/**", ".github/actions/**", ".gitlab-ci.yml", ".gitlab/ci/**", ".circleci/**", ".buildkite/**", "**/Jenkinsfile", "azure-pipelines*.yml", "bitbucket-pipelines.yml", ".travis.yml", ".drone.yml", ".woodpecker/**", ".woodpecker.yml"},
			Precedence:  45,
			Instruction: "they run on the server only; `actionlint` or the like would check them here",
			Evidence:    []string{"actionlint", "yamllint", "zizmor", "act", "gitlab-ci-local", "circleci config"},
			Advice:      true,
		},
		{
			Name:        "agent instructions",
			Profile:     "agents",
			Include:     []string{"**/CLAUDE.md", "**/CLAUDE.local.md", "**/AGENTS.md", "**/GEMINI.md", ".claude/**", ".gemini/**", ".codex/**", ".agents/**", ".cursor/**", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md"},
			Exclude:     []string{".claude/worktrees/**", ".claude/projects/**"},
			Precedence:  50,
			Instruction: "sessions that are already running still follow the old ones",
		},
	}, code(), []Rule{
		{
			Name:        "tests only",
			Profile:     "tests",
			Include:     testFiles(),
			Exclude:     othersCode(),
			Precedence:  60,
			Instruction: runTests,
			Evidence:    slices.Concat([]string{testMark}, umbrellas(), everyRunner()),
			Sole:        true,
		},
		{Name: docsName, Profile: "docs", Precedence: 100, Rest: true,
			Include: []string{"docs/**", "doc/**", "**/*.md", "**/*.mdx", "**/*.rst", "**/*.adoc", "**/*.txt", "**/LICENSE*", "**/README*", "**/CHANGELOG*", "**/CODEOWNERS", "**/AUTHORS"},
			Exclude: []string{"**/CMakeLists.txt"}},
		{Name: "config", Profile: "config", Precedence: 90, Rest: true,
			Include: []string{"**/CMakeLists.txt", "**/*.yaml", "**/*.yml", "**/*.toml", "**/*.json", "**/*.jsonc", "**/*.ini", "**/*.cfg", "**/*.conf", "**/*.properties", "**/*.env", "**/.env*", "**/.editorconfig", "**/.gitattributes", "**/.gitignore"}},
	})
	return rules
}

// othersCode is what lies in the tree and is not the project's own work, and
// the folders of documents, whose samples nobody tests.
func othersCode() []string {
	return []string{"**/vendor/**", "**/node_modules/**", "**/third_party/**", "**/dist/**", "docs/**", "doc/**"}
}

// dependencies are the manifests that people write; lock files follow them.
// Nearly everything one does with the tool resolves them, so all of it counts.
func dependencies() []Rule {
	var rules []Rule
	for _, d := range []struct {
		name, ecosystem, files, check, evidence string
	}{
		{"Go dependencies", "go", "go.mod go.work", "run `go build ./...`", "go"},
		{"Node dependencies", "node", "package.json pnpm-workspace.yaml deno.json", "install them", "npm|pnpm|yarn|bun|npx|deno|tsc|node"},
		{"Python dependencies", "python", "pyproject.toml setup.py setup.cfg Pipfile requirements*.txt requirements*.in constraints*.txt environment.yml", "install them",
			"pip|uv|uvx|poetry|pipenv|pdm|hatch|rye|pixi|conda|mamba|tox|nox|python|pytest|ruff|mypy|black|make install|make sync|make deps"},
		{"Rust dependencies", "rust", "Cargo.toml", "run `cargo check`", "cargo"},
		{"Java dependencies", "java", "pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts libs.versions.toml build.sbt", "build the project", "mvn|gradle|sbt"},
		{"Ruby dependencies", "ruby", "Gemfile *.gemspec", "run `bundle install`", "bundle|gem|rake|rails|rspec"},
		{"PHP dependencies", "php", "composer.json", "run `composer install`", "composer|phpunit|php"},
		{".NET dependencies", "dotnet", "*.csproj *.fsproj Directory.Packages.props", "run `dotnet build`", "dotnet"},
		{"Elixir dependencies", "elixir", "mix.exs", "run `mix deps.get`", "mix"},
		{"Swift dependencies", "swift", "Package.swift", "run `swift build`", "swift|xcodebuild"},
		{"Dart dependencies", "dart", "pubspec.yaml", "run `dart pub get`", "dart|flutter"},
	} {
		r := Rule{Name: d.name, Profile: d.ecosystem, Ecosystem: d.ecosystem, Precedence: 20, Exclude: othersCode()}
		for name := range strings.FieldsSeq(d.files) {
			r.Include = append(r.Include, "**/"+name)
		}
		r.Instruction = d.check + ", or " + runTests
		r.Evidence = slices.Concat([]string{testMark}, strings.Split(d.evidence, "|"), umbrellas())
		rules = append(rules, r)
	}
	return rules
}

// code makes one rule of each language.
func code() []Rule {
	var rules []Rule
	for _, l := range languages {
		r := Rule{Name: l.name + " code", Profile: l.ecosystem, Ecosystem: l.ecosystem, Precedence: 60, Instruction: runTests}
		for ext := range strings.FieldsSeq(l.exts) {
			r.Include = append(r.Include, "**/*."+ext)
		}
		r.Exclude = append(othersCode(), "**/*.min.js")
		r.Evidence = slices.Concat([]string{testMark}, l.runners, umbrellas())
		rules = append(rules, r)
	}
	return rules
}

// umbrellas are the customary names of a project's own test command; they
// count even where no file that we read defines them.
func umbrellas() []string {
	return []string{"make test", "make check", "make ci", "just test", "just check", "just ci", "task test", "task check", "mage test", "mage check", "mise run test", "mise test",
		"earthly +test", "pants test", "buck2 test", "bazel test", "bazel coverage", "nx test", "turbo test", "moon :test"}
}

type language struct {
	name, ecosystem, exts string
	runners               []string
}

var languages = []language{
	{"Go", "go", "go", []string{"go test", "gotestsum", "gotest", "ginkgo"}},
	{"Node", "node", "js jsx mjs cjs ts tsx mts cts vue svelte astro", []string{"npm test", "pnpm test", "yarn test", "bun test", "deno test", "deno task test", "jest", "vitest", "mocha", "ava", "tap",
		"playwright test", "cypress run", "karma start", "react-scripts test", "ng test", "node --test", "tsx --test", "lerna test",
		"uvu", "jasmine", "qunit", "wdio run", "wtr"}},
	{"Python", "python", "py pyi pyx", []string{"pytest", "unittest", "nose2", "tox", "nox", "hatch test", "hatch run test", "pdm run test", "pdm test", "pixi run test", "rye test", "poe test", "inv test", "invoke test",
		"manage.py test", "django test", "setup.py test", "trial", "ward"}},
	{"Rust", "rust", "rs", []string{"cargo test", "cargo nextest", "cargo llvm-cov", "cargo tarpaulin", "cargo insta test", "cross test"}},
	{"Java", "java", "java kt kts scala groovy", []string{"mvn test", "mvn verify", "mvn package", "mvn install", "gradle test", "gradle check", "gradle build", "sbt test"}},
	{"Ruby", "ruby", "rb rake erb", []string{"rspec", "rake test", "rake spec", "rails test", "cucumber", "parallel_rspec", "turbo_tests"}},
	{"PHP", "php", "php", []string{"phpunit", "pest", "composer test", "artisan test", "sail test", "paratest", "codecept run", "behat"}},
	{"C", "c", "c h cc cpp cxx hpp hh hxx", []string{"ctest", "meson test", "ninja test"}},
	{".NET", "dotnet", "cs fs vb", []string{"dotnet test"}},
	{"Elixir", "elixir", "ex exs heex", []string{"mix test", "mix coveralls"}},
	{"Swift", "swift", "swift", []string{"swift test", "xcodebuild test"}},
	{"Dart", "dart", "dart", []string{"dart test", "flutter test"}},
	{"Zig", "zig", "zig", []string{"zig build test", "zig test"}},
	{"Haskell", "haskell", "hs", []string{"stack test", "cabal test"}},
	{"Clojure", "clojure", "clj cljs cljc", []string{"lein test"}},
}

// ecosystemOf tells a file's ecosystem by its name; "" if it has none.
func ecosystemOf(file string) string {
	ext := strings.TrimPrefix(path.Ext(file), ".")
	for _, l := range languages {
		if ext != "" && slices.Contains(strings.Fields(l.exts), ext) {
			return l.ecosystem
		}
	}
	return ""
}

func everyRunner() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.runners...)
	}
	return all
}

func testFiles() []string {
	files := []string{"**/tests/**", "**/test/**", "**/__tests__/**", "**/testdata/**", "spec/**", "e2e/**",
		"**/*_test.go", "**/test_*.py", "**/*_test.py", "**/conftest.py", "**/*_spec.rb", "**/*_test.rb", "**/*_test.exs", "**/*_test.dart",
		"**/*Test.java", "**/*Tests.java", "**/*Test.kt", "**/*Tests.cs", "**/*Test.php", "**/*Tests.swift"}
	for ext := range strings.FieldsSeq("js jsx mjs cjs ts tsx mts cts") {
		files = append(files, "**/*.test."+ext, "**/*.spec."+ext, "**/*_test."+ext)
	}
	return files
}
