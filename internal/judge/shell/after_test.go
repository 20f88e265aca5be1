package shell

import "testing"

// What a line prints right before a command shows that it has come to it.
func TestWhatIsPrintedBefore(t *testing.T) {
	for _, c := range []struct{ name, line, after string }{
		{"nothing", "make x && go test", ""},
		{"a text", "make x && echo \"== tests ==\" && go test", "== tests =="},
		{"several words", "make x && echo now the tests && go test | tail -3", "now the tests"},
		{"before the first command", "echo begin && go test", "begin"},
		{"two commands before", "echo begin && make x && go test", ""},
		{"whatever came before", "make x; echo begin; go test", ""},
		{"to a file", "echo begin > log && go test", ""},
		{"what only the shell knows", "echo $X && go test", ""},
		{"with escapes", "echo -e 'a\\tb' && go test", ""},
		{"before a group", "echo begin && { make x; go test; }", ""},
		{"before a condition", "echo begin && if make x; then go test; fi", ""},
		{"where it failed", "echo begin || go test", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := Parse(c.line)
			if err != nil {
				t.Fatal(err)
			}
			for _, cmd := range found {
				if len(cmd.Words) > 0 && cmd.Words[0] == "go" && cmd.After() != c.after {
					t.Errorf("got %q, want %q", cmd.After(), c.after)
				}
			}
		})
	}
}
