//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestChildTalks(t *testing.T) {
	c := sh(`while read -r line; do echo "heard $line"; done; echo bye >&2; exit 3`)
	var said bytes.Buffer
	c.Err, c.Grace = &said, time.Minute // it ends by itself, however slow
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(p.Out)
	for _, word := range []string{"one", "two"} {
		io.WriteString(p.In, word+"\n")
		if !lines.Scan() || lines.Text() != "heard "+word {
			t.Errorf("got %q, want %q", lines.Text(), "heard "+word)
		}
	}
	p.End()
	if p.Code != 3 || said.String() != "bye\n" {
		t.Errorf("got status %d and %q, want 3 and its last words", p.Code, said.String())
	}
}

// What a program said before its end arrives, also where it takes longer than Grace to
// pass it on, and where a program in the background holds its stderr.
func TestLastWordsOfAChild(t *testing.T) {
	for _, script := range []string{`head -c 60000 /dev/zero >&2`, `head -c 60000 /dev/zero >&2; sleep 60 >/dev/null &`} {
		c := sh(script)
		said := &slow{hang: 500 * time.Millisecond}
		c.Err, c.Grace = said, 10*time.Millisecond
		p, err := Start(c)
		if err != nil {
			t.Fatal(err)
		}
		<-p.Done
		p.End()
		if said.got != 60000 || p.Code != 0 {
			t.Errorf("%s: got %d bytes and status %d, want all 60,000 and 0", script, said.got, p.Code)
		}
	}
}

func TestChildEndsWhole(t *testing.T) {
	for _, tc := range []struct{ name, script string }{
		{"it ends by itself", `sleep 60 & echo $!; cat`},
		{"it ends when it is told to", `sleep 60 & echo $!; while :; do sleep 0.01; done`},
		{"it does not heed the signal", `trap "" TERM; sleep 60 & echo $!; while :; do sleep 0.01; done`},
		{"it has ended before", `sleep 60 & echo $!; exit 0`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := sh(tc.script)
			c.Grace = 50 * time.Millisecond
			p, err := Start(c)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := bufio.NewReader(p.Out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			p.End()
			p.End()
			wantGone(t, pid)
		})
	}
}

// A program that dies is noticed although a child of it holds its stdout.
func TestChildThatDies(t *testing.T) {
	p, err := Start(sh(`sleep 60 & exit 7`))
	if err != nil {
		t.Fatal(err)
	}
	defer p.End()
	if b, err := io.ReadAll(p.Out); len(b) > 0 || err != nil {
		t.Errorf("got %q, %v, want the end of its output", b, err)
	}
	<-p.Done
	if p.Code != 7 {
		t.Errorf("got status %d, want 7", p.Code)
	}
	if _, err := Start(Command{Argv: []string{"/nowhere/" + strings.Repeat("x", 3)}}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v for a program that is missing", err)
	}
}
