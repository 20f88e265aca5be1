package shell

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

// lines writes random lines of commands `it ID STATUS`.
type lines struct {
	*rand.Rand
	id int
}

func (l *lines) it() string {
	l.id++
	return fmt.Sprintf("it %d %d", l.id, l.IntN(4)/3)
}

// group is a line that can stand inside another.
func (l *lines) group(depth int) string {
	s := l.line(depth)
	if strings.ContainsAny(s, ";|!") {
		return [...]string{"{ " + s + "; }", "( " + s + " )"}[l.IntN(2)]
	}
	return s
}

func (l *lines) line(depth int) string {
	if depth == 0 {
		return l.it()
	}
	in := func() string { return l.group(depth - 1) }
	quoted := func() string { return "'" + strings.ReplaceAll(in(), "'", `'\''`) + "'" }
	switch l.IntN(26) {
	case 0, 1:
		return in() + " && " + in()
	case 2:
		return in() + " || " + in()
	case 3, 4:
		return in() + "; " + in()
	case 5:
		return in() + " | " + in()
	case 6:
		return "! " + in()
	case 7:
		return "if " + in() + "; then " + in() + "; else " + in() + "; fi"
	case 8:
		return "for i in a b; do " + in() + "; done"
	case 9:
		return "set -e; " + in() + "; " + in()
	case 10:
		return "set -o pipefail; " + in() + " | " + in()
	case 11:
		return in() + " || exit 1; " + in()
	case 12:
		return in() + " || { exit; }; " + in()
	case 13:
		return in() + "; exit $?"
	case 14:
		return in() + " | " + in() + "; exit ${PIPESTATUS[0]}"
	case 15:
		return "x=$( " + in() + " )"
	case 16:
		return "bash -c " + quoted()
	case 17:
		return "bash -ec " + quoted()
	case 18:
		return "if ! " + in() + "; then exit 1; fi; " + in()
	case 19:
		return "if " + in() + "; then " + in() + "; else " + in() + "; false; fi"
	case 20:
		return "for i in a b; do " + in() + " || continue; " + in() + "; done"
	case 21:
		plain := [...]string{"true", "false", ":", "[ 1 = 2 ]", "test a = 'a'", "! true", "(false)", "{ true; }", "true && false", "exit 0", "exit 1", "{ exit; }", "exec true", "eval exit"}
		own := plain[l.IntN(len(plain))]
		return [...]string{own + " && " + in(), own + " || " + in(), own + "; " + in(), "if " + own + "; then " + in() + "; else " + in() + "; fi", in() + " || " + own, "( " + own + "; " + in() + " )", "! ( " + own + " )"}[l.IntN(7)]
	case 22:
		return "while false; do " + in() + "; done; until true; do " + in() + "; done; " + in()
	case 23:
		return "g() { " + in() + "; exit 0; }; " + in() + " && g; " + in()
	case 24:
		return "case a in b) " + in() + "; exit;; *) " + in() + ";; esac; " + in()
	default:
		return "f() { " + in() + " || return 0; " + in() + "; }; f"
	}
}

// TestDecidesInBash runs random lines: what ran must have been found, and where
// one succeeds, each command whose status decides must have run and succeeded.
func TestDecidesInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		need.Missing(t, "no bash here")
	}
	log := filepath.Join(t.TempDir(), "log")
	l := &lines{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 300 {
		l.id = 0
		line := l.line(1 + l.IntN(4))
		found, err := Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		os.WriteFile(log, nil, 0o600)
		it := `it() { echo "it $1 $2" >> ` + log + `; return $2; }; export -f it; `
		failed := exec.Command(bash, "-c", it+line).Run() != nil
		ran, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for own := range strings.Lines(string(ran)) {
			own = strings.TrimSpace(own)
			if !slices.ContainsFunc(found, func(c Command) bool { return strings.Join(c.Words, " ") == own }) {
				t.Errorf("%s\nruns %q, which was not found", line, own)
			}
		}
		if failed {
			continue
		}
		for _, c := range found {
			own := strings.Join(c.Words, " ")
			if c.Words[0] == "it" && c.Status == Decides && (c.Words[2] != "0" || !strings.Contains(string(ran), own+"\n")) {
				t.Errorf("%s\nsucceeds, but %q did not, which was said to decide", line, own)
			}
		}
	}
}
