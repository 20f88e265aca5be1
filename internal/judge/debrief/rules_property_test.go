package debrief_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/testkit/draw"
)

var (
	ownRules = []debrief.Rule{
		{Name: "daemon", Include: []string{"b/**", "*.py"}, Precedence: 30, Instruction: "restart", Evidence: []string{"make restart"}, Then: &debrief.Follow{Instruction: "look", Evidence: []string{"make status"}}},
		{Name: "settings", Include: []string{"*.yaml"}, Precedence: 31, Instruction: "restart", Evidence: []string{"make restart"}, Then: &debrief.Follow{Instruction: "look", Evidence: []string{"make status"}}},
		{Name: "lint", Include: []string{"**/*.{go,py,ts}"}, Precedence: 32, Instruction: "lint", Evidence: []string{"make lint"}, Untrusted: true},
		{Name: "everything else", Include: []string{"**"}, Precedence: 99, Instruction: "look at it, or run {test}", Evidence: []string{"{test}", "make all"}, Rest: true},
		{Name: "hint", Include: []string{"web/**"}, Precedence: 98, Instruction: "mind the users"},
		{Name: "scripts alone", Include: []string{"*.py"}, Precedence: 97, Instruction: "run {test}", Evidence: []string{"{test}"}, Sole: true},
		{Name: "SQL migrations", Off: true},
	}
	proofs = []string{"make test", "go test ./...", "go test ./b", "npm test", "pytest", "go build ./...", "npm install", "docker build .", "make restart", "make status", "make restart && make status",
		"make lint", "make all", "shoplogs api --since 9m | tail", "sqlite3 x.db", "cargo test", "actionlint", "python x.py"}
)

// drawRuledTurn makes up a turn that is looked at by rules of one's own too.
func drawRuledTurn(t *rapid.T) *script {
	s := drawTurn(t)
	s.in.CallsSeen, s.in.Report = true, true
	var set debrief.Settings
	for _, r := range ownRules {
		if rapid.Bool().Draw(t, r.Name) {
			set.Rules = append(set.Rules, r)
		}
	}
	if rapid.Bool().Draw(t, "accepted") {
		set.Tests = []string{"just ci"}
	}
	s.in.Rules, s.in.Tests = set.InForce(), set.TestCommands(s.in.Tests)
	if rapid.Bool().Draw(t, "log check") {
		s.in.LogCheck = "shoplogs api"
	}
	if rapid.Bool().Draw(t, "item") {
		s.in.Item, s.in.Planned = "cart", []string{"web/", "a.go"}
	}
	for range rapid.IntRange(0, 3).Draw(t, "proved") {
		s.run(rapid.SampledFrom(proofs).Draw(t, "line"), "ok")
	}
	for range rapid.IntRange(0, 2).Draw(t, "verified") {
		s.ran(ran(rapid.SampledFrom(proofs).Draw(t, "own"), func(v *agent.Verified) {
			v.OK = rapid.Bool().Draw(t, "ok")
			v.TimedOut = !v.OK && rapid.IntRange(0, 4).Draw(t, "slow") == 0
			if !v.OK {
				v.ExitCode, v.Output = 1, rapid.SampledFrom(someOutputs).Draw(t, "output")
			}
		}))
	}
	if rapid.Bool().Draw(t, "others") {
		s.in.Others = []string{rapid.SampledFrom(someFiles).Draw(t, "theirs")}
	}
	return s
}

// mattered are the rules that asked for something, or would have, had something else
// not asked for it too, or the command been one that can run here: a success shows that
// it can, and what is to follow it is asked for.
func mattered(r debrief.Result) []string {
	var names []string
	for _, x := range r.Rules {
		if x.Asks || strings.HasPrefix(x.Verdict, "covered by") || strings.HasSuffix(x.Verdict, "cannot run here") {
			names = append(names, x.Rule)
		}
	}
	return names
}

// addsNothing checks that what is asked after was asked before.
func addsNothing(t *rapid.T, before, after debrief.Result) {
	was := mattered(before)
	for _, x := range after.Rules {
		if x.Asks && !slices.Contains(was, x.Rule) {
			t.Errorf("%s asks now\nbefore %q\nafter  %q", x.Rule, lines(before.Rules), lines(after.Rules))
		}
	}
}

func TestResultAndReportsAgree(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		r := drawRuledTurn(t).look()
		sound(t, r)
		agrees(t, r)
	})
}

// A success at the end takes demands away and makes none.
func TestEvidenceAddsNothing(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawRuledTurn(t)
		before := s.look()
		s.now = s.now.Add(time.Minute)
		after := s.run(rapid.SampledFrom(proofs).Draw(t, "proof"), "ok").look()
		addsNothing(t, before, after)
	})
}

// The same when Piton runs it.
func TestAPassingRunOfPitonsAddsNothing(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawRuledTurn(t)
		before := s.look()
		addsNothing(t, before, s.ran(ran(rapid.SampledFrom(proofs).Draw(t, "proof"))).look())
	})
}

// A file less demands nothing of the others.
func TestAFileLessAddsNothing(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawRuledTurn(t)
		if len(s.in.Files) == 0 {
			return
		}
		before := s.look()
		at := rapid.IntRange(0, len(s.in.Files)-1).Draw(t, "removed")
		s.in.Files = slices.Delete(slices.Clone(s.in.Files), at, at+1)
		after := s.look()
		for i, x := range after.Rules {
			if x.Rule == "tests only" || x.Rule == "scripts alone" {
				after.Rules[i].Asks = false // they speak for the rules that asked before
			}
		}
		addsNothing(t, before, after)
	})
}

// Where every rule has a precedence of its own, their order says nothing.
func TestOrderOfRulesDoesNotMatter(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		s := drawRuledTurn(t)
		for i := range s.in.Rules {
			s.in.Rules[i].Precedence = 1000*s.in.Rules[i].Precedence + i
		}
		first := s.look()
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(s.in.Rules), func(i, j int) { s.in.Rules[i], s.in.Rules[j] = s.in.Rules[j], s.in.Rules[i] })
		then := s.look()
		if first.Message != then.Message || !slices.Equal(lines(first.Rules), lines(then.Rules)) {
			t.Errorf("first %q %q\nthen  %q %q", first.Message, lines(first.Rules), then.Message, lines(then.Rules))
		}
	})
}
