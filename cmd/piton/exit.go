package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

// fail shows an error of a command and returns the exit status.
func (con *console) fail(ctx context.Context, command string, err error) int {
	return con.voice().Fail(ctx, command, con.soFar, err)
}

// sayHint says what to do next, if anything.
func (con *console) sayHint(hint string) {
	if hint != "" {
		con.Say("hint: %s", screen.Clean(hint))
	}
}

// sayProblems says which settings were left out.
func (con *console) sayProblems(list []error) {
	for _, err := range list {
		if !con.JSON {
			con.Say("piton: warning: %s", screen.Clean(err.Error()))
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
	return topic(con, "exit", "Exit statuses (a help topic)", b.String(), map[string]any{"statuses": cli.Statuses()})
}

// topic is a help topic: 'piton help NAME' prints the text, or with --json the value.
func topic(con *console, name, short, text string, value any) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Long: text}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		_ = con.InPager(c.Root().Context(), func() error {
			return answer(con, value, nil, func(any) error { return con.Print(con.Wrapped(text, rowIndent)) })
		})
	})
	return c
}
