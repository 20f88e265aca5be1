package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/config"
)

func TestListeners(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, x := range []struct {
		name, text string
		want       []agent.Listener
		problem    string
	}{
		{"none", "", nil, ""},
		{"speech", "listeners:\n  - name: speech\n    command: [espeak-ng, --stdin]\n    summary: [head, -n1]\n    timeout: 40s\n",
			[]agent.Listener{{Name: "speech", Command: []string{"espeak-ng", "--stdin"}, Summary: []string{"head", "-n1"}, Timeout: 40 * time.Second}}, ""},
		{"a program alone", "listeners: {name: a, command: say}\n", []agent.Listener{{Name: "a", Command: []string{"say"}}}, ""},
		{"a webhook", "listeners: [{name: a, webhook: 'https://x.example/${env:TOKEN}', secret: '${env:KEY}', events: [announcement, permission_request]}]\n",
			[]agent.Listener{{Name: "a", Webhook: "https://x.example/${env:TOKEN}", Secret: "${env:KEY}", Events: []agent.EventKind{"announcement", "permission_request"}}}, ""},
		{"a URL from a variable", "listeners: [{name: a, webhook: '${env:URL}', secret_file: ~/key}]\n", []agent.Listener{{Name: "a", Webhook: "${env:URL}", SecretFile: "~/key"}}, ""},
		{"off", "listeners: [{name: a, off: true}]\n", []agent.Listener{{Name: "a", Off: true}}, ""},
		{"a bad one beside a good one", "listeners: [{name: a}, {name: b, command: [say]}]\n", []agent.Listener{{Name: "b", Command: []string{"say"}}}, "the listener a: set one of command and webhook"},
		{"both forms", "listeners: [{name: a, command: [say], webhook: 'http://localhost'}]\n", nil, "set one of command and webhook"},
		{"a key misspelt", "listeners: [{name: a, comand: [say]}]\n", nil, `unknown key "comand"; did you mean command?`},
		{"an event misspelt", "listeners: [{name: a, command: [say], events: [anouncement]}]\n", nil, `there is no event "anouncement"; did you mean announcement?`},
		{"no name", "listeners: [{command: [say]}]\n", nil, "wants a name"},
		{"a name with a blank", "listeners: [{name: 'a b', command: [say]}]\n", nil, "wants a name"},
		{"a long name", "listeners: [{name: " + long + ", command: [say]}]\n", nil, "wants a name"},
		{"a name twice", "listeners: [{name: a, command: [say]}, {name: a, command: [cat]}]\n", []agent.Listener{{Name: "a", Command: []string{"say"}}}, "there are two listeners"},
		{"a bad one of a name that is there", "listeners: [{name: a, command: [say]}, {name: a}]\n", []agent.Listener{{Name: "a", Command: []string{"say"}}}, "the listener a: set one of command and webhook"},
		{"a line for a shell", "listeners: [{name: a, command: espeak-ng --stdin}]\n", nil, "no shell reads it"},
		{"an empty program", "listeners: [{name: a, command: ['']}]\n", nil, "the program of a command is missing"},
		{"the secret itself", "listeners: [{name: a, webhook: 'http://localhost', secret: hunter2}]\n", nil, "secret is not a place for the secret itself"},
		{"two secrets", "listeners: [{name: a, webhook: 'http://localhost', secret: '${env:A}', secret_file: /a}]\n", nil, "set one of secret and secret_file"},
		{"a secret for a command", "listeners: [{name: a, command: [say], secret: '${env:A}'}]\n", nil, "it has none"},
		{"a file that is not whole", "listeners: [{name: a, webhook: 'http://localhost', secret_file: key}]\n", nil, "the whole path"},
		{"a password in the URL", "listeners: [{name: a, webhook: 'https://ann:pw@x.example/'}]\n", nil, "must not hold a name or a password"},
		{"another scheme", "listeners: [{name: a, webhook: 'ftp://x.example/'}]\n", nil, "begins with https:// or http://"},
		{"too long a time", "listeners: [{name: a, command: [say], timeout: 1h}]\n", nil, "timeout is at most 45s"},
		{"a text", "listeners: espeak-ng\n", nil, "a listener has keys with values"},
		{"a number as a name", "listeners: [{name: 7, command: [say]}]\n", nil, "put it in quotes"},
	} {
		c := config.Load(config.Places{UserFile: userFile(t, x.text), Getenv: func(string) string { return "" }})
		if diff := cmp.Diff(x.want, c.Listeners); diff != "" {
			t.Errorf("%s: the listeners (want -, got +):\n%s", x.name, diff)
		}
		if got := problems(c); x.problem == "" && got != "" || !strings.Contains(got, x.problem) {
			t.Errorf("%s: got the problems %q, want %q", x.name, got, x.problem)
		}
	}
}

func TestListenersOfLayers(t *testing.T) {
	user := "listeners: [{name: a, command: [say]}, {name: b, command: [cat]}]\n"
	for _, x := range []struct {
		name, project, env string
		want               string
		leftOut            bool
	}{
		{"the user's alone", "", "", "a:say b:cat", false},
		{"a project's file without trust", "listeners: [{name: c, command: [evil]}]\n", "", "a:say b:cat", true},
		{"a variable", "", "[{name: a, command: [espeak]}]", "b:cat a:espeak", false},
		{"a variable that switches one off", "", "[{name: a, off: true}]", "b:cat", false},
	} {
		c, p := layers{user: user, project: x.project, env: map[string]string{"PITON_LISTENERS": x.env}}.load(t)
		var got []string
		for _, l := range c.Listeners {
			if !l.Off {
				got = append(got, l.Name+":"+l.Command[0])
			}
		}
		if strings.Join(got, " ") != x.want || (len(c.Project.LeftOut) > 0) != x.leftOut {
			t.Errorf("%s: got %q, left out %q, want %q", x.name, got, c.Project.LeftOut, x.want)
		}
		if !c.MayListen(p) {
			t.Errorf("%s: got no listeners at all, want them looked for", x.name)
		}
	}
}

func TestListenersAreLookedForOnlyWhereTheyCanBe(t *testing.T) {
	for _, x := range []struct {
		name string
		l    layers
		want bool
	}{
		{"no file", layers{}, false},
		{"files about other things", layers{user: "debrief: {mode: on}\n", project: "debrief: {min_turn: 1s}\n"}, false},
		{"the user's file", layers{user: "listeners: []\n"}, true},
		{"an entry for a project", layers{user: "projects: {/x: {listeners: []}}\n"}, true},
		{"a project's file", layers{project: "listeners: []\n"}, true},
		{"a variable", layers{env: map[string]string{"PITON_LISTENERS": "[]"}}, true},
	} {
		c, p := x.l.load(t)
		if got := c.MayListen(p); got != x.want {
			t.Errorf("%s: got %t, want %t", x.name, got, x.want)
		}
	}
}

func TestAsksNameWhatListenersRunAndGet(t *testing.T) {
	a, _ := config.AsksOf([]byte("listeners: [{name: a, command: [curl, x], summary: [head]}, {name: b, webhook: 'https://x.example/T0K3N/9'}]\n"), func(string) string { return "" })
	if diff := cmp.Diff(config.Asks{Keys: []string{"listeners"}, Tells: []string{"head", "curl x", "POST https://x.example/…"}}, a); diff != "" {
		t.Errorf("what the file asks for (want -, got +):\n%s", diff)
	}
}

func TestShownListenersHideWebhooks(t *testing.T) {
	c := config.Load(config.Places{UserFile: userFile(t, "listeners: [{name: a, webhook: 'https://hooks.example/services/T0K3N', secret: '${env:KEY}', timeout: 40s}, {name: b, webhook: '${env:URL}/T0K3N'}]\n"), Getenv: func(string) string { return "" }})
	for _, v := range c.Values() {
		if v.Key != "listeners" {
			continue
		}
		b, err := json.Marshal(v.Value)
		want := `[{"name":"a","webhook":"https://hooks.example/…","secret":"${env:KEY}","timeout":"40s"},{"name":"b","webhook":"${env:URL}"}]`
		if err != nil || string(b) != want {
			t.Errorf("got %s (%v), want %s", b, err, want)
		}
		return
	}
	t.Error("got no key listeners")
}

func TestManyListeners(t *testing.T) {
	for _, c := range []struct{ n, want int }{{20, 20}, {21, 20}} {
		text := "listeners:\n"
		for i := range c.n {
			text += fmt.Sprintf("  - {name: a%d, command: [say]}\n", i)
		}
		got := config.Load(config.Places{UserFile: userFile(t, text), Getenv: func(string) string { return "" }})
		if len(got.Listeners) != c.want {
			t.Errorf("%d: got %d listeners, want %d", c.n, len(got.Listeners), c.want)
		}
	}
	for url, want := range map[string]string{
		"https://x.example": "https://x.example", "https://x.example/": "https://x.example/", "https://x.example/a": "https://x.example/…", "https://x.example?t=1": "https://x.example/…",
		"https://x.example#a": "https://x.example/…", "${env:URL}/a": "${env:URL}", "${env:URL}": "${env:URL}", "nothing": "",
	} {
		if got := config.ShownURL(url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}
