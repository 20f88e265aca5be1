package codex

import (
	"cmp"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client"
	"github.com/piton-project/piton/internal/client/rawjson"
)

// fromClient takes what the client tells of a call: that it began, or how it
// ended.
func (f *fold) fromClient(l line) {
	it := readItem(l.body)
	if it.id == "" {
		return
	}
	kind := cmp.Or(l.item, l.what)
	began := strings.HasSuffix(kind, "_begin")
	c := agent.Call{ID: it.id, Kind: agent.CallOther, Dir: it.cwd, Subagent: f.subagent, StartedAt: l.at}
	if !began {
		c.StartedAt, c.EndedAt = timesOf(l)
	}
	switch kind {
	case "CommandExecution", "exec_command_begin", "exec_command_end":
		if it.source == "user_shell" || it.source == "unified_exec_interaction" {
			return // a person's own; what is typed into a command that runs
		}
		c.Tool, c.Kind, c.Command = shellTool(it.command, nil, it.cwd), agent.CallShell, commandLine(it.command)
		if !began {
			it.ended(&c)
		}
	case "FileChange", "patch_apply_begin", "patch_apply_end":
		f.changed(c, it, began)
		return
	case "McpToolCall", "mcp_tool_call_begin", "mcp_tool_call_end":
		c.Tool = "mcp__" + it.server + "__" + it.tool
		c.Kind, c.Command, c.Paths = client.MCP(c.Tool, it.arguments)
		result := it.result
		if ok := rawjson.Member(result, "Ok"); ok != nil {
			result = ok
		}
		c.Failed = it.status == "failed" || isThere(it.failure) || rawjson.Member(result, "Err") != nil || rawjson.IsTrue(rawjson.Member(result, "isError"))
		client.Said(&c, textOf(rawjson.Member(result, "content")))
		if c.Failed && c.Output == "" {
			client.Said(&c, cmp.Or(failureOf(it.failure), failureOf(rawjson.Member(result, "Err"))))
		}
	case "SubAgentActivity":
		f.threads = append(f.threads, it.agentThread)
		return
	case "CollabAgentToolCall":
		for id := range rawjson.Elements(it.receivers) {
			f.threads = append(f.threads, rawjson.Text(id))
		}
		c.Tool = it.tool
		c.Failed = it.status == "failed"
	case "ImageView":
		c.Tool, c.Kind, c.Paths = "view_image", agent.CallRead, []string{it.path}
	case "WebSearch", "DynamicToolCall", "ImageGeneration":
		if c.Tool = it.tool; c.Tool == "" {
			c.Tool = kind
		}
		c.Failed = it.status == "failed"
	default:
		return
	}
	f.put(c)
}

// changed takes a patch. Where it adds files and changes others, it is two
// calls: which files were new is told of a call as a whole.
func (f *fold) changed(c agent.Call, it item, began bool) {
	c.Tool, c.Kind = "apply_patch", agent.CallEdit
	if !began {
		c.NeverRan = it.status == "declined"
		c.Interrupted = c.NeverRan
		c.Failed = !c.Interrupted && (it.status == "failed" || string(it.success) == "false")
		client.Said(&c, rawjson.Text(it.stdout)+rawjson.Text(it.stderr))
	}
	var added, others []string
	c.Comments = true
	for key, change := range rawjson.Members(it.changes) {
		path := rawjson.Text(append(append([]byte{'"'}, key...), '"'))
		kind, move := changeOf(change)
		if kind == "add" {
			added = append(added, f.absolute(path, c.Dir))
			c.Comments = false
			continue
		}
		c.Comments = c.Comments && kind == "update" && move == "" && client.OnlyCommentsIn(path, diffOf(change))
		others = append(others, f.absolute(path, c.Dir))
		if move != "" {
			others = append(others, f.absolute(move, c.Dir))
		}
	}
	c.Comments = c.Comments && len(others) > 0
	f.edited(c, added, others)
}
