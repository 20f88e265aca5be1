package mcp

import (
	"cmp"
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// proposed bounds what is proposed.
const proposed = 20

// scheme begins the address of a checkpoint as a resource.
const scheme = "checkpoint://"

// takesID are the arguments that take the id of a checkpoint.
var takesID = map[[2]string]bool{{scheme + "{id}", "id"}: true, {"resume_checkpoint", "checkpoint"}: true}

// propose proposes the ids of the newest checkpoints where one is asked for: in a
// checkpoint's address and in the prompt resume.
func (d *door) propose(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	ref, arg := req.Params.Ref, req.Params.Argument
	if ref != nil && takesID[[2]string{cmp.Or(ref.URI, ref.Name), arg.Name}] {
		for _, c := range d.newest(ctx) {
			if strings.HasPrefix(c.ID, arg.Value) {
				values = append(values, c.ID)
			}
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

// newest are the newest checkpoints of the project. Where the store cannot be read
// there are none: the tools say why.
func (d *door) newest(ctx context.Context) []piton.Checkpoint {
	var page app.Listing
	_, err := d.within(ctx, caller.Sender{}, spec{reads: true}, func(c call) (err error) {
		page, err = c.List(ctx, piton.ListRequest{Limit: proposed, Project: "."})
		return err
	})
	if err != nil {
		return nil
	}
	return page.Checkpoints
}
