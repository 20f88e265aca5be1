package config

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/edit"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// testsKey names the commands that count as tests.
const testsKey = "debrief.tests"

// AddTest adds a command to debrief.tests. Everything else in the file stays, byte for
// byte, and where there is none it is made. It returns false when the command was there
// already, and Invalid where the file's form leaves no safe place for it.
func (f File) AddTest(command string) (added bool, err error) {
	line, err := yaml.Marshal(command)
	if err != nil || strings.Count(string(line), "\n") != 1 {
		line = []byte(flow(command))
	}
	return f.add(testsKey, command, strings.TrimSuffix(string(line), "\n"), flow(command))
}

// LineOf is the line of a settings file's text on which debrief.tests or debrief.verify
// names a command; 0 where neither does.
func LineOf(text []byte, command string) int {
	for _, key := range []string{testsKey, verifyKey} {
		nodes, _, _ := apart(text, key)
		for _, n := range nodes {
			for _, one := range items(n) {
				run := slices.ContainsFunc(pairs(one), func(p setting) bool { return p.name == "run" && p.node.Value == command })
				if one.Value == command || run {
					return one.Line
				}
			}
		}
	}
	return 0
}

// verifyEntry is a command of debrief.verify as a file has it.
type verifyEntry struct {
	Run     string `json:"run"`
	When    string `json:"when"`
	Timeout string `json:"timeout,omitempty"`
}

// AddVerify adds to debrief.verify, as AddTest does, a command that Piton runs where
// what it checks is unproven; timeout 0: the usual one.
func (f File) AddVerify(command string, timeout time.Duration) (added bool, err error) {
	entry := verifyEntry{Run: command, When: debrief.WhenUnproven}
	if timeout > 0 {
		entry.Timeout = timeout.String()
	}
	text := flow(entry)
	var value any
	_ = yaml.Unmarshal([]byte(text), &value) // JSON is YAML
	return f.add(verifyKey, value, text, text)
}

// add adds a value to a list, as it is written on a line of its own and in brackets.
func (f File) add(key string, value any, line, flow string) (added bool, err error) {
	wanted := func(was []any) ([][]any, error) {
		if slices.ContainsFunc(was, func(have any) bool { return reflect.DeepEqual(have, value) }) {
			return nil, nil
		}
		return [][]any{append(slices.Clone(was), value), append([]any{value}, was...)}, nil
	}
	ways := func(y edit.YAML) []string { return y.Append(strings.Split(key, "."), line, flow) }
	return f.change("add the command", keyEdit{key, listed, wanted, ways})
}

// listed are the items of the last of some lists: texts as texts, whatever they look like.
func listed(nodes []*yaml.Node) (list []any, err error) {
	for _, n := range nodes {
		list = nil
		for _, one := range items(n) {
			if one.Kind != yaml.ScalarNode {
				v, err := decoded([]*yaml.Node{one})
				if err != nil {
					return nil, err
				}
				list = append(list, v...)
				continue
			}
			var text string
			if err = (strict{true}).decode(one, reflect.ValueOf(&text).Elem(), "a command"); err != nil {
				return nil, err
			}
			list = append(list, text)
		}
	}
	return list, nil
}
