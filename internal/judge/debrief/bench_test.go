package debrief_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// A long turn: 150 edits and as many test runs behind a pipe. It is looked at
// while an agent waits.
func BenchmarkLook(b *testing.B) {
	s := turn()
	for i := range 150 {
		s.edit(fmt.Sprintf("pkg/f%d.go", i%10))
		s.run(fmt.Sprintf("cd %s && go test ./pkg%d 2>&1 | tail -50", root, i), strings.Repeat("ok  \tshop/pkg\t0.1s\n", 100))
	}
	for b.Loop() {
		debrief.Look(s.in)
	}
}
