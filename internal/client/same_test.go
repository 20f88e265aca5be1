package client

import (
	"strings"
	"testing"
)

// A file is the same where nothing changed that a test would notice.
func TestSameButComments(t *testing.T) {
	for _, c := range []struct {
		name, file, was, now string
		want                 bool
	}{
		{"a module's docstring", "a.py", "\"\"\"Adds.\"\"\"\nx = 1\n", "\"\"\"Adds\ntwo.\"\"\"\nx = 1\n", true},
		{"one that is new", "a.py", "import os\n\ndef f():\n    return 1\n", "import os\n\ndef f():\n    # of f\n    r'''Adds.'''\n    return 1\n", true},
		{"a class's, over lines", "a.py", "class A(\n    B,\n):\n    'Old.'\n    x = 1\n", "class A(\n    B,\n):\n    'New.'\n    x = 1\n", true},
		{"examples are tests", "a.py", "def f():\n    \"\"\">>> f()\n    1\"\"\"\n", "def f():\n    \"\"\">>> f()\n    2\"\"\"\n", false},
		{"an argument on a line of its own", "a.py", "run(\n    \"\"\"SELECT 1\"\"\"\n)\n", "run(\n    \"\"\"SELECT 2\"\"\"\n)\n", false},
		{"a value", "a.py", "x = \"\"\"\nUsage:\n\"\"\"\ny = 1\nz = \"\"\"a\"\"\"\n", "x = \"\"\"\nUsage:\n\"\"\"\ny = 2\nz = \"\"\"a\"\"\"\n", false},
		{"a heading in a text", "a.py", "x = \"\"\"\n# Old\n\"\"\"\n", "x = \"\"\"\n# New\n\"\"\"\n", false},
		{"a value of a table", "a.py", "x = {'a':\n 'b'}\n", "x = {'a':\n 'c'}\n", false},
		{"the second string", "a.py", "def f():\n    'doc'\n    'a'\n", "def f():\n    'doc'\n    'b'\n", false},
		{"quotes in a comment and in a string", "a.py", "# it's\nx = '\"\"\"'\ndef f():\n    'a'\n    return 1\n", "# it's\nx = '\"\"\"'\ndef f():\n    'b'\n    return 2\n", false},
		{"code beside a docstring", "a.py", "def f():\n    'a'\n    return 1\n", "def f():\n    'b'\n    return 2\n", false},
		{"indentation", "a.py", "if x:\n    f()\ng()\n", "if x:\n    f()\n    g()\n", false},
		{"a comment at the end of a line", "a.py", "x = 1\n", "x = 1  # one\n", true},
		{"a comment and a blank line", "a.go", "package a\n", "// Package a.\n\npackage a\n", true},
		{"a linter's directive", "a.go", "package a\n\nvar x = 1\n", "package a\n\n//nolint:all\nvar x = 1 //nolint:all\n", true},
		{"a build tag", "a.go", "package a\n", "//go:build x\npackage a\n", false},
		{"an old build tag", "a.go", "package a\n", "// +build x\n\npackage a\n", false},
		{"what an example prints", "a_test.go", "func ExampleF() {\n\tf()\n\t// Output: 1\n}\n", "func ExampleF() {\n\tf()\n\t// Output: 2\n}\n", false},
		{"a line in a raw text", "a.go", "var x = `\n// a\n`\n", "var x = `\n// b\n`\n", false},
		{"an address", "a.ts", "get('http://a')\n", "get('http://b')\n", false},
		{"a compiler's directive", "a.ts", "f()\n", "// @ts-ignore\nf()\n", false},
		{"a comment of Ruby, where a # is often code", "a.rb", "f\n", "# Calls f.\nf\n", false},
		{"a part of a text in Ruby", "a.rb", "def rx(x) = /a#{x}/\n", "def rx(x) = /a#{x.upcase}/\n", false},
		{"a number of arguments in a shell", "a.sh", "[ $# -lt 1 ]\n", "[ $# -lt 2 ] && rm -rf /\n", false},
		{"a body that was a docstring alone", "a.py", "def f():\n    \"\"\"Doc.\"\"\"\n", "def f():\n", false},
		{"a docstring that lost its indentation", "a.py", "def f():\n    \"\"\"Doc.\"\"\"\n    return 1\n", "def f():\n\"\"\"Doc.\"\"\"\n    return 1\n", false},
		{"a docstring that is new", "a.py", "def f():\n    return 1\n", "def f():\n    \"\"\"Doc.\"\"\"\n    return 1\n", true},
		{"a text that is called", "a.py", "'a'.format(1)\n", "'b'.format(1)\n", false},
		{"a raw text that calls", "a.py", "rf'{g()}'\nx = 1\n", "rf'{h()}'\nx = 1\n", false},
		{"a docstring beside a word that only looks like a reader", "a.py", "def multiply():\n    \"\"\"A.\"\"\"\n    return 1\n", "def multiply():\n    \"\"\"B.\"\"\"\n    return 1\n", true},
		{"a text that calls", "a.py", "f'{g()}'\nx = 1\n", "f'{h()}'\nx = 1\n", false},
		{"a docstring that a program reads", "a.py", "import docopt\ndef f():\n    \"\"\"Usage: a\"\"\"\n    return docopt.docopt(f.__doc__)\n", "import docopt\ndef f():\n    \"\"\"Usage: b\"\"\"\n    return docopt.docopt(f.__doc__)\n", false},
		{"a blank line in a raw text", "a.go", "package a\n\nconst s = `a\nb`\n", "package a\n\nconst s = `a\n\nb`\n", false},
		{"a blank line beside a raw text", "a.go", "package a\n\nconst s = `a\nb`\n", "package a\n\n// S is a text.\n\nconst s = `a\nb`\n", true},
		{"in a text of several lines", "a.rs", "const S: &str = \"a\n// x\nb\";\n", "const S: &str = \"a\n// y\nb\";\n", false},
		{"an open comment", "a.ts", "/* /* /* a\nf()\n", "/* /* /* b\nf()\n", false},
		{"one that Ruby reads", "a.rb", "f\n", "# frozen_string_literal: true\nf\n", false},
		{"a heredoc", "a.sh", "cat <<E\n# a\nE\n", "cat <<E\n# b\nE\n", false},
		{"no language", "a.txt", "a", "a", false},
		{"C for Go", "a.go", "// import \"C\"\n", "// b\n", false},
		{"C for Go that is new", "a.go", "// b\n", "// import \"C\"\n", false},
		{"what a script needs", "a.py", "# /// script\n# a\n# ///\nx = 1\n", "# /// script\n# b\n# ///\nx = 1\n", false},
		{"an interpreter", "a.py", "#!/bin/a\nx = 1\n", "#!/bin/b\nx = 1\n", false},
		{"an encoding", "a.py", "# coding: latin1\nx = 1\n", "# coding: utf8\nx = 1\n", false},
		{"another form of it", "a.py", "# vim: fileencoding=latin1\nx = 1\n", "# vim: fileencoding=utf8\nx = 1\n", false},
		{"a docstring below an interpreter", "a.py", "#!/bin/a\n'a'\nx = 1\n", "#!/bin/a\n'b'\nx = 1\n", true},
		{"a text between statements", "a.py", "x = 1\n'a'\ny = 2\n", "x = 1\n'b'\ny = 2\n", false},
		{"a value behind a colon", "a.py", "f = lambda:'a'\ny = 1\n", "f = lambda:'b'\ny = 1\n", false},
		{"a second string before code", "a.py", "def f():\n    'doc'\n    'a'\n    x()\n", "def f():\n    'doc'\n    'b'\n    x()\n", false},
		{"the longest text", "a.go", "// a" + strings.Repeat("\n", maxCompared-4), "", true},
		{"too long a text", "a.go", "// a" + strings.Repeat("\n", maxCompared-3), "", false},
	} {
		if got := SameButComments(c.file, c.was, c.now); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
}
