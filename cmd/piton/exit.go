package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
)

// fail shows an error of a command and returns the exit status.
func (con *console) fail(ctx context.Context, command string, err error) int {
	return con.voice().Fail(ctx, command, con.soFar, err)
}

// sayHint says what to do next, if anything.
func (con *console) sayHint(hint string) {
	if hint != "" {
		con.say("hint: %s", clean(hint))
	}
}

// sayProblems says which settings were left out.
func (con *console) sayProblems(list []error) {
	for _, err := range list {
		if !con.json {
			con.say("piton: warning: %s", clean(err.Error()))
		}
	}
}

// exitTopic is 'piton help exit'.
func exitTopic(con *console) *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit statuses of piton:\n\n")
	for _, s := range cli.Statuses() {
		fmt.Fprintf(&b, "  %3d  %-12s %s\n", s.Status, s.Code, s.Meaning)
	}
	b.WriteString("\nWith --json a failure is one object on stderr, {\"error\":{\"code\",\"op\",\"message\",\"hint\"}},\nand stdout is empty, but for what prune, verify or purge had done before it stopped,\nand for the events and the result of a run.\npiton-hook always exits 0. 'piton resume --exec' ends as the client does.\n")
	c := &cobra.Command{Use: "exit", Short: "Exit statuses (a help topic)", Long: b.String()}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if con.json {
			_ = con.printJSON(map[string]any{"statuses": cli.Statuses()})
			return
		}
		_ = con.print(c.Long)
	})
	return c
}
