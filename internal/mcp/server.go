// Package mcp is the door for models: an MCP server whose tools are Piton's verbs
// (docs/mcp.md). It translates calls into calls of package app and the answers into
// results, and decides nothing.
//
// The protocol is the SDK's. What it lacks on standard input and output is in
// stdio.go.
package mcp

import (
	"context"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

// instructions are what a client tells its model of the server as a whole.
const instructions = `Piton keeps checkpoints: durable saves of the state of your work that outlive the conversation, a compaction, a crash and the machine.
Save progress with checkpoint_save when a step is done or before something risky. When the user asks to continue or resume earlier work, call checkpoint_resume. checkpoint_list and checkpoint_search find earlier checkpoints, checkpoint_load reads one.
sessionId can be left out: Piton finds the session of this conversation.`

// New returns the server with all tools, resources and prompts. It opens nothing
// before the first call.
func New(o Options) *mcp.Server {
	s, d := newServer(o)
	d.describe()
	return s
}

// newServer returns the server before it has its tools, resources and prompts: the first
// answer, which a client waits for, says only that there are some. They are there before
// a request that concerns them is looked at.
func newServer(o Options) (*mcp.Server, *door) {
	d := &door{o: o, slots: make(chan struct{}, maxAtOnce)}
	s := mcp.NewServer(&mcp.Implementation{Name: "piton", Title: "Piton checkpoints", Version: piton.Version()},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: capabilities(), CompletionHandler: d.propose})
	d.describe = sync.OnceFunc(func() {
		d.addTools(s)
		d.addResources(s)
		d.addPrompts(s)
		d.fill()
	})
	s.AddReceivingMiddleware(d.listNewest, func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if concerns(method) {
				d.describe()
			}
			return next(ctx, method, req)
		}
	})
	return s, d
}

// capabilities are those that the SDK tells of a server with tools, resources and
// prompts.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Tools:     &mcp.ToolCapabilities{ListChanged: true},
		Resources: &mcp.ResourceCapabilities{ListChanged: true},
		Prompts:   &mcp.PromptCapabilities{ListChanged: true},
	}
}

// concerns reports whether a request needs the tools, resources or prompts.
func concerns(method string) bool {
	kind, _, _ := strings.Cut(method, "/")
	return kind == "tools" || kind == "resources" || kind == "prompts"
}

// addTools adds the tools. Clients that defer tools find them by the words of their
// names and descriptions, so these are the words that people use.
func (d *door) addTools(s *mcp.Server) {
	add(s, d, spec{
		name: "checkpoint_save", title: "Save a checkpoint", always: true,
		about: "Save a checkpoint: keep progress and the current state of the work, so that it can be resumed, restored or continued later, after a crash or compaction, in another session or by another agent. Durable when it returns. Secrets are removed.",
	}, save)
	add(s, d, spec{
		name: "checkpoint_load", title: "Load a checkpoint", always: true, reads: true, textOnly: true,
		about: "Load a checkpoint: read a saved state to restore or look at it, by checkpointId, or the newest of a session or workflow; path chooses a part of it, maxBytes how much is shown. To continue earlier work, checkpoint_resume tells more.",
	}, load)
	add(s, d, spec{
		name: "checkpoint_list", title: "List checkpoints", always: true, reads: true,
		about: "List checkpoints, newest first: what was saved in this session, in a workflow, or in the project (project \".\"); open true lists unfinished work that can be resumed. States are not included.",
	}, list)
	add(s, d, spec{
		name: "checkpoint_resume", title: "Resume from a checkpoint",
		about: "Resume work from a checkpoint: restore the context of earlier, interrupted or unfinished work and continue it. Answers with a brief (done, in progress, next, decisions, files), the state, and what changed in the work tree since. Call it when the user asks to resume or continue.",
	}, resume)
	add(s, d, spec{
		name: "checkpoint_search", title: "Search checkpoints", reads: true, search: true,
		about: "Search checkpoints by words: find earlier saved work by what you remember of its name, task, step, decisions, todos or files.",
	}, does((*app.App).Search, listed))
	add(s, d, spec{
		name: "checkpoint_inspect", title: "Inspect a checkpoint", reads: true,
		about: "Inspect a checkpoint: show its metadata, the checkpoints before and after it, and what changed in its state since the one before.",
	}, inspect)
	add(s, d, spec{
		name: "checkpoint_diff", title: "Compare checkpoints", reads: true,
		about: "Compare two checkpoints: show what changed in the saved state from one to the other (diff).",
	}, does((*app.App).Compare, compared))
	add(s, d, spec{
		name: "checkpoint_complete", title: "Complete a workflow", again: true,
		about: "Mark saved work as completed: the workflow of a checkpoint is finished and is no longer offered for resuming. Nothing is deleted.",
	}, does((*app.App).Complete, completed))
	add(s, d, spec{
		name: "checkpoint_delete", title: "Delete checkpoints", destroys: true, again: true,
		about: "Delete checkpoints for good: one by its id, or all of a workflow or session. dryRun true shows what would be deleted. Only when the user asks for it.",
	}, remove)
	add(s, d, spec{
		name: "undo_preview", title: "Preview an undo", reads: true,
		about: "Preview an undo: show which uncommitted files, that an agent's command removed, reverted or overwrote, can be brought back. It changes nothing: the user restores them with `piton undo` in a terminal.",
	}, does((*app.App).PreviewUndo, undo))
	add(s, d, spec{
		name: "undo_list", title: "List what can be undone", reads: true,
		about: "List the commands of agents that removed, reverted or overwrote uncommitted files here, and how many files an undo can bring back (restore lost work).",
	}, does((*app.App).Undos, undos))
	add(s, d, spec{
		name: "run_list", title: "List runs", reads: true,
		about: "List runs of plans, newest first: how far each is, and what it does or waits for. open true lists those that are not finished, status those of one status.",
	}, does((*app.App).Runs, listedRuns))
	add(s, d, spec{
		name: "run_show", title: "Show a run", reads: true,
		about: "Show a run of a plan: its steps with their status, attempts and errors, what it waits for, and what a person asks or is asked.",
	}, does((*app.App).ShowRun, shownRun))
	add(s, d, spec{
		name: "run_log", title: "Read a step's log", reads: true,
		about: "Read the log of a run: the end of what its steps, or one step, have written on this machine. maxBytes says how much.",
	}, runLog)
	add(s, d, spec{
		name: "run_waiting", title: "List what waits for a person", reads: true,
		about: "List what waits for the user in this project: runs that ask for an approval or are in doubt or interrupted, agents that ask something, lost files, letters; with the command that the user answers with.",
	}, does((*app.App).WaitingFor, shownWaiting))
}
