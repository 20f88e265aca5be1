package daemon

import (
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// TestProgram calls the program with what does not begin a daemon.
func TestProgram(t *testing.T) {
	mine := app.OfBuild + piton.Version()
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string
		err    string
	}{
		{"its version", []string{"--version"}, 0, "piton-daemon " + piton.Version() + "\n", ""},
		{"help", []string{"--help"}, 0, "see 'piton serve --help'", ""},
		{"for a piton of another build", []string{app.OfBuild + "v0.0.1", "--new-flag"}, 6, "", "the piton that starts it is v0.0.1\nhint: install all programs"},
		{"the same, JSON", []string{app.OfBuild + "v0.0.1", "--json"}, 6, "", `{"error":{"code":"unavailable","op":"start the daemon","message":`},
		{"an unknown flag", []string{mine, "--quiet"}, 2, "", "piton serve: unknown flag: --quiet\nhint: see 'piton serve --help'"},
		{"an argument", []string{mine, "now"}, 2, "", `unexpected argument "now"`},
		{"an address that others reach", []string{mine, "--listen=0.0.0.0:0", "--json"}, 2, "", `{"error":{"code":"invalid",`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut strings.Builder
			home := t.TempDir()
			getenv := func(name string) string { return map[string]string{"PITON_HOME": home, "HOME": home}[name] }
			got := run(t.Context(), c.args, &out, &errOut, getenv)
			if got != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(errOut.String(), c.err) || (c.err == "") != (errOut.Len() == 0) {
				t.Errorf("got %d, %q, %q, want %d, %q, %q", got, out.String(), errOut.String(), c.status, c.out, c.err)
			}
		})
	}
}
