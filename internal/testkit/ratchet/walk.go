package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"golang.org/x/tools/go/types/typeutil"
)

// module is the path below which a function is one of ours.
const module = "github.com/piton-project/piton"

// tree is the call graph of the module. The bodies of libraries are not in it.
type tree struct {
	root  string // its folder
	prog  *ssa.Program
	graph *callgraph.Graph
}

func loadTree(root string) tree {
	list := got(packages.Load(&packages.Config{Dir: root, Mode: packages.LoadSyntax}, "./..."))
	for _, p := range list {
		for _, e := range p.Errors {
			check(e)
		}
	}
	prog, _ := ssautil.Packages(list, ssa.InstantiateGenerics)
	prog.Build()
	return tree{root, prog, vta.CallGraph(ssautil.AllFunctions(prog), cha.CallGraph(prog))}
}

type set map[*ssa.Function]bool

// walk is what a recorded call reaches from its roots.
type walk struct {
	tree
	ran     profile
	seen    set
	found   set             // declared functions
	entered set             // those that are called from another room
	climbs  map[string]bool // calls from a room to one that is built on it
}

// walk follows the calls from the roots, among the functions that ran.
func (t tree) walk(roots []string, ran profile) walk {
	w := walk{t, ran, set{}, set{}, set{}, map[string]bool{}}
	for f := range t.graph.Nodes {
		if f != nil && slices.Contains(roots, short(f)) {
			w.visit(f)
		}
	}
	if len(w.found) == 0 {
		check(fmt.Errorf("%s is not a function, or did not run in the recorded call: name in %s what took its place", roots, fileName))
	}
	return w
}

func (w walk) figures() []int {
	files := map[string]bool{}
	for f := range w.found {
		files[w.prog.Fset.Position(f.Pos()).Filename] = true
	}
	return []int{len(w.found), len(w.entered), len(files), len(w.climbs)}
}

// String lists the functions, those that are entered from another room with a >, and the
// climbs.
func (w walk) String() string {
	var names []string
	for f := range w.found {
		names = append(names, short(f)+map[bool]string{true: " >"}[w.entered[f]])
	}
	return strings.Join(append(slices.Sorted(slices.Values(names)), slices.Sorted(maps.Keys(w.climbs))...), "\n")
}

// short is a function's name without the module's path.
func short(f *ssa.Function) string { return strings.ReplaceAll(f.String(), module+"/", "") }

// declared is the declaration that a function stands in: a literal counts as a part of
// it, and so does each instance of a generic function.
func declared(f *ssa.Function) *ssa.Function {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if f.Origin() != nil {
		return f.Origin()
	}
	return f
}

// ours reports whether a person wrote a function in this module: the syntax of libraries
// is not loaded, and wrappers have none.
func ours(f *ssa.Function) bool { return f.Syntax() != nil }

// mayVisit reports whether a function ran, or is a wrapper around one that may have.
func (w walk) mayVisit(f *ssa.Function) bool {
	if !ours(f) {
		return len(f.Blocks) > 0
	}
	from, to := w.prog.Fset.Position(f.Syntax().Pos()), w.prog.Fset.Position(f.Syntax().End())
	file := got(filepath.Rel(w.root, from.Filename))
	return w.ran.within(module+"/"+filepath.ToSlash(file), from.Line, to.Line)
}

func (w walk) visit(f *ssa.Function) {
	if w.seen[f] || !w.mayVisit(f) {
		return
	}
	w.seen[f] = true
	if d := declared(f); ours(d) { // not so for a literal in the value of a variable
		w.found[d] = true
	}
	for to := range w.calls(f, set{}) {
		w.pass(f, to)
		w.visit(to)
	}
	for _, to := range w.handed(f) {
		w.visit(to)
	}
}

// calls adds the functions that one calls, through wrappers too.
func (w walk) calls(f *ssa.Function, all set) set {
	for _, e := range w.graph.Nodes[f].Out {
		to := e.Callee.Func
		if all[to] || !w.mayVisit(to) {
			continue
		}
		all[to] = true
		if !ours(to) {
			w.calls(to, all)
		}
	}
	return all
}

// pass notes where a call leaves its room.
func (w walk) pass(f, to *ssa.Function) {
	from, into := declared(f), declared(to)
	if !ours(from) || !ours(into) || from.Pkg == into.Pkg {
		return
	}
	w.entered[into] = true
	if slices.Contains(typeutil.Dependencies(into.Pkg.Pkg), from.Pkg.Pkg) {
		w.climbs[short(from)+" -> "+short(into)] = true
	}
}

// handed are the functions that one hands on, as a value or as the methods of an
// interface: a library may call them, which the graph does not show.
func (w walk) handed(f *ssa.Function) []*ssa.Function {
	var all []*ssa.Function
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, x := range in.Operands(nil) {
				if to, ok := (*x).(*ssa.Function); ok {
					all = append(all, to)
				}
			}
			if m, ok := in.(*ssa.MakeInterface); ok {
				all = append(all, w.methods(m)...)
			}
		}
	}
	return all
}

func (w walk) methods(m *ssa.MakeInterface) []*ssa.Function {
	var all []*ssa.Function
	for s := range w.prog.MethodSets.MethodSet(m.X.Type()).Methods() {
		if f := w.prog.MethodValue(s); f != nil {
			all = append(all, f)
		}
	}
	return all
}
