package mcp

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/request"
)

// add adds a tool. The arguments are decoded here and not by the SDK, which would
// write a state anew and round its large numbers.
func add[In any](s *mcp.Server, d *door, t spec, run func(context.Context, call, In) (*reply, error)) {
	tool := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about,
		InputSchema: json.RawMessage(`{"type":"object"}`), // until fill: the SDK would read them several times over
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.reads, DestructiveHint: &t.destroys, IdempotentHint: t.again || t.reads, OpenWorldHint: new(bool)},
	}
	if t.always {
		tool.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	d.tools = append(d.tools, tool)
	s.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var out *reply
		var args In
		read := request.Read(request.MCP, &args)
		if err := cmp.Or(read.JSON(req.Params.Arguments), read.Check()); err != nil {
			return failure(t.name, err), nil
		}
		warned, err := d.within(ctx, sender(req), t, func(c call) (err error) {
			out, err = run(ctx, c, args)
			return err
		})
		if err != nil {
			return failure(t.name, err), nil
		}
		out.note(warned...)
		return success(out, t), nil
	})
}

// does is a tool that is a verb as it is, in the words of its answer.
func does[In, Out any](verb func(*app.App, context.Context, In) (Out, error), words func(Out) *reply) func(context.Context, call, In) (*reply, error) {
	return func(ctx context.Context, c call, in In) (*reply, error) {
		out, err := verb(c.App, ctx, in)
		return words(out), err
	}
}
