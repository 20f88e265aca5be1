package plan

import "github.com/piton-project/piton"

// Script replaces each ${{ … }} and ${env:NAME} of a shell command by a reference
// to an environment variable, and returns these variables: what an expression
// brings is never run as code. Invalid where a shell would not read the reference:
// inside single quotes and quoted here-documents.
func Script(command string, r Resolver) (script string, env map[string]string, secrets []string, err error) {
	v := resolution{Resolver: r, frame: r.frame(), env: map[string]string{}}
	script, err = v.script(command)
	if err != nil {
		return "", nil, nil, piton.Errorf(piton.Invalid, "resolve a command", "", "%w", err)
	}
	return script, v.env, v.secrets, nil
}

// AsksForStatus tells whether a step's when asks for the status of steps, so that
// it may run after steps that did not complete.
func AsksForStatus(p Plan, s Step) bool {
	if s.When == "" {
		return false
	}
	in := frame{when: true}
	for _, i := range p.Inputs {
		in.inputs = append(in.inputs, i.Name)
	}
	_, u, err := compile(s.When, in, outcome{}, &meter{})
	return err == nil && u.status
}

// String is the change in one line.
func (c Change) String() string {
	switch {
	case c.Was == "" && c.Is == "":
		return c.Where + ": " + c.Kind
	case c.Was == "":
		return c.Where + ": " + c.Kind + " " + c.Is
	case c.Is == "":
		return c.Where + ": " + c.Kind + " (was " + c.Was + ")"
	}
	return c.Where + ": " + c.Was + " -> " + c.Is
}
