package debrief

import "github.com/piton-project/piton"

// Check tells what is wrong with a rule of someone's own. A rule that only
// takes another one out of force needs a name, no more.
func (r Rule) Check() error {
	switch {
	case r.Name == "":
		return piton.Errorf(piton.Invalid, "read a rule", "give it a `name`", "it has no name")
	case len(r.Include) == 0 && !r.Off:
		return piton.Errorf(piton.Invalid, "read the rule "+quote(r.Name), "add globs such as `src/**` to `include`, or `off: true`", "it includes no files")
	}
	return nil
}
