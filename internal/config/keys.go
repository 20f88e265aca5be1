package config

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// agentsKey begins the keys of single agents.
const agentsKey = "debrief.agents."

// projectsKey is where the user's file speaks of single projects.
const projectsKey = "projects"

var keys = append(append([]key{
	{name: "debrief.mode", scope: vouched, codec: one(func(c *Config) *string { return &c.Debrief.Mode }, oneOf(modes...))},
	{"debrief.min_turn", stricter, one(func(c *Config) *time.Duration { return &c.Debrief.MinTurn }, duration),
		func(was, is *debrief.Settings) bool { return is.MinTurn <= was.MinTurn }},
	{"debrief.timer", stricter, one(func(c *Config) *agent.Timer { return &c.Debrief.Timer }, oneOf(agent.TimerUnified, agent.TimerActivity)),
		func(was, is *debrief.Settings) bool { return is.Timer == was.Timer || is.Timer == agent.TimerUnified }},
	{"debrief.reply", stricter, one(func(c *Config) *string { return &c.Debrief.Reply }, oneOf(debrief.ReplyAuto, debrief.ReplyBlock, debrief.ReplyContext)),
		func(was, is *debrief.Settings) bool { return is.Reply == was.Reply || is.Reply == debrief.ReplyBlock }},
	{"debrief.all_clear", stricter, one(func(c *Config) *string { return &c.Debrief.AllClear }, oneOf(debrief.AllClearNotice, debrief.AllClearMessage, debrief.AllClearSilent)),
		func(was, is *debrief.Settings) bool { return told(is.AllClear) >= told(was.AllClear) }},
	{"debrief.hold_on_observations", stricter, one(func(c *Config) *bool { return &c.Debrief.HoldOnObservations }, truth),
		func(was, is *debrief.Settings) bool { return is.HoldOnObservations || !was.HoldOnObservations }},
	{name: "debrief.profiles", scope: stricter, codec: profiles()},
	{name: "debrief.rules", scope: stricter, codec: rules()},
	{name: "debrief.tests", scope: stricter, codec: tests()},
	{"debrief.log_check", stricter, one(func(c *Config) *string { return &c.Debrief.LogCheck }, text),
		func(was, is *debrief.Settings) bool { return was.LogCheck == "" || is.LogCheck == was.LogCheck }},
	{name: "debrief.work_item", scope: vouched, codec: one(func(c *Config) *string { return &c.Debrief.WorkItem }, text)},
	{name: verifyKey, scope: vouched, codec: verify()},
}, agentKeys()...), append([]key{
	{name: "store", scope: machine, codec: one(func(c *Config) *string { return &c.Store }, asIs)},
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
				mode, err := oneOf(modes...)(v)
				if err != nil {
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

// checkpointKeys are the settings under checkpoints. Of one project only
// whether hooks save at all can be said: one store holds all projects, and the
// others decide what leaves it.
func checkpointKeys() []key {
	at := func(c *Config) *Checkpoints { return &c.Checkpoints }
	keep := func(c *Config) *piton.Retention { return &c.Checkpoints.Retention }
	return []key{
		{name: "checkpoints.enabled", scope: vouched, codec: one(func(c *Config) *bool { return &at(c).Enabled }, truth)},
		{name: "checkpoints.auto", scope: vouched, codec: one(func(c *Config) *bool { return &at(c).Auto }, truth)},
		{name: "checkpoints.compress", scope: machine, codec: one(func(c *Config) *bool { return &at(c).Compress }, truth)},
		{name: "checkpoints.warm", scope: machine, codec: one(func(c *Config) *int { return &keep(c).Warm }, count)},
		{name: "checkpoints.warm_for", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).WarmFor }, days)},
		{name: "checkpoints.delete_after", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).DeleteAt }, days)},
		{name: "checkpoints.named_cap", scope: machine, codec: one(func(c *Config) *int { return &keep(c).NamedCap }, count)},
		{name: "checkpoints.open_for", scope: machine, codec: one(func(c *Config) *time.Duration { return &keep(c).OpenFor }, days)},
		{name: "checkpoints.open_cap", scope: machine, codec: one(func(c *Config) *int { return &keep(c).OpenCap }, count)},
		{name: "checkpoints.max_per_session", scope: machine, codec: one(func(c *Config) *int { return &keep(c).PerSession }, count)},
		{name: "checkpoints.archive", scope: machine, codec: one(func(c *Config) *string { return &at(c).Archive }, place)},
		{name: "checkpoints.prune", scope: machine, codec: one(func(c *Config) *string { return &at(c).Prune }, oneOf(PruneDaily, PruneOff))},
	}
}

// allowKeys are the settings under redact.allow.
func allowKeys() []key {
	return []key{
		{name: "redact.allow.names", scope: own, codec: allowed(func(c *Config) *[]string { return &c.Allow.Names })},
		{name: "redact.allow.patterns", scope: own, codec: allowed(func(c *Config) *[]string { return &c.Allow.Patterns })},
	}
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

// EnvName is the environment variable of a key.
func EnvName(key string) string {
	return "PITON_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
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
