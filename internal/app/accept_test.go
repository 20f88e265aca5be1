package app

import (
	"strings"
	"testing"
)

func TestProves(t *testing.T) {
	for _, line := range []string{
		"make test", "go test ./...", "cd web && npm test", "CI=1 make test", "docker compose run --rm app pytest", "bash scripts/test.sh", "./gradlew test",
		"poetry run pytest -q", "npm run lint && npm test", "make test | tee log", "python -m pytest", "rspec", "just test", "uv run tox -e py312", "./check.sh",
		"sh -c 'make test'", "timeout 60 make test", "go test -run TestX ./...",
	} {
		if err := proves(line); err != nil {
			t.Errorf("%s: got %v, want it accepted", line, err)
		}
	}
	for line, want := range map[string]string{
		"": "empty", "  ": "runs nothing", "# make test": "runs nothing", "echo make test": "proves nothing", "cd web": "proves nothing", "true && echo ok": "proves nothing",
		"make test &": "background", "make -n test": "own flags", "pytest --collect-only": "own flags", "go test -c": "own flags", "make 'test": "no command line",
		"make test\ntrue": "invisible characters", "make \u202etest": "invisible characters", strings.Repeat("x", 400): "longer than 300",
		"TOKEN=ghp_0123456789abcdefghij0123456789abcdef make test": "secret",
	} {
		if err := proves(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}
