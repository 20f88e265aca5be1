package project_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/project"
)

// said are the facts of a home as words; lists as name=a+b.
func said(h project.Home) string {
	var all []string
	v := reflect.ValueOf(h)
	for _, key := range []string{"Project", "Packaged", "PackageTests", "Own", "Test", "Tested", "AmongTests", "Served"} {
		switch x := v.FieldByName(key).Interface().(type) {
		case string:
			if x != "" {
				all = append(all, key+"="+x)
			}
		case bool:
			if x {
				all = append(all, key)
			}
		case []string:
			if len(x) > 0 {
				all = append(all, key+"="+strings.Join(x, "+"))
			}
		}
	}
	return strings.Join(all, " ")
}

func TestHomes(t *testing.T) {
	const mod, script = "module x\n", `{"scripts":{"test":"vitest run"}}`
	for _, c := range []struct {
		name    string
		files   []string // name and text by turns
		changed string   // the first of them is looked at
		want    string
	}{
		// Go: a folder is a package.
		{"a Go file beside tests", []string{"go.mod", mod, "a/a.go", "", "a/a_test.go", ""}, "a/a.go", "Packaged PackageTests Own=a/a_test.go Tested"},
		{"a Go file whose package has another's tests", []string{"go.mod", mod, "a/a.go", "", "a/b_test.go", ""}, "a/a.go", "Packaged PackageTests Tested"},
		{"a Go package without tests", []string{"go.mod", mod, "c/c.go", "", "a/a_test.go", ""}, "c/c.go", "Packaged Tested"},
		{"a Go package whose only tests were deleted", []string{"go.mod", mod, "a/a.go", ""}, "a/a.go a/a_test.go", "Packaged PackageTests Own=a/a_test.go Tested"},
		{"a Go module below", []string{"go.mod", mod, "x_test.go", "", "tools/go.mod", mod, "tools/a.go", ""}, "tools/a.go", "Project=tools Packaged"},
		{"a folder of Go tests only", []string{"go.mod", mod, "a/a.go", "", "integration_test/x_test.go", ""}, "integration_test/x_test.go a/a.go", "Packaged PackageTests Own=integration_test/x_test.go Test Tested AmongTests"},
		{"a Go test beside code", []string{"go.mod", mod, "flows/a.go", "", "flows/x_test.go", ""}, "flows/x_test.go", "Packaged PackageTests Own=flows/x_test.go Test Tested"},
		{"a folder of Go tests only, by what it holds", []string{"go.mod", mod, "a/a.go", "", "flows/x_test.go", ""}, "flows/x_test.go a/a.go", "Packaged PackageTests Own=flows/x_test.go Test Tested AmongTests"},

		// Python: tests bear the file's name, often under tests/ at the root.
		{"pytest's tests at the root", []string{"pyproject.toml", "", "src/pkg/x.py", "", "tests/unit/test_x.py", "", "tests/unit/test_y.py", ""}, "src/pkg/x.py", "Own=tests/unit/test_x.py Tested"},
		{"tests beside it", []string{"pyproject.toml", "", "pkg/x.py", "", "pkg/x_test.py", ""}, "pkg/x.py", "PackageTests Own=pkg/x_test.py Tested"},
		{"a file with none", []string{"pyproject.toml", "", "src/pkg/x.py", "", "tests/test_y.py", ""}, "src/pkg/x.py", "Tested"},
		{"one name in two folders", []string{"pyproject.toml", "", "a/utils.py", "", "tests/a/test_utils.py", "", "tests/b/test_utils.py", ""}, "a/utils.py", "Own=tests/a/test_utils.py Tested"},
		{"one name, and tests of other folders only", []string{"pyproject.toml", "", "c/utils.py", "", "tests/a/test_utils.py", "", "tests/b/test_utils.py", ""}, "c/utils.py", "Tested"},
		{"its deleted tests", []string{"pyproject.toml", "", "src/x.py", ""}, "src/x.py tests/test_x.py", "Own=tests/test_x.py Tested"},
		{"Django's tests.py", []string{"manage.py", "", "app/views.py", "", "app/tests.py", ""}, "app/views.py", "PackageTests Own=app/tests.py Tested"},
		{"a helper of tests", []string{"pyproject.toml", "", "tests/helpers.py", "", "tests/test_y.py", ""}, "tests/helpers.py", "PackageTests Tested AmongTests"},
		{"a project of its own in a monorepo", []string{"pyproject.toml", "", "tests/test_y.py", "", "svc/pyproject.toml", "", "svc/x.py", ""}, "svc/x.py", "Project=svc"},
		{"a script in a repository of another language", []string{"package.json", script, "tools/x.py", ""}, "tools/x.py", ""},
		{"a suite that needs a database", []string{"pyproject.toml", "", "tests/db/test_x.py", "URL = os.environ['DATABASE_URL']", "src/x.py", ""}, "tests/db/test_x.py", "PackageTests Own=tests/db/test_x.py Test Tested AmongTests Served"},

		// JavaScript and TypeScript.
		{"a test beside it", []string{"package.json", script, "src/a.ts", "", "src/a.test.ts", ""}, "src/a.ts", "PackageTests Own=src/a.test.ts Tested"},
		{"in __tests__", []string{"package.json", script, "src/a.tsx", "", "src/__tests__/a.tsx", "", "src/__tests__/b.spec.tsx", ""}, "src/a.tsx", "Own=src/__tests__/a.tsx Tested"},
		{"under test/ at the root", []string{"package.json", script, "lib/a.js", "", "test/lib/a.spec.js", ""}, "lib/a.js", "Own=test/lib/a.spec.js Tested"},
		{"an index is its folder", []string{"package.json", script, "src/Button/index.tsx", "", "src/Button/Button.test.tsx", ""}, "src/Button/index.tsx", "PackageTests Own=src/Button/Button.test.tsx Tested"},
		{"a package of a workspace without tests", []string{"package.json", script, "a.test.js", "", "docs-site/package.json", `{"scripts":{"build":"vite build"}}`, "docs-site/src/a.ts", ""}, "docs-site/src/a.ts", "Project=docs-site"},
		{"a package whose script says that there are no tests", []string{"web/package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`, "web/a.ts", ""}, "web/a.ts", "Project=web"},
		{"a helper of Playwright's", []string{"package.json", script, "playwright.config.ts", "export default { testDir: './e2e' }", "e2e/pages/login.ts", "", "e2e/a.spec.ts", "", "src/a.ts", ""}, "e2e/pages/login.ts", "Tested AmongTests Served"},
		{"code beside Playwright", []string{"package.json", script, "playwright.config.ts", "export default { testDir: './e2e' }", "e2e/a.spec.ts", "", "src/b.ts", ""}, "src/b.ts", "Tested"},
		{"a helper of Cypress's", []string{"package.json", script, "cypress.config.ts", "", "cypress/support/commands.ts", ""}, "cypress/support/commands.ts", "AmongTests Served"},

		// Others.
		{"Java's mirror", []string{"pom.xml", "", "src/main/java/com/a/X.java", "", "src/test/java/com/a/XTest.java", "", "src/test/java/com/b/XTest.java", ""}, "src/main/java/com/a/X.java", "Own=src/test/java/com/a/XTest.java Tested"},
		{"a module of Maven's", []string{"pom.xml", "", "core/pom.xml", "", "core/src/main/java/X.java", "", "core/src/test/java/XTest.java", ""}, "core/src/main/java/X.java", "Project=core Own=core/src/test/java/XTest.java Tested"},
		{"RSpec", []string{"Gemfile", "", "app/models/user.rb", "", "spec/models/user_spec.rb", ""}, "app/models/user.rb", "Own=spec/models/user_spec.rb Tested"},
		{"a Rust file with its own tests", []string{"Cargo.toml", "", "src/a.rs", "#[cfg(test)]\nmod tests {}\n"}, "src/a.rs", "Own=src/a.rs Tested"},
		{"a Rust file without", []string{"Cargo.toml", "", "src/a.rs", "", "src/b.rs", "#[test]\nfn x() {}\n"}, "src/a.rs", "Tested"},
		{"Rust's folder of tests", []string{"Cargo.toml", "", "src/api.rs", "", "tests/api.rs", ""}, "src/api.rs", "Own=tests/api.rs Tested"},
		{"a crate without tests", []string{"Cargo.toml", "", "src/api.rs", ""}, "src/api.rs", ""},
		{"a Rust module's file of tests", []string{"Cargo.toml", "", "src/a.rs", "", "src/a/tests.rs", ""}, "src/a.rs", "Own=src/a/tests.rs Tested"},
		{".NET's project of tests", []string{"App.sln", "", "App/App.csproj", "", "App/Foo.cs", "", "App.Tests/App.Tests.csproj", "", "App.Tests/FooTests.cs", ""}, "App/Foo.cs", "Project=App Own=App.Tests/FooTests.cs"},
		{"a file of no language", []string{"go.mod", mod, "a_test.go", "", "web/package.json", script, "web/config.yaml", ""}, "web/config.yaml", "Project=web"},
		{"nothing that makes a project", []string{"a.go", ""}, "a.go", "Packaged"},
		{"a path that leaves the tree", nil, "../a.go", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := strings.Fields(c.changed)
			at := project.AtRoot(tree(t, c.files...))
			if got := said(at.Homes(changed)[changed[0]]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
