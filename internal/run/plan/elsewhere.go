package plan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// foreign is how another program names a value in a text, and how a plan does.
type foreign struct {
	pattern *regexp.Regexp
	ours    string
}

// references are those of Argo. What begins with a dollar is ours.
var references = sync.OnceValue(func() (list []foreign) {
	for _, row := range [][2]string{
		{`(?:tasks|steps)\.([\w-]+)\.outputs\.result`, "steps.$1.output"},
		{`(?:workflow|inputs)\.parameters\.([\w-]+)`, "inputs.$1"},
		{`item((?:\.\w+)*)`, "item$1"},
	} {
		list = append(list, foreign{regexp.MustCompile(`\$?\{\{\s*` + row[0] + `\s*\}\}`), "$${{ " + row[1] + " }}"})
	}
	return list
})

// unread are values in the words of Argo and Airflow that are not translated.
var unread = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\{-?\s*(?:(?:tasks|steps|workflow|inputs|outputs|params|dag_run|macros|var|ti|task_instance)\b[.[(]|(?:ds|ts|run_id|execution_date|logical_date)\b)[^}]*\}\}`)
})

// translate writes what a plan's texts name in the words of other programs in ours. inEach: the
// texts are of a step that runs for items.
func (r *reader) translate(n *node, inEach bool) {
	for _, p := range n.pairs {
		inEach = inEach || stepKeys.find(p.name).name == "for_each"
	}
	if n.kind == isText {
		for i, x := range references() {
			if isItem := i == len(references())-1; !isItem || inEach {
				n.become(x.pattern, func(found string) string { return x.pattern.ReplaceAllString(found, x.ours) })
			}
		}
		n.become(unread(), func(found string) string {
			r.add(n.line, "%s is not understood; write ${{ inputs.NAME }}, ${{ steps.ID.output.NAME }}, of a signal ${{ steps.ID.output.payload.NAME }}, or for a day an input: --input 'day={date}'", quoted(found))
			return found
		})
	}
	for _, p := range n.pairs {
		r.translate(p.value, inEach)
	}
	for _, x := range n.items {
		r.translate(x, inEach)
	}
}

// become replaces what a pattern finds in a text, but for what is ours.
func (n *node) become(pattern *regexp.Regexp, by func(found string) string) {
	n.text = pattern.ReplaceAllStringFunc(n.text, func(found string) string {
		if strings.HasPrefix(found, "${{") {
			return found
		}
		return by(found)
	})
	n.value = n.text
}

var archonOutput = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$([A-Za-z0-9_][\w-]*)\.output((?:\.\w+)*)`) })

// archonValues are where what $ID.output means stands, by the key of the node.
var archonValues = []struct{ key, whole, part string }{
	{"bash", "", ""}, {"approval", `.words ?? ""`, ".words"}, {"prompt", ".text", ".result"}, {"loop", ".text", ".result"},
}

// archonOutputs writes $ID.output in the texts of Archon's nodes as expressions.
func archonOutputs(nodes, n *node) {
	if n.kind == isText {
		n.become(archonOutput(), func(found string) string {
			m := archonOutput().FindStringSubmatch(found)
			i := slices.IndexFunc(nodes.items, func(x *node) bool { id := x.get("id"); return id != nil && id.text == m[1] })
			if i < 0 {
				return found
			}
			for _, x := range archonValues {
				at := x.whole
				if m[2] != "" {
					at = x.part + m[2]
				}
				if nodes.items[i].get(x.key) != nil {
					return "${{ steps." + m[1] + ".output" + at + " }}"
				}
			}
			return found
		})
	}
	for _, p := range n.pairs {
		archonOutputs(nodes, p.value)
	}
	for _, x := range n.items {
		archonOutputs(nodes, x)
	}
}

// onlyJob is a plan in which the keys of GitHub's only job, which has steps, are its own.
func onlyJob(root *node) *node {
	jobs := root.get("jobs")
	if jobs == nil || len(jobs.pairs) != 1 || jobs.pairs[0].value.get("steps") == nil {
		return root
	}
	isOther := func(name string) func(pair) bool { return func(p pair) bool { return p.name == name } }
	pairs := slices.DeleteFunc(slices.Clone(root.pairs), isOther("jobs"))
	return objectNode(root.line, append(pairs, slices.DeleteFunc(slices.Clone(jobs.pairs[0].value.pairs), isOther("name"))...)...)
}
