package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// row is one way to run tests. The first row of an ecosystem that fits is
// taken; every umbrella that fits is.
type row struct {
	ecosystem string
	all       []string // files that must be there, as folder.has takes them
	mentions  string   // a word that one of the first alternatives must hold
	tests     kind     // a test file of this kind must lie somewhere below
	run       string
	matches   []string
	find      func(*folder) TestCommand // instead, where a file says how
}

var table = []row{
	{find: makeTests},
	{find: justTests},
	{find: taskTests},
	{find: scriptTests},
	{all: []string{"MODULE.bazel|WORKSPACE|WORKSPACE.bazel"}, run: "bazel test //...", matches: []string{"bazel test", "bazelisk test"}},

	{ecosystem: "go", all: []string{"go.mod"}, tests: goTest, run: "go test ./...", matches: []string{"go test", "gotestsum", "ginkgo"}},

	{ecosystem: "node", find: nodeTests},
	{ecosystem: "node", all: []string{"deno.json|deno.jsonc"}, tests: nodeTest, run: "deno test", matches: []string{"deno test", "deno task test"}},
	{ecosystem: "node", all: []string{"bun.lock|bun.lockb|bunfig.toml"}, tests: nodeTest, run: "bun test", matches: []string{"bun test", "bun run test"}},

	{ecosystem: "python", find: pythonTests},

	{ecosystem: "rust", all: []string{"Cargo.toml"}, run: "cargo test", matches: []string{"cargo test", "cargo nextest"}},

	{ecosystem: "java", all: []string{"pom.xml", "mvnw"}, run: "./mvnw test", matches: maven},
	{ecosystem: "java", all: []string{"pom.xml"}, run: "mvn test", matches: maven},
	{ecosystem: "java", all: []string{"build.gradle|build.gradle.kts", "gradlew"}, run: "./gradlew test", matches: gradle},
	{ecosystem: "java", all: []string{"build.gradle|build.gradle.kts"}, run: "gradle test", matches: gradle},
	{ecosystem: "java", all: []string{"build.sbt"}, run: "sbt test", matches: []string{"sbt test"}},

	{ecosystem: "ruby", all: []string{"Gemfile", "spec/"}, run: "bundle exec rspec", matches: []string{"rspec", "rake spec"}},
	{ecosystem: "ruby", all: []string{"Gemfile", "config.ru", "test/"}, run: "bin/rails test", matches: []string{"rails test", "rake test"}},
	{ecosystem: "ruby", all: []string{"Rakefile", "test/"}, run: "rake test", matches: []string{"rake test"}},

	{ecosystem: "php", all: []string{"composer.json"}, mentions: `"test"`, run: "composer test", matches: []string{"composer test", "phpunit", "pest"}},
	{ecosystem: "php", all: []string{"phpunit.xml|phpunit.xml.dist"}, run: "vendor/bin/phpunit", matches: []string{"phpunit", "pest"}},

	{ecosystem: "c", all: []string{"CMakeLists.txt"}, mentions: "enable_testing", run: "ctest --test-dir build", matches: []string{"ctest"}},
	{ecosystem: "c", all: []string{"CMakeLists.txt"}, mentions: "include(CTest)", run: "ctest --test-dir build", matches: []string{"ctest"}},
	{ecosystem: "c", all: []string{"meson.build"}, run: "meson test -C build", matches: []string{"meson test", "ninja test"}},

	{ecosystem: "dotnet", all: []string{"*.sln|*.slnx|*.csproj|*.fsproj"}, tests: dotnetTest, run: "dotnet test", matches: []string{"dotnet test"}},
	{ecosystem: "elixir", all: []string{"mix.exs", "test/"}, run: "mix test", matches: []string{"mix test"}},
	{ecosystem: "swift", all: []string{"Package.swift", "Tests/"}, run: "swift test", matches: []string{"swift test"}},
	{ecosystem: "dart", all: []string{"pubspec.yaml", "test/"}, mentions: "flutter:", run: "flutter test", matches: []string{"flutter test"}},
	{ecosystem: "dart", all: []string{"pubspec.yaml", "test/"}, run: "dart test", matches: []string{"dart test"}},
	{ecosystem: "zig", all: []string{"build.zig"}, mentions: `"test"`, run: "zig build test", matches: []string{"zig build test", "zig test"}},
	{ecosystem: "haskell", all: []string{"stack.yaml"}, run: "stack test", matches: []string{"stack test", "cabal test"}},
	{ecosystem: "haskell", all: []string{"*.cabal|cabal.project"}, mentions: "test-suite", run: "cabal test", matches: []string{"cabal test"}},
	{ecosystem: "clojure", all: []string{"project.clj", "test/"}, run: "lein test", matches: []string{"lein test"}},
}

var (
	maven  = []string{"mvn test", "mvn verify", "mvn package", "mvn install"}
	gradle = []string{"gradle test", "gradle check", "gradle build"}
)

// look returns the row's command where the folder has what it needs.
func (r row) look(f *folder) TestCommand {
	if r.find != nil {
		return r.find(f)
	}
	for _, names := range r.all {
		if !f.has(names) {
			return TestCommand{}
		}
	}
	if r.mentions != "" && !f.says(r.all[0], r.mentions) || r.tests != "" && !f.below(r.tests) {
		return TestCommand{}
	}
	return TestCommand{Run: r.run, Matches: r.matches}
}

// pythonTests is pytest, or Django's own runner where nothing mentions pytest.
// Test files must exist: pytest fails where it finds none.
func pythonTests(f *folder) TestCommand {
	const configs = "pyproject.toml|setup.cfg|tox.ini|requirements.txt|requirements-dev.txt"
	top := f.above == nil // further down, only a sub-project's own files make one
	named := f.has("pytest.ini") || top && f.has("conftest.py") || f.says(configs, "pytest")
	switch {
	case named || f.has(configs+"|setup.py|manage.py|Pipfile"):
		if !f.below(pythonTest) {
			return TestCommand{}
		}
	case !top || !f.hasKind(pythonTest) && !f.seen.list(filepath.Join(f.path, "tests")).hasKind(pythonTest):
		return TestCommand{}
	}
	c := TestCommand{Run: "pytest", Matches: []string{
		"pytest", "unittest", "tox", "nox", "hatch test", "manage.py test",
	}}
	switch {
	case f.has("manage.py") && !named:
		c.Run = "python manage.py test"
	case f.has("uv.lock"):
		c.Run = "uv run pytest"
	case f.has("poetry.lock"):
		c.Run = "poetry run pytest"
	case f.has("pdm.lock"):
		c.Run = "pdm run pytest"
	case f.has("Pipfile.lock"):
		c.Run = "pipenv run pytest"
	}
	return c
}

// scriptTests is a test script at a customary place of the root. Scripts named
// just test are left out: their pattern would fit the shell's own test.
func scriptTests(f *folder) TestCommand {
	if f.above != nil {
		return TestCommand{}
	}
	c := TestCommand{Matches: f.scripts()}
	for _, script := range []string{"test.sh", "run_tests.sh", "run-tests.sh", "runtests.sh", "scripts/test.sh", "script/test.sh"} {
		at, name := f, script
		if dir, base, ok := strings.Cut(script, "/"); ok {
			if !f.has(dir + "/") {
				continue
			}
			at, name = open(f.seen, f.path, dir), base
		}
		if at.has(name) && (f.seek == nil || f.seek.hollow[script] != empty) {
			c.Run, c.Matches = "./"+script, append(c.Matches, name)
			break
		}
	}
	return c
}

// maxScripts bounds the scripts that are read.
const maxScripts = 32

// scripts are the names of the shell scripts that run tests, at the root and in
// the folders where scripts lie. Names of programs are left out.
func (f *folder) scripts() (names []string) {
	left := maxScripts
	for _, dir := range []string{"", "scripts", "script", "bin", "tools", "hack", "ci", "dev"} {
		at := f
		if dir != "" {
			if !f.has(dir + "/") {
				continue
			}
			at = f.at(dir)
		}
		for _, name := range at.files {
			plain := !strings.Contains(name, ".")
			if !strings.HasSuffix(name, ".sh") && (!plain || dir == "" || name == "test" || slices.ContainsFunc(runners, func(r string) bool { return strings.HasPrefix(r, name+" ") || r == name })) {
				continue
			}
			if left--; left < 0 {
				return names
			}
			if f.seek != nil && f.seek.script(f, path.Join(dir, name), maxHops) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
