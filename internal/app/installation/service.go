package installation

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
)

// ServiceRequest says how the daemon is to be started by the service manager.
type ServiceRequest struct {
	Listen string // the daemon's option
	Remove bool
	DryRun bool
}

// Service writes the file by which the service manager of the user starts the daemon
// of this home, or removes it. It starts and ends nothing.
func (a Setup) Service(ctx context.Context, r ServiceRequest) (Changed, error) {
	if r.Remove && !r.DryRun {
		if err := a.ByPerson(ctx, "remove the service", "an agent does not end what carries its holds"); err != nil {
			return Changed{}, err
		}
	}
	s, err := a.service(r.Listen)
	if err != nil && !r.Remove {
		return Changed{}, err
	}
	plan := setup.InstallService
	if r.Remove {
		plan = setup.UninstallService
	}
	p, err := plan(s)
	if err != nil {
		return Changed{}, err
	}
	out := Changed{Agents: []string{}, Changes: []FileChange{}, Notes: append([]string{}, p.Notes...), DryRun: r.DryRun, Diff: setup.Diff(p.Changes)}
	for _, c := range p.Changes {
		out.Changes = append(out.Changes, FileChange{"", c.Path, c.What, c.After == nil})
	}
	if r.DryRun {
		return out, nil
	}
	return out, setup.Apply(p.Changes)
}

// Loopback refuses an address that others could reach, or that is a name: what names
// mean can change.
func Loopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err == nil && at.Addr().IsLoopback() {
		return nil
	}
	return piton.Errorf(piton.Invalid, "listen on the loopback", "give 'listen 127.0.0.1:PORT' or 'listen [::1]:PORT'", "%q is not an address of the loopback with a port; the daemon serves this machine only", address)
}

// servicePasses are the variables that a service is given as they are now: where
// settings and programs are found.
var servicePasses = []string{"XDG_CONFIG_HOME", "PATH"}

// service is the daemon of this home as a service. Invalid where it would have to keep
// a secret.
func (a Setup) service(listen string) (setup.Service, error) {
	self, err := os.Executable()
	if err != nil {
		return setup.Service{}, err
	}
	usual := config.Home(func(name string) string {
		if name == "PITON_HOME" {
			return ""
		}
		return a.Options.Getenv(name)
	})
	s := setup.Service{
		System: setup.System, User: config.UserHome(a.Options.Getenv), ConfigDir: a.Options.Getenv("XDG_CONFIG_HOME"),
		Program: ServerProgram(self, os.Getenv("PATH")), State: a.Options.Home, Usual: a.Options.Home == usual,
	}
	if listen != "" {
		if err := Loopback(listen); err != nil {
			return s, err
		}
		s.Args = []string{"--listen", listen}
	}
	for _, name := range servicePasses {
		if v := a.Options.Getenv(name); v != "" {
			s.Env = append(s.Env, name+"="+v)
		}
	}
	spec := cmp.Or(a.Options.Store, a.Options.Getenv("PITON_STORE"))
	if spec == "" {
		return s, nil
	}
	if _, found := redact.Text(spec); found > 0 || strings.Contains(spec, "password=") {
		return s, piton.Errorf(piton.Invalid, "install the daemon", "leave the password out of it (PostgreSQL reads it from ~/.pgpass), or name the store in "+config.UserFile(a.Options.Getenv)+" and not in PITON_STORE",
			"the store's name holds a password, which a service's file must not")
	}
	if spec, err = a.WholeSpec(spec); err != nil {
		return s, err
	}
	if path, ok := place.SQLite(spec); ok {
		if path, err = a.AbsolutePath(path); err != nil {
			return s, err
		}
		spec = "sqlite:" + path
	}
	s.Env = append(s.Env, "PITON_STORE="+spec)
	return s, nil
}

// leftToDaemon is how many runs the daemon of this home would go on with.
func (a Setup) leftToDaemon(ctx context.Context) (n int) {
	all, err := planruns.PlanRuns(a).Unattended(ctx)
	for _, x := range all.Runs {
		if x.GoesOn && err == nil {
			n++
		}
	}
	return n
}

// CheckDaemon tells whether a daemon runs, whether one can be started, and whether the
// service is as it should be.
func (a Setup) CheckDaemon(ctx context.Context) setup.Check {
	check := setup.Check{Name: "daemon", OK: true, Detail: "none runs; hooks and commands need none"}
	d, runs := a.Daemon()
	if runs {
		check.Detail = fmt.Sprintf("process %d runs version %s since %s", d.PID, d.Version, d.StartedAt)
		if d.Listen != "" {
			check.Detail += ", and listens on " + d.Listen
		}
		if d.Version != piton.Version() {
			check.Warn, check.Hint = true, "this is version "+piton.Version()+": start the daemon again"
		}
	} else if n := a.leftToDaemon(ctx); n > 0 {
		check.Warn, check.Hint = true, "'serve' goes on with them; 'runs list open' shows them"
		check.Detail = fmt.Sprintf("none runs, and unfinished runs are left to it: %d", n)
	}
	s, err := a.service("")
	if err != nil && s.Program == "" {
		return check
	}
	x := setup.StateOfService(s)
	if !x.Here {
		return check
	}
	check.Detail += "; a service: " + x.Path
	info, err := os.Stat(x.Program)
	gone := err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0
	switch {
	case x.Program == "":
		check.Warn, check.Hint = true, "the file does not say which program it starts: remove it, then 'serve install'"
	case gone && x.Edited:
		check.Warn, check.Hint = true, "the service starts "+x.Program+", which is no longer a program, and its file was edited: mend it, or remove it, then 'serve install'"
	case gone:
		check.Warn, check.Hint = true, "the service starts "+x.Program+", which is no longer a program: 'serve install' writes it anew"
	case !runs && check.Hint == "":
		check.Warn, check.Hint = true, "a service is there and does not run it: its log says why, and 'serve install' says how it is started"
	case x.Edited:
		check.Detail += " (edited)"
	case !sameProgram(x.Program, s.Program):
		check.Warn, check.Hint = true, "the service starts "+x.Program+", and this is "+s.Program+": 'serve install' writes it anew"
	}
	return check
}

func sameProgram(x, y string) bool {
	x, err1 := filepath.EvalSymlinks(x)
	y, err2 := filepath.EvalSymlinks(y)
	return err1 == nil && err2 == nil && x == y
}
