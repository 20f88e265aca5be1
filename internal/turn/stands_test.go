package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// A build proves no test, also where its project has none: it is said to be a static
// check, once.
func TestABuildIsNoTest(t *testing.T) {
	w := shop(t, "package.json", `{"scripts":{"test":"node --test"}}`, "test/a.test.js", "",
		"site/package.json", `{"scripts":{"build":"vite build"}}`, "site/x.ts", "export const x = 1\n")
	built := func(text string) string {
		w.asks("mend it")
		w.after(time.Minute)
		w.edits("site/x.ts", text)
		w.runs("cd site && npm run build", "built in 1.2s")
		return w.stops()
	}
	answer := built("export const x = 2\n")
	w.want(answer, agent.ReasonNotice, "`site/x.ts` changed; nothing but static checks ran")
	if strings.Contains(answer, "clear") || strings.Contains(answer, "verified") {
		t.Errorf("got %q, want nothing called clear where no test ran", answer)
	}
	if answer = built("export const x = 3\n"); answer != "" {
		t.Errorf("got %q at the next stop, want it told once", answer)
	}
}
