package setup

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/piton-project/piton"
)

// Service is Piton's daemon as the service manager of the user starts it.
type Service struct {
	System    string // linux: a unit of systemd; darwin: a property list of launchd
	User      string // the user's home
	ConfigDir string // XDG_CONFIG_HOME; empty: .config in the user's home
	Program   string // the program piton
	State     string // PITON_HOME
	Usual     bool   // State is where it is without being named
	Args      []string
	Env       []string // NAME=VALUE, besides PITON_HOME
}

const opService = "install the daemon as a service"

// Name is what the service manager calls it. Each home has a service of its own.
func (s Service) Name() string {
	name := "piton"
	if !s.Usual {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(s.State)))[:9]
	}
	if s.launchd() {
		return "io.github.piton-project." + name
	}
	return name + ".service"
}

func (s Service) launchd() bool { return s.System == "darwin" }

// Path is where its file lies.
func (s Service) Path() string {
	if s.launchd() {
		return filepath.Join(s.User, "Library", "LaunchAgents", s.Name()+".plist")
	}
	dir := s.ConfigDir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.User, ".config")
	}
	return filepath.Join(dir, "systemd", "user", s.Name())
}

// usable refuses what no file can say.
func (s Service) usable() error {
	if s.System != "linux" && s.System != "darwin" {
		return piton.Errorf(piton.Invalid, opService, "start 'serve' by what this system has for that", "Piton knows the service managers of Linux and macOS, not that of %s", s.System)
	}
	for _, text := range append(append([]string{s.Program, s.State}, s.Args...), s.Env...) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return piton.Errorf(piton.Invalid, opService, "choose another one", "there is a control character in %q", text)
		}
	}
	if s.System == "linux" && strings.ContainsAny(s.Program, `"'\`) {
		return piton.Errorf(piton.Invalid, opService, "install it in another folder", "systemd starts no program with such a name: %s", s.Program)
	}
	if !filepath.IsAbs(s.Program) || !filepath.IsAbs(s.State) {
		return piton.Errorf(piton.Internal, opService, "", "no whole path: %s, %s", s.Program, s.State)
	}
	return nil
}

// System is the one that this program runs on.
const System = runtime.GOOS
