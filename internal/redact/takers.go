package redact

import (
	"slices"
	"strings"
	"sync"
)

// taker is a way in which programs take a secret.
type taker struct {
	way, option string
	programs    []string
}

// commands are what commands.txt says.
type commands struct {
	programs map[string]bool // the first words of all
	options  []taker
	stores   []taker // that have no option
}

// takers are read when an option, or what may be such a command, is first looked at.
var takers = sync.OnceValue(func() *commands {
	c := &commands{programs: map[string]bool{}}
	for line := range strings.Lines(commandTable) {
		way, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		option, programs, ok := strings.Cut(rest, " ")
		if !ok || way == "#" {
			continue
		}
		of, list := taker{way, option, strings.Split(programs, ", ")}, &c.options
		if option == "-" {
			list = &c.stores
		}
		*list = append(*list, of)
		for _, p := range of.programs {
			first, _, _ := strings.Cut(p, " ")
			c.programs[first] = true
		}
	}
	return c
})

// readsSecret tells whether a command reads a secret from its input.
func readsSecret(command string) bool {
	return slices.ContainsFunc(takers().stores, func(o taker) bool {
		return o.way == "stdin" && slices.ContainsFunc(o.programs, func(p string) bool { return strings.Contains(command, p) })
	})
}

// commandScan is what is known of the command that the walk is in: where the
// last known programs stand. Each byte is looked at once.
type commandScan struct {
	seen  int
	found [4]int // places, the last ones
	n     int
}

// runs tells whether the command that a place of a text belongs to begins with one of
// the programs.
func (c *commandScan) runs(s string, at int, programs []string) bool {
	if programs[0] == "*" {
		return true
	}
	c.scan(s, at)
	for _, from := range c.found[:min(c.n, len(c.found))] {
		begins := func(p string) bool {
			rest, ok := strings.CutPrefix(s[from:], p)
			return ok && byteAt(rest, 0) == ' '
		}
		if at-from <= looked && slices.ContainsFunc(programs, begins) {
			return true
		}
	}
	return false
}

// scan looks for programs up to a place.
func (c *commandScan) scan(s string, at int) {
	i := max(c.seen, at-looked)
	if i > c.seen {
		c.n = 0
	}
	for c.seen = max(c.seen, at); i < at; i++ {
		end := run(s, i, at, &dotted)
		switch {
		case end == i && commandEnds.has(s[i]) && (s[i] != '\n' || byteAt(s, i-1) != '\\'):
			c.n = 0
		case end > i && isProgram(s, i, end):
			c.found[c.n%len(c.found)] = i
			c.n++
		}
		i = max(i, end-1)
	}
}

var (
	commandEnds   = chars("\n;|&(")
	beforeProgram = chars(" /`'\"\t\n;|&(\x00")
)

// isProgram tells whether a word is a program that takes secrets, with operands.
func isProgram(s string, from, end int) bool {
	return byteAt(s, end) == ' ' && end-from < 24 && beforeProgram.has(byteAt(s, from-1)) && takers().programs[s[from:end]]
}
