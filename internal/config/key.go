package config

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// key is one setting: its name in a file; in the environment it is PITON_ and
// the name in capitals with _.
type key struct {
	name  string
	scope scope
	codec
	// keeps reports whether the second of two settings asks for no less than the
	// first; of a key whose scope is stricter and that is no list.
	keeps func(was, is *debrief.Settings) bool
}

// scope says which layers may set a key, beside the user's file and the
// environment (docs/spec.md, "Configuration and trust").
type scope int

const (
	own      scope = iota // the user's file alone, not the environment either
	machine               // no other: it is the same for all projects
	vouched               // a project's file that is trusted, and the user's word about a project
	stricter              // any project's file, as far as it then asks for no less than without it
)

// codec is how a key's value is read and shown.
type codec struct {
	set func(c *Config, v string) error // one value
	// list reads a list; it tells whether anything was set, and what could not
	// be.
	list func(c *Config, n *yaml.Node, l layer) (bool, []error)
	adds bool // a later layer adds to the list, it does not replace it
	get  func(c *Config) any
}

// agentsKey begins the keys of single agents.
const agentsKey = "debrief.agents."

var keys = append(append([]key{
	{name: "debrief.mode", scope: vouched, codec: oneOf(func(c *Config) *string { return &c.Debrief.Mode }, modes...)},
	{"debrief.min_turn", stricter, length(func(c *Config) *time.Duration { return &c.Debrief.MinTurn }),
		func(was, is *debrief.Settings) bool { return is.MinTurn <= was.MinTurn }},
	{"debrief.timer", stricter, oneOf(func(c *Config) *agent.Timer { return &c.Debrief.Timer }, agent.TimerUnified, agent.TimerActivity),
		func(was, is *debrief.Settings) bool { return is.Timer == was.Timer || is.Timer == agent.TimerUnified }},
	{"debrief.reply", stricter, oneOf(func(c *Config) *string { return &c.Debrief.Reply }, debrief.ReplyAuto, debrief.ReplyBlock, debrief.ReplyContext),
		func(was, is *debrief.Settings) bool { return is.Reply == was.Reply || is.Reply == debrief.ReplyBlock }},
	{"debrief.all_clear", stricter, oneOf(func(c *Config) *string { return &c.Debrief.AllClear }, debrief.AllClearNotice, debrief.AllClearMessage, debrief.AllClearSilent),
		func(was, is *debrief.Settings) bool { return told(is.AllClear) >= told(was.AllClear) }},
	{"debrief.hold_on_observations", stricter, flag(func(c *Config) *bool { return &c.Debrief.HoldOnObservations }),
		func(was, is *debrief.Settings) bool { return is.HoldOnObservations || !was.HoldOnObservations }},
	{name: "debrief.profiles", scope: stricter, codec: profiles()},
	{name: "debrief.rules", scope: stricter, codec: rules()},
	{name: "debrief.tests", scope: stricter, codec: tests()},
	{"debrief.log_check", stricter, text(func(c *Config) *string { return &c.Debrief.LogCheck }),
		func(was, is *debrief.Settings) bool { return was.LogCheck == "" || is.LogCheck == was.LogCheck }},
	{name: "debrief.work_item", scope: vouched, codec: text(func(c *Config) *string { return &c.Debrief.WorkItem })},
	{name: verifyKey, scope: vouched, codec: verify()},
}, agentKeys()...), append([]key{
	{name: "store", scope: machine, codec: codec{
		set: func(c *Config, v string) error { c.Store = v; return nil },
		get: func(c *Config) any { return c.Store },
	}},
}, append(checkpointKeys(), allowKeys()...)...)...)

var modes = []string{debrief.ModeOn, debrief.ModeAudit, debrief.ModeOff}

// told orders the values of debrief.all_clear by how much they say.
func told(allClear string) int {
	return slices.Index([]string{debrief.AllClearSilent, debrief.AllClearNotice, debrief.AllClearMessage}, allClear)
}

// agentKeys are the modes of single agents.
func agentKeys() []key {
	var list []key
	for _, name := range clients.Names() {
		list = append(list, key{name: agentsKey + name + ".mode", scope: vouched, codec: codec{
			set: func(c *Config, v string) error {
				mode := ""
				if err := pick(&mode, v, modes); err != nil {
					return err
				}
				if c.Debrief.Agents == nil {
					c.Debrief.Agents = map[string]string{}
				}
				c.Debrief.Agents[name] = mode
				return nil
			},
			get: func(c *Config) any { return c.Debrief.ModeOf(name) },
		}})
	}
	return list
}

// Keys lists the settings, in our spelling.
func Keys() []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

func find(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// Value is one key as it is in force.
type Value struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	From  string `json:"from"` // a file, a variable, "built-in"
}

// BuiltIn is where a value is from that nobody has set.
const BuiltIn = "built-in"

// Values are all keys with what is in force and where it came from. Durations
// are written as in a file.
func (c *Config) Values() []Value {
	var list []Value
	for _, k := range keys {
		from := c.From[k.name]
		if from == "" && strings.HasPrefix(k.name, agentsKey) {
			from = c.From["debrief.mode"]
		}
		if from == "" {
			from = BuiltIn
		}
		list = append(list, Value{k.name, k.get(c), from})
	}
	return list
}
