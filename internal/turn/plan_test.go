package turn

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlanned(t *testing.T) {
	for _, c := range []struct{ name, plan, want string }{
		{"a table", "# Plan\n\n## Files to Change\n\n| File | Change |\n|---|---|\n| `a/b.go` | uses `c.go` |\n| `d.go` | |\n\n## Risks\n\n| `e.go` | x |\n", "a/b.go d.go"},
		{"a table without outer bars", "## Files to Change\nFile | Change\n--- | ---\n`a.go` | x\n", "a.go"},
		{"two in one cell", "## Files to Change\n| `a.go`, `b.go` | x |\n", "a.go b.go"},
		{"a folder and globs", "## Files to Change\n| `web/` | x |\n| `api/**/*.go` | x |\n| Makefile | x |\n| `Makefile` | x |\n", "web/ api/**/*.go Makefile"},
		{"a bar in back-ticks", "## Files to Change\n| `a|b.go` | x |\n", "a|b.go"},
		{"a list", "## Files to Change\n\n- `a.go`: calls `Run()` in `x.go`\n* `b.go`, `c.go` and `d.go` - new\n1. **`e.go`**\n2) `f.go`\n- [ ] `g.go`\n+ [x] `h`\n", "a.go b.go c.go d.go e.go f.go g.go h"},
		{"a list with words before", "## Files to Change\n- Create `a/b.go` and `c.go`\n- Rename `Foo` in `d.go`\n- nothing here\n", "a/b.go c.go d.go"},
		{"below a deeper heading", "## Files to Change\n### Backend\n- `a.go`\n### Frontend\n- `b.ts`\n## Other\n- `c.go`\n", "a.go b.ts"},
		{"another spelling of the heading", "1. x\n# 3. files to change:\n- `a.go`\n", "a.go"},
		{"a line in bold", "**Files to Change:**\n- `a.go`\n\n**Risks**\n- `b.go`\n", "a.go"},
		{"in a code fence", "## Files to Change\n- `a.go`\n```\n- `b.go`\n# Other\n```\n- `c.go`\n", "a.go c.go"},
		{"with places and dots", "## Files to Change\n- `./a.go:12`\n- `b.go:3-9`\n- `a.go`\n- `../x.go`\n", "a.go b.go"},
		{"twice", "## Files to Change\n- `a.go`\n## Then\n## More Files to Change\n- `b.go`\n- `a.go`\n", "a.go b.go"},
		{"prose", "## Files to Change\nWe change `a.go` a little.\n", ""},
		{"no such heading", "## Files\n- `a.go`\n", ""},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(planned(c.plan), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzPlanned(f *testing.F) {
	f.Add("## Files to Change\n| `a.go` | x |\n- `b.go`, `c`\n**x**\n```\n")
	f.Add("# files to change\n|`|`|\n- `\n1. [ ] ``\n##\n****\n**:**")
	f.Fuzz(func(t *testing.T, plan string) {
		for _, p := range planned(plan) {
			if p == "" || len(p) > 1000 || strings.Contains(p, "\n") || utf8.ValidString(plan) && !utf8.ValidString(p) {
				t.Errorf("got %q", p)
			}
		}
	})
}
