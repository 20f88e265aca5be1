package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

// RunSearch checks what a search promises; Run does it too. A store with an
// index and one without give the same answers.
func RunSearch(t *testing.T, open func(testing.TB) store.Checkpoints) {
	for _, c := range []struct {
		name  string
		check func(*suite)
	}{
		{"every word must occur", everyWord},
		{"paths and identifiers are found by their parts", partsFound},
		{"what is typed has no meaning of its own", hostileWords},
		{"a search takes the filters of a list", searchFilters},
		{"pages of a search", searchPages},
		{"what is new is found at once, what is gone is not", searchKeepsUp},
		{"what is damaged is found by its record", damagedFound},
		{"many that are new, and large ones", manyNew},
		{"searches at once, beside saves and deletes", searchesAtOnce},
	} {
		t.Run("search: "+c.name, func(t *testing.T) { c.check(newSuite(t, open(t))) })
	}
}

// asText is what checkpoints are found by in these tests.
func asText(c piton.Checkpoint, state []byte) string { return c.Name + "\n" + string(state) }

// search returns the names of what is found.
func (s *suite) search(words string, q piton.Query) []string {
	s.Helper()
	page, err := s.st.Search(s.ctx, words, q, asText)
	if err != nil {
		s.Fatalf("search %.60q: got %v, want no error", words, err)
	}
	return names(page.Checkpoints)
}

// found fails unless a search finds these, newest first.
func (s *suite) found(words string, want ...string) {
	s.Helper()
	equal(s, fmt.Sprintf("found by %.60q", words), s.search(words, piton.Query{}), want)
}

// keep saves states under names.
func (s *suite) keep(w piton.Workflow, states ...string) {
	s.Helper()
	for i := 0; i < len(states); i += 2 {
		s.append(w, fmt.Sprintf(`{"text":%q}`, states[i+1]), named(states[i]))
	}
}

func everyWord(s *suite) {
	s.found("anything")
	s.keep(s.plain(), "a", "The parser reads a buffer", "b", "the PARSER", "c", "Über die Größe: naïve, ÉTÉ, Łódź", "d", "parsers")
	s.found("parser", "d", "b", "a") // the last word may be unfinished
	s.found("parser the", "b", "a")
	s.found("the parser buffer", "a")
	s.found("parser  \t\nbuffer", "a")
	s.found("buffer parser nothing")
	s.found("pars", "d", "b", "a")
	s.found("pars the")
	s.found("uber grosse", "c")
	s.found("uber grose")
	s.found("uber größe", "c")
	s.found("UBER NAIVE ete lodz", "c")
	s.found("u\u0308ber", "c")
	s.found("arser")
}

func partsFound(s *suite) {
	s.keep(s.plain(), "a", "src/store/foo_bar.go:12", "b", "type HTTPServer and fooBarBaz", "c", "see https://example.com/docs/a.html, v1.2.3", "d", "変更を保存する")
	for words, want := range map[string]string{
		"src/store/foo_bar.go": "a", "foo_bar.go": "a", "store/foo": "a", "src/store": "a", "foo_bar": "b a", "store": "a", "go src": "a",
		"FooBar": "b a", "foobar x": "", "HTTPServer": "b", "httpserver": "b", "server type": "b", "http": "c b", "foobarbaz type": "b", "bar baz": "b",
		"example.com": "c", "docs/a.html": "c", "v1.2.3": "c", "2.3": "c", "example.org": "", "src/foo_bar.go": "", "保存": "d", "変更": "d", "存変": "",
	} {
		if got := strings.Join(s.search(words, piton.Query{}), " "); got != want {
			s.Errorf("found by %q: got %q, want %q", words, got, want)
		}
	}
}

func hostileWords(s *suite) {
	s.keep(s.plain(), "a", "NEAR and OR not AND", "b", `a:b "quoted" it's 100% 🚀 ship`, "c", "name column")
	for words, want := range map[string]string{
		"NEAR(": "a", "NEAR(a b)": "", "and OR": "a", "or NOT": "a", "AND": "a", "a:b": "b", `"quoted"`: "b", `"quoted`: "b", "it's": "b",
		"100%": "b", "🚀": "b", "name:column": "", "name column": "c", "-name": "c", "^name": "c", "name*": "c", "*name column": "c", "{name}": "c",
		"'; DROP TABLE checkpoints; --": "", `name\`: "c", "column\x00": "c", "\xff\xfename": "c", "name | column": "c", "!name": "c", "<-> name": "c", "it's:*": "b",
	} {
		if got := strings.Join(s.search(words, piton.Query{}), " "); got != want {
			s.Errorf("found by %q: got %q, want %q", words, got, want)
		}
	}
	var many strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	for _, words := range []string{"", " \t", `"`, "*", "'", "()", ":", "\x00", "--", many.String()} {
		_, err := s.st.Search(s.ctx, words, piton.Query{}, asText)
		s.wantCode(err, piton.Invalid)
	}
	s.found(strings.Repeat("x", 10<<10))
	s.found(strings.Repeat("name ", 2000), "c")
	equal(s, "checkpoints", len(s.list(piton.Query{})), 3)
}

func searchFilters(s *suite) {
	yes, no := true, false
	v, w := s.workflow("v", piton.TypePhases, "prj_1"), s.workflow("w", piton.TypeSession, "prj_2")
	s1 := "ses_0000000000000001"
	a := s.append(v, `{"x":"word"}`, named("a"), inSession(s1), tagged("red"), because(piton.TriggerPhaseComplete))
	s.append(v, `{"x":"other"}`, named("b"), inSession(s1), tagged("red"))
	since := piton.At(s.now)
	s.append(w, `{"x":"word"}`, named("c"), because(piton.TriggerTurnEnd))
	f := s.append(v, `{"x":"word"}`, named("f"), tagged("blue"), forking(a.ID, "try"))
	s.complete(f.ID, s.now)
	for _, c := range []struct {
		name string
		q    piton.Query
		want string
	}{
		{"all", piton.Query{}, "f c a"},
		{"workflow", piton.Query{Workflow: v.ID}, "f a"},
		{"session", piton.Query{Session: s1}, "a"},
		{"project", piton.Query{Project: "prj_2"}, "c"},
		{"branch", piton.Query{Branch: "try"}, "f"},
		{"type", piton.Query{Type: piton.TypePhases}, "f a"},
		{"not type", piton.Query{NotType: piton.TypePhases}, "c"},
		{"trigger", piton.Query{Trigger: piton.TriggerTurnEnd}, "c"},
		{"tag", piton.Query{Tag: "red"}, "a"},
		{"completed", piton.Query{Completed: &yes}, "f"},
		{"incomplete", piton.Query{Completed: &no}, "c a"},
		{"open", piton.Query{Open: true}, "c"},
		{"open of a project", piton.Query{Open: true, Project: "prj_1"}, ""},
		{"since", piton.Query{Since: since}, "f c"},
		{"together", piton.Query{Workflow: v.ID, Branch: "try", Tag: "blue", Completed: &yes, Since: since, Limit: 3}, "f"},
	} {
		if got := strings.Join(s.search("word", c.q), " "); got != c.want {
			s.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func searchPages(s *suite) {
	w := s.plain()
	var want []string
	for i := range 23 {
		text, name := "word", fmt.Sprint(i)
		if i%3 == 0 {
			text = "other"
		} else {
			want = append([]string{name}, want...)
		}
		s.keep(w, name, text)
	}
	for _, n := range []int{1, 2, 7, 14, 15, 16} {
		var got []string
		for q := (piton.Query{Limit: n}); ; {
			page, err := s.st.Search(s.ctx, "word", q, asText)
			if err != nil {
				s.Fatal(err)
			}
			got = append(got, names(page.Checkpoints)...)
			if q.Before = page.Next; q.Before == 0 {
				break
			}
			if len(page.Checkpoints) != n {
				s.Fatalf("a page with a next one: got %d rows, want %d", len(page.Checkpoints), n)
			}
			s.keep(w, "late", "word") // is newer than the cursor
		}
		equal(s, fmt.Sprintf("pages of %d", n), got[len(got)-len(want):], want)
		for _, c := range s.list(piton.Query{}) {
			if c.Name == "late" {
				s.remove(c)
			}
		}
	}
}

func searchKeepsUp(s *suite) {
	w := s.plain()
	cs := s.chain(w, "first", "second")
	s.found("name first", "first")
	third := s.chain(w, "third")
	s.found("name", "third", "second", "first")
	s.remove(cs[0], third[0])
	s.found("name", "second")
	s.found("first")
	s.chain(w, "first") // the head went: its ordinal is not given again
	s.found("name", "first", "second")
	s.remove(s.list(piton.Query{})...)
	s.found("name")
	s.chain(w, "last")
	s.found("name", "last")
}

func damagedFound(s *suite) {
	w := s.plain()
	cs := s.chain(w, "whole", "broken")
	if err := s.st.Upkeep().MarkDamaged(s.ctx, cs[1].ID, redact.Value("a test says so")); err != nil {
		s.Fatal(err)
	}
	s.found("broken", "broken")
	page, err := s.st.Search(s.ctx, "broken", piton.Query{}, asText)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "its mark", page.Checkpoints[0].Damaged, "a test says so")
}

func manyNew(s *suite) {
	w := s.plain()
	s.save(func(tx store.Tx) error {
		for i := range 450 {
			if _, err := tx.Append(s.ctx, redact.Value(s.prepare(w, `{}`, named(fmt.Sprintf("many n%d", i))))); err != nil {
				return err
			}
		}
		return nil
	})
	var large strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&large, "dir%d/file%d.go ", i%100, i)
	}
	s.keep(w, "large", large.String())
	equal(s, "found", len(s.search("many", piton.Query{})), 450)
	s.found("many n449", "many n449")
	s.found("dir7/file7.go", "large")
}

func searchesAtOnce(s *suite) {
	w := s.plain()
	s.chain(w, "stays one", "stays two")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 15 {
			c, err := s.try(w, `{}`, named("passing"))
			if err == nil {
				err = s.st.Save(s.ctx, func(tx store.Tx) error {
					_, err := tx.Delete(s.ctx, []string{c.ID})
					return err
				})
			}
			if err != nil {
				s.Errorf("save and delete: got %v, want no error", err)
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for range 10 {
				page, err := s.st.Search(s.ctx, "stays", piton.Query{}, asText)
				if err != nil || len(page.Checkpoints) != 2 {
					s.Errorf("search: got %d, %v; want 2", len(page.Checkpoints), err)
				}
			}
		})
	}
	wg.Wait()
	s.found("passing")
}
