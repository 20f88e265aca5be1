package plan

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// theirs are values in the texts of other programs: Argo's result of a step, parameter and
// item, those of Argo and Airflow that have no place here, and Archon's output of a node.
var theirs = sync.OnceValue(func() (p struct{ keys, result, parameter, item, unread, output *regexp.Regexp }) {
	braces := func(inner string) *regexp.Regexp {
		return regexp.MustCompile(`\$?\{\{-?\s*` + inner + `\s*\}\}`)
	}
	p.keys = regexp.MustCompile(`\.(tasks|dag_id|task_id|bash_command|default_args|upstream|with_?[iI]tems|withParam|suspend)(\.|$)`)
	p.result = braces(`(?:tasks|steps)\.([\w-]+)\.outputs\.result`)
	p.parameter = braces(`(?:workflow|inputs)\.parameters\.([\w-]+)`)
	p.item = braces(`item((?:\.\w+)*)`)
	p.unread = braces(`(?:(?:tasks|steps|workflow|inputs|outputs|params|dag_run|macros|var|ti|task_instance)\b[.[(]|(?:ds|ts|run_id|execution_date|logical_date)\b)[^}]*`)
	p.output = regexp.MustCompile(`\$([A-Za-z0-9_][\w-]*)\.output((?:\.\w+)*)`)
	return p
})

// become writes what a pattern finds in the texts of a value in another way; what is ours stays.
func (n *node) become(pattern *regexp.Regexp, by func(found []string, at *node) string) {
	n.texts("", func(_ string, x *node) {
		x.text = pattern.ReplaceAllStringFunc(x.text, func(found string) string {
			if strings.HasPrefix(found, "${{") {
				return found
			}
			return by(pattern.FindStringSubmatch(found), x)
		})
		x.value = x.text
	})
}

// translate writes what a plan names in the words of other programs in ours. Where it has no
// key of Argo's or Airflow's, {{ … }} is a text, as of a template that a command reads.
func (r *reader) translate(root *node) {
	p, braced := theirs(), false
	root.texts("", func(where string, _ *node) { braced = braced || p.keys.MatchString(where) })
	if braced {
		r.braces(root)
	}
	if nodes := root.get("nodes"); nodes != nil {
		nodes.become(p.output, func(m []string, _ *node) string { return archonOutput(nodes, m[0], m[1], m[2]) })
	}
}

func (r *reader) braces(root *node) {
	p := theirs()
	root.become(p.result, func(m []string, _ *node) string { return "${{ steps." + m[1] + ".output }}" })
	root.become(p.parameter, func(m []string, _ *node) string { return "${{ inputs." + m[1] + " }}" })
	root.become(p.unread, func(m []string, x *node) string {
		r.add(x.line, "%s is not understood; write ${{ inputs.NAME }}, ${{ steps.ID.output.NAME }}, of a signal ${{ steps.ID.output.payload.NAME }}, or for a day an input: --input 'day={date}'", quoted(m[0]))
		return m[0]
	})
}

// archonValues are where the whole output and a part of it stand, by the key of Archon's node.
var archonValues = []struct{ key, whole, part string }{
	{"bash", "", ""}, {"approval", `.words ?? ""`, ".words"}, {"prompt", ".text", ".result"}, {"loop", ".text", ".result"},
}

func archonOutput(nodes *node, found, id, part string) string {
	for _, n := range nodes.items {
		for _, x := range archonValues {
			if own := n.get("id"); own == nil || own.text != id || n.get(x.key) == nil {
				continue
			}
			if part == "" {
				return "${{ steps." + id + ".output" + x.whole + " }}"
			}
			return "${{ steps." + id + ".output" + x.part + part + " }}"
		}
	}
	return found
}

// onlyJob is a plan in which the keys of GitHub's only job, which has steps, are its own.
func onlyJob(root *node) *node {
	jobs := root.get("jobs")
	if jobs == nil || len(jobs.pairs) != 1 || jobs.pairs[0].value.get("steps") == nil {
		return root
	}
	pairs := slices.Concat(root.pairs, jobs.pairs[0].value.pairs)
	title := root.get("name")
	return objectNode(root.line, slices.DeleteFunc(pairs, func(p pair) bool {
		return p.name == "jobs" || p.name == "name" && title != nil && p.value != title
	})...)
}
