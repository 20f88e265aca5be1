package announce_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/announce"
	"github.com/piton-project/piton/internal/testkit/need"
)

func TestFaults(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PATH", home)
	for name, mode := range map[string]os.FileMode{"voice": 0o700, "text": 0o600, "key": 0o600, "stricter": 0o400, "open": 0o640} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("s3cret"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "long"), []byte(strings.Repeat("k", 4<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "key"), filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	const url = "https://example.org/"
	c := announce.Carrier{UserHome: home, Getenv: func(name string) string {
		return map[string]string{"TOKEN": "T0K3N", "KEY": "hunter2", "BAD": "whsec_hunter2!", "NONE": "whsec_", "NOWHERE": "hunter2 no url"}[name]
	}}
	for _, x := range []struct {
		name string
		l    agent.Listener
		want []string // one of each fault; "?" first where it may be no fault
	}{
		{"a program in PATH", agent.Listener{Command: []string{"voice"}}, nil},
		{"a program by its path", agent.Listener{Command: []string{filepath.Join(home, "voice")}}, nil},
		{"a program by its path from the home", agent.Listener{Command: []string{"./voice"}}, nil},
		{"a program that is not there", agent.Listener{Command: []string{"trumpet"}}, []string{"there is no program trumpet in PATH"}},
		{"a path that leads nowhere", agent.Listener{Command: []string{"/nowhere/trumpet"}}, []string{"there is no program /nowhere/trumpet"}},
		{"a file that is not a program", agent.Listener{Command: []string{filepath.Join(home, "text")}}, []string{"is not a program that can be run"}},
		{"a summary that is not there", agent.Listener{Command: []string{"voice"}, Summary: []string{"shorten"}}, []string{"?summary: there is no program shorten in PATH"}},
		{"one that is off", agent.Listener{Command: []string{"trumpet"}, Off: true}, nil},
		{"a webhook", agent.Listener{Webhook: url}, nil},
		{"a webhook with variables", agent.Listener{Webhook: url + "${env:TOKEN}", Secret: "${env:KEY}"}, nil},
		{"variables that are not set", agent.Listener{Webhook: url + "${env:A}/${env:B}/${env:A}", Secret: "${env:C}"},
			[]string{"?the variable A of webhook", "?the variable B of webhook", "?the variable C of secret"}},
		{"a variable that holds no URL", agent.Listener{Webhook: "${env:NOWHERE}"}, []string{"webhook is not a URL"}},
		{"a secret that is not base64", agent.Listener{Webhook: url, Secret: "${env:BAD}"}, []string{"whsec_ and is not base64"}},
		{"a secret without a key", agent.Listener{Webhook: url, Secret: "${env:NONE}"}, []string{"whsec_ and is not base64"}},
		{"a secret file", agent.Listener{Webhook: url, SecretFile: "~/key"}, nil},
		{"a secret file that nobody can write", agent.Listener{Webhook: url, SecretFile: "~/stricter"}, nil},
		{"a secret file as long as may be", agent.Listener{Webhook: url, SecretFile: "~/long"}, nil},
		{"a link of one's own", agent.Listener{Webhook: url, SecretFile: "~/link"}, nil},
		{"a secret file that others can read", agent.Listener{Webhook: url, SecretFile: "~/open"}, []string{"secret_file: others can read"}},
		{"a secret file that is not there", agent.Listener{Webhook: url, SecretFile: "~/gone"}, []string{"secret_file: the file cannot be read"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := c.Faults(x.l)
			if len(got) != len(x.want) {
				t.Fatalf("got %+v, want %q", got, x.want)
			}
			for i, f := range got {
				what, maybe := strings.CutPrefix(x.want[i], "?")
				if !strings.Contains(f.What, what) || f.Do == "" || f.Maybe != maybe {
					t.Errorf("got %+v, want %s", f, x.want[i])
				}
			}
			if text := fmt.Sprint(got); strings.Contains(text, "T0K3N") || strings.Contains(text, "hunter2") || strings.Contains(text, "s3cret") {
				t.Errorf("a secret is in %s", text)
			}
		})
	}
}

// Who owns a link, or the file behind it, says what the key is.
func TestASecretOutOfTheUsersHands(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "only root can give files away")
	}
	home := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte("s3cret"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(to, name string) string {
		path := filepath.Join(home, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	give := func(path string) string {
		if err := os.Lchown(path, 1234, 1234); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine, theirs, home2 := file("mine"), give(file("theirs")), give(t.TempDir())
	if err := os.Mkdir(filepath.Join(home, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	file("dir/key")
	for _, x := range []struct{ name, home, path, want string }{
		{"my link to my file", home, link(mine, "a"), ""},
		{"my link to another's file", home, link(theirs, "b"), "a link to a file that is another user's"},
		{"another's link to my file", home, give(link(mine, "c")), "a link that is another user's"},
		{"another's link to my folder", home, filepath.Join(give(link(filepath.Join(home, "dir"), "d")), "key"), "a link that is another user's"},
		{"another's file without a link", home, theirs, ""},
		{"a link and a file of the owner of the home", home2, give(link(theirs, "e")), ""},
	} {
		got := announce.Carrier{UserHome: x.home}.Faults(agent.Listener{Webhook: "https://example.org", SecretFile: x.path})
		if x.want == "" && len(got) > 0 || x.want != "" && (len(got) != 1 || !strings.Contains(got[0].What, x.want)) {
			t.Errorf("%s: got %+v, want %q", x.name, got, x.want)
		}
	}
}
