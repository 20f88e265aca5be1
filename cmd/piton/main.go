// Command piton is Piton for people: it saves, lists, loads, inspects and
// resumes checkpoints, and sets the agents' hooks up.
package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	_ "time/tzdata" // schedules need the zones, and a machine may have none

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/files"
	"github.com/piton-project/piton/cmd/piton/internal/judge"
	"github.com/piton-project/piton/cmd/piton/internal/runs"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/proc"
)

func main() {
	proc.Adopt()
	os.Exit(run(proc.Interruptible(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// run is the program: arguments and streams in, exit status out.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, getenv func(string) string) int {
	con := console{cli.New(in, out, errOut, getenv)}
	con.Options.Warn, con.Options.Progress = con.Warn, con.Progress
	defer con.Close()
	if slices.Equal(args, []string{"mcp"}) { // agents wait for it, and making the commands takes 1 ms
		if err := con.mcp(ctx); err != nil {
			return con.Fail(ctx, "piton mcp", err)
		}
		return 0
	}
	con.Filter.Ctx = ctx
	root := rootCommand(con)
	if err := con.execAlias(root, args); err != nil {
		return con.Fail(ctx, "piton "+args[0], err)
	}
	root.SetArgs(cli.JoinFields(root, args))
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	c, err := root.ExecuteContextC(ctx)
	if err != nil {
		// A flag that cannot be read ends the parsing before --json was seen.
		con.JSON = con.JSON || cli.WantsJSON(args)
		con.Status = con.Fail(ctx, c.CommandPath(), err)
	}
	con.Ended(c, con.Status)
	return con.Status
}

// rootCommand returns all commands.
func rootCommand(con console) *cobra.Command {
	root := bareRoot(con)
	addGroup(root, "checkpoints",
		saveCommand(con), listCommand(con), loadCommand(con), inspectCommand(con), resumeCommand(con), completeCommand(con), deleteCommand(con),
		diffCommand(con), forkCommand(con), branchesCommand(con), searchCommand(con),
		pruneCommand(con), exportCommand(con), importCommand(con), verifyCommand(con), repairCommand(con), purgeCommand(con), flushCommand(con))
	addGroup(root, "files", files.Commands(con.Console)...)
	addGroup(root, "runs", runs.Commands(con.Console)...)
	addGroup(root, "agents",
		initCommand(con), uninstallCommand(con), statusCommand(con), doctorCommand(con), judge.ExplainCommand(con.Console), sessionsCommand(con), openCommand(con), statuslineCommand(con), lettersCommand(con),
		judge.RulesCommand(con.Console), statsCommand(con), judge.ReplayCommand(con.Console), configCommand(con), trustCommand(con), demoCommand(con), mcpCommand(con), serveCommand(con), uiCommand(con))
	root.AddCommand(schemaCommand(con), versionCommand(con), completionCommand(con), exitTopic(con), wordsTopic(con))
	root.AddCommand(buildCommands()...)
	cli.AddSynonyms(root)
	root.SetHelpCommand(cli.HelpCommand(root))
	con.CompleteFlags(root)
	return root
}

// prepare is called before each command.
func (con console) prepare(c *cobra.Command, args []string) error {
	con.Begins(c)
	return cmp.Or(cli.NotEmpty(c, args), cli.Exclusive(c))
}

// addGroup adds commands below one title of the help.
func addGroup(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
	}
	root.AddCommand(commands...)
}

// bareRoot returns the command that all others stand below, without them.
func bareRoot(con console) *cobra.Command {
	cobra.EnableCommandSorting = false // help lists the commands as they are used, save first
	root := &cobra.Command{
		Use:   "piton",
		Short: "Helps coding agents to keep their place and to verify their work",
		Long: `Piton saves the state of coding agents step by step and lets any agent resume it.
It holds an agent at the end of its turn if its changes were not verified.

Begin with 'piton demo' to see it, and with 'piton init' to use it.
Exit statuses: 'piton help exit'. Words: 'piton help words'.
Shell completion: 'piton help completion'.`,
		Version:           piton.Version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cli.KnownCommand,
		PersistentPreRunE: con.prepare,
		RunE:              func(c *cobra.Command, _ []string) error { return con.alone(c) },
	}
	root.SetVersionTemplate("piton {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true // ours refuses unknown shells
	root.PersistentFlags().StringVar(&con.Options.Store, "store", "", "the `STORE` of the checkpoints: sqlite:PATH, postgres://… or file:DIR (default $PITON_STORE, else $PITON_HOME/piton.db)")
	con.PrintingFlags(root)
	root.SetFlagErrorFunc(cli.FlagError)
	con.PageHelp(root)
	root.AddGroup(
		&cobra.Group{ID: "checkpoints", Title: "Checkpoints:"},
		&cobra.Group{ID: "files", Title: "Files:"},
		&cobra.Group{ID: "runs", Title: "Runs of plans:"},
		&cobra.Group{ID: "agents", Title: "Agents:"},
	)
	return root
}
