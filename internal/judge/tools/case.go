package tools

import (
	"slices"
	"strings"
)

// Changes are the files that the command changes, and whether there are others.
func (c Call) Changes() (named []string, others bool) {
	if c.Tool.Does&Reads != 0 {
		return nil, false
	}
	for i := range c.Tool.Writes {
		w := &c.Tool.Writes[i]
		if a := w.args(c); w.holds(c, a) {
			named, others = w.changes(c, a)
			return slices.DeleteFunc(named, func(f string) bool { return f == "-" }), others
		}
	}
	return nil, true
}

// Risk is the kind of what the command can destroy, "" if it is nothing.
func (c Call) Risk() string {
	for i := range c.Tool.Risks {
		if r := &c.Tool.Risks[i]; r.holds(c, r.args(c)) {
			return r.Kind
		}
	}
	return ""
}

func (w *Case) args(c Call) Args {
	a := c.Args
	if w.Takes != "" {
		a = Read(c.Words, c.Tool.Takes+" "+w.Takes)
	}
	if c.Tool.HandsOn {
		a.Flags = slices.Concat(a.Flags, a.rest(""))
	}
	return a
}

func (w *Case) holds(c Call, a Args) bool {
	switch {
	case w.Sub != "" && a.begins(w.Sub) == "",
		w.Any != "" && !slices.ContainsFunc(a.Operands, func(o string) bool { return Among(w.Any, o) }),
		w.Flags+w.Letters != "" && !a.Has(w.Flags) && !a.letter(w.Letters),
		a.Has(w.Unless) || a.letter(w.Without),
		w.Most > 0 && len(a.Operands) > w.Most,
		w.Dashes && len(a.Rest) == 0:
		return false
	case w.Executes != "":
		inner := c.Tool.Executed(c.Words)
		return len(inner) > 0 && Among(w.Executes, Name(Plain(inner)[0]))
	}
	return w.Fits == "" || expression(w.Fits).MatchString(strings.Join(c.Words, " "))
}

func (w *Case) changes(c Call, a Args) (named []string, others bool) {
	others = w.Others || len(a.Operands) < w.Least
	named = append(a.Values(w.Values), strings.Fields(w.Names)...)
	for _, o := range a.Operands {
		if name, value, _ := strings.Cut(o, "="); value != "" && Among(w.Values, name) {
			named = append(named, value)
		}
	}
	if w.Files == nil {
		return named, others
	}
	if a.Operands = a.From(w.From); w.Dashes {
		a.Operands = a.Rest
	}
	found, more := w.Files(c, a)
	return append(named, found...), others || more
}
