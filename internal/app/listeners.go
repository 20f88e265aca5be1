package app

import (
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/announce"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/setup"
)

// announcer tells the listeners that the settings name now.
func (a Agents) announcer() announce.Carrier {
	return announce.Carrier{
		Listeners: func(root string) ([]agent.Listener, error) {
			c := a.ConfigNow(root)
			if c.Unread { // else what waits would be dropped while somebody edits the file
				return nil, piton.Errorf(piton.Invalid, "", "", "your settings file is not YAML")
			}
			return c.Listeners, nil
		},
		Getenv: a.Options.Getenv, UserHome: config.UserHome(a.Options.Getenv), Version: piton.Version(), Now: a.Options.Now,
	}
}

// checkListeners names each reason why a listener is not told; nothing where there
// are no listeners.
func (a Agents) checkListeners(root string) (list []setup.Check) {
	carrier := a.announcer()
	var names []string
	for _, l := range a.Config(root).Listeners {
		if l.Off {
			continue
		}
		names = append(names, l.Name)
		for _, f := range carrier.Faults(l) {
			list = append(list, setup.Check{Name: "listener " + l.Name, OK: f.Maybe, Warn: f.Maybe, Detail: f.What, Hint: f.Do})
		}
	}
	if len(list) == 0 && len(names) > 0 {
		list = append(list, setup.Check{Name: "listeners", OK: true, Detail: strings.Join(names, ", ") + ": their programs, variables and secret files are there"})
	}
	return list
}
