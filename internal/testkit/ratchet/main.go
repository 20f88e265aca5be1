// Command ratchet keeps the tree from growing unseen. It measures each room (a package
// of the product) and each walk (what an ordinary call reaches) against ratchet.txt, and
// tries the tests on programs with a mistake in them.
//
//	ratchet             rooms: above a limit, or far below one, fails; so does a raise without a reason
//	ratchet walks       walks: the same
//	ratchet walk NAME   lists the functions of a walk
//	ratchet lower       lowers the limits of rooms and walks to what was measured
//	ratchet mutate      see 'ratchet mutate -h'
//
// A walk is counted in the call graph (VTA, of the module without its libraries) among
// the functions that ran in a recorded call. The graph alone reaches thousands from any
// root, most of them on ways that an ordinary call does not take.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command runs one of the commands.
func command(args []string, out io.Writer) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	args = append(args, "", "")
	x := got(parseLimits(string(got(os.ReadFile(fileName)))))
	commands := map[string]func(){
		"":       func() { checkRooms(x, out) },
		"walks":  func() { checkLimits(compare(x.of(kindWalk), walks(x.of(kindWalk), io.Discard))) },
		"walk":   func() { walks(slices.DeleteFunc(x.of(kindWalk), func(l limit) bool { return l.name != args[1] }), out) },
		"lower":  func() { lowerAll(x) },
		"mutate": func() { mutate(args[1:len(args)-2], out) },
	}
	if commands[args[0]] == nil {
		return fmt.Errorf("there is no 'ratchet %s': want nothing, walks, walk, lower or mutate", args[0])
	}
	commands[args[0]]()
	return nil
}

// checkLimits ends the command with what is wrong, if anything is.
func checkLimits(wrong []string) {
	if len(wrong) > 0 {
		check(errors.New(strings.Join(wrong, "\n")))
	}
}

func checkRooms(x limits, out io.Writer) {
	wrong, note := checkRaises(".", x)
	if x.String() != string(got(os.ReadFile(fileName))) {
		wrong = append(wrong, fileName+" is in another form than 'make ratchet' writes")
	}
	fmt.Fprint(out, note)
	checkLimits(append(compare(x.of(kindTotal, kindRoom), measuredRooms()), wrong...))
}

func measuredRooms() []limit {
	all := newRoom()
	var list []limit
	for name, files := range sources(".") {
		r := newRoom()
		for _, f := range files {
			r.add(f)
		}
		all.join(name, r)
		list = append(list, limit{kind: kindRoom, name: name, figures: r.figures()})
	}
	return lower(nil, append(list, limit{kind: kindTotal, name: "all", figures: all.figures()}))
}

func lowerAll(x limits) {
	x.list = lower(x.list, append(measuredRooms(), walks(x.of(kindWalk), io.Discard)...))
	check(os.WriteFile(fileName, []byte(x.String()), 0o644))
}

// walks measures the walks of the list, and lists what they reach.
func walks(list []limit, out io.Writer) []limit {
	dir := got(filepath.EvalSymlinks(got(os.MkdirTemp("", "ratchet"))))
	defer os.RemoveAll(dir)
	r := recorder{root: got(os.Getwd()), dir: dir, into: dir}
	r.build()
	t := loadTree(r.root)
	var measured []limit
	for _, l := range list {
		w := t.walk(l.roots, r.record(l.name))
		fmt.Fprintln(out, w)
		l.figures = w.figures()
		measured = append(measured, l)
	}
	return measured
}
