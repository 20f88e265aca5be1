package action

import (
	"errors"
	"slices"
	"strings"
)

// isFinal tells whether an error says that another try cannot help.
func isFinal(err error) bool {
	var f *Failed
	return errors.As(err, &f) && f.Final
}

// Docs are what the actions say of themselves, by name. One that says nothing has
// its name only, and takes any parameter.
func Docs(actions map[string]Action) []Doc {
	var list []Doc
	for name, a := range actions {
		d := Doc{Any: true}
		if says, ok := a.(Documented); ok {
			d = says.Doc()
		}
		d.Name = name
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Doc) int { return strings.Compare(a.Name, b.Name) })
	return list
}
