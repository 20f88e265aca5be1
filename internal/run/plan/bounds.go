package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// The bounds of one evaluation of an expression.
const (
	maxExpression = 8 << 10         // bytes of its text
	maxExprNodes  = 1000            // of its tree
	maxTurns      = 1_000_000       // turns of all its loops together
	maxWork       = 4 << 30         // bytes that its functions and comparisons work through
	turnWork      = 64              // of them for a turn
	matchWork     = 64              // of them for a byte that an expression like a.*b is matched against
	callWork      = 8               // for a byte that a function reads or makes
	maxTime       = 5 * time.Minute // where all of that is much slower than it can be; a busy machine is no reason
	maxHeld       = 256 << 20       // bytes of all that its lists, objects and variables hold
	maxArguments  = 3               // of a function, whose values are not counted as held
)

var (
	errTurns = errors.New("the expression takes too many turns")
	errWork  = errors.New("the expression works through too much")
)

// meter counts what one evaluation uses.
type meter struct {
	turns int
	work  int64
	held  int         // bytes in its lists, its objects and its variables
	lets  map[int]int // bytes in each variable: in a loop it holds one value after the other
	began time.Time   // of its first work
	asked int64       // the work at which the clock was read last
}

// works counts what is worked through; it is the error of an evaluation that does too much.
func (m *meter) works(bytes int) error {
	if m.began.IsZero() {
		m.began = time.Now()
	}
	if m.work += int64(bytes); m.work > maxWork || m.work-m.asked > 1<<20 && m.late() {
		return errWork
	}
	return nil
}

// late tells whether an evaluation takes too long.
func (m *meter) late() bool {
	m.asked = m.work
	return time.Since(m.began) > maxTime
}

// turn counts one turn of a loop.
func (m *meter) turn(...any) (any, error) {
	if m.turns++; m.turns > maxTurns {
		return nil, errTurns
	}
	return true, m.works(turnWork)
}

// measure gives back what a function or a comparison is to work through, unless that is
// too large: a value that stands in many places is worked through each time.
func (m *meter) measure(args ...any) (any, error) {
	left := maxValue
	if err := sized(reflect.ValueOf(args[0]), &left, 0); err != nil {
		return nil, err
	}
	return args[0], m.works((maxValue - left) * args[1].(int))
}

// search gives back what something is looked for in: an object is not worked through.
func (m *meter) search(args ...any) (any, error) {
	if reflect.ValueOf(args[0]).Kind() == reflect.Map {
		return args[0], nil
	}
	return m.measure(args[0], callWork)
}

// made counts what a function of ours reads and makes.
func (m *meter) made(f func(...any) (any, error)) func(...any) (any, error) {
	return func(args ...any) (any, error) {
		v, err := f(args...)
		if err == nil {
			err = m.works(turnWork + callWork*(shallow(args[0])+shallow(v)))
		}
		return v, err
	}
}

// hold gives back what a list or an object is to hold.
func (m *meter) hold(args ...any) (any, error) {
	return m.add(args[0], shallow(args[0]))
}

// let gives back what a variable is to hold.
func (m *meter) let(args ...any) (any, error) {
	at, size := args[1].(int), shallow(args[0])
	more := max(0, size-m.lets[at])
	m.lets[at] += more
	return m.add(args[0], more)
}

// add counts bytes of a value that is held.
func (m *meter) add(v any, size int) (any, error) {
	if m.held += size; m.held > maxHeld {
		return nil, errValue
	}
	return v, nil
}

// shallow is the size of a value without what its members refer to.
func shallow(v any) int {
	switch v := reflect.ValueOf(v); v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		return v.Len() * 16
	}
	return 0
}

// sized takes the size of a value from left.
func sized(v reflect.Value, left *int, depth int) error {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	*left -= 8
	if v.Kind() == reflect.String {
		*left -= v.Len()
	}
	if *left < 0 || depth > 2*maxDepth {
		return errValue
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array: // by Seq2 it takes twice as long
		for i := range v.Len() {
			if err := sized(v.Index(i), left, depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		for at := v.MapRange(); at.Next(); {
			if err := sized(at.Value(), left, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// options are what bounds an expression, and makes it give the same value at
// each resume: no clock.
func (m *meter) options() []expr.Option {
	m.lets = map[int]int{}
	text := m.made(func(args ...any) (any, error) { return compact(args[0]) })
	return []expr.Option{
		expr.MaxNodes(maxExprNodes), expr.Optimize(false),
		expr.DisableBuiltin("now"), expr.DisableBuiltin("date"), expr.DisableBuiltin("duration"), expr.DisableBuiltin("timezone"), expr.DisableBuiltin("uniq"),
		expr.Function(turnFunction, m.turn, new(func() bool)),
		expr.Function(addFunction, m.made(add), new(func(any, any) any)),
		expr.Function(measureFunction, m.measure, new(func(any, int) any)),
		expr.Function(searchFunction, m.search, new(func(any) any)),
		expr.Function(holdFunction, m.hold, new(func(any) any)),
		expr.Function(letFunction, m.let, new(func(any, int) any)),
		expr.Function("replace", m.made(replace), new(func(string, string, string) string)),
		expr.Function("join", m.made(join), new(func([]any) string), new(func([]any, string) string), new(func([]string) string), new(func([]string, string) string)),
		expr.Function("toJSON", text, new(func(any) string)),
		expr.Function("string", text, new(func(any) string)),
	}
}

const (
	turnFunction    = "piton_turn"
	addFunction     = "piton_add"
	measureFunction = "piton_measure"
	searchFunction  = "piton_search"
	holdFunction    = "piton_hold"
	letFunction     = "piton_let"
)

// counted makes each turn of a loop count, each + a bounded one, and bounds what
// functions and comparisons work through and what lists, objects and variables hold.
type counted struct{ lets int }

func (c *counted) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.PredicateNode:
		x.Node = &ast.SequenceNode{Nodes: []ast.Node{call(turnFunction), x.Node}}
	case *ast.BinaryNode:
		switch x.Operator {
		case "+":
			ast.Patch(n, call(addFunction, x.Left, x.Right))
		case "==", "!=": // no more than the one side is worked through
			x.Left = measured(x.Left, 1)
		case "matches":
			x.Left = measured(x.Left, matchWork)
		case "in":
			x.Left, x.Right = measured(x.Left, 1), within(searchFunction, x.Right)
		case "contains", "startsWith", "endsWith", "<", ">", "<=", ">=":
			x.Left, x.Right = measured(x.Left, 1), measured(x.Right, 1)
		}
	case *ast.BuiltinNode:
		builtin(x)
	case *ast.ArrayNode:
		for i := range x.Nodes {
			x.Nodes[i] = within(holdFunction, x.Nodes[i])
		}
	case *ast.PairNode:
		x.Value = within(holdFunction, x.Value)
	case *ast.VariableDeclaratorNode:
		c.lets++
		x.Value = within(letFunction, x.Value, &ast.IntegerNode{Value: c.lets})
	}
}

// builtin bounds what a function of the language takes; of a loop, what it collects.
func builtin(x *ast.BuiltinNode) {
	for _, a := range x.Arguments {
		if p, ok := a.(*ast.PredicateNode); ok {
			if has("map groupBy sortBy", x.Name) {
				p.Node = within(holdFunction, p.Node)
			}
			return
		}
	}
	switch x.Name {
	case "len", "type", "get", "first", "last", "abs", "ceil", "floor", "round": // what it holds does not matter
		return
	}
	for i := range x.Arguments {
		x.Arguments[i] = measured(x.Arguments[i], callWork)
		if len(x.Arguments) > maxArguments {
			x.Arguments[i] = within(holdFunction, x.Arguments[i])
		}
	}
}

// measured bounds what a function or a comparison works through, at so much for a byte.
func measured(x ast.Node, work int) ast.Node {
	return within(measureFunction, x, &ast.IntegerNode{Value: work})
}

// within puts a value through a function, unless it stands in the text.
func within(function string, x ast.Node, more ...ast.Node) ast.Node {
	switch x.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.ConstantNode, *ast.PredicateNode:
		return x
	}
	return call(function, append([]ast.Node{x}, more...)...)
}

func call(name string, args ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
}

// add is +: of numbers and of texts.
func add(args ...any) (any, error) {
	if a, ok := args[0].(string); ok {
		if b, ok := args[1].(string); ok {
			if len(a)+len(b) > maxValue {
				return nil, errValue
			}
			return a + b, nil
		}
	}
	a, ok := asNumber(args[0])
	b, ok2 := asNumber(args[1])
	if !ok || !ok2 {
		return nil, fmt.Errorf("cannot add %s and %s; string(…) makes a text of a value", kindName(args[0]), kindName(args[1]))
	}
	return a + b, nil
}

func replace(args ...any) (any, error) {
	text, old, by := args[0].(string), args[1].(string), args[2].(string)
	n := strings.Count(text, old)
	if float64(len(text))+float64(n)*float64(len(by)) > maxValue {
		return nil, errValue
	}
	return strings.ReplaceAll(text, old, by), nil
}

func join(args ...any) (any, error) {
	var b strings.Builder
	between := ""
	if len(args) > 1 {
		between, _ = args[1].(string)
	}
	list := reflect.ValueOf(args[0])
	if list.Kind() != reflect.Slice {
		return nil, errors.New("join wants a list")
	}
	for i := range list.Len() {
		if i > 0 {
			b.WriteString(between)
		}
		text, err := compact(list.Index(i).Interface())
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		if b.Len() > maxValue {
			return nil, errValue
		}
	}
	return b.String(), nil
}
