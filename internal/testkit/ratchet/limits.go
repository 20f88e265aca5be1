package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// fileName is the file of the limits, in the root of the tree.
const fileName = "ratchet.txt"

// The kinds of limits.
const (
	kindTotal = "total"
	kindRoom  = "room"
	kindWalk  = "walk"
)

// kind is what a kind's limits say. A figure may be above its limit by margin percent,
// and below it by slack percent or maxSlack: with more a room could grow back unseen.
type kind struct {
	order         int // in the file
	columns       []string
	margin, slack int
}

const maxSlack = 50

var roomColumns = []string{"lines", "decisions in 100 lines of functions", "files", "dense lines", "public names"}

// The total has less slack, which is still more than most landings take. Walks have a
// margin: some functions run only where another process is slow.
var kinds = map[string]kind{
	kindTotal: {0, roomColumns, 0, 1},
	kindRoom:  {1, roomColumns, 0, 5},
	kindWalk:  {2, []string{"functions", "functions entered from another room", "files", "climbs"}, 3, 5},
}

// percent is so many percent of n, rounded up.
func percent(p, n int) int { return (p*n + 99) / 100 }

// limit is a line of the file: what a room or a walk may at most be. What was measured
// has the same form.
type limit struct {
	kind, name string
	figures    []int
	roots      []string // of a walk: the functions where it begins
	reason     string   // why a figure was raised
}

func (l limit) key() string { return l.kind + " " + l.name }

// limits is the file: comments, then the limits.
type limits struct {
	header string
	list   []limit
}

// of are the limits of some kinds.
func (x limits) of(kinds ...string) []limit {
	return slices.DeleteFunc(slices.Clone(x.list), func(l limit) bool { return !slices.Contains(kinds, l.kind) })
}

func find(list []limit, key string) (limit, bool) {
	i := slices.IndexFunc(list, func(l limit) bool { return l.key() == key })
	if i < 0 {
		return limit{}, false
	}
	return list[i], true
}

func parseLimits(text string) (limits, error) {
	var x limits
	for line := range strings.Lines(text) {
		switch t := strings.TrimSpace(line); {
		case strings.HasPrefix(t, "#"): // all comments come first
			x.header += line
		case t != "":
			l, err := parseLimit(t)
			if err != nil {
				return x, fmt.Errorf("%s: %q: %w", fileName, t, err)
			}
			x.list = append(x.list, l)
		}
	}
	return x, nil
}

func parseLimit(line string) (limit, error) {
	data, reason, _ := strings.Cut(line, "#")
	words := strings.Fields(data)
	names := kinds[words[0]].columns
	if names == nil || len(words) < 2+len(names) {
		return limit{}, errors.New("want room, total or walk, a name, and a number for each column")
	}
	l := limit{kind: words[0], name: words[1], reason: strings.TrimSpace(reason), roots: words[2+len(names):]}
	for _, w := range words[2 : 2+len(names)] {
		n, err := strconv.Atoi(w)
		if err != nil {
			return l, fmt.Errorf("want a number for %q", w)
		}
		l.figures = append(l.figures, n)
	}
	return l, nil
}

// String is the text of the file, in columns.
func (x limits) String() string {
	var block bytes.Buffer
	table := tabwriter.NewWriter(&block, 0, 0, 2, ' ', 0)
	kind := ""
	for _, l := range x.list {
		if l.kind != kind {
			fmt.Fprintln(table)
			kind = l.kind
		}
		fmt.Fprintf(table, "%s\t%s", l.kind, l.name)
		for _, n := range l.figures {
			fmt.Fprintf(table, "\t%d", n)
		}
		tail := strings.Join(l.roots, " ")
		if l.reason != "" {
			tail += "  # " + l.reason
		}
		fmt.Fprintln(table, "\t"+strings.TrimSpace(tail))
	}
	table.Flush()
	out := x.header
	for line := range strings.Lines(block.String()) {
		out += strings.TrimRight(line, " \n") + "\n"
	}
	return out
}

// compare says where what was measured is not within the limits.
func compare(list, measured []limit) []string {
	var wrong []string
	for _, m := range measured {
		l, ok := find(list, m.key())
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s is not in %s: 'make ratchet' adds it", m.key(), fileName))
		}
		for i, n := range l.figures {
			if sentence := l.judge(i, m.figures[i]); sentence != "" {
				wrong = append(wrong, fmt.Sprintf("%s has %d %s, and %s says %d: %s", m.key(), m.figures[i], kinds[l.kind].columns[i], fileName, n, sentence))
			}
		}
	}
	for _, l := range list {
		if _, ok := find(measured, l.key()); !ok {
			wrong = append(wrong, fmt.Sprintf("%s is in %s and not in the tree: 'make ratchet' takes it out", l.key(), fileName))
		}
	}
	return wrong
}

// judge says what to do about a figure; "": nothing.
func (l limit) judge(i, measured int) string {
	k, limit := kinds[l.kind], l.figures[i]
	switch {
	case measured > limit+percent(k.margin, limit):
		return "make it smaller, or raise the figure with '# why' at the end of its line"
	case limit-measured > min(percent(k.slack, limit), maxSlack):
		return "'make ratchet' lowers it"
	}
	return ""
}

// lower lowers the limits to what was measured, adds what is new and takes out what is
// gone. It raises nothing.
func lower(list, measured []limit) []limit {
	var lowered []limit
	for _, m := range measured {
		m.figures = slices.Clone(m.figures)
		if l, ok := find(list, m.key()); ok {
			m.reason, m.roots = l.reason, l.roots
			for i, n := range l.figures {
				m.figures[i] = min(m.figures[i], n)
			}
		}
		lowered = append(lowered, m)
	}
	slices.SortFunc(lowered, func(a, b limit) int {
		return cmp.Or(kinds[a.kind].order-kinds[b.kind].order, strings.Compare(a.name, b.name))
	})
	return lowered
}

// raised says which limits are above those of an earlier file without a reason of their own.
func raised(list, before []limit) []string {
	var wrong []string
	for _, l := range list {
		was, ok := find(before, l.key())
		if !ok || l.reason != "" && l.reason != was.reason {
			continue
		}
		for i, n := range was.figures {
			if l.figures[i] > n {
				wrong = append(wrong, fmt.Sprintf("%s: the limit of %s was raised from %d to %d: say why with '# why' at the end of its line, in other words than before", l.key(), kinds[l.kind].columns[i], n, l.figures[i]))
			}
		}
	}
	return wrong
}
