package cli

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/request"
)

// Asks makes the flags and the arguments of a command from what it is asked with, a struct
// of package piton, and calls do with what was given (package request).
func Asks[R any](c *cobra.Command, do func(c *cobra.Command, r R) error) *cobra.Command {
	req := new(R)
	in := request.Read(request.CLI, req)
	words := addFlags(c.Flags(), in)
	names := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if names != nil {
			if err := names(c, args); err != nil {
				return err
			}
		}
		rest, err := inOrder(in, words, args)
		if err == nil && len(rest) > 0 && names == nil {
			err = piton.Errorf(piton.Invalid, c.CommandPath(), SeeHelp(c), "unexpected argument %q", rest[0])
		}
		return err
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := in.Check(); err != nil {
			return err
		}
		return do(c, *req)
	}
	return c
}

// addFlags adds the fields that are flags, and returns those that are arguments.
func addFlags(flags *pflag.FlagSet, in *request.Reading) (words []request.Field) {
	for _, f := range in.Fields {
		if f.Has("arg", request.CLI) {
			words = append(words, f)
			if !f.Has("flag", request.CLI) {
				continue
			}
		}
		for _, name := range f.Names(request.CLI) {
			flag := flags.VarPF(&flagValue{in: in, field: f, name: name}, name, f.Tag("short", request.CLI), f.Help(request.CLI, name))
			if f.Switch() {
				flag.NoOptDefVal = "true"
			}
		}
	}
	return words
}

// inOrder reads the arguments: each of a field, the last of all that are left where it
// takes many. It returns those that no field takes.
func inOrder(in *request.Reading, words []request.Field, args []string) ([]string, error) {
	for _, f := range words {
		if len(args) == 0 {
			return nil, nil
		}
		mine := args[:1]
		if f.Tag("arg", request.CLI) == "rest" {
			mine = args
			if !f.Many() {
				mine = []string{strings.Join(args, " ")}
			}
			args = args[len(args)-1:]
		}
		for _, word := range mine {
			if err := in.Text(f, "", word); err != nil {
				return nil, err
			}
		}
		args = args[1:]
	}
	return args, nil
}

// flagValue is a field as a flag.
type flagValue struct {
	in    *request.Reading
	field request.Field
	name  string
	text  string
}

func (g *flagValue) Set(text string) error {
	g.text = text
	return g.in.Text(g.field, g.name, text)
}

func (g *flagValue) String() string {
	if g == nil || g.text != "" {
		return g.text
	}
	return g.field.Tag("default", request.CLI)
}

// Type is the placeholder of its value in the help.
func (g *flagValue) Type() string {
	if g.field.Switch() {
		return "bool"
	}
	if value := g.field.Tag("value", request.CLI); value != "" {
		return value
	}
	switch g.field.Type {
	case reflect.TypeFor[int](), reflect.TypeFor[*int](), reflect.TypeFor[int64]():
		return "int"
	case reflect.TypeFor[json.RawMessage]():
		return "FILE"
	}
	return "string"
}
