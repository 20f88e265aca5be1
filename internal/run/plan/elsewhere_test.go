package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElsewhere: plans that users of other programs have written by what they know from
// there (testdata/elsewhere; the head of each says who, and what they expect) are read as
// they mean them, or their mistakes say what to write: .mended.yaml is that. The script
// run_words_elsewhere runs them.
func TestElsewhere(t *testing.T) {
	for file, want := range map[string]string{
		"01":        "! steps are not nested, write 'artifacts' at the step that makes the file",
		"01.mended": "build\nbundle <- build",
		"02":        "list\nindex <- list\nmerge <- index",
		"03":        "plan\nfix <- plan\nsummary <- fix",
		"04":        "build\nreview <- build\ndeploy <- review\nsettle <- deploy\nsmoke <- settle",
		"05":        "collect\nreport <- collect",
		"06":        "greet\nagain <- greet\ndone <- again",
		"07":        "start-the-stack\nTest <- start-the-stack\nPublish <- Test\nNotify <- Publish if failure()\nstop-the-stack <- Notify if always()",
		"08":        "network\ndisk <- network\nvm <- disk\nregister <- vm\nnetwork.undo <- network\ndisk.undo <- disk\nvm.undo <- vm",
		"09":        "! write wait: {signal: NAME, timeout: 1h}, of a signal ${{ steps.ID.output.payload.NAME }}",
		"09.mended": "build\nwait-for-qa <- build\nrelease <- wait-for-qa if steps.wait-for-qa.output.payload.verdict == \"ok\"\nrollback <- release if !failure() && (steps.wait-for-qa.output.payload.verdict != \"ok\")",
		"10":        "fetch\nslow <- fetch\nReport <- slow",
		"11":        "! steps are not nested, what the step prints is its output, write steps.ID.output or steps.ID.status",
		"11.mended": "changes\ndocs <- changes if steps.changes.output.docs\ncode <- changes if steps.changes.output.code\ntest <- changes\nreport <- docs,code,test if always()\nalert <- docs,test if failure() && inputs.level == 'low'",
		"12":        "! ${env:TOKEN} for one of Piton's own environment, docker run, what the step prints is its output",
		"12.mended": "host\nboxed <- host\nreport <- boxed",
	} {
		path := filepath.Join("testdata/elsewhere", file+".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(path, text, nil)
		if words, isRefused := strings.CutPrefix(want, "! "); isRefused {
			for word := range strings.SplitSeq(words, ", ") {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%s: got %v, want it to say %q", file, err, word)
				}
			}
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if diff := cmp.Diff(want, lines(p)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", file, diff)
		}
	}
}

// TestMeanings: what a word of another program means beside the steps.
func TestMeanings(t *testing.T) {
	for file, has := range map[string][]string{
		"02": {`"for_each":"steps.list.output"`, `idx/${{ item }}.txt`, `"parallel":2`},
		"03": {`"resume":false,"rounds":0`, `"attempts":5`, `"run":"sh test.sh"`, `"agent":"claude"`, `"model":"sonnet"`, `${{ steps.plan.output.text }}`},
		"04": {`${{ steps.review.output.words ?? \"\" }}`, `"timeout":"1m"`, `${{ steps.build.output }}`},
		"06": {`"WHO":"${{ inputs.WHO ?? \"\" }}"`, `"plans":{"child"`, `"LANGUAGE":"de"`},
		"07": {`"budget":{"time":"10m"}`},
		"08": {`"on_failure":"undo"`, `"delay":"1s"`},
		"10": {`"continue_on_error":true`, `"factor":2`, `"budget":{"time":"5m"}`},
	} {
		path := filepath.Join("testdata/elsewhere", file+".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(path, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range has {
			if got := string(p.JSON()); !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s in it", file, got, want)
			}
		}
	}
	p, err := Parse("p.yaml", []byte("schedule: CRON_TZ=Europe/Berlin 30 2 * * 1-5\ncatchupWindow: 6h\noverlapPolicy: skip\nsteps: [x]\ntags: [a]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Schedule; len(s.Times) != 1 || s.Times[0].Timezone != "Europe/Berlin" || s.Times[0].Cron != "30 2 * * 1-5" || s.Overlap != "skip" || s.Within.String() != "6h" {
		t.Errorf("got %+v, want Dagu's schedule", s)
	}
	if want := []string{`p.yaml:5: "tags" is not read: nothing reads it`}; !cmp.Equal(p.Notes, want) {
		t.Errorf("got the notes %q, want %q", p.Notes, want)
	}
}

// TestBracesOfOthers: in a plan that has none of their keys, {{ … }} is a text, as of a
// template that a command reads.
func TestBracesOfOthers(t *testing.T) {
	const text = "{{ ds }} {{ var.x }} {{.State}} {{ steps.a.outputs.result }} {{ inputs.parameters.b }} {{ item.name }}"
	p, err := Parse("p.yaml", []byte("description: \""+text+"\"\nsteps:\n- {id: a, for_each: [x], run: \"render '"+text+"'\"}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Steps[0].Parameters["command"]; p.Description != text || got != "render '"+text+"'" {
		t.Errorf("got %q and %q, want them as they are written", p.Description, got)
	}
}

// TestParams: Dagu's params in each of the forms that its users write.
func TestParams(t *testing.T) {
	for params, want := range map[string]string{
		"params: DAY=2026-01-01 NAME=\"world\"":        "DAY=2026-01-01 NAME=world",
		"params: [DAY=2026-01-01, 'NAME=the world']":   "DAY=2026-01-01 NAME=the world",
		"params: [DAY: 2026-01-01, {NAME: the world}]": "DAY=2026-01-01 NAME=the world",
		"params: one two": "! wants names",
		"params: A='x y'": "! wants names",
	} {
		p, err := Parse("p.yaml", []byte(params+"\nsteps: [x]\n"), nil)
		got := []string{}
		for _, in := range p.Inputs {
			got = append(got, fmt.Sprint(in.Name, "=", in.Default))
		}
		if refused, is := strings.CutPrefix(want, "! "); is {
			if err == nil || !strings.Contains(err.Error(), refused) {
				t.Errorf("%s: got %v, want it refused", params, err)
			}
		} else if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, %v", params, got, err)
		}
	}
}
