package shell

import (
	"slices"
	"strings"
	"testing"
)

// seeds are lines from the tables, and shapes that nest and branch.
var seeds = []string{
	"cd x && go test ./... 2>&1 | tail -3; exit ${PIPESTATUS[0]}",
	"set -euo pipefail\nfor d in a b; do (cd \"$d\" && make test) || exit 1; done",
	"bash -lc \"sh -c 'eval \\\"make test\\\"'\" <<EOF\n$(rm -rf x)\nEOF",
	"f() { f; f; }; f; trap 'rm -r x' EXIT; wait",
	"sudo -u x env A=b timeout 5 xargs -n1 docker-compose -f a exec -T web python3 -m pytest",
	"psql -c \"delete from x; drop table 'y' /* z */ -- w\"",
	"sed -i.bak -e s/a/b/ x; perl -0pi -e 's' y; awk -i inplace p z; cp -t d a b; find . -exec sh -c 'rm {}' \\; ",
	"apply_patch <<'EOF'\n*** Update File: a\nEOF\n",
	"if ! [[ -f x ]]; then a & else case $x in (a) b;; esac; fi; while ((i++)); do :; done < <(c) > >(d)",
	"x=$(a)`b \\`c\\``\"${d:-$(e)}\" > f; a |& b; a &! c; coproc d",
	"npm --prefix web run -w a test -- --watch; yarn workspace a test; cargo +nightly t; go -C a test -run '^$'",
	"{ a; } 2>&1 | ( b; ! c ) && { d; exit; } || (exit 1)",
	"echo 'cd x; rm -rf y' | bash -s -- -c",
	"git -C a -c b=c checkout -- . :x; git push origin +y; make -nC x -C",
	"$'\\n\\x' \\\n \"\\\n\" ~ - -- '' = A= =A",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		found, err := Parse(line)
		if err != nil {
			if found != nil {
				t.Errorf("got commands with an error")
			}
			return
		}
		if len(found) > maxSteps {
			t.Errorf("got %d commands, want at most %d", len(found), maxSteps)
		}
		for _, c := range found {
			if slices.Contains(c.Writes, "") || slices.Contains(c.Edits(), "") || slices.Contains(c.Reads(), "") {
				t.Errorf("got a file without a name: %q", c.Words)
			}
			if len(c.Words) == 0 && (c.MayEdit() != (len(c.Writes) > 0) || c.Matches("go")) {
				t.Errorf("got something done without words: %q", c.Writes)
			}
			if risk, ok := c.Risk(); ok != (risk.Kind != "") || len(risk.Detail) > 120 {
				t.Errorf("got risk %q, %v", risk, ok)
			}
			if c.Succeeded(true) == Yes && c.Status != Decides || c.Succeeded(false) == Yes {
				t.Errorf("got yes for %v", c.Status)
			}
		}
	})
}

func FuzzMatches(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, []string{"go test", "npm test", "python -m pytest", "docker compose up", "make -C x test"}[i%5])
	}
	f.Fuzz(func(t *testing.T, line, pattern string) {
		ReadLoose(line).Match(ReadPattern(pattern))
		found, err := Parse(line)
		if err != nil {
			return
		}
		for _, c := range found {
			if c.Matches(pattern) && strings.TrimSpace(pattern) == "" {
				t.Errorf("got a match of no words by %q", c.Words)
			}
			// A command is named by its own words, unless they say it does nothing.
			own := strings.Join(c.Words, " ")
			if len(c.Words) > 0 && !strings.ContainsAny(own, "&|;='\"$(") && slices.Equal(strings.Fields(own), c.Words) && !c.DryRun() && !c.Matches(own) {
				t.Errorf("got no match of %q by its own words", c.Words)
			}
		}
	})
}
