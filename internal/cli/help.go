package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/screen"
)

// HelpCommand is cobra's own, but that an unknown name is an error.
func HelpCommand(root *cobra.Command) *cobra.Command {
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

// PageHelp shows the help of all commands as wide as the terminal, and in the pager where
// it is long.
func (con *Console) PageHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		_ = con.InPager(root.Context(), func() error {
			var text strings.Builder
			root.SetOut(&text)
			defer root.SetOut(con.Out)
			show(c, args)
			return con.Print(con.Wrapped(con.flowing(text.String()), helpColumn))
		})
	})
}

// helpWidth is how wide the lines of help texts are in the source.
const helpWidth = 86

// flowing joins the lines of each paragraph where the terminal is narrower than they are.
func (con *Console) flowing(text string) string {
	if columns := con.Width(); columns == 0 || columns >= helpWidth {
		return text
	}
	return lineInParagraph.ReplaceAllString(text, "$1 $2")
}

// lineInParagraph is the end of a line and the beginning of the next one, where neither
// is indented, a title or empty.
var lineInParagraph = regexp.MustCompile(`([^\s:])\n([^\s])`)

// helpColumn is the column in which a row of a table of flags or commands goes on.
func helpColumn(line string) int {
	row := strings.TrimLeft(line, " ")
	if at := strings.LastIndex(row, "  "); at >= 0 && len(row) < len(line) {
		return screen.Columns(line) - screen.Columns(row[at+2:])
	}
	return len(line) - len(row)
}

// KnownCommand is the check of a command that holds others: what is left over is none.
func KnownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(c, args[0])
}

// elsewhere are words that people type who come from other programs, and the commands
// that they mean here.
var elsewhere = map[string]string{
	"approve": "runs approve", "cancel": "runs cancel", "checkpoint": "save", "checkpoints": "list", "clean": "prune",
	"clone": "fork", "commit": "save", "continue": "resume", "daemon": "serve", "done": "complete",
	"get": "load", "history": "list", "info": "inspect", "install": "init", "jobs": "runs list", "log": "list", "logs": "runs logs",
	"new": "save", "pause": "runs pause", "recover": "resume", "remove": "delete", "reopen": "save --workflow", "rewind": "resume",
	"rollback": "resume", "server": "serve", "settings": "config", "setup": "init", "start": "run",
	"view": "inspect", "workflows": "list",
	"config show": "config list", "letters list": "letters", "runs new": "run", "runs resume": "run --resume", "runs run": "run", "runs start": "run",
	"sessions list": "sessions",
}

// synonyms are second names of commands, by which other programs know them.
var synonyms = map[string]string{
	"cat": "load", "find": "search", "fsck": "verify", "gc": "prune", "ls": "list", "rm": "delete", "show": "inspect", "why": "explain",
}

// AddSynonyms gives commands their second names.
func AddSynonyms(root *cobra.Command) {
	for name, of := range synonyms {
		if c, _, err := root.Find([]string{of}); err == nil {
			c.Aliases = append(c.Aliases, name)
		}
	}
}

func unknownCommand(c *cobra.Command, name string) error {
	path, key, hint := c.CommandPath(), name, "'piton help' lists the commands"
	also := " " + hint
	if c.HasParent() {
		key, hint, also = c.Name()+" "+name, "'"+path+" --help' lists its commands", ""
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(name); len(near) > 0 && name != "" {
		hint = "did you mean '" + path + " " + strings.Join(near, "' or '"+path+" ") + "'?" + also
	}
	if meant := elsewhere[key]; meant != "" {
		hint = "did you mean 'piton " + meant + "'?" + also
	}
	return piton.Errorf(piton.Invalid, path, hint, "unknown command %q", name)
}

// Topic is a help topic: 'piton help NAME' prints the text, or with --json the value.
func (con *Console) Topic(name, short, text string, value any) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Long: text}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		_ = con.InPager(c.Root().Context(), func() error {
			return Answer(con, value, nil, func(any) error { return con.Print(con.Wrapped(text, screen.RowIndent)) })
		})
	})
	return c
}
