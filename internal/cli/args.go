package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/screen"
)

// None refuses arguments. instead says what was probably meant; %s in it is
// the argument.
func None(instead string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := SeeHelp(c)
		if instead != "" {
			hint = strings.ReplaceAll(instead, "%s", screen.Quote(args[0]))
		}
		return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "unexpected argument %q", args[0])
	}
}

// AtMostOne takes an id of the kind (piton.CheckpointPrefix, say) or nothing.
// An empty one is most often a script's variable that was never set.
func AtMostOne(prefix string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		op := c.CommandPath()
		switch {
		case len(args) == 0:
			return nil
		case len(args) > 1:
			return piton.Errorf(piton.Invalid, op, SeeHelp(c), "one id at a time, not %d: %s", len(args), strings.Join(args, " "))
		case args[0] == "":
			return piton.Errorf(piton.Invalid, op, "leave the argument out, or give an id", "the id is empty")
		}
		for _, x := range []struct{ prefix, flag string }{{piton.WorkflowPrefix, "workflow"}, {piton.SessionPrefix, "session"}} {
			if x.prefix != prefix && strings.HasPrefix(args[0], x.prefix) && c.Flags().Lookup(x.flag) != nil {
				return piton.Errorf(piton.Invalid, op, "give --"+x.flag+" "+args[0], "%s is the id of a %s", args[0], x.flag)
			}
		}
		if prefix == piton.CheckpointPrefix && !looksLikeID(args[0]) && !(takesNames[c.Name()] && app.IsName(args[0])) {
			hint := "an id looks like " + prefix + "0123456789abcdef, and its beginning will do; 'piton list' shows the ids"
			if app.IsName(args[0]) {
				hint = "'piton list --name " + screen.Quote(args[0]) + "' shows the id of what was saved with this name"
			}
			if c.Flags().Lookup("workflow") != nil {
				hint += "; for a workflow: --workflow " + screen.Quote(args...)
			}
			return piton.Errorf(piton.Invalid, op, hint, "%q is not an id", args[0])
		}
		return nil
	}
}

// takesNames are the commands that find a checkpoint by its name too. What is to
// be deleted is named by its id alone.
var takesNames = map[string]bool{"load": true, "inspect": true, "resume": true, "diff": true, "fork": true, "complete": true}

// looksLikeID tells whether a text begins as ids do. Whether it is one, of ours
// or of a program whose work was imported, the store knows.
func looksLikeID(s string) bool {
	return len(s) > len(piton.CheckpointPrefix) && strings.HasPrefix(strings.ToLower(s), piton.CheckpointPrefix)
}

// Takes takes the arguments that a command's usage names, and no others. hint says what
// they are, for the error where one is missing.
func Takes(hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		usage, _, _ := strings.Cut(c.Use, " --")
		words := strings.Fields(usage)[1:]
		for i, word := range words {
			missing := len(args) <= i || args[i] == ""
			switch {
			case word == "[--": // the rest is another program's
				return nil
			case missing && word[0] != '[':
				return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "the %s is missing", strings.ToLower(strings.Trim(word, "'")))
			}
		}
		if len(args) > len(words) {
			return piton.Errorf(piton.Invalid, c.CommandPath(), SeeHelp(c), "unexpected argument %q", args[len(words)])
		}
		return nil
	}
}

// Exclusive refuses flags that exclude each other, which cobra says in words of its own.
func Exclusive(c *cobra.Command) error {
	if err := c.ValidateFlagGroups(); err != nil {
		_, given, _ := strings.Cut(err.Error(), "; [")
		given, _, _ = strings.Cut(given, "]")
		return piton.Errorf(piton.Invalid, c.CommandPath(), "give one of them", "--%s exclude each other", strings.Join(strings.Fields(given), " and --"))
	}
	return nil
}

// mayBeEmpty are the flags whose empty text says the same as none.
var mayBeEmpty = map[string]bool{"name": true, "description": true, "task": true, "step-name": true}

// NotEmpty refuses empty values of flags that choose something: 'delete
// --workflow W --older-than "$AGE"' must not delete everything because AGE is
// not set.
func NotEmpty(c *cobra.Command, _ []string) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		looksFor := f.Name == "name" && c.Name() != "save" && c.Name() != "fork"
		if f.Value.Type() == "string" && f.Value.String() == "" && (!mayBeEmpty[f.Name] || looksFor) {
			err = piton.Errorf(piton.Invalid, c.CommandPath(), "give it a value, or leave it out", "--%s is empty", f.Name)
		}
	})
	return err
}

// FlagError says what is wrong with a flag without the names of Go's funcs.
func FlagError(c *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	var own *piton.Error
	if errors.As(err, &own) { // of a field of a request
		return &piton.Error{Code: own.Code, Op: c.CommandPath(), Hint: cmp.Or(own.Hint, SeeHelp(c)), Err: own.Err}
	}
	var numeric *strconv.NumError
	if errors.As(err, &wrong) && errors.As(err, &numeric) {
		what := "no whole number"
		if errors.Is(numeric, strconv.ErrRange) {
			what = "too large a number"
		}
		if wrong.GetFlag().Value.Type() == "bool" {
			what = "neither true nor false"
		}
		err = fmt.Errorf("--%s: %q is %s", wrong.GetFlag().Name, wrong.GetValue(), what)
	}
	hint := SeeHelp(c)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearFlags(c, unknown.GetSpecifiedName()); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
	}
	return &piton.Error{Code: piton.Invalid, Op: c.CommandPath(), Hint: hint, Err: err}
}

// nearFlags are the flags of a command that a misspelt one may stand for, found as
// cobra finds near commands.
func nearFlags(c *cobra.Command, name string) []string {
	if len(name) < 2 { // a letter is near to all that begin with it
		return nil
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	near := names.SuggestionsFor(strings.ReplaceAll(name, "_", "-"))
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}

func SeeHelp(c *cobra.Command) string { return "see '" + c.CommandPath() + " --help'" }

// OneLine refuses a command that was given as several arguments, or none.
func OneLine(c *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return piton.Errorf(piton.Invalid, c.CommandPath(), "as in: "+c.CommandPath()+" 'make test'", "the command line is missing")
	case 1:
		return nil
	}
	hint := "put it in quotes: " + c.CommandPath() + " " + screen.Quote(strings.Join(args, " "))
	return piton.Errorf(piton.Invalid, c.CommandPath(), hint, "give one command line, not %d arguments", len(args))
}

// SameAgain is a command as it was given, without the place where it began.
func SameAgain(c *cobra.Command, args []string) string {
	words := append(strings.Fields(c.CommandPath()), args...)
	c.Flags().Visit(func(f *pflag.Flag) {
		_, list := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == "cursor" || Prints(f):
		case list:
			for _, v := range f.Value.(pflag.SliceValue).GetSlice() {
				words = append(words, "--"+f.Name, v)
			}
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return screen.Quote(words...)
}

// AllAgain is a list's command as it was given, for all that the list has left out.
func AllAgain(c *cobra.Command) string {
	_ = c.Flags().Set("limit", "0")
	return SameAgain(c, nil)
}
