package main

import (
	"slices"
	"strings"
)

// In held an agent of Claude Code was held at its stop.
var held = []string{"env PITON_DEBRIEF_MIN_TURN=0s", "agent SessionStart source=startup", "agent ask 'fix it'", "agent write calc.go 'package x // fixed'", "agent Stop last_assistant_message=done"}

// In twoOpen an agent was held for two things.
var twoOpen = slices.Concat([]string{`write web/package.json {"scripts":{"test":"vitest run"}}`, "write web/page.test.ts test"}, held[:4], []string{"agent write web/page.ts 'let a = 1'"}, held[4:])

// In parted it was let go with that open.
var parted = []string{"agent run 'ls' ok", "agent Stop last_assistant_message=done"}

// situationsOfAgents are those of hooks, sessions and the set-up.
var situationsOfAgents = []situation{
	{name: "an agent was held", before: held, gives: "explain", from: "cmd/piton/internal/judge/explain.go"},
	{name: "agents are not held here", before: slices.Concat([]string{"env PITON_DEBRIEF_MODE=audit"}, held), gives: "explain", from: "cmd/piton/internal/judge/explain.go"},
	{name: "a session's record is damaged", before: slices.Concat(held, []string{"sql UPDATE sessions SET rest = 'x'"}), gives: "sessions", from: "cmd/piton/sessions.go"},
	{name: "a session whose record is damaged is read", before: slices.Concat(held, []string{"sessions", "sql UPDATE sessions SET rest = 'x'"}), gives: "explain $SES", from: "internal/store/sqlstore/sessions.go"},
	{name: "a recorded turn that is none", before: held, gives: "rules test --turn s.json", from: "internal/app/insight/replay.go"},
	{name: "no turn was seen", before: []string{"save --workflow w --state s.json"}, gives: "rules test", from: "internal/app/insight/replay.go"},
	{name: "rules of other languages are left out", gives: "rules list", from: "cmd/piton/internal/judge/rules.go"},
	{name: "no tests are found", before: []string{"remove go.mod", "remove Makefile", "remove x_test.go"}, gives: "rules list", from: "cmd/piton/internal/judge/rules.go"},
	{name: "the project's file waits for trust", before: []string{`write .piton.yaml debrief:\n  mode: off\n`}, gives: "config", from: "internal/config/layer.go"},
	{name: "doctor where a file waits for trust", before: []string{`write .piton.yaml debrief:\n  mode: off\n`}, gives: "doctor", from: "internal/app/doctor.go internal/config/layer.go"},
	{name: "doctor where a setting cannot be used", before: []string{`write $DIR/home/.config/piton/config.yaml debrief:\n  mode: audti\n`}, gives: "doctor", from: "internal/app/doctor.go"},
	{name: "the MCP server on a terminal", before: []string{"linux"}, gives: "exec tty -when Ctrl-D -type ^D piton mcp", from: "cmd/piton/mcp.go"},
	{name: "doctor where much waits for trust", before: []string{`write .piton.yaml debrief:\n  mode: off\n  profiles: []\n  min_turn: 9h\n  work_item: x\n  verify: [make test]\n  evidence: []\ncheckpoints:\n  enabled: false\n`}, gives: "doctor", from: "internal/app/doctor.go"},
	{name: "what was trusted cannot be read", before: []string{"write $DIR/state/trust.json x"}, gives: "trust --list", from: "internal/config/trust.go"},
	{name: "a hook could not save", before: []string{"write $DIR/state/piton.db/x y", `hook claude {"session_id":"s","hook_event_name":"Stop","cwd":"$DIR/project"}`, "remove $DIR/state/piton.db"}, gives: "doctor", from: "internal/app/doctor.go"},
	{name: "a hook cannot save", before: []string{"write $DIR/state/piton.db/x y"}, gives: `hook claude {"session_id":"s","hook_event_name":"Stop","cwd":"$DIR/project"}`, from: "internal/turn/missed.go", then: []string{"remove $DIR/state/piton.db"}},
	{name: "hooks without their server", before: []string{"init --agent claude --no-mcp"}, gives: "doctor", from: "internal/client/exam.go internal/setup/statusline.go"},
	{name: "hooks of both scopes are examined", before: []string{"init --agent claude --no-mcp", "init --agent claude --no-mcp --scope project"}, gives: "doctor", from: "internal/setup/doctor_hooks.go"},
	{name: "the unit of the service", before: []string{"linux"}, gives: "serve --install --dry-run", from: "internal/setup/service_systemd.go"},
	{name: "the service starts what is gone", before: []string{"linux", "serve --install", "exec sh -c 'sed -i.old s@ExecStart=.*@ExecStart=/nowhere/piton@ $DIR/home/.config/systemd/user/piton*.service'"}, gives: "doctor", from: "internal/app/installation/service.go", then: []string{"exec sh -c 'rm $DIR/home/.config/systemd/user/piton*'"}},
	{name: "exit statuses", before: []string{"save --workflow w --state s.json", `write $DIR/bin/claude #!/bin/sh\n`}, gives: "help exit", from: "cmd/piton/topics.go"},
	{name: "how letters are carried", gives: "flush --help", from: "cmd/piton/flush.go"},
	{name: "a session without checkpoints", before: []string{"agent SessionStart source=startup", "sessions"}, gives: "load --session $SES", from: "internal/history/newest.go"},
	{name: "no session of this machine has saved what is to go on after a limit", before: []string{"agent SessionStart source=startup", "save --workflow w --state s.json"}, gives: "resume --workflow w --when-limit-ends --max-tokens 9", from: "internal/app/after_limit.go"},
	{name: "a session waits for no limit", before: slices.Concat(held, []string{"agent PreCompact trigger=manual", "sessions", `write $DIR/bin/claude #!/bin/sh\n`}), gives: "resume --session $SES --when-limit-ends --max-tokens 9", from: "internal/app/after_limit.go"},
	{name: "a letter was given up", before: slices.Concat(held, []string{`sql INSERT INTO letters (id, session_id, kind, due, body, done_at, outcome) SELECT 'ltr_0000000000000001', id, 'hold', 1, '{}', 1, 'parked: no client' FROM sessions`}), gives: "letters", from: "cmd/piton/letters.go"},
	{name: "doctor finds a letter that was given up", before: slices.Concat(held, []string{`sql INSERT INTO letters (id, session_id, kind, due, body, done_at, outcome) SELECT 'ltr_0000000000000001', id, 'hold', 1, '{}', 1, 'parked: no client' FROM sessions`}), gives: "doctor", from: "internal/app/letters.go"},
	{name: "doctor finds a letter that waits", before: slices.Concat(held, []string{`sql INSERT INTO letters (id, session_id, kind, due, body, done_at, outcome) SELECT 'ltr_0000000000000001', id, 'hold', 1, '{}', 0, '' FROM sessions`}), gives: "doctor", from: "internal/app/letters.go"},
	{name: "the open work is that of a live session", before: slices.Concat(held, []string{"agent PreCompact trigger=manual", "list --json"}), gives: "list --open --session $SESSION", from: "cmd/piton/list.go"},
	{name: "Piton is to verify by itself", gives: "rules verify 'make check' --user", from: "cmd/piton/internal/judge/verify.go"},
	{name: "no test is known for what an agent changed", before: slices.Concat([]string{"remove go.mod", "remove Makefile", "remove x_test.go", `write package.json {}`}, slices.Concat(held[:3], []string{"agent write page.ts 'let a = 1'"}, held[4:])), gives: "explain", from: "internal/app/insight/explain.go"},
	{name: "more settings are wrong than are logged", before: slices.Concat([]string{`exec sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do echo k$i: 1; done >.piton.yaml'`}, held), gives: "log", from: "internal/hook/log.go"},
	{name: "the server does not answer", before: []string{"init --agent claude", `write $DIR/broken/piton #!/bin/sh\nexit 1\n`, `write $DIR/home/.claude.json {"mcpServers":{"piton":{"type":"stdio","command":"$DIR/broken/piton","args":["mcp"]}}}`}, gives: "doctor", from: "internal/setup/doctor_server.go"},
	{name: "the project's hooks are old", before: []string{"init --agent claude --no-mcp --scope project", "exec sh -c 'sed -i.old s/PreCompact/PreCompakt/ $DIR/project/.claude/settings.json'"}, gives: "doctor", from: "internal/setup/exam.go"},
	{name: "the status line's program is gone", before: []string{"init --agent claude --no-mcp --statusline", "remove $DIR/bin/piton-hook"}, gives: "doctor", from: "internal/setup/statusline.go", then: []string{`write $DIR/bin/piton-hook #!/bin/sh\necho piton-hook devel\n`}},
	{name: "more work is open than is offered", before: []string{"save --workflow v --state s.json", "save --workflow w --state s.json"}, gives: "agent SessionStart source=startup", from: "internal/turn/offer.go"},
	{name: "a long brief after a compaction", before: slices.Concat(held, []string{`agent todo '[{"content":"x","status":"pending","activeForm":"x"}` + strings.Repeat(`,{"content":"`+strings.Repeat("long ", 90)+`","status":"pending","activeForm":"x"}`, 30) + "]'", "agent PreCompact trigger=manual"}), gives: "agent SessionStart source=compact", from: "internal/turn/start.go"},
	{name: "an agent is let go with two things open", before: slices.Concat(twoOpen, parted[:1]), gives: "agent Stop last_assistant_message=done", from: "internal/turn/words.go"},
	{name: "what an agent left open is listed for a program", before: slices.Concat(held, parted), gives: "list --open", from: "cmd/piton/list.go"},
	{name: "some of what is open is ignored", before: slices.Concat([]string{"person"}, twoOpen, parted), gives: "rules ignore calc.go --why 'looked at by hand'", from: "cmd/piton/internal/judge/ignore.go"},
	{name: "what is not open is ignored", before: slices.Concat([]string{"person"}, held, parted), gives: "rules ignore other.go --why 'looked at by hand'", from: "internal/app/needs.go"},
	{name: "a stop where the project's file waits for trust", before: []string{`write .piton.yaml debrief:\n  verify: [make test]\n`, "env PITON_DEBRIEF_MIN_TURN=0s", "agent SessionStart source=startup", "agent ask 'look at it'"}, gives: "agent Stop last_assistant_message=done", from: "internal/turn/words.go"},
	{name: "what is damaged here cannot be carried", before: slices.Concat(held, []string{"agent PreCompact trigger=manual", "sql UPDATE manifests SET data = x'00'", "env PITON_STORE=file:$DIR/other"}), gives: "flush", from: "cmd/piton/flush.go"},
	{name: "a workflow of a session on another machine", before: slices.Concat(held, []string{"agent PreCompact trigger=manual", "list --json", "var WF (wf_[0-9a-z]{16})", "env PITON_STORE=file:$DIR/shared", "flush", "env PITON_HOME=$DIR/second"}), gives: "save --workflow $WF --state s.json", from: "internal/history/save.go"},
	{name: "the hook's own help", gives: "exec $HOOK --help", from: "cmd/piton-hook/main.go"},
	{name: "a session went on with other prompts", before: slices.Concat(held, []string{"env CLAUDECODE=1", "env CLAUDE_CODE_SESSION_ID=$SESSION", "save --workflow mine --state s.json", "env CLAUDECODE=", "env CLAUDE_CODE_SESSION_ID=", "agent run 'go test ./...' ok", "agent Stop last_assistant_message=done", "agent ask 'and the median'", "agent PreCompact trigger=manual"}), gives: "resume --workflow mine", from: "internal/turn/since.go"},
}
