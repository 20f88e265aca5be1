package redact

import (
	_ "embed"
	"strings"
)

//go:embed commands.txt
var commandTable string

// taker is a way in which programs take a secret.
type taker struct {
	way, option string
	programs    []string
}

// readTakers reads commands.txt: those that have an option, and those that have none.
func readTakers() (options, stores []taker) {
	for line := range strings.Lines(commandTable) {
		way, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		option, programs, ok := strings.Cut(rest, " ")
		of := taker{way, option, strings.Split(programs, ", ")}
		switch {
		case !ok || way == "#" || way == "":
		case option == "-":
			stores = append(stores, of)
		default:
			options = append(options, of)
		}
	}
	return options, stores
}

// readsSecret tells whether a command reads a secret from its input.
func readsSecret(stores []taker, command string) bool {
	for _, o := range stores {
		for _, p := range o.programs {
			if o.way == "stdin" && strings.Contains(command, p) {
				return true
			}
		}
	}
	return false
}
