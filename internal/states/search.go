package states

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store/words"
)

// Bounds of what of a checkpoint can be found, its record first: of all of it, and of one
// text.
const (
	maxSearchBytes = 64 << 10
	maxSearchText  = 8 << 10
)

// Marks begin the words by which a file or a person alone is found: letters of a script
// that nobody writes in.
const (
	fileMark   = "ᚠ"
	personMark = "ᛒ"
	// Nowhere is a word that no checkpoint is found by.
	Nowhere = "ᛟᛟᛟ"
)

// searchFirst are the keys of a state whose texts are looked at before all others.
var searchFirst = []string{
	"task_summary", "taskSummary", "asked", "query", "phase", "current_phase", "files_modified", "filesModified", "decisions", "todos", "plan",
	"last_answer", "commands", "isc_criteria", "iscCriteria", "completed_phases", "pending_phases", "context", "unverified", "last_error", "lastError",
}

// unsearched are members of no words.
var unsearched = []string{"at", "status"}

// Found is a text by which a checkpoint is found, and where it stands: a member of the
// record, or behind "state" a JSON pointer.
type Found struct {
	Place string `json:"place"`
	Text  string `json:"text"` // the words around the match, on one line
}

// SearchText is what a checkpoint is found by (docs/spec.md, "search"). state
// is nil where there is none to read: then the record alone is.
func SearchText(c piton.Checkpoint, state []byte) string {
	var b strings.Builder
	searchFields(c, state, func(f Found) bool {
		for _, text := range []string{f.Text, marked(f)} {
			if room := maxSearchBytes - b.Len() - 1; text != "" && room > 0 {
				b.WriteString(strings.ToValidUTF8(text[:min(len(text), room)], "") + "\n")
			}
		}
		return b.Len() < maxSearchBytes-1
	})
	return b.String()
}

// SearchQuery is the question for checkpoints that hold all words, and whose states name a
// file or whose records name a person, where these are given.
func SearchQuery(question, file, person string) (string, error) {
	for _, p := range []struct{ text, mark string }{{path.Clean("/" + file)[1:], fileMark}, {person, personMark}} {
		if p.mark == fileMark {
			if dir, name := path.Split(p.text); strings.HasPrefix(name, "*.") { // of a folder those of a kind
				question += " " + fileMark + fileMark + name[2:]
				p.text = strings.TrimSuffix(dir, "/")
			}
			if strings.ContainsAny(p.text, "*?[") {
				return "", piton.Errorf(piton.Invalid, "search", "give a file, the end of its path, a folder, or *.go, src/*.go", "'files' does not take the pattern %.80q", file)
			}
			p.text = strings.Join(strings.Fields(p.text), "-")
		}
		for word := range strings.FieldsSeq(p.text) {
			question += " " + p.mark + word
		}
	}
	return question, nil
}

// searchFields hands over the texts of a checkpoint, until take has enough.
func searchFields(c piton.Checkpoint, state []byte, take func(Found) bool) {
	record := []Found{{"name", c.Name}, {"step_name", c.StepName}, {"workflow", c.Workflow}, {"task_summary", c.TaskSummary}, {"description", c.Description}, {"tags", strings.Join(c.Tags, "\n")}}
	if c.Origin.Agent == "" { // a client's are random
		record = append(record, Found{"session_name", c.SessionName})
	}
	for _, f := range append(record, Found{"origin/by", c.Origin.By}, Found{"origin/host", c.Origin.Host}) {
		if f.Text != "" && !take(f) {
			return
		}
	}
	s, err := Read(state)
	if err != nil {
		return
	}
	keys := slices.DeleteFunc(slices.Clone(searchFirst), func(key string) bool { _, ok := s[key]; return !ok })
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(searchFirst, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if !searchValue("state/"+key, s[key], take) {
			return
		}
	}
}

// searchValue hands over the texts of a value of a state.
func searchValue(place string, v any, take func(Found) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(unsearched, key) {
				continue
			}
			if !searchValue(place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), v[key], take) {
				return false
			}
		}
	case []any:
		for i, x := range v {
			if !searchValue(place+"/"+strconv.Itoa(i), x, take) {
				return false
			}
		}
	case string:
		return v == "" || take(Found{place, strings.ToValidUTF8(v[:min(len(v), maxSearchText)], "")})
	default:
		if text := scalar(v); place == "state/current_phase" && text != "" {
			return take(Found{place, text})
		}
	}
	return true
}

// marked are the words by which a file or a person is found: of a path each end, its
// folders among their beginnings, and its kind.
func marked(f Found) (text string) {
	if f.Place == "origin/by" {
		for word := range strings.FieldsSeq(f.Text) {
			text += personMark + word + " "
		}
		return text
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(f.Place, "state/"), "/")
	member := strings.ToLower(key + " " + path.Base(f.Place))
	names := strings.HasPrefix(f.Place, "state/") && (strings.Contains(member, "file") || strings.Contains(member, "path"))
	if !names || len(f.Text) > 1024 || strings.Contains(f.Text, "\n") {
		return ""
	}
	for rest := strings.Trim(strings.Join(strings.Fields(f.Text), "-"), "/"); rest != ""; {
		text += fileMark + rest + " "
		_, rest, _ = strings.Cut(rest, "/")
	}
	if ext := path.Ext(f.Text); ext != "" {
		text += fileMark + fileMark + ext[1:]
	}
	return text
}

// maxMatches bounds the places that are shown of a checkpoint, and maxShown the bytes of each.
const (
	maxMatches = 3
	maxShown   = 100
)

// Matches are the places where the words of a question stand in a checkpoint, each place
// once; secrets are taken out.
func Matches(c piton.Checkpoint, state []byte, question string) (list []Found) {
	left := words.Question(question)
	searchFields(c, state, func(f Found) bool {
		shown := -1
		for i := 0; i < len(left); i++ {
			one := left[i : i+1]
			if !words.Fits(one, words.Terms(f.Text+" "+marked(f))) {
				continue
			}
			if shown < 0 {
				shown = place(f.Text, one)
			}
			left = slices.Delete(slices.Clone(left), i, i+1)
			i--
		}
		if shown >= 0 {
			text, _ := redact.Text(around(f.Text, shown))
			list = append(list, Found{f.Place, text})
		}
		return len(left) > 0 && len(list) < maxMatches
	})
	return list
}

// place is where in a text the word stands that is asked for; 0 where it is the text itself.
func place(text string, asked []words.Asked) int {
	at := 0
	for line := range strings.FieldsSeq(text) {
		i := strings.Index(text[at:], line) + at
		if words.Fits(asked, words.Terms(line)) {
			return i
		}
		at = i + len(line)
	}
	return 0
}

// around is what stands around a place of a text, on one line.
func around(text string, at int) string {
	from := max(0, at-maxShown/3)
	if i := strings.IndexByte(text[from:at], ' '); from > 0 && i >= 0 {
		from += i + 1
	}
	to := min(len(text), from+maxShown)
	part := oneLine(strings.ToValidUTF8(text[from:to], ""))
	if from > 0 {
		part = "…" + part
	}
	if to < len(text) {
		part += "…"
	}
	return part
}
