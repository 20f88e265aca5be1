package debrief_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/redact"
)

// BenchmarkLook looks at turns as agents wait for it: from a usual one to the
// longest that is read, and outputs that are written to be dear.
func BenchmarkLook(b *testing.B) {
	clean := func(text string) string { text, _ = redact.Text(text); return text }
	for _, x := range []struct {
		name string
		turn func() *script
	}{
		{"a usual turn", usual},
		{"150 edits and runs", long},
		{"500 runs of 16 KB", func() *script { return many(500, 16<<10, "ok  \tshop/pkg\t0.1s\n") }},
		{"500 red runs of 16 KB", func() *script {
			return many(500, 16<<10, "--- FAIL: Test%d (0.00s)\n    a_test.go:3: no\nFAIL\tshop/pkg%d\t0.1s\n")
		}},
		{"500 runs of anything, 16 KB", func() *script {
			return many(500, 16<<10, "  some words that a test prints, with a number 12 and a path a/b.go\n")
		}},
		{"5000 red runs of 3 KB", func() *script { return many(5000, 3<<10, "--- FAIL: Test%d (0.00s)\nFAIL\tshop/pkg%d\t0.1s\n") }},
		{"32 runs of 512 KB", func() *script { return many(32, 512<<10, "=== RUN   Test%d\n--- PASS: Test%d (0.00s)\n") }},
		{"32 red runs of 512 KB", func() *script { return many(32, 512<<10, "--- FAIL: Test%d (0.00s)\nFAIL\tshop/pkg%d\t0.1s\n") }},
		{"32 times brackets", func() *script { return many(32, 512<<10, "[{(<") }},
		{"32 times nested lines", func() *script { return many(32, 512<<10, strings.Repeat(" ", 500)+"--- FAIL: Test%d/a/b/c (0s)\n") }},
		{"32 times NUL", func() *script { return many(32, 512<<10, "\x00") }},
		{"32 times escapes", func() *script { return many(32, 512<<10, "\x1b[31m\x1b]") }},
		{"32 times one word", func() *script { return many(32, 512<<10, "error: failed ") }},
		{"32 times numbers", func() *script { return many(32, 512<<10, "1 failed, 2 passed in 0.%d1s ===\n") }},
	} {
		s := x.turn()
		s.in.Clean = clean
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				debrief.Look(s.in)
			}
		})
	}
}

// usual is a turn of 8 edits and 40 commands, of which few run tests.
func usual() *script {
	s := turn()
	for i := range 8 {
		s.edit(fmt.Sprintf("pkg/f%d.go", i%4))
		s.run(fmt.Sprintf("grep -rn F%d pkg | head -20", i), strings.Repeat("pkg/a.go:12: func F() { return }\n", 100))
		s.run(fmt.Sprintf("sed -n '%d,80p' pkg/f%d.go", i, i), strings.Repeat("\tif err != nil {\n\t\treturn err\n\t}\n", 60))
		s.run("git diff --stat && git status --short", " M pkg/f1.go\n")
		s.run("go build ./... && go vet ./...", "")
		s.run("go test ./pkg/ 2>&1 | tail -20", strings.Repeat("ok  \tshop/pkg\t0.1s\n", 20))
	}
	s.run("go test ./...", strings.Repeat("ok  \tshop/pkg\t0.1s\n", 40))
	return s
}

// long is a turn of 150 edits and as many test runs behind a pipe.
func long() *script {
	s := turn()
	for i := range 150 {
		s.edit(fmt.Sprintf("pkg/f%d.go", i%10))
		s.run(fmt.Sprintf("cd %s && go test ./pkg%d 2>&1 | tail -50", root, i), strings.Repeat("ok  \tshop/pkg\t0.1s\n", 100))
	}
	return s
}

// many is a turn of edits and as many runs of all kinds, each of which prints a
// line over and over; its numbers differ.
func many(runs, size int, line string) *script {
	s := turn()
	commands := []string{"go test ./pkg%d/ -run 'TestA|TestB' 2>&1 | tail -50", "make test %d", "pytest tests/test_%d.py -k 'a and not b'", "npm test -- x%d", "./run-%d.sh"}
	for i := range runs {
		if i < 100 {
			s.edit(fmt.Sprintf("pkg%d/f.go", i))
		}
		var b strings.Builder
		for n := 0; b.Len() < size; n++ {
			b.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(i*1000+n)))
		}
		s.run(fmt.Sprintf(commands[i%len(commands)], i), b.String()[:size])
	}
	return s
}
