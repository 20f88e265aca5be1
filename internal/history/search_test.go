package history_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

func TestSearch(t *testing.T) {
	s := open(t)
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "import", State: []byte(`{"todos":[{"content":"mend the parser"}]}`)}})
	s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "export", Session: "run", State: []byte(`{"todos":[{"content":"mend the parser"}]}`)}})
	var progress [][2]int64
	s.Indexing = func(done, total int64) { progress = append(progress, [2]int64{done, total}) }
	page, err := s.Search(t.Context(), "parser", piton.Query{Workflow: "import", Project: project})
	if err != nil || len(page.Checkpoints) != 1 || page.Checkpoints[0].ID != one.ID {
		t.Errorf("got %v, %v; want %s", page.Checkpoints, err, one.ID)
	}
	for _, p := range progress {
		if p[0] < 1 || p[0] > p[1] {
			t.Errorf("progress: got %d of %d", p[0], p[1])
		}
	}
	if len(progress) == 0 {
		t.Error("got no progress, want some")
	}
	page, err = s.Search(t.Context(), "parser", piton.Query{Session: "run"})
	if err != nil || len(page.Checkpoints) != 1 {
		t.Errorf("of a session: got %v, %v; want one", page.Checkpoints, err)
	}
	for _, q := range []piton.Query{{Workflow: "none", Project: project}, {Session: "nobody"}} {
		if _, err := s.Search(t.Context(), "parser", q); piton.CodeOf(err) != piton.NotFound {
			t.Errorf("%+v: got %v, want not_found", q, err)
		}
	}
	if _, err := s.Search(t.Context(), "%", piton.Query{}); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("no word: got %v, want invalid", err)
	}
}
