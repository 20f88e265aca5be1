package tools

import (
	"fmt"
	"math/rand"
	"testing"
)

// scopeOf is what a line takes; "dir: line" runs in a folder.
func scopeOf(dir, line string) Scope { return NewCall(fields(line)).Scope().From(dir) }

func TestTakes(t *testing.T) {
	for _, c := range []struct {
		dir, line       string
		name, file, pkg string
		want            bool
	}{
		// Go: packages, not what lies below them.
		{"", "go test ./...", "", "", "a/b", true},
		{"", "go test ./a", "", "", "a", true},
		{"", "go test ./a", "", "", "b", false},
		{"", "go test ./a", "", "", "a/b", false},
		{"", "go test ./a/...", "", "", "a/b", true},
		{"a", "go test", "", "", "a", true},
		{"a", "go test ./...", "", "", "b", false},
		{"a", "go test ../b", "", "", "b", true},
		{"", "go test", "", "", "", true},
		{"", "go test ./a", "TestX", "", "example.com/m/a", true},
		{"", "go test ./a", "TestX", "", "example.com/m/b", false},
		{"", "go test ./a -run TestX", "TestX", "", "a", true},
		{"", "go test ./a -run TestX", "TestX/sub", "", "a", true},
		{"", "go test ./a -run TestX/sub", "TestX", "", "a", false},
		{"", "go test ./a -run TestX/sub", "TestX/sub_1", "", "a", true},
		{"", "go test ./a -run TestOther", "TestX", "", "a", false},
		{"", "go test ./a -run ^(TestX|TestY)$", "TestY", "", "a", true},
		{"", "go test ./... -skip TestX", "TestX", "", "a", false},
		{"", "go test ./... -skip TestX/slow", "TestX/fast", "", "a", true},
		{"", "go test example.com/m/a", "", "", "a", true},
		{"", "go test a_test.go a.go", "", "a.go", "", true},
		// pytest.
		{"", "pytest tests/unit", "", "tests/unit/test_x.py", "", true},
		{"", "pytest tests/unit", "", "src/x.py", "", false},
		{"", "pytest tests/test_x.py::TestX", "TestX::test_y", "tests/test_x.py", "", true},
		{"", "pytest tests/test_x.py::TestX::test_y", "TestX::test_z", "tests/test_x.py", "", false},
		{"", "pytest tests/test_x.py::test_y", "test_y[a.b]", "tests/test_x.py", "", true},
		{"", "pytest -k 'y and not slow'", "test_y", "tests/test_x.py", "", true},
		{"", "pytest -k 'y and not slow'", "test_y_slow", "tests/test_x.py", "", false},
		{"", "pytest -k test_x", "test_other", "tests/test_x.py", "", true},
		{"", "pytest --ignore tests/e2e", "", "tests/e2e/test_x.py", "", false},
		{"", "pytest --ignore tests/e2e", "", "src/x.py", "", true},
		{"", "pytest --deselect tests/test_x.py::test_y", "", "tests/test_x.py", "", true},
		{"", "pytest --deselect tests/test_x.py::test_y", "test_y", "tests/test_x.py", "", false},
		{"", "python -m unittest tests.test_x", "TestX.test_y", "tests/test_x.py", "", true},
		{"", "python -m unittest tests.test_x.TestX", "", "tests/test_x.py", "", true},
		{"", "python -m unittest tests.test_x", "", "tests/test_y.py", "", false},
		{"back", "python manage.py test app", "", "back/app/tests.py", "", true},
		// Patterns on the path.
		{"", "bun test src/", "", "frontend/src/a.test.ts", "", true},
		{"", "bun test src/", "", "lib/a.test.ts", "", false},
		{"frontend", "bun test src/", "", "src/a.test.ts", "", false},
		{"frontend", "bun test src/", "", "frontend/src/a.test.ts", "", true},
		{"", "bun test ./src", "", "frontend/src/a.test.ts", "", false},
		{"", "jest src/a|lib/b", "", "x/lib/b.test.ts", "", true},
		{"", "jest src/a|lib/b", "", "x/lib/c.test.ts", "", false},
		{"web", "jest web", "", "web/src/a.test.ts", "", true},
		{"", "jest -t 'adds up'", "math › Adds up", "a.test.ts", "", true},
		{"", "vitest run A.test", "", "src/a.test.ts", "", true},
		{"", "mocha 'test/**/*.spec.js'", "", "test/a/b.spec.js", "", true},
		{"", "mocha 'test/*.spec.js'", "", "test/a/b.spec.js", "", false},
		{"", "pytest tests/test_*.py", "", "tests/test_x.py", "", true},
		// Names of other runners.
		{"", "cargo test parse", "parser::tests::parse_one", "src/parser.rs", "", true},
		{"", "cargo test --lib", "", "tests/api.rs", "", false},
		{"", "cargo test --test api", "", "tests/api.rs", "", true},
		{"", "cargo test -- --exact tests::a", "tests::ab", "src/lib.rs", "", false},
		{"", "./gradlew test --tests 'com.x.FooTest.bar'", "FooTest > bar()", "src/FooTest.java", "", true},
		{"", "./gradlew test --tests '*FooTest'", "com.x.FooTest.bar", "src/FooTest.java", "", true},
		{"", "./gradlew test --tests BarTest", "com.x.FooTest.bar", "src/FooTest.java", "", false},
		{"", "mvn test -Dtest=FooTest#a+b", "FooTest.b", "src/FooTest.java", "", true},
		{"", "mvn test -Dtest=FooTest#a+b", "FooTest.c", "src/FooTest.java", "", false},
		{"", "dotnet test --filter FullyQualifiedName~Foo", "A.FooTests.Bar", "x.cs", "", true},
		{"", "rspec spec/a_spec.rb:12", "./spec/a_spec.rb:12", "spec/a_spec.rb", "", true},
		{"", "rspec spec/a_spec.rb:12", "./spec/a_spec.rb:14", "spec/a_spec.rb", "", false},
		{"", "phpunit --filter testX", "ATest::testX", "tests/ATest.php", "", true},
		{"", "go test ./... -run $NAME", "TestX", "", "a", false},
		// A package by its import path, a folder by the end of one.
		{"", "go test example.com/m/a/...", "", "", "a/b", true},
		{"", "go test example.com/o/m/a/...", "", "", "b", false},
		{"", "go test example.com/m/a/...", "", "", "example.com/m/a/b", true},
		{"", "go test example.com/m/a/...", "", "", "example.com/m/ab", false},
		{"", "go test example.com/m/...", "", "", "x/y", true},
		{"", "go test example.com/m/a", "", "", "m/a", true},
		{"", "go test example.com/o/m/a", "", "", "", false},
		{"", "go test example.com/m/n", "", "", "", true},
		{"", "go test example.com/m/a", "", "", "example.com/m/a", true},
		{"", "go test example.com/m/a", "", "a/x.go", "", true},
		{"", "go test ./a/...", "", "", "example.com/m/a/b", true},
		{"", "go test ./a/...", "", "", "example.com/m/b", false},
		{"", "go test ./...", "", "", "example.com/m/b", true},
		{"", "go test .", "", "", "example.com/m/a", true},
		{"", "go test .", "", "", "example.com/m/a/b", false},
		{"", "go test a.go", "", "", "a", false},
		{"", "bun test src", "", "", "x/src", true},
		{"", "bun test src", "", "", "x/lib", false},
		{"a", "go test ./...", "", "../x.go", "", false},
		{"", "go test ./...", "", "../x.go", "", false},
		{"", "cargo test -p core", "", "core/src/lib.rs", "", false},
		{"", "python -m unittest a.test_x.TestX", "", "a/test_x.py", "", true},
		{"", "python -m unittest a.test_x", "", "a/test_x/b.py", "", true},
		{"", "python -m unittest a.test_x", "", "a/.py", "", false},
		// Left out.
		{"", "pytest --ignore a --ignore b", "", "c/x.py", "", true},
		{"", "pytest --ignore a c", "", "b/x.py", "", false},
		{"", "pytest --deselect a.py::x", "", "", "a", true},
		// Names in all ways.
		{"", "pytest a.py::x", "x", "", "", false},
		{"", "pytest -k x", "x", "", "", true},
		{"", "go test . -run X", "X", "", "", true},
		{"", "go test ./a -run X", "X", "", "", false},
		{"", "pytest -k '(a or b) and not c'", "test_b", "t.py", "", true},
		{"", "pytest -k '(a or b) and not c'", "test_bc", "t.py", "", false},
		{"", "pytest -k shop", "test_a", "tests/test_shop.py", "", true},
		{"", "pytest -k A", "test_a", "t.py", "", true},
		{"", "go test . -run (X/y|Z)", "Z", "", "", true},
		{"", "go test . -run X(a/b)/c", "X", "", "", false},
		{"", "go test . -run [/]x/y", "/x/y", "", "", false},
		{"", "go test . -run a\\/b", "a\\", "", "", false},
		{"", "cargo test -- --exact a::b", "x::a::b", "src/l.rs", "", true},
		{"", "cargo test -- --exact x::a::b", "a::b", "src/l.rs", "", true},
		{"", "cargo test -- --exact a::b", "a::b::c", "src/l.rs", "", true},
		{"", "cargo test -- --exact a::b::c", "a::b", "src/l.rs", "", false},
		{"", "cargo test -- --exact a::b::c", "c::d", "src/l.rs", "", true},
		{"", "cargo test -- --exact a*", "ab", "src/l.rs", "", false},
		{"", "cargo test a b", "xb", "src/l.rs", "", true},
		{"", "cargo test -- --skip a", "xa", "src/l.rs", "", false},
		{"", "jest -t 'a b'", "a > b", "a.test.ts", "", true},
		{"", "jest -t 'a b'", "a::b", "a.test.ts", "", true},
		{"", "mvn test -Dtest='Foo*#ba*'", "com.x.FooTest.bar", "F.java", "", true},
		{"", "mvn test -Dtest='Foo*#ba*'", "com.x.FooTest.car", "F.java", "", false},
		{"", "mvn test -Dtest=com.x.FooTest", "FooTest.bar", "F.java", "", true},
		{"", "mvn test -Dtest='com.x.Foo*'", "FooTest.bar", "F.java", "", false},
		{"", "mvn test -Dtest=Foo*", "FooTest.bar()", "F.java", "", true},
	} {
		s := scopeOf(c.dir, c.line)
		got := false
		switch {
		case c.name != "":
			got = s.TakesTest(c.name, c.file, c.pkg)
		case c.file != "":
			got = s.TakesFile(c.file)
		default:
			got = s.TakesPackage(c.pkg)
		}
		if got != c.want {
			t.Errorf("%s: %s takes %q %q %q: got %t", c.dir, c.line, c.name, c.file, c.pkg, got)
		}
	}
}

func TestRetakes(t *testing.T) {
	for _, c := range []struct {
		failed, now, name, file, pkg string
		want                         bool
	}{
		{"go test ./...", "go test ./a", "TestX", "", "a", true},
		{"go test -tags x ./...", "go test ./a", "TestX", "", "a", false},
		{"go test -tags x ./...", "go test -tags=x ./a", "TestX", "", "a", true},
		{"go test ./...", "go test -short ./a", "TestX", "", "a", false},
		{"go test -short ./...", "go test ./a", "TestX", "", "a", true},
		{"pytest", "pytest -m 'not slow'", "test_x", "tests/test_x.py", "", false},
		{"pytest", "pytest --lf", "test_x", "tests/test_x.py", "", true},
		{"go test $X", "go test $X", "TestX", "", "a", true},
		{"go test $X", "go test $Y", "TestX", "", "a", false},
		{"go test ./a", "go test ./b", "TestX", "", "a", false},
		{"go test $X", "go test ./...", "TestX", "", "a", true},
	} {
		if got := scopeOf("", c.now).Retakes(c.name, c.file, c.pkg, scopeOf("", c.failed)); got != c.want {
			t.Errorf("%s after %s: got %t", c.now, c.failed, got)
		}
	}
}

// A choice by name covers the same one, and the one test that a place names: of two
// expressions nobody tells which fits more.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		wide, narrow string
		want         bool
	}{
		{"go test ./...", "go test ./a", true},
		{"go test ./a", "go test ./...", false},
		{"go test ./a/...", "go test ./a", true},
		{"go test ./a ./b", "go test ./b", true},
		{"go test ./a -run 'TestX|TestY'", "go test ./a -run TestX", false},
		{"go test ./a -run TestX", "go test ./a", false},
		{"go test ./a", "go test ./a -run TestX", true},
		{"go test ./a -run Test", "go test ./a -run TestX", true},
		{"go test ./a -run TestX", "go test ./a -run '^TestXY$'", false},
		{"go test ./a -run ^TestX$", "go test ./a -run TestX", false},
		{"go test ./a -run 'Test.*Cart|TestY'", "go test ./a -run TestSavesCart", false},
		{"go test ./a -run 'Test.*Cart'", "go test ./a -run TestSaves", false},
		{"go test ./a -run 'Test.*Cart$'", "go test ./a -run TestSavesCart", false},
		{"go test ./a -run 'Test[^A]*Cart'", "go test ./a -run TestSavesCart", false},
		{"go test ./a -run TestX", "go test ./a -run TestX/sub", false},
		{"go test -tags x ./...", "go test ./...", false},
		{"go test -short ./...", "go test ./...", false},
		{"go test ./...", "go test -short ./...", true},
		{"go test -skip TestX ./...", "go test ./...", false},
		{"go test ./...", "go test -skip TestX ./...", true},
		{"pytest", "pytest tests/test_x.py::test_y", true},
		{"pytest tests/test_x.py", "pytest tests/test_x.py::test_y", true},
		{"pytest tests/test_x.py::TestX", "pytest tests/test_x.py::TestX::test_y", true},
		{"pytest tests/test_x.py::test_y", "pytest tests/test_x.py", false},
		{"pytest -k y", "pytest tests/test_x.py::test_y", true},
		{"pytest -k 'x or y'", "pytest -k y", false},
		{"pytest -k 'not y'", "pytest -k x", false},
		{"pytest --ignore tests/e2e", "pytest tests/unit", true},
		{"pytest --ignore tests/e2e", "pytest", false},
		{"bun test src/", "bun test frontend/src/a.test.ts", true},
		{"bun test", "bun test src/", true},
		{"bun test src/a", "bun test src/", false},
		{"jest 'src|lib'", "jest lib", false},
		{"jest lib", "jest 'src|lib'", false},
		{"cargo test", "cargo test -p core", true},
		{"cargo test -p core", "cargo test -p core --test api", true},
		{"cargo test -p core", "cargo test -p other", false},
		{"vitest run", "vitest run --project unit", true},
		{"vitest run --project unit", "vitest run", false},
		{"./check.sh a", "./check.sh a", true},
		{"./check.sh a", "./check.sh b", false},
		{"go test ./a", "go test a/x.go", true},
		{"go test ./a", "go test a/b/x.go", false},
		{"go test ./a", "go test example.com/m/a", false},
		{"go test ./...", "go test example.com/m/a", true},
		{"go test ./a/...", "go test example.com/m/a", false},
		{"go test example.com/m/...", "go test example.com/m/a", true},
		{"go test example.com/m/...", "go test example.com/m/a/...", true},
		{"go test example.com/m", "go test example.com/m/a", false},
		{"go test example.com/m/...", "go test ./a", false},
		{"python -m unittest a.b", "python -m unittest a.b.C", true},
		{"python -m unittest a.b.C", "python -m unittest a.b", false},
		{"python -m unittest a.b", "python -m unittest a/b/c.py", false},
		{"pytest a", "python -m unittest a.b", true},
		{"pytest a", "python -m unittest a", false},
		{"pytest a.py::X", "pytest a.py", false},
		{"pytest a.py::X", "pytest a.py::Y", false},
		{"rspec a.rb:1", "rspec a.rb:1", true},
		{"rspec a.rb:1", "rspec a.rb:12", false},
		{"rspec a.rb", "rspec a.rb:12", true},
		{"pytest 'a/*.py'", "go test a/x.py", false},
		{"pytest 'a/*.py'", "go test a/x.go", false},
		{"pytest a", "pytest 'a/b/*.py'", true},
		{"pytest a", "pytest 'a*/x.py'", false},
		{"pytest a/b", "pytest 'a/*.py'", false},
		{"jest a", "jest a", true},
		{"jest 'a.*'", "go test x/a.go", true},
		{"jest 'b.*'", "go test x/a.go", false},
		{"bun test A", "bun test a/b", true},
		{"pytest --ignore a", "pytest a/b", false},
		{"pytest --ignore a/b", "pytest a", false},
		{"pytest --ignore a", "pytest --ignore a --ignore b", true},
		{"pytest --ignore a --ignore b", "pytest --ignore a", false},
		{"pytest --ignore a", "pytest --ignore a/b", false},
		{"pytest --ignore a/b", "pytest --ignore a", true},
		{"cargo test -p core", "cargo test", false},
		{"cargo test --test api", "cargo test -p core --test api", false},
		{"pytest -m x", "pytest -m y", false},
		{"pytest -m x", "pytest -m x -m y", true},
		{"pytest -k x", "pytest a.py::x b.py::y", false},
		{"pytest -k x", "pytest a.py::x b.py::xy", true},
		{"go test ./...", "go test $X", false},
	} {
		if got := scopeOf("", c.wide).Covers(scopeOf("", c.narrow)); got != c.want {
			t.Errorf("%s covers %s: got %t", c.wide, c.narrow, got)
		}
	}
}

// some are scopes of many kinds.
func some(t testing.TB, r *rand.Rand) (all []Scope) {
	dirs := []string{"", "", "", "a", "web", "a/b"}
	for _, c := range cases(t, "testdata/scopes.txt") {
		all = append(all, scopeOf(dirs[r.Intn(len(dirs))], c[0]))
	}
	for _, words := range []string{"./...", "./a", "./a/...", "./a/b", "./a -run TestX", "./a -run ^TestX$", "./a -run TestXY", "./a -run TestX/s", "./... -skip TestX", "./a ./b", "."} {
		all = append(all, scopeOf("", "go test "+words), scopeOf("a", "go test "+words))
	}
	for _, words := range []string{"", "a", "a/", "a/b", "a/b.test.ts", "./a", "./a/b", "b", "A/B"} {
		all = append(all, scopeOf("", "bun test "+words), scopeOf("a", "bun test "+words), scopeOf("", "jest "+words), scopeOf("", "jest 'b|"+words+"'"), scopeOf("", "pytest "+words))
	}
	return all
}

// TestScopeProperties: a scope covers its equal and itself; wider is transitive;
// what is wider takes all that the narrower takes; with a place less, none less is
// covered.
func TestScopeProperties(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	all := some(t, r)
	files := []string{"a/b.test.ts", "a/x.go", "b/a/b/y_test.go", "web/src/a.test.ts", "tests/test_x.py", "src/a.ts", "x.go", "packages/ui/a.ts"}
	for i, x := range all {
		if !x.Covers(x) || !x.Equal(x) {
			t.Fatalf("%s does not cover itself", shown(x))
		}
		for _, y := range all {
			if x.Equal(y) != y.Equal(x) {
				t.Fatalf("%s and %s are not equal both ways", shown(x), shown(y))
			}
			if !x.Covers(y) {
				continue
			}
			for _, f := range files {
				if y.TakesFile(f) && !x.TakesFile(f) {
					t.Fatalf("%s covers %s and does not take %s", shown(x), shown(y), f)
				}
			}
			for _, z := range all {
				if y.Covers(z) && !x.Covers(z) {
					t.Fatalf("%s covers %s, which covers %s, and does not cover that", shown(x), shown(y), shown(z))
				}
			}
		}
		if len(x.Places) > 1 && !x.Unread {
			fewer := x
			fewer.Places = x.Places[:len(x.Places)-1]
			if !x.Places[len(x.Places)-1].Not && !x.Covers(fewer) {
				t.Fatalf("%s (%d) does not cover itself with a place less", shown(x), i)
			}
		}
	}
}

// FuzzScope looks for words that a scope cannot be read from, or that it does
// not equal itself by.
func FuzzScope(f *testing.F) {
	for _, c := range cases(f, "testdata/scopes.txt") {
		f.Add(c[0])
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := fields(line)
		if len(words) == 0 || words[0] == "" {
			return
		}
		s := NewCall(words).Scope()
		if !s.Equal(s) || !s.Covers(s) {
			t.Errorf("%q: %s is not equal to itself", line, shown(s))
		}
		at := s.From("a/b")
		at.TakesFile("a/b/c.go")
		at.TakesTest("TestX/y", "", "a/b")
		if fmt.Sprint(at) == "" {
			t.Error("nothing to show")
		}
	})
}
