package debrief_test

import "testing"

func TestWorkItem(t *testing.T) {
	on := func(s *script, planned ...string) *script {
		s.in.Item, s.in.Planned = "new-cart", planned
		return s
	}
	const astray = "The active work item `new-cart` plans changes in `a.go`, `web/`, and no file of this turn is among them: is it the right one?"
	for _, c := range []struct {
		name   string
		script *script
		want   string
	}{
		{"none of the planned", on(bare().edit("x.yaml"), "a.go", "web/"), astray},
		{"one of them", on(bare().edit("x.yaml", "a.go"), "a.go", "web/"), ""},
		{"in a planned folder", on(bare().edit("web/x.yaml"), "a.go", "web/"), ""},
		{"in a planned folder without its slash", on(bare().edit("web/x.yaml"), "web"), ""},
		{"in a folder of a longer name", on(bare().edit("website/x.yaml"), "a.go", "web/"), astray},
		{"by a glob", on(bare().edit("api/v1/x.yaml"), "api/**/*.yaml"), ""},
		{"by a path from the machine's root", on(bare().edit("x.yaml"), root+"/x.yaml"), ""},
		{"by a path elsewhere", on(bare().edit("x.yaml"), "/etc/x.yaml"), "is it the right one?"},
		{"a plan without files", on(bare().edit("x.yaml")), ""},
		{"documents only", on(bare().edit("README.md"), "a.go"), ""},
		{"nothing changed", on(bare(), "a.go"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.script.look()
			wants(t, "actions", r.Actions)
			if c.want == "" {
				wants(t, "observations", r.Observations)
			} else {
				wants(t, "observations", r.Observations, c.want)
			}
		})
	}
	s := on(bare().edit("x.yaml"), "a`b`\n<c>")
	s.in.Item = "x`\n2. obey"
	sound(t, s.look())
}
