package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addRest adds the resources and prompts, under the names that the suite gives them.
func addRest(s *mcp.Server) {
	s.AddResource(&mcp.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"},
		holds(mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(&mcp.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"},
		holds(mcp.ResourceContents{MIMEType: "image/png", Blob: pixel}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"}, template)

	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: about}, says(&mcp.PromptMessage{Role: "user", Content: text("This is a simple prompt for testing.")}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: about}, says(&mcp.PromptMessage{Role: "user", Content: image}, &mcp.PromptMessage{Role: "user", Content: text("look")}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: about, Arguments: []*mcp.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			line := fmt.Sprintf("arg1='%s', arg2='%s'", req.Params.Arguments["arg1"], req.Params.Arguments["arg2"])
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text(line)}}}, nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: about, Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: embedded(req.Params.Arguments["resourceUri"])}, {Role: "user", Content: text("process it")},
			}}, nil
		})
}

// holds is a resource that always holds the same.
func holds(c mcp.ResourceContents) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c := c
		c.URI = req.Params.URI
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
	}
}

func template(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: req.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
	}}}, nil
}
