package redact

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed commands.txt
var commandTable string

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
	c := &commands{programs: map[string]bool{"curl": true, "sudo": true}}
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
	for _, o := range takers().stores {
		for _, p := range o.programs {
			if o.way == "stdin" && strings.Contains(command, p) {
				return true
			}
		}
	}
	return false
}
