package plan_test

import (
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/run/plan"
)

// given is what a run knows after a few steps.
var given = plan.Resolver{
	Query:  "who sails",
	Inputs: map[string]any{"lang": "it", "dry-run": true, "n": 3.0, "none": nil, "list": []any{"a", "b"}},
	Run:    map[string]any{"id": "run_1", "dir": "/w"},
	Steps: map[string]plan.StepValue{
		"1":          {Status: "completed", Output: []any{"Toremar", "Moby"}},
		"fetch":      {Status: "completed", Output: map[string]any{"url": "http://x", "n": 2.0, "deep": map[string]any{"a-b": 1.0}, "big": 1e15, "big2": 12345678.0}},
		"fetch-data": {Status: "completed", Output: "text with ${env:TOKEN} and ${{ query }}"},
		"skip":       {Status: "skipped"},
		"bad":        {Status: "failed", Error: "timeout"},
	},
	Getenv: func(name string) (string, bool) {
		v, ok := map[string]string{"TOKEN": "s3cr3t", "EMPTY": ""}[name]
		return v, ok
	},
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  any
		err   string
	}{
		{"a text", "plain $HOME ${X} $(x)", "plain $HOME ${X} $(x)", ""},
		{"a number", 3.5, 3.5, ""},
		{"one expression keeps its type", "${{ steps.1.output }}", []any{"Toremar", "Moby"}, ""},
		{"in a text it is written as text", "lines: ${{ steps.1.output }}!", `lines: ["Toremar","Moby"]!`, ""},
		{"a whole number has no fraction", "${{ steps.fetch.output.n }} of ${{ inputs.n }}, ${{ steps.fetch.output.big2 }}", "2 of 3, 12345678", ""},
		{"a member", "${{ steps.fetch.output.url }}", "http://x", ""},
		{"an id with a hyphen", "${{ steps.fetch-data.status }}", "completed", ""},
		{"an id with a hyphen, in brackets", `${{ steps["fetch-data"].status }}`, "completed", ""},
		{"an input with a hyphen", "${{ inputs.dry-run ? 'yes' : 'no' }}", "yes", ""},
		{"a difference of inputs", "${{ inputs.n-1 }}", 2.0, ""},
		{"an index", "${{ steps.1.output[0] + '/' + query }}", "Toremar/who sails", ""},
		{"the run", "${{ run.id }} in ${{ run.dir }}", "run_1 in /w", ""},
		{"an error", "${{ steps.bad.error }}", "timeout", ""},
		{"no error", "${{ steps.1.error }}", nil, ""},
		{"a skipped step's output", "${{ steps.skip.output }}", nil, ""},
		{"braces inside an expression", "${{ {\"a\": {\"b\": 1}} }}", map[string]any{"a": map[string]any{"b": 1.0}}, ""},
		{"braces inside a text", `${{ "}}" + query }}`, "}}who sails", ""},
		{"the escape", "$${{ query }} $${env:TOKEN} $$ ${{ query }}", "${{ query }} ${env:TOKEN} $$ who sails", ""},
		{"nested values", map[string]any{"a": []any{"${{ query }}", 1.0, nil}}, map[string]any{"a": []any{"who sails", 1.0, nil}}, ""},
		{"a secret", "Bearer ${env:TOKEN}", "Bearer s3cr3t", ""},
		{"an empty secret", "x${env:EMPTY}", "x", ""},
		{"what an output says is not read again", "${{ steps.fetch-data.output }}", "text with ${env:TOKEN} and ${{ query }}", ""},
		{"in a text neither", "> ${{ steps.fetch-data.output }}", "> text with ${env:TOKEN} and ${{ query }}", ""},
		{"functions", `${{ map(steps.1.output, upper(#)) | join(",") }}`, "TOREMAR,MOBY", ""},
		{"replace", `${{ replace(query, "who", "it") }}`, "it sails", ""},
		{"JSON", `${{ toJSON(steps.1.output) + string(inputs.n) }}`, `["Toremar","Moby"]3`, ""},
		{"a default", `x${{ inputs.none ?? "d" }}`, "xd", ""},
		{"a list in a list", `${{ filter(steps.1.output, # startsWith "T") }}`, []any{"Toremar"}, ""},
		{"texts of a split", `${{ split("a,b", ",") }}`, []any{"a", "b"}, ""},
		{"texts of a split that are joined", `${{ join(split("a,b", ","), ";") }}`, "a;b", ""},
		{"a variable of a loop", `${{ let v = repeat("a", 900000); len(filter(1..200, let x = v + "b"; len(x) > 1)) }}`, 200.0, ""},

		{"an object that is looked in often", `${{ let v = {"a": 1..10000}; len(filter(1..200000, "b" in v)) }}`, 0.0, ""},

		{"a large text that is searched often", `${{ let v = repeat("a", 900000); len(filter(1..1000000, v contains "b")) }}`, nil, "works through too much"},
		{"a large text that is compared often", `${{ let v = repeat("a", 900000); len(filter(1..1000000, v < v + "b")) }}`, nil, "works through too much"},
		{"a large text that is matched often", `${{ let v = repeat("a", 900000); len(filter(1..1000000, v matches "^b")) }}`, nil, "works through too much"},
		{"a large text that is encoded often", `${{ let v = repeat("a", 900000); len(filter(1..1000000, len(toJSON(v)) > 1)) }}`, nil, "works through too much"},
		{"a name behind ?.", "${{ steps?.fetch-data?.status }} ${{ steps?.fetch?.output?.n }}", "completed 2", ""},
		{"quotes of three kinds", "${{ 'a\\'}}' + \"b\\\"}}\" + `c\\}}` }}", "a'}}b\"}}c\\}}", ""},
		{"a number of another kind", "${{ len(query) + 1.5 }}", 10.5, ""},
		{"objects that are compared", `${{ {"a": [1, "b"]} == {"a": [1, "b"]} }}`, true, ""},
		{"what is joined by nothing", `${{ join(["a", 1, nil, {"b": [true]}]) }}`, `a1null{"b":[true]}`, ""},
		{"an object that is written as a text", `v ${{ {"b": [nil]} }}`, `v {"b":[null]}`, ""},
		{"a status that a step may have", `${{ steps.skip.status in ["skipped", "failed"] && "could_not" != steps.skip.status }}`, true, ""},
		{"a text that is joined", "${{ join(steps.fetch.output.url) }}", nil, "join wants a list"},
		{"a join that is too large", `${{ let v = repeat("a", 900000); join(map(1..20, v)) }}`, nil, "too large"},
		{"nothing and a number", "${{ nil + 1 }}", nil, "cannot add null and a number"},
		{"a truth and a list", "${{ true + [1] }}", nil, "cannot add true or false and a list"},
		{"an object and a text", `${{ {"a": 1} + "a" }}`, nil, "cannot add an object and a text"},
		{"a text in quotes without an end", "${{ 'a }}", nil, "does not end with }}"},
		{"a missing secret", "Bearer ${env:NOPE}", nil, "the variable NOPE is not set"},
		{"a hole in a text", "x ${{ steps.fetch.output.nope }}", nil, "${{ steps.fetch.output.nope }} has no value"},
		{"a member of nothing", "${{ steps.skip.output.url }}", nil, "cannot fetch url"},
		{"a text and a number", "${{ query + 1 }}", nil, "cannot add a text and a number"},
		{"division", "${{ 1 / 0 }}", nil, "a number that JSON does not have"},
		{"too many turns", "${{ all(1..2000, all(1..2000, # > 0)) }}", nil, "too many turns"},
		{"a text that doubles", `${{ reduce(1..40, #acc + #acc, "aaaaaaaaaa") }}`, nil, "too large"},
		{"a list that doubles", `${{ reduce(1..40, [#acc, #acc], 1) }}`, nil, "too large"},
		{"a text that repeats", `${{ repeat("aaaaaaaaaa", 100000000) }}`, nil, "memory budget"},
		{"an encoding of itself", "${{ " + again("'a'", 100, "toBase64(#)") + "len(end) }}", nil, "too large"},
		{"a list that is flattened", "${{ " + again("[1]", 60, "[#, #]") + "len(flatten(end)) }}", nil, "too large"},
		{"lists that are compared", "${{ " + again("[1]", 60, "[#, #]") + "end == [v59, v59] }}", nil, "too large"},
		{"a list that is looked for", "${{ " + again("[1]", 60, "[#, #]") + "end in [[v59, v59]] }}", nil, "too large"},
		{"a list of large texts", `${{ let v = repeat("a", 1000000); len(map(1..100000, v + "b")) }}`, nil, "too large"},
		{"variables with large lists", `${{ let v0 = repeat("a", 900000); ` + lets(30, `split(v0, "")`) + "v0 }}", nil, "too large"},
		{"large lists at once", `${{ let v = repeat("a", 900000); len(concat(` + strings.Repeat(`split(v, ""), `, 30) + "[])) }}", nil, "too large"},
		{"a replacement that explodes", `${{ replace(repeat("a", 500000), "a", repeat("b", 500000)) }}`, nil, "too large"},
	} {
		got, err := plan.Resolve(plan.Step{ID: "s", Action: "http", Parameters: map[string]any{"v": c.value}}, given)
		if c.err != "" {
			if piton.CodeOf(err) != piton.Invalid || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "step s: v: ") {
				t.Errorf("%s: got %v (%v), want %q", c.name, got, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got.Parameters["v"], c.want) {
			t.Errorf("%s: got %#v (%v), want %#v", c.name, got.Parameters["v"], err, c.want)
		}
		if secret := strings.Contains(c.name, "a secret"); secret != slices.Contains(got.Secrets, "s3cr3t") {
			t.Errorf("%s: got the secrets %v", c.name, got.Secrets)
		}
	}
}

// lets sets v1 to vN to the same.
func lets(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let v%d = %s; ", i+1, value)
	}
	return b.String()
}

// TestScript: what an expression brings is data for the shell, wherever it stands.
func TestScript(t *testing.T) {
	r := given
	evil := `a'b"c $(touch pwned) ` + "`touch pwned`" + ` ; touch pwned # \ *`
	r.Inputs = map[string]any{"x": evil, "n": 3.0}
	for _, c := range []struct{ name, command, script, out string }{
		{"bare", `printf %s ${{ inputs.x }}`, `printf %s "${PITON_VALUE_1}"`, evil},
		{"inside double quotes", `printf %s "<${{ inputs.x }}>"`, `printf %s "<${PITON_VALUE_1}>"`, "<" + evil + ">"},
		{"inside a word", `printf %s a${{ inputs.x }}z`, `printf %s a"${PITON_VALUE_1}"z`, "a" + evil + "z"},
		{"an assignment", "v=${{ inputs.x }}\nprintf %s \"$v\"", "v=\"${PITON_VALUE_1}\"\nprintf %s \"$v\"", evil},
		{"a here-document", "cat <<END\n> ${{ inputs.x }}\nEND\n", "cat <<END\n> ${PITON_VALUE_1}\nEND\n", "> " + evil + "\n"},
		{"a command inside quotes", `printf %s "$(printf %s ${{ inputs.x }})"`, `printf %s "$(printf %s "${PITON_VALUE_1}")"`, evil},
		{"a default", `printf %s "${NOPE:-${{ inputs.x }}}"`, `printf %s "${NOPE:-${PITON_VALUE_1}}"`, evil},
		{"a loop", `for i in ${{ inputs.x }} ${{ inputs.n }}; do printf '%s|' "$i"; done`, `for i in "${PITON_VALUE_1}" "${PITON_VALUE_2}"; do printf '%s|' "$i"; done`, evil + "|3|"},
		{"a case", `case ${{ inputs.n }} in ${{ inputs.n }}) printf yes;; esac`, `case "${PITON_VALUE_1}" in "${PITON_VALUE_2}") printf yes;; esac`, "yes"},
		{"a comment", "printf x # it's ${{ inputs.x }}\n", "printf x # it's ${PITON_VALUE_1}\n", "x"},
		{"a secret", `printf %s ${env:TOKEN}`, `printf %s "${PITON_VALUE_1}"`, "s3cr3t"},
		{"the escape", `printf %s '$${{ x }}'`, `printf %s '${{ x }}'`, "${{ x }}"},
		{"none", `printf %s "${HOME:+x}"`, `printf %s "${HOME:+x}"`, "x"},
	} {
		script, env, secrets, err := plan.Script(c.command, r)
		if err != nil || script != c.script {
			t.Errorf("%s: got %q (%v), want %q", c.name, script, err, c.script)
			continue
		}
		if (c.name == "a secret") != slices.Contains(secrets, "s3cr3t") {
			t.Errorf("%s: got the secrets %v", c.name, secrets)
		}
		dir := t.TempDir()
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			cmd.Env = append(cmd.Env, name+"="+env[name])
		}
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.out {
			t.Errorf("%s: the shell printed %q (%v), want %q", c.name, out, err, c.out)
		}
		if exec.Command("test", "-e", dir+"/pwned").Run() == nil {
			t.Errorf("%s: the value has run", c.name)
		}
	}
	for command, want := range map[string]string{
		`echo '${{ inputs.x }}'`:                 "single quotes",
		`echo $'${{ inputs.x }}'`:                "single quotes",
		"cat <<'E'\n${{ inputs.x }}\nE\n":        "here-document",
		"cat <<\\E\n${{ inputs.x }}\nE\n":        "here-document",
		"cat <<${{ inputs.x }}\nE\n":             "here-document",
		`${{ inputs.x }}`:                        "never run as a command",
		`"${{ inputs.x }}" a`:                    "never run as a command",
		`echo $((${{ inputs.x }}))`:              "run as code",
		`(( ${{ inputs.x }} ))`:                  "run as code",
		`a[${{ inputs.x }}]=1`:                   "run as code",
		`[[ ${{ inputs.x }} -eq 1 ]]`:            "run as code",
		`echo ${a:${{ inputs.x }}}`:              "run as code",
		"echo `echo ${{ inputs.x }}`":            "$( … )",
		`echo "${{ inputs.x }}`:                  "cannot be read as shell",
		`echo ${{ inputs.none }} ${{ nope }}`:    "no input",
		`${{ inputs.x }}() { :; }`:               "",
		`for ${{ inputs.x }} in a; do :; done`:   "",
		`${{ inputs.x }}=1 ls`:                   "",
		`echo ${${{ inputs.x }}}`:                "",
		`echo piton_hole_000000 ${{ inputs.x }}`: "may not contain",
	} {
		script, _, _, err := plan.Script(command, r)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q (%v), want an error with %q", command, script, err, want)
		}
	}
	t.Run("too long for an environment", func(t *testing.T) {
		r.Inputs["x"] = strings.Repeat("x", 130<<10)
		if _, _, _, err := plan.Script(`echo ${{ inputs.x }}`, r); err == nil || !strings.Contains(err.Error(), "at most 130048") {
			t.Errorf("got %v, want the bound", err)
		}
	})
}

// TestShellSteps: a command's values go by its environment, beside its own.
func TestShellSteps(t *testing.T) {
	s := plan.Step{ID: "s", Action: "shell", Parameters: map[string]any{
		"command": "echo ${{ query }} ${env:TOKEN}", "env": map[string]any{"A": "${{ inputs.lang }}", "T": "${env:TOKEN}"}, "dir": "${{ steps.1.output[0] }}",
	}}
	got, err := plan.Resolve(s, given)
	want := map[string]any{"command": `echo "${PITON_VALUE_1}" "${PITON_VALUE_2}"`, "env": map[string]any{"A": "it", "T": "s3cr3t", "PITON_VALUE_1": "who sails", "PITON_VALUE_2": "s3cr3t"}, "dir": "Toremar"}
	if err != nil || !got.DirValued || !reflect.DeepEqual(got.Parameters, want) || !slices.Equal(got.Secrets, []string{"s3cr3t"}) {
		t.Errorf("got %v, secrets %v (%v), want %v", got.Parameters, got.Secrets, err, want)
	}
	if s.Parameters["command"] != "echo ${{ query }} ${env:TOKEN}" {
		t.Errorf("the step has changed: %v", s.Parameters)
	}
	for _, c := range []struct{ command, want []any }{
		{[]any{"git", "clone", "${{ query }}", 3.0}, []any{"git", "clone", "who sails", "3"}},
		{[]any{"sh", "-c", "echo ${{ query }}", "x", "${{ query }}"}, []any{"sh", "-c", `echo "${PITON_VALUE_1}"`, "x", "who sails"}},
		{[]any{"sudo", "/bin/bash", "-ec", "echo ${{ query }}"}, []any{"sudo", "/bin/bash", "-ec", `echo "${PITON_VALUE_1}"`}},
	} {
		got, err := plan.Resolve(plan.Step{Action: "shell", Parameters: map[string]any{"command": c.command}}, given)
		if err != nil || !reflect.DeepEqual(got.Parameters["command"], any(c.want)) {
			t.Errorf("got %v (%v), want %v", got.Parameters["command"], err, c.want)
		}
	}
}

// TestChecks: a check's command has its values in variables, each in its own.
func TestChecks(t *testing.T) {
	r := given
	r.Inputs = map[string]any{"x": "it's $(touch pwned)"}
	got, err := plan.Resolve(plan.Step{ID: "s", Action: "agent", Check: []plan.Check{{Run: `printf %s "${{ inputs.x }}"`}, {Run: "printf %s ${env:TOKEN}"}, {File: "${{ run.id }}/*.md"}, {Verified: true}, {Expr: "output == 1"}}}, r)
	if err != nil || len(got.Check) != 5 || got.Check[2].File != "run_1/*.md" || !got.Check[3].Verified || got.Check[4].Expr != "output == 1" {
		t.Fatalf("got %+v (%v)", got.Check, err)
	}
	for i, want := range []string{"it's $(touch pwned)", "s3cr3t"} {
		cmd := exec.Command("sh", "-c", got.Check[i].Run)
		for name, value := range got.CheckEnv {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want || strings.Contains(got.Check[i].Run, want) {
			t.Errorf("%s: got %q (%v), want %q, and not in the command", got.Check[i].Run, out, err, want)
		}
	}
	if !slices.Equal(got.Secrets, []string{"s3cr3t"}) {
		t.Errorf("got the secrets %v, want that of the command", got.Secrets)
	}
	for expr, want := range map[string]bool{"output.ok": true, "!output.ok": false, "output.n > 1 && steps.1.status == 'completed'": true, "output.nope == nil": true} {
		is, err := plan.Holds(expr, map[string]any{"ok": true, "n": 2.0}, given)
		if err != nil || is != want {
			t.Errorf("%s: got %v (%v), want %v", expr, is, err, want)
		}
	}
	for _, expr := range []string{"output.n", "nope", "output.a.b.c"} {
		if is, err := plan.Holds(expr, map[string]any{"n": 2.0}, given); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%s: got %v (%v), want invalid", expr, is, err)
		}
	}
}

// An integer that a float64 would change stays as it is.
func TestLargeIntegers(t *testing.T) {
	const id = int64(9007199254740993)
	r := plan.Resolver{Steps: map[string]plan.StepValue{"a": {Status: "completed", Output: map[string]any{"id": id}}}}
	s := plan.Step{ID: "b", Action: "http", Parameters: map[string]any{"alone": "${{ steps.a.output.id }}", "inside": "n=${{ steps.a.output.id }}", "all": "x${{ steps.a.output }}"}}
	got, err := plan.Resolve(s, r)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"alone": id, "inside": "n=9007199254740993", "all": `x{"id":9007199254740993}`} {
		if got.Parameters[name] != want {
			t.Errorf("%s: got %v (%T), want %v", name, got.Parameters[name], got.Parameters[name], want)
		}
	}
}

// again is an expression that does the same with its value n times; # is the value.
func again(first string, n int, step string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "let v0 = %s; ", first)
	for i := range n {
		fmt.Fprintf(&b, "let v%d = %s; ", i+1, strings.ReplaceAll(step, "#", fmt.Sprint("v", i)))
	}
	return b.String() + "let end = " + fmt.Sprint("v", n) + "; "
}
