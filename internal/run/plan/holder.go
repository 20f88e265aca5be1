package plan

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// holder holds a step's texts and expressions against what they may name.
type holder struct {
	*reader
	step   *readStep
	in     frame
	before func() map[string]bool // the steps that it depends on, directly or not
}

// wrong notes what is wrong with a text, if anything is.
func (h *holder) wrong(at placed, err error) {
	if err != nil {
		h.add(at.line, "step %s: %s: %v", h.step.ID, at.where, err)
	}
}

// texts reads the step's parameters.
func (h *holder) texts() {
	for _, t := range h.step.texts {
		parts, err := split(t.text)
		if err == nil {
			err = h.dollar(t.text)
		}
		if h.wrong(t, err); err != nil {
			continue
		}
		h.expressions(t, parts)
		switch at := h.step.Action + " " + t.where; {
		case at == "shell command":
			h.command(t)
		case h.step.Action == "http" && strings.EqualFold(t.where, "headers.Host") && hasValue(t.text):
			err = errHost
		case at == "http body":
			_, err = bodyPlaces(t.text, parts, h.step.Parameters["headers"])
		case at == "http url", at == "mcp server" && h.step.Parameters["server"] == any(t.text):
			_, err = urlPlaces(parts)
		}
		h.wrong(t, err)
	}
	if h.step.Action == "shell" {
		h.wrong(placed{"shell", "", h.step.action}, readable("", h.step.Parameters["shell"]))
		list, _ := h.step.Parameters["command"].([]any)
		_, err := listed(list, true, taintedBy(h.step.Parameters)...)
		h.wrong(placed{"command", "", h.step.action}, err)
	}
	for where, list := range argvs(h.step.Step) {
		_, err := listed(list, false)
		h.wrong(placed{where, "", h.step.action}, err)
	}
	h.variables()
}

// expressions reads those among the parts of a text.
func (h *holder) expressions(t placed, parts []part) {
	for _, p := range parts {
		if p.expr != "" {
			h.expression(t, p.expr, h.in)
		}
	}
}

// variables reports values in variables that programs run.
func (h *holder) variables() {
	env, _ := h.step.Parameters["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if hasValue(env[name]) && isCodeVariable(name) {
			h.wrong(placed{"env." + name, "", h.step.action}, fmt.Errorf("a value would be run, or programs or their settings would be found by it; %s", byName))
		}
	}
}

var toGitHub = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`>> *"?\$\{?GITHUB_OUTPUT\b`) })

// dollar reports $ID.output and what is written to $GITHUB_OUTPUT, which other programs read.
func (h *holder) dollar(text string) error {
	if toGitHub().MatchString(text) {
		return errors.New("nothing reads $GITHUB_OUTPUT; print JSON, as in echo '{\"name\": 1}', and read steps.ID.output.name")
	}
	for _, m := range dollarOutput().FindAllStringSubmatch(text, -1) {
		if _, is := h.indexed[m[1]]; is {
			return fmt.Errorf("$%s.%s is not understood; write ${{ steps.%s.%s }}", m[1], m[2], m[1], m[2])
		}
	}
	return nil
}

// command reads a command that a shell reads: a script, or the one behind sh -c.
func (h *holder) command(t placed) {
	tainted := taintedBy(h.step.Parameters)
	list, isList := h.step.Parameters["command"].([]any)
	if isList {
		l, err := listed(list, true)
		if err != nil || l.code < 0 || list[l.code] != any(t.text) {
			return
		}
		tainted = append(tainted, l.tainted...)
	} else if err := readable(t.text, h.step.Parameters["shell"]); errors.Is(err, errShell) { // said of 'shell'
		return
	} else if err != nil {
		h.wrong(t, err)
		return
	}
	h.script(t, tainted...)
}

func (h *holder) script(t placed, tainted ...string) {
	_, holes, err := parsedScript(t.text, tainted...)
	if err != nil {
		h.wrong(t, err)
		return
	}
	for _, x := range holes {
		if x.err != nil {
			at := t
			if strings.Contains(t.text, "\n") {
				at.line += 1 + strings.Count(before(t.text, x), "\n")
			}
			h.wrong(at, fmt.Errorf("${{ %s }}: %w", clipped(x.expr+x.variable), x.err))
		}
	}
}

// before is the text before the place of a hole, nearly enough for its line.
func before(text string, x hole) string {
	i := strings.Index(text, x.expr+x.variable)
	return text[:max(i, 0)]
}

// conditions reads when and checks.
func (h *holder) conditions() {
	if w := h.step.When; w != "" {
		in := h.in
		in.when = true
		h.expression(placed{"when", w, h.step.when.line}, w, in)
	}
	for _, c := range h.step.checks {
		at := placed{"check." + c.where, c.text, c.line}
		if c.where == "expr" {
			in := h.in
			in.output = true
			h.expression(at, c.text, in)
			continue
		}
		parts, err := split(c.text)
		h.wrong(at, err)
		h.expressions(at, parts)
		for _, p := range parts {
			if p.variable != "" { // the agent is told what is checked
				h.wrong(at, fmt.Errorf("a check shows no secrets; its command reads $%s itself", p.variable))
			}
		}
		if err == nil && c.where == "run" {
			h.script(at)
		}
	}
}

// expression compiles one expression, and holds the steps it names against those
// that the step depends on.
func (h *holder) expression(at placed, text string, in frame) {
	if strings.Contains(text, "${env:") {
		h.wrong(at, errors.New("a secret stands outside of expressions: ${env:NAME}"))
		return
	}
	_, u, err := compile(text, in, outcome{}, &meter{})
	if h.wrong(at, err); err != nil {
		return
	}
	h.artifacts(at, u)
	for _, id := range slices.Sorted(maps.Keys(u.steps)) {
		_, is := h.indexed[id]
		switch {
		case !is:
			h.wrong(at, fmt.Errorf("there is no step %s%s", quoted(id), DidYouMean(id, slices.Collect(maps.Keys(h.indexed)))))
		case id == h.step.ID:
			h.wrong(at, errors.New("a step cannot use its own output"))
		case !slices.Contains(h.step.Dependencies, id) && !h.before()[id]:
			h.wrong(at, fmt.Errorf("it uses step %s, which the step does not depend on; write dependencies: [%s]", id, id))
		}
	}
}

// artifacts holds the artifacts that an expression names against those that their steps leave.
func (h *holder) artifacts(at placed, u *uses) {
	for id, names := range u.artifacts {
		i, is := h.indexed[id]
		if !is {
			continue
		}
		if h.step.Parameters["host"] != nil {
			h.wrong(at, errors.New("the files of artifacts are on this machine, and the step runs on another host"))
			continue
		}
		of := h.read[i].Step
		known := slices.Sorted(maps.Keys(of.Artifacts))
		open := of.IsEach() || slices.ContainsFunc(known, func(name string) bool { return hasValue(name) || isPattern(name) })
		for _, name := range names {
			switch {
			case len(known) == 0:
				h.wrong(at, fmt.Errorf("step %s leaves no artifacts; write there which files it leaves: artifacts: [FILE]", id))
			case name != "" && !open && of.Artifacts[name] == "":
				h.wrong(at, fmt.Errorf("step %s leaves no artifact %s%s", id, quoted(name), DidYouMean(name, known)))
			}
		}
	}
}
