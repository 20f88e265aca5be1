package history_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// TestOwnGoesBeforeCaptured: of a session, what was saved on purpose goes before
// what hooks captured, where that is asked for.
func TestOwnGoesBeforeCaptured(t *testing.T) {
	const session = "conversation"
	own := history.Draft{SaveRequest: piton.SaveRequest{Session: session, Type: "notes", State: []byte(`{"from":"agent"}`)}}
	captured := history.Draft{SaveRequest: piton.SaveRequest{Session: session, Type: piton.TypeSession, Trigger: piton.TriggerTurnEnd, State: []byte(`{"from":"hook"}`)}}
	asked := history.Draft{SaveRequest: piton.SaveRequest{Session: session, Type: piton.TypeSession, State: []byte(`{"from":"person"}`)}}
	for _, c := range []struct {
		name        string
		saves       []history.Draft
		own, newest int // which of the saves
	}{
		{"captured later", []history.Draft{own, captured}, 0, 1},
		{"captured earlier", []history.Draft{captured, own}, 1, 1},
		{"captured only", []history.Draft{captured, captured}, 1, 1},
		{"asked for among what was captured", []history.Draft{own, asked, captured}, 1, 2},
		{"saved by itself after that", []history.Draft{asked, own, captured}, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			var ids []string
			for _, d := range c.saves {
				ids = append(ids, s.must(d).ID)
			}
			for own, want := range map[bool]string{true: ids[c.own], false: ids[c.newest]} {
				got, err := s.Find(t.Context(), history.Selector{Session: session, Own: own})
				if err != nil || got.ID != want {
					t.Errorf("own %v: got %s (%s), %v, want %s", own, got.ID, got.WorkflowType, err, want)
				}
			}
		})
	}
}
