package setup

import (
	"fmt"

	"github.com/piton-project/piton/internal/edit"
)

// merge returns the settings with our hooks in them. before is nil where there is no file.
func merge(f form, before []byte, empty map[string]string, wanted []hook, command string) ([]byte, error) {
	return f.edited(before, empty, func(s *edit.JSON) error {
		for _, w := range wanted {
			if _, ok := w.find(s); !ok {
				if err := s.Put([]string{"hooks", w.event}, true, w.group(command)); err != nil {
					return err
				}
			}
			w.refresh(s, command)
		}
		removeAllBut(s, wanted)
		return nil
	})
}

// unmerge returns the settings without our hooks, nil where nothing of the file is left.
func unmerge(f form, before []byte, empty map[string]string) ([]byte, error) {
	return f.edited(before, empty, func(s *edit.JSON) error {
		removeAllBut(s, nil)
		return nil
	})
}

// find returns the hook of ours that is, or is to become, w.
func (w hook) find(s *edit.JSON) (place, bool) {
	for _, p := range places(s) {
		if w.matches(p) {
			return p, true
		}
	}
	return place{}, false
}

// refresh brings a hook of ours up to date where it stands. A longer timeout is the user's wish and stays.
func (w hook) refresh(s *edit.JSON, command string) {
	for _, m := range []struct {
		name, value string
		old         func(p place) bool
	}{
		{"command", edit.Quote(command), func(p place) bool { return p.command != command }},
		{"timeout", fmt.Sprint(w.timeout), func(p place) bool { return p.timeout < float64(w.timeout) }},
		{"name", edit.Quote(w.name), func(p place) bool { return w.name != "" && p.name == "" }},
	} {
		if p, _ := w.find(s); m.old(p) {
			s.Set(p.at, m.name, m.value)
		}
	}
}

// removeAllBut removes the hooks of ours that are not wanted (each wanted hook counts once), and the containers that it leaves empty.
func removeAllBut(s *edit.JSON, wanted []hook) {
	for {
		p, found := surplus(places(s), wanted)
		if !found {
			return
		}
		s.Remove(p.at)
	}
}

// surplus is the first hook that is not wanted.
func surplus(list []place, wanted []hook) (place, bool) {
	kept := map[string]bool{}
next:
	for _, p := range list {
		for _, w := range wanted {
			if w.matches(p) && !kept[w.event] {
				kept[w.event] = true
				continue next
			}
		}
		return p, true
	}
	return place{}, false
}
