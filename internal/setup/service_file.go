package setup

import (
	"github.com/piton-project/piton"
)

// serviceMark begins the line by which the file is known as ours, as slashMark does.
const serviceMark = "# piton:service v1 sha256:"

// text is the file.
func (s Service) text() []byte {
	if s.launchd() {
		return stampWith(serviceMark, plistOpening, s.plist())
	}
	return stampWith(serviceMark, "", s.unit())
}

// InstallService plans the file of the service. One that is not Piton's, or that
// somebody has edited, is left alone: Conflict.
func InstallService(s Service) (Plan, error) {
	if err := s.usable(); err != nil {
		return Plan{}, err
	}
	before, err := read(s.Path())
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	after := s.text()
	switch authorBy(serviceMark, before, after) {
	case foreign:
		return p, piton.Errorf(piton.Conflict, opService, "move it away and install again", "%s is there already, and is not Piton's", s.Path())
	case edited:
		return p, piton.Errorf(piton.Conflict, opService, "keep it, or remove it and install again", "%s is Piton's and was edited", s.Path())
	}
	p.change(Change{Path: s.Path(), Before: before, After: after, What: "the daemon as a service"})
	for _, n := range s.starting(before != nil) {
		p.note(n)
	}
	return p, nil
}

// UninstallService plans the removal of the file, if it is Piton's as it was written.
func UninstallService(s Service) (Plan, error) {
	var p Plan
	if s.usable() != nil {
		return p, nil // there is none
	}
	text, err := read(s.Path())
	if err != nil {
		return p, err
	}
	switch authorBy(serviceMark, text, nil) {
	case absent, foreign:
		return p, nil
	case edited:
		p.note(s.Path() + " has been edited and was left alone; remove it yourself")
		return p, nil
	}
	p.change(Change{Path: s.Path(), Before: text, What: "the daemon as a service"})
	p.note(s.stopping())
	return p, nil
}

// starting says how the service is started.
func (s Service) starting(again bool) []string {
	if s.launchd() {
		first := "start it now and at each login: launchctl bootstrap gui/$(id -u) " + s.Path()
		if again {
			first = "start it with this file: launchctl bootout gui/$(id -u)/" + s.Name() + "; launchctl bootstrap gui/$(id -u) " + s.Path()
		}
		return []string{first, "its log: " + s.logFile()}
	}
	first := "start it now and at each login: systemctl --user daemon-reload && systemctl --user enable --now " + s.Name()
	if again {
		first = "start it with this file: systemctl --user daemon-reload && systemctl --user enable " + s.Name() + " && systemctl --user restart " + s.Name()
	}
	return []string{first, "its log: journalctl --user -u " + s.Name(), "to have it run while you are not logged in: loginctl enable-linger"}
}

// stopping says how a service is ended whose file is gone.
func (s Service) stopping() string {
	if s.launchd() {
		return "if it runs, end it: launchctl bootout gui/$(id -u)/" + s.Name()
	}
	return "if it runs or is enabled, end it: systemctl --user disable --now " + s.Name() + "; systemctl --user daemon-reload"
}

// ServiceState is what is known of an installed service.
type ServiceState struct {
	Path    string
	Here    bool // there is a file, and it is Piton's
	Edited  bool
	Program string // that it starts
}

// StateOfService reads the file of a service.
func StateOfService(s Service) ServiceState {
	x := ServiceState{Path: s.Path()}
	if s.usable() != nil {
		return x
	}
	text, err := read(x.Path)
	author := authorBy(serviceMark, text, nil)
	if err != nil || author < edited {
		return x
	}
	x.Here, x.Edited, x.Program = true, author == edited, unitProgram(string(text))
	if s.launchd() {
		x.Program = plistProgram(string(text))
	}
	return x
}
