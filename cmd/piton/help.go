package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

// helpCommand is cobra's own, but that an unknown name is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command, 'exit' (exit statuses) or 'words' (what a word means)",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range root.Commands() {
				if !c.Hidden {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || c == root && len(rest) > 0 {
				return unknownCommand(root, args[0])
			}
			c.InitDefaultHelpFlag() // shown though the command did not run
			return c.Help()
		},
	}
}

// pageHelp shows the help of all commands in the pager where it is long.
func pageHelp(con *console, root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		_ = con.InPager(root.Context(), func() error {
			root.SetOut(con.Out)
			show(c, args)
			return nil
		})
	})
}

// knownCommand is the root's check: what is left over is not a command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(root, args[0])
}

// knownSubcommand is the same for a command that holds others.
func knownSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "'" + c.CommandPath() + " --help' lists its commands"
	if meant := elsewhere[c.Name()+" "+args[0]]; meant != "" {
		return piton.Errorf(piton.Invalid, c.CommandPath(), "did you mean 'piton "+meant+"'?", "unknown command %q", args[0])
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean '" + c.CommandPath() + " " + strings.Join(near, "' or '"+c.CommandPath()+" ") + "'?"
	}
	return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "unknown command %q", args[0])
}

// elsewhere are words that people type who come from other programs, and the commands
// that they mean here.
var elsewhere = map[string]string{
	"approve": "runs approve", "cancel": "runs cancel", "cat": "load", "checkpoint": "save", "checkpoints": "list", "clean": "prune",
	"clone": "fork", "commit": "save", "continue": "resume", "daemon": "serve", "done": "complete", "find": "search", "fsck": "verify",
	"gc": "prune", "get": "load", "history": "list", "info": "inspect", "install": "init", "jobs": "runs list", "log": "list", "logs": "runs logs",
	"new": "save", "pause": "runs pause", "recover": "resume", "remove": "delete", "restore": "resume", "rewind": "resume",
	"rm": "delete", "rollback": "resume", "server": "serve", "settings": "config", "setup": "init", "show": "inspect", "start": "run",
	"undo": "resume", "view": "inspect", "why": "explain", "workflows": "list",
	"config list": "config", "config show": "config", "letters list": "letters", "runs new": "run", "runs resume": "run --resume", "runs run": "run", "runs start": "run",
	"sessions list": "sessions",
}

func unknownCommand(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	hint := "'piton help' lists the commands"
	if meant := elsewhere[name]; meant != "" {
		return piton.Errorf(piton.Invalid, "piton", "did you mean 'piton "+meant+"'? "+hint, "unknown command %q", name)
	}
	if near := root.SuggestionsFor(name); len(near) > 0 && name != "" {
		hint = fmt.Sprintf("did you mean 'piton %s'? %s", strings.Join(near, "' or 'piton "), hint)
	}
	return piton.Errorf(piton.Invalid, "piton", hint, "unknown command %q", name)
}
