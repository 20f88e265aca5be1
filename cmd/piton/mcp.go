package main

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/mcp"
	"github.com/piton-project/piton/internal/screen"
)

func mcpCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the checkpoints to an agent as an MCP server",
		Long: `Serve Piton's checkpoints to an agent as an MCP server (Model Context Protocol) on
standard input and output. An agent client starts it; 'piton init' registers it
there. It ends with status 0 when its input ends.

Tools: checkpoint_save, checkpoint_load, checkpoint_list, checkpoint_resume,
checkpoint_inspect, checkpoint_search, checkpoint_diff, checkpoint_complete and
checkpoint_delete; undo_list and undo_preview; run_list, run_show, run_log and
run_waiting, which only read. A call belongs to the session that it names, else to the session
of the agent that makes it. Resources: checkpoint://ID. Prompts: save_checkpoint,
resume_checkpoint.`,
		Example: `  piton mcp
  claude mcp add piton -- piton mcp`,
		Args: cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error { return con.mcp(c.Context()) },
	}
}

// mcp serves until the input or ctx ends.
func (con console) mcp(ctx context.Context) error {
	// A client that is gone is an error of writing and no signal.
	signal.Ignore(syscall.SIGPIPE)
	if screen.IsTerminal(con.In) {
		con.Say("An agent client starts this server and talks to it on standard input; 'piton init' registers it. Ctrl-D ends it.")
	}
	o := con.Options
	o.Getenv, o.StoreFrom = con.Getenv, "--store"
	return mcp.Serve(ctx, con.In, con.Out, mcp.Options{App: o})
}
