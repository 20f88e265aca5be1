//go:build unix

package action

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The stand-ins do what the real programs do with such a command, and write down how they
// were called. A real docker or ssh is not there in tests.
const (
	standInDocker = `#!/bin/sh
echo "$0 $*" >> "$CALLS"
[ "$1" = run ] || exit 0
while [ $# -gt 0 ]; do
	case "$1" in
	run|--rm|-i|--init) shift;;
	--name|--user|-v) shift 2;;
	-w) cd "$2"; shift 2;;
	-e) shift 2;;
	*) shift; exec "$@";;
	esac
done
`
	standInSSH = `#!/bin/sh
echo "$0 $*" >> "$CALLS"
while [ "$1" != -- ]; do shift; done
host=$2; shift 2
[ "$host" = broken ] && exit 255
exec setsid -w env -i PATH="$PATH" TMPDIR="$TMPDIR" sh -c "$*"
`
)

// standIn is a call whose docker and ssh are stand-ins; calls are their command lines.
func standIn(t *testing.T, parameters p) (c Call, calls func() string) {
	t.Helper()
	bin := t.TempDir()
	for name, text := range map[string]string{"docker": standInDocker, "ssh": standInSSH} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	c, _ = call(t, parameters)
	log := filepath.Join(bin, "calls")
	c.Env = append(c.Env, "PATH="+os.Getenv("PATH"), "CALLS="+log, "TMPDIR="+t.TempDir())
	return c, func() string {
		text, _ := os.ReadFile(log)
		return strings.ReplaceAll(string(text), bin+"/", "")
	}
}

func TestInside(t *testing.T) {
	for _, x := range []struct {
		name  string
		p     p
		want  any    // output, or a part of the error
		calls string // a part of the command lines
	}{
		{"a container", p{"container": "golang:1", "command": `echo "$A $PITON_STEP_ID"; pwd >&2`, "env": p{"A": "b"}}, "b build", " -e A -e PITON_ATTEMPT -e PITON_IDEMPOTENCY_KEY -e PITON_RUN_ID -e PITON_STEP_ID golang:1 sh -c echo "},
		{"a program in a container", p{"container": "alpine", "command": []any{"printf", "%s", "a b"}}, "a b", " alpine printf %s a b"},
		{"a container that reads", p{"container": "alpine", "command": "cat", "stdin": "x"}, "x", "run --rm -i"},
		{"an option as an image", p{"container": "--privileged", "command": "x"}, "cannot be", ""},
		{"both", p{"container": "a", "host": "b", "command": "x"}, "in a container or on a host", ""},
		{"a host", p{"host": "ann@box", "command": `echo "$A"; echo "it's $PITON_RUN_ID"`, "env": p{"A": "it's\ntwo"}}, "it's\ntwo\nit's run_1", "ServerAliveInterval=15 -- ann@box sh -s"},
		{"a host that reads", p{"host": "box", "command": "cat; exit 3", "stdin": "a 'b' %s"}, "exit status 3: a 'b' %s", ""},
		{"a folder of a host", p{"host": "box", "dir": "/", "command": "pwd"}, "/", ""},
		{"a folder that is not there", p{"host": "box", "dir": "/nowhere", "command": "pwd"}, "exit status 127", ""},
		{"a host that is an option", p{"host": "-oProxyCommand=x", "command": "x"}, "cannot be", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, calls := standIn(t, x.p)
			r, err := Shell{}.Do(t.Context(), c)
			if err != nil {
				if want, is := x.want.(string); !is || !strings.Contains(err.Error(), want) {
					t.Fatalf("got %v, want %v\n%s", err, x.want, calls())
				}
			} else if r.Output != x.want {
				t.Errorf("got %q, want %q", r.Output, x.want)
			}
			if !strings.Contains(calls(), x.calls) {
				t.Errorf("got the calls\n%swant %q in them", calls(), x.calls)
			}
			if strings.Contains(calls(), "A=") || strings.Contains(calls(), "it's\ntwo") {
				t.Errorf("a value is in a command line:\n%s", calls())
			}
		})
	}
}

// TestInsideIsEnded: what is ended from outside is ended there too, and a connection that
// breaks is no answer.
func TestInsideIsEnded(t *testing.T) {
	c, calls := standIn(t, p{"container": "alpine", "command": "sleep 60"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := (Shell{}).Do(ctx, c); err == nil || !strings.Contains(calls(), "docker rm -f piton-"+c.Key) {
		t.Errorf("got %v and\n%s", err, calls())
	}
	c, calls = standIn(t, p{"host": "box", "command": "touch begun; sleep 60; touch done", "dir": t.TempDir()})
	dir, _ := c.Parameters["dir"].(string)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil || ctx.Err() != nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := (Shell{}).Do(ctx, c); err == nil || KnownOf(err) != Unknown || strings.Count(calls(), "ssh -T") != 2 {
		t.Errorf("got %v and\n%s", err, calls())
	}
	c, _ = standIn(t, p{"host": "broken", "command": "true"})
	if _, err := (Shell{}).Do(t.Context(), c); err == nil || KnownOf(err) != Unknown {
		t.Errorf("got %v (%s), want an error that is no answer", err, KnownOf(err))
	}
}

func TestDotenv(t *testing.T) {
	c, _ := call(t, p{"dotenv": []any{".env", "more.env"}, "env": p{"B": "step"}, "command": `echo "$A $B $C"`})
	for name, text := range map[string]string{".env": "# mine\nA=one\nB='two'\nexport C=\"three\"\n", "more.env": "A=four\nAPI_TOKEN=hunter2hunter2\n", "bad.env": "no = 'variable\n\x00"} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := (Shell{}).Do(t.Context(), c); err != nil || r.Output != "four step three" {
		t.Errorf("got %v, %v", r.Output, err)
	}
	_, secrets, err := Dotenv(c.Dir, c.Parameters["dotenv"])
	if err != nil || len(secrets) != 1 || secrets[0] != "hunter2hunter2" {
		t.Errorf("got the secrets %q, %v", secrets, err)
	}
	for _, file := range []string{"bad.env", "nothing.env", ""} {
		if _, _, err := Dotenv(c.Dir, file); KnownOf(err) != Before || strings.Contains(err.Error(), "'variable") {
			t.Errorf("%s: got %v", file, err)
		}
	}
}
