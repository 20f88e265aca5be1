package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/run/plan"
)

// BenchmarkParse reads a plan of a thousand steps in one line, each with what the
// step before it has brought.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("steps:\n- {id: s0, run: echo 0}\n")
	for i := 1; i < 1000; i++ {
		fmt.Fprintf(&text, "- {id: s%d, needs: s%d, run: 'echo ${{ steps.s%d.output }}', if: steps.s%d.output != nil}\n", i, i-1, i-1, i-1)
	}
	for b.Loop() {
		if _, err := plan.Parse("p.yaml", []byte(text.String()), known); err != nil {
			b.Fatal(err)
		}
	}
}
