package turn_test

import (
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

// Where a project has no tests, what stood for them is named.
func TestABuildThatStandsForTestsIsNamed(t *testing.T) {
	w := shop(t, "package.json", `{"scripts":{"test":"node --test"}}`, "test/a.test.js", "",
		"site/package.json", `{"scripts":{"build":"vite build"}}`, "site/x.ts", "export const x = 1\n")
	w.asks("mend it")
	w.after(60e9)
	w.edits("site/x.ts", "export const x = 2\n")
	w.runs("cd site && npm run build", "built in 1.2s")
	answer := w.stops()
	w.want(answer, agent.ReasonClear)
	if !strings.Contains(answer, "where there are no tests, `npm run build` stands for them") {
		t.Errorf("got %q, want the build named", answer)
	}
}
