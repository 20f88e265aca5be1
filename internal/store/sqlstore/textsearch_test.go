package sqlstore

import (
	"testing"

	"github.com/piton-project/piton/internal/store/words"
)

func TestQuestions(t *testing.T) {
	list := words.Question(`The "src/foo" it`)
	if got, want := FTS5().Question(list), `"the" AND "srcfoo"* AND "it"*`; got != want {
		t.Errorf("SQLite: got %s, want %s", got, want)
	}
	if got, want := TSVector().Question(list), `'the' & 'srcfoo':* & 'it':*`; got != want {
		t.Errorf("PostgreSQL: got %s, want %s", got, want)
	}
}
