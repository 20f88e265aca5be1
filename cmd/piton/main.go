// Command piton is Piton for people: it saves, lists, loads, inspects and
// resumes checkpoints, and sets the agents' hooks up.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends at once what the first one could not.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// run is the program: arguments and streams in, exit status out.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, getenv func(string) string) int {
	con := &console{in: in, out: out, err: errOut, getenv: getenv}
	con.options.Warn = con.warn
	defer con.close()
	root := rootCommand(con)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	if c, err := root.ExecuteContextC(ctx); err != nil {
		// A flag that cannot be read ends the parsing before --json was seen.
		con.json = con.json || wantsJSON(args)
		return con.fail(ctx, c.CommandPath(), err)
	}
	return con.status
}

func rootCommand(con *console) *cobra.Command {
	cobra.EnableCommandSorting = false // help lists the commands as they are used, save first
	root := &cobra.Command{
		Use:   "piton",
		Short: "Helps coding agents to keep their place and to verify their work",
		Long: `Piton saves the state of coding agents step by step and lets any agent resume it.
It holds an agent at the end of its turn if its changes were not verified.

Begin with 'piton demo' to see it, and with 'piton init' to use it.
Exit statuses: 'piton help exit'. Shell completion: 'piton help completion'.`,
		Version:           piton.Version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              knownCommand,
		PersistentPreRunE: notEmpty,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("piton {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true // ours refuses unknown shells
	root.PersistentFlags().StringVar(&con.options.Store, "store", "", "the `STORE` of the checkpoints: sqlite:PATH, postgres://… or file:DIR (default $PITON_STORE, else $PITON_HOME/piton.db)")
	root.PersistentFlags().BoolVar(&con.json, "json", false, "print JSON; a failure is one JSON object on stderr")
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: "checkpoints", Title: "Checkpoints:"},
		&cobra.Group{ID: "agents", Title: "Agents:"},
	)
	for _, c := range []*cobra.Command{
		saveCommand(con), listCommand(con), loadCommand(con), inspectCommand(con), resumeCommand(con), completeCommand(con), deleteCommand(con),
		diffCommand(con), forkCommand(con), branchesCommand(con), searchCommand(con),
		pruneCommand(con), exportCommand(con), importCommand(con), verifyCommand(con), repairCommand(con), purgeCommand(con), flushCommand(con),
	} {
		c.GroupID = "checkpoints"
		root.AddCommand(c)
	}
	for _, c := range []*cobra.Command{
		initCommand(con), uninstallCommand(con), doctorCommand(con), explainCommand(con), sessionsCommand(con),
		rulesCommand(con), configCommand(con), trustCommand(con), demoCommand(con),
	} {
		c.GroupID = "agents"
		root.AddCommand(c)
	}
	root.AddCommand(schemaCommand(con), versionCommand(con), completionCommand(con), exitTopic(con), manCommand())
	root.SetHelpCommand(helpCommand(root))
	con.completeFlags(root)
	return root
}
