package debrief_test

import (
	"testing"

	"github.com/piton-project/piton/internal/judge/debrief"
)

// mounted has the project's compose files say that these folders are mounted in
// every service.
func (s *script) mounted(folders ...string) *script {
	return s.service(debrief.Service{Folders: folders})
}

func (s *script) service(is debrief.Service) *script {
	s.in.Service = func(string, []string, string) (debrief.Service, bool) { return is, true }
	return s
}

// TestServices asks when a run in a service of the project's counts.
func TestServices(t *testing.T) {
	const passed, run = "ok  \tshop/a\t0.1s\n", "docker compose exec -T web go test ./..."
	for _, c := range []struct {
		name   string
		s      *script
		proves bool
	}{
		{"the tree is mounted", turn().mounted("").edit("a/a.go").run(run, passed), true},
		{"the part that changed is mounted", turn().mounted("a").edit("a/a.go").run(run, passed), true},
		{"another part is mounted", turn().mounted("web").edit("a/a.go").run(run, passed), false},
		{"only one of two changed parts is mounted", turn().mounted("a").edit("a/a.go", "b/b.go").run(run, passed), false},
		{"documents beside it do not matter", turn().mounted("a").edit("a/a.go", "README.md").run(run, passed), true},
		{"nothing is mounted, whatever it says", turn().mounted().edit("a/a.go").run(run, passed), false},
		{"the image was built after the edit", turn().service(debrief.Service{Built: true}).edit("a/a.go").run("docker compose build web", "").run(run, passed), true},
		{"the image was built before the edit", turn().service(debrief.Service{Built: true}).run("docker compose build web", "").edit("a/a.go").run(run, passed), false},
		{"the image was not built in this turn", turn().service(debrief.Service{Built: true}).edit("a/a.go").run(run, passed), false},
		{"the line builds it", turn().service(debrief.Service{Built: true}).edit("a/a.go").run("docker compose run --build --rm web go test ./...", passed), true},
		{"it came up anew with a build", turn().service(debrief.Service{Built: true}).edit("a/a.go").run("docker compose up -d --build", "").run(run, passed), true},
		{"a build that failed", turn().service(debrief.Service{Built: true}).edit("a/a.go").run("docker compose build web", "error", failed).run(run, passed), false},
		{"a built image of another's", turn().service(debrief.Service{}).edit("a/a.go").run("docker compose build web", "").run(run, passed), false},
		{"no file can be read, the output names the package", turn().edit("a/a.go").run(run, passed), true},
		{"no file can be read, the output names another", turn().edit("b/b.go").run(run, passed), false},
		{"no file can be read, the output says nothing", turn().edit("a/a.go").run(run, ""), false},
		{"a container by its name", turn().edit("a/a.go").run("docker exec shop-web-1 go test ./...", ""), false},
		{"a container by its name, mounted", turn().mounted("").edit("a/a.go").run("docker exec shop-web-1 go test ./...", passed), true},
		{"the line mounts it", turn().edit("a/a.go").run("docker compose run --rm -v $PWD:/app web go test ./...", passed), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := c.s.look(); (len(r.Actions) == 0) != c.proves {
				t.Errorf("proves: want %v; %q %+v", c.proves, r.Actions, r.Evidence)
			}
		})
	}
	s := turn().edit("a/a.go").run("docker compose run --rm web go test ./...", "")
	s.in.Tests = append(s.in.Tests, debrief.Test{Run: "docker compose run --rm web go test ./...", Accepted: true})
	if r := s.look(); len(r.Actions) != 0 {
		t.Errorf("a run that the settings name: %q", r.Actions)
	}
}
