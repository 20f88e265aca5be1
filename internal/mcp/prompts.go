package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// addPrompts adds what a person calls by name where the client offers it. Their
// names are those of no command: Gemini CLI makes commands of them, and gives
// another name to all that have the same, our /checkpoint too.
func (d *door) addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name: "save_checkpoint", Title: "Save a checkpoint now", Description: "Save the progress of this conversation as a checkpoint",
		Arguments: []*mcp.PromptArgument{{Name: "name", Description: "a name for it"}},
	}, savePrompt)
	s.AddPrompt(&mcp.Prompt{
		Name: "resume_checkpoint", Title: "Resume earlier work", Description: "Continue from a checkpoint: the newest unfinished work of this project, or the one you name",
		Arguments: []*mcp.PromptArgument{{Name: "checkpoint", Description: "its id or name"}},
	}, d.resumePrompt)
}

func savePrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := "Save a checkpoint of our work now: call checkpoint_save once with a state that says what is done, what is in progress, what comes next, the decisions and their reasons, and the files concerned"
	if name := strings.TrimSpace(req.Params.Arguments["name"]); name != "" {
		text += ", and with this name: " + name
	}
	return prompt("save a checkpoint", &mcp.TextContent{Text: piton.Fence(text + ". Then tell me its id, and go on.")}), nil
}

func (d *door) resumePrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	var r app.Resumption
	_, err := d.within(ctx, caller.Sender{}, spec{}, func(c call) (err error) {
		r, err = resumption(ctx, c, piton.ResumeRequest{Choice: piton.Choice{Ref: req.Params.Arguments["checkpoint"]}})
		return err
	})
	if err != nil {
		return nil, failedRequest(err)
	}
	return prompt("resume "+r.Checkpoint.ID, &mcp.TextContent{Text: shown(resumed(r))}), nil
}

func prompt(about string, content mcp.Content) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: about, Messages: []*mcp.PromptMessage{{Role: "user", Content: content}}}
}
