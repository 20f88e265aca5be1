package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTools adds the tools, under the names that the suite gives them.
func addTools(s *mcp.Server) {
	for name, h := range map[string]handler{
		"test_simple_text":            answers(text("This is a simple text response for testing.")),
		"test_image_content":          answers(image),
		"test_audio_content":          answers(audio),
		"test_embedded_resource":      answers(embedded("test://embedded-resource")),
		"test_multiple_content_types": answers(text("text"), image, embedded("test://mixed-content-resource")),
		"test_streaming_elicitation":  answers(text("nothing is asked of the client")),
		"test_error_handling":         fails,
		"test_tool_with_logging":      logs("Tool execution started", "Tool processing data", "Tool execution completed"),
		"test_logging_tool":           logs("test_logging_tool executed"),
		"test_tool_with_progress":     progresses,
		"test_missing_capability":     samples,
		"test_trigger_tool_change":    changes(func() { mcp.AddTool(s, &mcp.Tool{Name: "test_transient", Description: about}, answers()) }),
		"test_trigger_prompt_change": changes(func() {
			s.AddPrompt(&mcp.Prompt{Name: "test_transient", Description: about}, says(&mcp.PromptMessage{Role: "user", Content: text("")}))
		}),
	} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: about}, h)
	}
	mcp.AddTool(s, &mcp.Tool{Name: "json_schema_2020_12_tool", Description: about, InputSchema: json.RawMessage(schema)}, answers(text("ok")))
	mcp.AddTool(s, &mcp.Tool{Name: "test_x_mcp_header", Description: about, InputSchema: json.RawMessage(
		`{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}}`)}, answers(text("ok")))
}

func fails(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
	return nil, nil, errors.New("this tool intentionally returns an error for testing")
}

// logs is a tool that logs lines.
func logs(lines ...string) handler {
	return func(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		for _, line := range lines {
			//lint:ignore SA1019 the suite asks for it
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("logged")}}, nil, nil
	}
}

func progresses(ctx context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text(fmt.Sprint(token))}}, nil, nil
}

// samples is a tool for clients that can sample.
func samples(_ context.Context, req *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
	//lint:ignore SA1019 the suite asks for it
	if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{text("the client can sample")}}, nil, nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		//lint:ignore SA1019 the suite asks for it
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
}

// changes is a tool that changes what the server has.
func changes(what func()) handler {
	return func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		what()
		return &mcp.CallToolResult{Content: []mcp.Content{text("changed")}}, nil, nil
	}
}

// schema uses what JSON Schema 2020-12 has: a server must pass it on unchanged.
const schema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
