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

const jsonType = "application/json"

// addResources adds the checkpoints as resources, each by its id.
func (d *door) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "checkpoint", Title: "Checkpoint", URITemplate: scheme + "{id}", MIMEType: jsonType,
		Description: "a checkpoint and its saved state, by its id",
	}, d.readResource)
}

// listNewest adds the newest checkpoints of the project to the list of resources. It is
// that of the moment, so it is not kept by the SDK.
func (d *door) listNewest(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListResourcesResult)
		if err != nil || !ok || list.NextCursor != "" {
			return res, err
		}
		for _, c := range d.newest(ctx) {
			list.Resources = append(list.Resources, &mcp.Resource{URI: scheme + c.ID, Name: c.ID, Title: piton.FenceLine(c.Step()), Description: piton.FenceLine(describe(c)), MIMEType: jsonType})
		}
		return list, nil
	}
}

func (d *door) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	id := strings.TrimPrefix(uri, scheme)
	if app.IsName(id) {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	var out *reply
	warned, err := d.within(ctx, caller.Sender{}, spec{reads: true}, func(c call) (err error) {
		out, err = load(ctx, c, piton.LoadRequest{Choice: piton.Choice{Ref: id}, Excerpt: piton.Excerpt{MaxBytes: maxState}})
		return err
	})
	if piton.CodeOf(err) == piton.NotFound {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, failedRequest(err)
	}
	out.note(warned...)
	object, err := out.object()
	if err != nil {
		return nil, failedRequest(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: string(fencedJSON(object))}}}, nil
}

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
