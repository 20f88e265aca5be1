package client

import "testing"

func TestOnlyComments(t *testing.T) {
	for _, tt := range []struct {
		name, file, before, after string
		want                      bool
	}{
		{"a doc comment", "a/x.go", "// F commits.\n// Always.\nfunc F() {", "// F notes.\nfunc F() {", true},
		{"the words after code", "x.ts", "const a = 1 // one", "const a = 1 // the first", true},
		{"a linter's directive goes", "x.go", "data, err := f() //nolint:musttag // bench", "data, err := f()", true},
		{"a linter's directive comes", "x.py", "import os", "import os  # noqa: F401", true},
		{"with code", "x.go", "// one\nf(1)", "// two\nf(2)", false},
		{"code is commented out", "x.go", "f(1)\ng()", "// f(1)\ng()", false},
		{"code comes back", "x.go", "// f(1)\ng()", "f(1)\ng()", false},
		{"only blanks", "x.go", "f( 1)", "f(1)", false},
		{"an address in a text", "x.js", `get("http://a")`, `get("http://b")`, false},
		{"an address without quotes", "x.js", "see http://a", "see http://b", false},
		{"a program's directive", "x.go", "//go:embed a\nvar a string", "//go:embed b\nvar a string", false},
		{"a build constraint", "x.go", "// +build linux\n", "// +build darwin\n", false},
		{"an example's output", "x.go", "// Output: 1", "// Output: 2", false},
		{"C for cgo", "x.go", "// #include <a.h>", "// #include <b.h>", false},
		{"a type check goes", "x.ts", "// @ts-expect-error\nf()", "f()", false},
		{"a doc test", "x.rs", "/// assert_eq!(1, 1);", "/// assert_eq!(1, 2);", false},
		{"a comment of Rust", "x.rs", "    // one\n    f();", "    // two\n    f();", true},
		{"a heading in a text", "x.py", "# Role\nYou are", "# Task\nYou are", false},
		{"a test", "x_test.go", "// one", "// two", false},
		{"a linter's directive in a test", "x_test.go", "func T() {", "func T() { //nolint:dupl // a table", true},
		{"a template", "templates/x.js", "// one", "// two", false},
		{"beside a raw text", "x.go", "a := `\n// one\n`", "a := `\n// two\n`", false},
		{"a package comment with code in it", "shop.go", "// Package shop sells: `shop sell`.\npackage shop", "// Package shop sells: `shop sell --all` and `shop`.\npackage shop", true},
		{"the end of a raw text, and another", "x.go", "// one` + name + `\nf()", "// two` + name + `\nf()", false},
		{"one back-tick", "x.go", "// it's `one\nf()", "// it's `two\nf()", false},
		{"a text of JavaScript with code in it", "x.js", "// run \\`one\\`", "// run \\`two\\`", false},
		{"beside a raw text that stays", "x.go", "a := `x`\n// `one`", "a := `x`\n// `two`", false},
		{"a block comment", "x.js", "/* a */", "/* b */", false},
		{"the line goes on", "x.c", "// a \\\nf();", "// b\nf();", false},
		{"no language", "x.md", "// a", "// b", false},
		{"the same", "x.go", "// a", "// a", false},
		{"a line that goes on and nothing else", "x.c", "// a \\", "// b", false},
		{"a line that now goes on", "x.c", "// a", "// b \\", false},
		{"blanks at the end of a line", "x.go", "f() ", "f()", false},
		{"a comment more", "x.go", "f()", "f() // a", true},
		{"a comment behind a tab", "x.go", "f()\t//\ta", "f()\t//\tb", true},
		{"a mark behind a blank in a text", "x.js", `f("a // b")`, `f("a // c")`, false},
		{"a mark in single quotes", "x.js", `f('a // b')`, `f('a // c')`, false},
		{"a mark behind an escaped quote", "x.js", `f("\" // b")`, `f("\" // c")`, false},
		{"a mark behind the other quote", "x.js", `f("' // b")`, `f("' // c")`, false},
		{"a comment behind a text", "x.js", `f("\\") // b`, `f("\\") // c`, true},
		{"an indented directive", "x.go", "\t//go:embed a\n\tf()", "\t//go:embed b\n\tf()", false},
		{"a directive more", "x.go", "f()", "//go:noinline\nf()", false},
		{"beside a heredoc", "x.go", "a << 1\n// a", "a << 1\n// b", false},
		{"a quote of a linter in Python", "x.py", "f()", "f()  # noqa: `a`", false},
		{"a test on Windows", `src\Tests\x.go`, "// one", "// two", false},
	} {
		if got := OnlyComments(tt.file, tt.before, tt.after); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOnlyCommentsInPatches(t *testing.T) {
	for _, tt := range []struct {
		name, patch string
		want        bool
	}{
		{"two hunks of comments", "@@ -1,2 +1,2 @@\n-// a\n+// b\n f()\n@@\n g()\n-// c\n", true},
		{"one of code", "@@\n-// a\n+// b\n@@\n-f(1)\n+f(2)\n", false},
		{"nothing", "@@\n f()\n", false},
		{"empty", "", false},
		{"a comment less", "@@\n-// a\n", true},
		{"a comment more", "@@\n+// a\n", true},
		{"first one of code", "@@\n-f(1)\n+f(2)\n@@\n-// a\n+// b\n", false},
		{"a raw text in another hunk", "@@\n-// a\n+// b\n@@\n x := `a`\n", true},
		{"a raw text in the same hunk", "@@\n x := `\n-// a\n+// b\n", false},
	} {
		if got := OnlyCommentsIn("x.go", tt.patch); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
