package setup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
)

func service(system string) Service {
	return Service{
		System: system, User: "/home/ann", Program: `/opt/my tools 100%/$x/piton`, State: "/home/ann/.local/state/piton", Usual: true,
		Args: []string{"--listen", "127.0.0.1:7433"}, Env: []string{`PATH=/usr/bin:/opt/a & b<c>\d`, "PITON_STORE=sqlite:/data/50%.db"},
	}
}

// The files of the services are as they are in testdata.
func TestServiceFiles(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		s := service(system)
		golden := filepath.Join("testdata", "service."+system)
		if *update {
			if err := os.WriteFile(golden, s.text(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(s.text())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", system, diff)
		}
		if system == "darwin" {
			for d := xml.NewDecoder(bytes.NewReader(s.text())); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("the property list is not XML: %v", err)
				}
			}
		}
	}
}

// A service is written once, brought up to date, and removed; what is not Piton's, or
// was edited, stays.
func TestServiceFileIsOurs(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		s := service(system)
		s.User, s.Program = t.TempDir(), filepath.Join(t.TempDir(), "piton")
		install := func(s Service) (int, error) {
			t.Helper()
			p, err := InstallService(s)
			if err == nil {
				err = Apply(p.Changes)
			}
			return len(p.Changes), err
		}
		if n, err := install(s); err != nil || n != 1 {
			t.Fatalf("%s: got %d changes, %v, want the file written", system, n, err)
		}
		if n, err := install(s); err != nil || n != 0 {
			t.Errorf("%s: again: got %d changes, %v, want none", system, n, err)
		}
		other := s
		other.Program = filepath.Join(t.TempDir(), "new", "piton")
		if n, err := install(other); err != nil || n != 1 {
			t.Errorf("%s: for another program: got %d changes, %v, want one", system, n, err)
		}
		if x := StateOfService(s); !x.Here || x.Edited || x.Program != other.Program {
			t.Errorf("%s: got %+v, want the program %s", system, x, other.Program)
		}
		text, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		for name, is := range map[string][]byte{"edited": append(bytes.Clone(text), "# mine\n"...), "foreign": []byte("[Unit]\n")} {
			if err := os.WriteFile(s.Path(), is, 0o644); err != nil {
				t.Fatal(err)
			}
			if x := StateOfService(s); x.Here != (name == "edited") || x.Edited != x.Here || (x.Program != "") != x.Here {
				t.Errorf("%s: an %s file: got %+v", system, name, x)
			}
			var e *piton.Error
			if _, err := install(s); !errors.As(err, &e) || e.Code != piton.Conflict {
				t.Errorf("%s: install over an %s file: got %v, want a conflict", system, name, err)
			}
			if p, err := UninstallService(s); err != nil || len(p.Changes) > 0 {
				t.Errorf("%s: uninstall an %s file: got %d changes, %v, want none", system, name, len(p.Changes), err)
			}
		}
		if err := os.WriteFile(s.Path(), text, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := UninstallService(s)
		if err == nil {
			err = Apply(p.Changes)
		}
		if _, there := os.Stat(s.Path()); err != nil || !os.IsNotExist(there) {
			t.Errorf("%s: uninstall: got %v, %v, want the file gone", system, err, there)
		}
		if p, err := UninstallService(s); err != nil || len(p.Changes) > 0 {
			t.Errorf("%s: uninstall again: got %d changes, %v, want none", system, len(p.Changes), err)
		}
	}
}

// Each home has a service of its own, and what a file cannot say is refused.
func TestServiceNames(t *testing.T) {
	s := service("linux")
	other := s
	other.State, other.Usual = "/srv/work", false
	if s.Name() != "piton.service" || other.Name() == s.Name() || !strings.HasPrefix(other.Name(), "piton-") {
		t.Errorf("got %q and %q, want piton.service and another one", s.Name(), other.Name())
	}
	for path, s := range map[string]Service{
		"/home/ann/.config/systemd/user/piton.service":                                           {System: "linux", User: "/home/ann", Usual: true, ConfigDir: "x"},
		"/cfg/systemd/user/piton.service":                                                        {System: "linux", User: "/home/ann", Usual: true, ConfigDir: "/cfg"},
		"/home/ann/Library/LaunchAgents/io.github.piton-project.piton.plist":                     {System: "darwin", User: "/home/ann", Usual: true, ConfigDir: "/cfg"},
		"/home/ann/.config/systemd/user/" + other.Name():                                         {System: "linux", User: "/home/ann", State: other.State},
		"/home/ann/Library/LaunchAgents/io.github.piton-project." + other.Name()[:14] + ".plist": {System: "darwin", User: "/home/ann", State: other.State},
	} {
		if s.Path() != path {
			t.Errorf("%+v: got the file %s, want %s", s, s.Path(), path)
		}
	}
	for name, bad := range map[string]Service{
		"a system without a manager":     {System: "plan9", Program: "/p", State: "/s"},
		"a line feed in a path":          {System: "linux", Program: "/p\nExecStart=/evil", State: "/s"},
		"a control character in a value": {System: "darwin", Program: "/p", State: "/s", Env: []string{"A=\x01"}},
		"a path from the current folder": {System: "linux", Program: "piton", State: "/s"},
		"a program that systemd refuses": {System: "linux", Program: `/a"b/piton`, State: "/s"},
		"an option with several lines":   {System: "linux", Program: "/p", State: "/s", Args: []string{"a\nb"}},
		"a home from the current folder": {System: "linux", Program: "/p", State: "s"},
	} {
		if _, err := InstallService(bad); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
