package debrief

import (
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

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
			Evidence:    []string{testMark},
			Sole:        true,
		},
		{Name: docsName, Profile: "docs", Precedence: 100, Rest: true,
			Include: append([]string{"docs/**", "doc/**", "**/*.md", "**/*.mdx", "**/*.rst", "**/*.adoc", "**/*.txt", "**/LICENSE*", "**/README*", "**/CHANGELOG*", "**/CODEOWNERS", "**/AUTHORS"}, designs()...),
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
	for _, e := range tools.Ecosystems {
		if e.Manifests == "" {
			continue
		}
		r := Rule{Name: e.Title + " dependencies", Profile: e.Name, Ecosystem: e.Name, Precedence: 20, Exclude: othersCode()}
		for name := range strings.FieldsSeq(e.Manifests) {
			r.Include = append(r.Include, "**/"+name)
		}
		r.Instruction = e.Resolve + ", or " + runTests
		r.Evidence = slices.Concat([]string{testMark}, tools.Phrases(e.Resolvers), tools.Patterns(tools.Umbrella))
		rules = append(rules, r)
	}
	return rules
}

// designs are documents that are written in a notation which programs use too.
func designs() []string {
	return []string{"*/docs/*.clj", "*/doc/*.clj", "*/docs/*.edn", "*/doc/*.edn"}
}

// code makes one rule of each language.
func code() []Rule {
	var rules []Rule
	for _, e := range tools.Ecosystems {
		r := Rule{Name: e.Title + " code", Profile: e.Name, Ecosystem: e.Name, Precedence: 60, Instruction: runTests}
		for ext := range strings.FieldsSeq(e.Extensions) {
			r.Include = append(r.Include, "**/*."+ext)
		}
		r.Exclude = append(append(othersCode(), "**/*.min.js"), designs()...)
		r.Evidence = []string{testMark}
		rules = append(rules, r)
	}
	return rules
}

var testFiles = sync.OnceValue(func() []string {
	files := []string{"**/tests/**", "**/test/**", "**/__tests__/**", "**/testdata/**", "spec/**", "e2e/**"}
	for _, e := range tools.Ecosystems {
		files = append(files, strings.Fields(e.Tests)...)
	}
	for ext := range strings.FieldsSeq("js jsx mjs cjs ts tsx mts cts") {
		files = append(files, "**/*.test."+ext, "**/*.spec."+ext, "**/*_test."+ext)
	}
	return slices.Clip(files)
})

// builds are the commands that build a project or check its types.
func builds() []string {
	all := []string{"go build", "go vet", "cargo build", "cargo check", "cargo clippy", "tsc", "vue-tsc", "svelte-check", "astro check", "astro build", "next build", "vite build",
		"nuxt build", "docusaurus build", "vitepress build", "mkdocs build", "hugo", "jekyll build", "mypy", "pyright", "python -m py_compile", "python -m compileall",
		"javac", "mvn compile", "mvn package", "gradle assemble", "gradle compileJava", "gradle build", "dotnet build", "cmake --build", "swift build", "xcodebuild", "terraform validate",
		"gradle classes", "sbt compile", "mix compile", "dart analyze", "flutter analyze", "flutter build", "zig build", "forge build", "cabal build", "stack build", "ng build", "nest build", "webpack", "rollup", "tsup"}
	for _, manager := range []string{"npm", "pnpm", "yarn", "bun"} {
		for _, script := range []string{"build", "typecheck", "type-check", "check-types", "types", "tsc"} {
			all = append(all, manager+" run "+script)
		}
	}
	for _, runner := range []string{"make", "just", "task", "mise run", "nx", "turbo run"} {
		all = append(all, runner+" build", runner+" typecheck")
	}
	return all
}
