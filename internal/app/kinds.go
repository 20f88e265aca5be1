package app

import (
	"encoding/json"

	"github.com/piton-project/piton/internal/kind"
)

// KindList is the kinds of states that have a form.
type KindList struct {
	Kinds []Kind `json:"kinds"`
}

// Kind is a kind of state.
type Kind struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
}

// Kinds lists the kinds of states that have a JSON Schema; kind.Schema prints one.
func Kinds() (KindList, error) {
	var list KindList
	for _, name := range kind.Names() {
		var s struct{ Title string }
		text, err := kind.Schema(name)
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return list, err
		}
		list.Kinds = append(list.Kinds, Kind{name, s.Title})
	}
	return list, nil
}
