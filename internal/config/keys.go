package config

import (
	"cmp"
	"slices"
	"strings"
	"sync"
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

// keys are all keys of the settings. They are made when they are first asked for.
var keys = sync.OnceValue(func() []key {
	return slices.Concat([]key{
		{name: "debrief.mode", scope: needsTrust, codec: one(func(c *Config) *string { return &c.Debrief.Mode }, parseMode).offering(modeChoices...)},
		{"debrief.min_turn", stricter, one(func(c *Config) *time.Duration { return &c.Debrief.MinTurn }, parseDuration),
			func(was, is *debrief.Settings) bool { return is.MinTurn <= was.MinTurn }},
		{"debrief.timer", stricter, choice(func(c *Config) *agent.Timer { return &c.Debrief.Timer }, agent.TimerUnified, agent.TimerActivity),
			func(was, is *debrief.Settings) bool { return is.Timer == was.Timer || is.Timer == agent.TimerUnified }},
		{"debrief.reply", stricter, choice(func(c *Config) *string { return &c.Debrief.Reply }, debrief.ReplyAuto, debrief.ReplyBlock, debrief.ReplyContext),
			func(was, is *debrief.Settings) bool { return is.Reply == was.Reply || is.Reply == debrief.ReplyBlock }},
		{"debrief.all_clear", stricter, choice(func(c *Config) *string { return &c.Debrief.AllClear }, debrief.AllClearNotice, debrief.AllClearMessage, debrief.AllClearSilent),
			func(was, is *debrief.Settings) bool { return allClearRank(is.AllClear) >= allClearRank(was.AllClear) }},
		{"debrief.hold_on_observations", stricter, one(func(c *Config) *bool { return &c.Debrief.HoldOnObservations }, parseBool),
			func(was, is *debrief.Settings) bool { return is.HoldOnObservations || !was.HoldOnObservations }},
		{name: "debrief.profiles", scope: stricter, codec: profiles()},
		{name: "debrief.rules", scope: stricter, codec: rules()},
		{name: "debrief.tests", scope: stricter, codec: tests()},
		{"debrief.log_check", stricter, one(func(c *Config) *string { return &c.Debrief.LogCheck }, parseText),
			func(was, is *debrief.Settings) bool { return was.LogCheck == "" || is.LogCheck == was.LogCheck }},
		{name: "debrief.work_item", scope: needsTrust, codec: one(func(c *Config) *string { return &c.Debrief.WorkItem }, parseText)},
		{name: verifyKey, scope: needsTrust, codec: verify()},
	}, agentKeys(), []key{
		{name: "store", scope: sameForAll, codec: one(func(c *Config) *string { return &c.Store }, asIs)},
	}, listenerKeys(), checkpointKeys(), restoreKeys(), runKeys(), serveKeys(), allowKeys(), aliasKeys())
})

// allClearRank orders the values of debrief.all_clear by how much they say.
func allClearRank(allClear string) int {
	return slices.Index([]string{debrief.AllClearSilent, debrief.AllClearNotice, debrief.AllClearMessage}, allClear)
}

// agentKeys are the modes of single agents.
func agentKeys() []key {
	var list []key
	for _, name := range clients.Names() {
		list = append(list, key{name: agentsKey + name + ".mode", scope: needsTrust, codec: codec{
			set: func(c *Config, v string) error {
				mode, err := parseMode(v)
				if err != nil {
					return err
				}
				if c.Debrief.Agents == nil {
					c.Debrief.Agents = map[string]string{}
				}
				c.Debrief.Agents[name] = mode
				return nil
			},
			get:     func(c *Config) any { return c.Debrief.ModeOf(name) },
			choices: modeChoices,
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
		{name: "checkpoints.enabled", scope: needsTrust, codec: one(func(c *Config) *bool { return &at(c).Enabled }, parseBool)},
		{name: "checkpoints.auto", scope: needsTrust, codec: one(func(c *Config) *bool { return &at(c).Auto }, parseBool)},
		{name: "checkpoints.by", scope: sameForAll, codec: one(func(c *Config) *bool { return &at(c).By }, parseBool)},
		{name: "checkpoints.compress", scope: sameForAll, codec: one(func(c *Config) *bool { return &at(c).Compress }, parseBool)},
		{name: "checkpoints.warm", scope: sameForAll, codec: one(func(c *Config) *int { return &keep(c).Warm }, parseCount)},
		{name: "checkpoints.warm_for", scope: sameForAll, codec: one(func(c *Config) *time.Duration { return &keep(c).WarmFor }, parseDays)},
		{name: "checkpoints.delete_after", scope: sameForAll, codec: one(func(c *Config) *time.Duration { return &keep(c).DeleteAt }, parseDays)},
		{name: "checkpoints.named_cap", scope: sameForAll, codec: one(func(c *Config) *int { return &keep(c).NamedCap }, parseCount)},
		{name: "checkpoints.open_for", scope: sameForAll, codec: one(func(c *Config) *time.Duration { return &keep(c).OpenFor }, parseDays)},
		{name: "checkpoints.open_cap", scope: sameForAll, codec: one(func(c *Config) *int { return &keep(c).OpenCap }, parseCount)},
		{name: "checkpoints.max_per_session", scope: sameForAll, codec: one(func(c *Config) *int { return &keep(c).PerSession }, parseCount)},
		{name: "checkpoints.archive", scope: sameForAll, codec: one(func(c *Config) *string { return &at(c).Archive }, parseArchive)},
		{name: "checkpoints.prune", scope: sameForAll, codec: one(func(c *Config) *string { return &at(c).Prune }, orOff(oneOf(PruneDaily, PruneOff))).offering(PruneDaily, PruneOff, false)},
	}
}

// restoreKeys are the settings under restore. One store holds the marks of all projects.
func restoreKeys() []key {
	at := func(c *Config) *Restore { return &c.Restore }
	return []key{
		{name: "restore.mode", scope: needsTrust, codec: one(func(c *Config) *string { return &at(c).Mode }, orOff(oneOf(RestoreOn, RestoreOff))).offering(RestoreOn, RestoreOff, false)},
		{name: "restore.secrets", scope: needsTrust, codec: choice(func(c *Config) *string { return &at(c).Secrets }, RestoreKeep, RestoreOmit)},
		{name: "restore.keep", scope: needsTrust, codec: textsOf(func(c *Config) *[]string { return &at(c).Keep }, notInProject)},
		{name: "restore.max_file_mb", scope: sameForAll, codec: one(func(c *Config) *int { return &at(c).MaxFile }, parseMB)},
		{name: "restore.max_mark_mb", scope: sameForAll, codec: one(func(c *Config) *int { return &at(c).MaxMark }, parseMB)},
		{name: "restore.max_all_mb", scope: sameForAll, codec: one(func(c *Config) *int { return &at(c).MaxAll }, parseMB)},
		{name: "restore.keep_for", scope: sameForAll, codec: one(func(c *Config) *time.Duration { return &at(c).For }, parseDays)},
	}
}

// allowKeys are the settings under redact.allow.
func allowKeys() []key {
	return []key{
		{name: "redact.allow.names", scope: userOnly, codec: textsOf(func(c *Config) *[]string { return &c.Allow.Names }, keepsAll)},
		{name: "redact.allow.patterns", scope: userOnly, codec: textsOf(func(c *Config) *[]string { return &c.Allow.Patterns }, keepsAll)},
	}
}

// aliasKeys are the names of the user's own commands.
func aliasKeys() []key {
	return []key{{name: "aliases", scope: userOnly, codec: textsOf(func(c *Config) *[]string { return &c.Aliases }, noAlias)}}
}

// Keys lists the settings, in our spelling.
func Keys() []string {
	var names []string
	for _, k := range keys() {
		names = append(names, k.name)
	}
	return names
}

func find(name string) (key, bool) {
	for _, k := range keys() {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// EnvName is the environment variable of a key.
func EnvName(key string) string {
	name := []byte("PITON_" + key)
	// Each hook asks for every key: with strings.ToUpper and strings.ReplaceAll that was
	// a hundredth of its instructions.
	for i, c := range name {
		switch {
		case c == '.':
			name[i] = '_'
		case c >= 'a':
			name[i] -= 'a' - 'A'
		}
	}
	return string(name)
}

// Value is one key as it is in force.
type Value struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // as in a file, without secrets
	From  string `json:"from"`  // `built-in`, a file's path, a variable or `--store`
}

// BuiltIn is the origin of a value that is not set anywhere.
const BuiltIn = "built-in"

// Values are all keys with what is in force and where it came from. Durations
// are written as in a file.
func (c *Config) Values() []Value {
	var list []Value
	for _, k := range keys() {
		from := c.From[k.name]
		if from == "" && strings.HasPrefix(k.name, agentsKey) {
			from = c.From["debrief.mode"]
		}
		from = cmp.Or(from, BuiltIn)
		list = append(list, Value{k.name, k.get(c), from})
	}
	return list
}
