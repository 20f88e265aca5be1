package action

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/run/plan"
)

// MCP calls a tool of an MCP server.
type MCP struct{ Tools }

// Doc says what the action takes.
func (MCP) Doc() Doc {
	return Doc{
		Name:    "mcp",
		Summary: "Calls a tool of an MCP server, which is started for the step or asked over HTTP.",
		Parameters: []Parameter{
			{Name: "server", Kinds: []Kind{Text, List}, Required: true, Others: []string{"command", "url"},
				Meaning: "the server: a program and its arguments as a list, or a URL"},
			{Name: "tool", Kinds: []Kind{Text}, Required: true, Others: []string{"name", "tool_name"}, Meaning: "the tool to call"},
			{Name: "arguments", Kinds: []Kind{Map}, Others: []string{"args", "input", "params", "parameters"}, Meaning: "a map of what the tool is given"},
			{Name: "env", Kinds: []Kind{Map}, Others: []string{"environment"}, Meaning: "a map of variables for a server that is started"},
			{Name: "dir", Kinds: []Kind{Text}, Others: []string{"cwd"}, Meaning: "the folder to start it in, relative to the run's"},
			{Name: "headers", Kinds: []Kind{Map}, Others: []string{"header"}, Meaning: "a map of headers for a URL"},
			outputParameter,
		},
		Output: "the tool's structured content, else its text",
	}
}

// Check reports what is wrong with the parameters.
func (a MCP) Check(s plan.Step) error {
	if err := a.Doc().Check(s); err != nil {
		return err
	}
	p := s.Parameters
	switch server := p["server"].(type) {
	case string:
		if open(server) {
			return nil
		}
		if _, err := target(server); err != nil {
			return wrong(`the parameter "server" of the action mcp is a URL, or a program and its arguments as a list, such as ["npx", "some-server"]`)
		}
		if p["env"] != nil || p["dir"] != nil {
			return wrong(`"env" and "dir" of the action mcp are for a server that is started, and this one is a URL`)
		}
	case []any:
		if _, err := words(server); err != nil {
			return wrong(`the parameter "server" of the action mcp: %s`, err)
		}
		if p["headers"] != nil {
			return wrong(`"headers" of the action mcp are for a URL, and this server is started`)
		}
	}
	return nil
}

// Effect is once: nobody can tell what a tool changes.
func (MCP) Effect(plan.Step) plan.Effect { return plan.Once }

// Do calls the tool. A server that it has started ends with it.
func (a MCP) Do(ctx context.Context, c Call) (Result, error) {
	tool, _ := c.Parameters["tool"].(string)
	arguments := c.Parameters["arguments"]
	if arguments == nil {
		arguments = map[string]any{}
	} else if _, ok := arguments.(map[string]any); !ok {
		return Result{}, final(`the parameter "arguments" is %s, and must be a map`, described(arguments))
	}
	session, err := a.connect(ctx, c)
	if err != nil {
		return Result{}, err
	}
	defer session.end()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: c.meta()}
	params.SetProgressToken(c.Step)
	session.sent.Store(false)
	r, err := session.CallTool(ctx, params)
	if err != nil {
		return Result{}, session.failure(ctx, tool, err)
	}
	said := spoken(r.Content)
	if r.IsError {
		if meant := session.tools(ctx, tool); meant != "" {
			return Result{}, final("the server has no tool %q%s", tool, meant)
		}
		return Result{}, &Failed{Err: fmt.Errorf("the tool %s failed: %s", tool, ending([]byte(said))), Known: Answered}
	}
	out, err := toolOutput(r, said, c.Parameters["output"])
	return Result{Output: out}, err
}

// meta says to a server who calls, and by which key it can know the call again.
func (c Call) meta() mcp.Meta {
	m := mcp.Meta{"piton/idempotency_key": c.Key, "piton/run_id": c.Run, "piton/step_id": c.Step, "piton/attempt": c.Attempt}
	if c.Words != "" {
		m["piton/words"] = c.Words
	}
	return m
}

// toolOutput is what the step brings: structured content, else the text.
func toolOutput(r *mcp.CallToolResult, said string, how any) (any, error) {
	if r.StructuredContent == nil || how == "text" {
		return readOutput([]byte(ends(said, maxOutput)), len(said) > maxOutput, how)
	}
	if v, err := ReadJSON([]byte(said)); err == nil && reflect.DeepEqual(floats(v), floats(r.StructuredContent)) {
		return v, nil // the text keeps large integers as they are
	}
	whole, err := compact(r.StructuredContent)
	if err != nil {
		return nil, err
	}
	if len(whole) > maxOutput {
		return readOutput([]byte(ends(whole, maxOutput)), true, how)
	}
	return ReadJSON([]byte(whole))
}

// floats is a value with all its numbers as float64.
func floats(v any) any {
	b, err := json.Marshal(v)
	if err != nil || len(b) > maxOutput {
		return err
	}
	var out any
	_ = json.Unmarshal(b, &out)
	return out
}

// spoken is the text of what a tool answers; of anything else it says what it is.
func spoken(list []mcp.Content) string {
	var parts []string
	for _, item := range list {
		switch c := item.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, c.URI)
		case *mcp.EmbeddedResource:
			if c.Resource == nil {
				break
			}
			if c.Resource.Blob != nil {
				parts = append(parts, fmt.Sprintf("[%s, %s, %d bytes]", c.Resource.URI, c.Resource.MIMEType, len(c.Resource.Blob)))
				break
			}
			parts = append(parts, c.Resource.Text)
		}
	}
	return strings.Join(parts, "\n")
}
