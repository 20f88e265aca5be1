package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/screen"
)

// printingFlags are the flags that say how a command prints, and not what it does.
var printingFlags = []string{"json", "jq", "color", "quiet", "debug", "no-pager"}

// PrintingFlags adds them, for all commands.
func (con *Console) PrintingFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.BoolFunc("json", "print JSON, or these fields of it: --json=id,name; a failure is one JSON object on stderr", con.setJSON)
	flags.Func("jq", "print what this jq `EXPRESSION` makes of the JSON", con.setJq)
	flags.Func("color", "`WHEN` to print colors: always, never, or auto (the default: on a terminal, unless NO_COLOR is set)", con.setColor)
	flags.BoolVarP(&con.Quiet, "quiet", "q", false, "print data, warnings and errors only")
	flags.BoolVar(&con.Debug, "debug", false, "say on stderr where Piton keeps its files, what it logs, and how long the command took")
	flags.BoolVar(&con.NoPager, "no-pager", false, "print long texts without a pager (default $PITON_PAGER, else $PAGER, else less)")
}

func (con *Console) setJSON(text string) error {
	switch text {
	case "true", "false":
		con.JSON, con.Filter.Fields = text == "true", nil
		return nil
	}
	names := strings.Split(text, ",")
	for _, name := range names {
		if !fieldName.MatchString(name) {
			return piton.Errorf(piton.Invalid, "", "fields are named with commas between them: --json=id,name; docs/json.md lists those of each command", "--json: %q is not the name of a field", name)
		}
	}
	con.JSON, con.Filter.Fields = true, names
	return nil
}

func (con *Console) setJq(text string) (err error) {
	con.JSON = true
	con.Filter.Jq, err = screen.ParseJq(text)
	return err
}

func (con *Console) setColor(text string) error {
	if !slices.Contains([]string{"auto", "always", "never"}, text) {
		return piton.Errorf(piton.Invalid, "", "give auto, always or never", "--color: %q is unknown", text)
	}
	con.Color = text
	return nil
}

var (
	fieldName  = regexp.MustCompile(`^[a-z0-9_]+$`)
	fieldNames = regexp.MustCompile(`^[a-z0-9_]+(,[a-z0-9_]+)+$`)
)

// JoinFields returns arguments with the fields that follow --json as a word of their own
// joined to it. One name alone could be an argument of the command, and so could they where
// it takes any number of words.
func JoinFields(root *cobra.Command, args []string) []string {
	if c, _, err := root.Find(args); err != nil || strings.Contains(c.Use, "...") {
		return args // these may be its words
	}
	joined := []string{} // not nil, which cobra takes for the program's own
	for i, x := range args {
		if x == "--" {
			return append(joined, args[i:]...)
		}
		if i > 0 && args[i-1] == "--json" && fieldNames.MatchString(x) {
			joined[len(joined)-1] += "=" + x
			continue
		}
		joined = append(joined, x)
	}
	return joined
}

// WantsJSON looks for --json and --jq in arguments that could not be parsed.
func WantsJSON(args []string) bool {
	for _, x := range args {
		name, value, _ := strings.Cut(x, "=")
		switch {
		case x == "--":
			return false
		case name == "--jq" || name == "--json" && value != "false":
			return true
		}
	}
	return false
}

// Prints reports whether a flag only says how a command prints.
func Prints(f *pflag.Flag) bool { return slices.Contains(printingFlags, f.Name) }
