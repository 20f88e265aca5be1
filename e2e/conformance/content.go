package main

import (
	"context"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type handler = mcp.ToolHandlerFor[any, any]

// answers is a tool that always answers the same.
func answers(content ...mcp.Content) handler {
	return func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: content}, nil, nil
	}
}

const about = "for the conformance suite"

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

var (
	image    = &mcp.ImageContent{MIMEType: "image/png", Data: pixel}
	audio    = &mcp.AudioContent{MIMEType: "audio/wav", Data: silence}
	pixel    = []byte("\x89PNG\r\n\x1a\n")
	silence  = []byte("RIFF\x24\x00\x00\x00WAVEfmt ")
	embedded = func(uri string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "an embedded resource"}}
	}
)

// says is a prompt that always says the same.
func says(messages ...*mcp.PromptMessage) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: messages}, nil
	}
}
