package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// uses are what an expression names.
type uses struct {
	steps     map[string]bool     // ids; true where the status is asked for
	outputs   map[string]bool     // ids of those whose output or error is named
	artifacts map[string][]string // names of artifacts, by the ids of their steps; "" where an expression makes the name
	inputs    map[string]bool
	whole     int  // how often the inputs are named other than by a constant name, at most
	status    bool // always(), failure(), success() or a step's status
	always    bool // always()
	wrong     []string
}

// frame is where an expression stands.
type frame struct {
	inputs []string // their names
	output bool     // the variable output is there: in checks
	when   bool     // always(), failure() and success() are there
	own    []string // the step's own names: item, index, matrix, iteration
}

// outcome answers always(), failure() and success(); the zero one is for checks
// of the text alone.
type outcome struct{ failed, unfinished bool }

func (o outcome) functions() []expr.Option {
	var opts []expr.Option
	for name, is := range map[string]bool{"always": true, "failure": o.failed, "success": !o.unfinished} {
		opts = append(opts, expr.Function(name, func(...any) (any, error) { return is, nil }, new(func() bool)))
	}
	return opts
}

// compile reads an expression. The error is one line, without the place.
func compile(text string, in frame, o outcome, m *meter) (*vm.Program, *uses, error) {
	u := &uses{steps: map[string]bool{}, outputs: map[string]bool{}, artifacts: map[string][]string{}, inputs: map[string]bool{}}
	switch {
	case strings.TrimSpace(text) == "":
		return nil, u, errors.New("the expression is empty")
	case len(text) > maxExpression:
		return nil, u, fmt.Errorf("the expression is longer than %d bytes", maxExpression)
	}
	if id := dollarOutput().FindStringSubmatch(outsideQuotes(text)); id != nil {
		return nil, u, fmt.Errorf("$%s is not understood; write steps.%s", id[1]+"."+id[2], id[1]+"."+id[2])
	}
	object := types.TypeOf(map[string]any{})
	names := types.Map{"steps": object, "inputs": object, "run": object, "query": types.String}
	for _, name := range in.own {
		names[name] = types.Any
	}
	if in.output {
		names["output"] = types.Any
	}
	opts := append(m.options(), expr.Env(names), expr.Patch(&collector{uses: u}), expr.Patch(&counted{})) // the collector sees what is written
	if in.when {
		opts = append(opts, o.functions()...)
	}
	program, err := expr.Compile(dotted(text, in.inputs), opts...)
	if err != nil {
		return nil, u, plainError(err)
	}
	if len(u.wrong) > 0 {
		return nil, u, errors.New(u.wrong[0])
	}
	for name := range u.inputs {
		if !slices.Contains(in.inputs, name) {
			return nil, u, fmt.Errorf("there is no input %s%s", quoted(name), DidYouMean(name, in.inputs))
		}
	}
	return program, u, nil
}

// evaluate runs an expression.
func evaluate(program *vm.Program, values map[string]any) (v any, err error) {
	machine := vm.VM{MemoryBudget: 2_000_000}
	got, err := machine.Run(program, values)
	if err != nil {
		return nil, plainError(err)
	}
	return plain(got)
}

var (
	unknownName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown name (\w+)`) })
	placeInText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(\d+:\d+\)$`) })
	dollarOutput = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$([A-Za-z0-9_][A-Za-z0-9_-]*)\.(output|status)\b`) })
)

// elsewhere are the names of other programs, with what to write.
var elsewhere = map[string]string{
	"params": "write inputs.NAME", "needs": "write steps.ID.output or steps.ID.status", "github": "give it as an input: inputs.NAME", "env": "write ${env:NAME} outside of the expression",
	"secrets": "write ${env:NAME} outside of the expression", "jobs": "write steps.ID.output", "nodes": "write steps.ID.output", "job": "write steps.ID.status", "vars": "write inputs.NAME",
	"matrix": "it belongs into a step with 'matrix'", "item": "it belongs into a step with 'for_each' or 'matrix'", "index": "it belongs into a step with 'for_each' or 'matrix'", "iteration": "it belongs into a step with 'repeat'", "strategy": "it belongs into a step with 'matrix', as matrix.NAME",
	"results": "write steps.ID.output", "context": "write steps.ID.output", "cancelled": "after a cancellation only steps with always() run; leave it out",
	"always": "it belongs into 'when'", "failure": "it belongs into 'when'", "success": "it belongs into 'when'",
	"format": "write texts with +", "hashFiles": "do it in a command", "fromJson": "write fromJSON(…)", "toJson": "write toJSON(…)",
	"startsWith": "write a startsWith b", "endsWith": "write a endsWith b", "contains": "write a contains b, or b in a", "now": "an expression gives the same value when the run is resumed, so it has no clock; use a step: run: date",
	"date": "an expression gives the same value when the run is resumed, so it has no clock; use a step: run: date",
}

// plainError is what the expression's compiler says, in one line.
func plainError(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = strings.TrimSpace(placeInText().ReplaceAllString(strings.TrimSpace(line), ""))
	if m := unknownName().FindStringSubmatch(line); m != nil {
		if instead, ok := elsewhere[m[1]]; ok {
			return fmt.Errorf("%s is not known here: %s", quoted(m[1]), instead)
		}
		return fmt.Errorf("%s is not known here; an expression has steps, inputs, query and run, and texts stand in quotes", quoted(m[1]))
	}
	return errors.New(line)
}

// collector notes which steps and inputs an expression names, and refuses other
// ways to reach them.
type collector struct{ uses *uses }

// Visit sees inner nodes first.
func (c *collector) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.CallNode:
		if id, ok := x.Callee.(*ast.IdentifierNode); ok && slices.Contains([]string{"always", "failure", "success"}, id.Value) {
			c.uses.status = true
			c.uses.always = c.uses.always || id.Value == "always"
		}
	case *ast.IdentifierNode:
		if x.Value == "inputs" || x.Value == "$env" {
			c.uses.whole++
		}
	case *ast.MemberNode:
		c.member(x)
	case *ast.BinaryNode:
		c.compared(x)
	}
}

// completed is the status of a step that has done what it should.
const completed = "completed"

// outcomes are the statuses in GitHub's words: steps.ID.outcome.
var outcomes = map[string]string{completed: "success", "failed": "failure", "could_not": "failure", "skipped": "skipped"}

// statuses are those of steps that have ended, in our words and in GitHub's.
var statuses = map[string][]string{"status": {completed, "failed", "skipped", "could_not"}, "outcome": {"success", "failure", "skipped"}}

// compared refuses to compare a step's status with a word that is never one: it
// would be false without a word.
func (c *collector) compared(x *ast.BinaryNode) {
	for _, side := range [][2]ast.Node{{x.Left, x.Right}, {x.Right, x.Left}} {
		status, ok := unchained(side[0]).(*ast.MemberNode)
		if !ok || !isStatus(status) {
			continue
		}
		name := nameIn(status.Property)
		words := []ast.Node{side[1]}
		if list, ok := side[1].(*ast.ArrayNode); ok {
			words = list.Nodes
		}
		for _, w := range words {
			if word, ok := w.(*ast.StringNode); ok && !slices.Contains(statuses[name], word.Value) {
				c.wrong("the %s of a step is never %s; there are %s", name, quoted(word.Value), strings.Join(statuses[name], ", "))
			}
		}
	}
}

// isStatus tells whether a member is steps.ID.status.
func isStatus(x *ast.MemberNode) bool {
	step, ok := unchained(x.Node).(*ast.MemberNode)
	return ok && statuses[nameIn(x.Property)] != nil && isSteps(step.Node)
}

// nameIn is the name that a member is looked up by; "" where it is no constant.
func nameIn(property ast.Node) string {
	if name, ok := property.(*ast.StringNode); ok {
		return name.Value
	}
	return ""
}

// isSteps tells whether a node is the steps.
func isSteps(n ast.Node) bool {
	id, ok := unchained(n).(*ast.IdentifierNode)
	return ok && id.Value == "steps"
}

func (c *collector) member(x *ast.MemberNode) {
	inner := unchained(x.Node)
	if id, ok := inner.(*ast.IdentifierNode); ok {
		name, isName := x.Property.(*ast.StringNode)
		switch {
		case id.Value == "inputs" && isName:
			c.uses.inputs[name.Value] = true
			c.uses.whole--
		case id.Value == "steps" && isName:
			if _, have := c.uses.steps[name.Value]; !have {
				c.uses.steps[name.Value] = false
			}
		case id.Value == "run" && isName && !slices.Contains([]string{"id", "dir", "workflow"}, name.Value):
			c.wrong("there is no run.%s; there are run.id, run.dir and run.workflow", name.Value)
		case id.Value == "steps":
			c.wrong("a step is named as steps.ID or steps[\"ID\"], not by a value")
		}
		return
	}
	step, ok := inner.(*ast.MemberNode)
	if !ok {
		return
	}
	if of, is := unchained(step.Node).(*ast.MemberNode); is && isSteps(of.Node) && nameIn(step.Property) == "artifacts" {
		id := nameIn(of.Property)
		c.uses.artifacts[id] = append(c.uses.artifacts[id], nameIn(x.Property))
	}
	if !isSteps(step.Node) {
		return
	}
	name, isName := x.Property.(*ast.StringNode)
	of, _ := step.Property.(*ast.StringNode)
	switch {
	case !isName || of == nil:
		c.wrong("of a step there are output, artifacts, status and error")
	case name.Value == "status", name.Value == "outcome":
		c.uses.status = true
		c.uses.steps[of.Value] = true
	case name.Value == "artifacts":
		c.uses.artifacts[of.Value] = append(c.uses.artifacts[of.Value], "")
	case name.Value == "output", name.Value == "error":
		c.uses.outputs[of.Value] = true
	default:
		c.wrong("there is no steps.%s.%s; of a step there are output (what it prints, JSON or text), artifacts, status and error", of.Value, name.Value)
	}
}

func (c *collector) wrong(format string, args ...any) {
	c.uses.wrong = append(c.uses.wrong, fmt.Sprintf(format, args...))
}

func unchained(n ast.Node) ast.Node {
	for {
		chain, ok := n.(*ast.ChainNode)
		if !ok {
			return n
		}
		n = chain.Node
	}
}
