package history

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/states"
)

// Draft is what a caller asks to save, and what its caller knows of it. Its project is an
// id, and its episode stands among its tags.
type Draft struct {
	piton.SaveRequest
	Once   *piton.StartKey // the caller's key: Conflict where something has begun under it
	Origin piton.Origin
	// Made is the state where its maker knows what is in it, for SaveWith; it goes
	// before State.
	Made *Made
	// Collected: nobody typed these texts; they were found in prompts, file names,
	// logs. What does not fit is made to fit, where a caller's own is refused.
	Collected bool
}

// Made is a state of a program of Piton that saves it again and again. It is checked
// and cleaned as every other one, but it is not read for what it says of itself.
type Made struct {
	Parts states.Parts
	// What states.Describe finds in the state.
	Step           int
	StepName, Task string
	Completed      bool
}

// isPhase reports whether the draft names a phase.
func (d *Draft) isPhase() bool { return d.Phase != "" || d.PhaseNumber > 0 }

// Bounds of the record's texts, in bytes. Texts of maxText may have lines.
const (
	maxName = 200
	maxText = 4000
	maxTags = 50
)

// field is a text of a record.
type field struct {
	path string // in an exported checkpoint, a JSON pointer
	what string // what messages call it
	text *string
	max  int // bytes
	// known: the text is a name by which things are found; it loses only what is
	// a secret by itself.
	known bool
}

// fields are the draft's own texts.
func (d *Draft) fields() []field {
	return append(tagFields(&d.Tags),
		field{"/step_name", "the step's name", &d.StepName, maxName, false},
		field{"/phase", "the phase", &d.Phase, maxName, false},
		field{"/name", "the name", &d.Name, maxName, false},
		field{"/description", "the description", &d.Description, maxText, false},
		field{"/task_summary", "the task", &d.Task, maxText, false},
		field{"/branch", "the branch", &d.Branch, maxName, true},
		field{"/workflow_type", "the type", &d.Type, maxName, false})
}

// fit makes the draft's texts and numbers fit a record: nothing that was only
// collected is a reason to lose a save.
func (d *Draft) fit() {
	for _, f := range d.fields() {
		*f.text = fitted(*f.text, f.max)
	}
	d.Tags = slices.DeleteFunc(d.Tags, func(t string) bool { return t == "" })
	d.Tags = d.Tags[:min(len(d.Tags), maxTags)]
	if d.Progress != nil {
		p := min(max(*d.Progress, 0), 100)
		d.Progress = &p
	}
	if d.Step != nil && *d.Step < 0 {
		d.Step = nil
	}
	d.PhaseNumber, d.PhaseTotal, d.DurationMS = max(d.PhaseNumber, 0), max(d.PhaseTotal, 0), max(d.DurationMS, 0)
	if d.Trigger != "" && !slices.Contains(piton.Triggers, d.Trigger) {
		d.Trigger = piton.TriggerManual
	}
}

// check refuses what a record does not hold, and sets the trigger.
func (d *Draft) check() error {
	invalid := func(hint, format string, args ...any) error {
		return piton.Errorf(piton.Invalid, "save", hint, format, args...)
	}
	for _, f := range d.fields() {
		if err := checkText(f.what, *f.text, f.max); err != nil {
			return err
		}
	}
	if d.Trigger == "" && d.isPhase() {
		d.Trigger = piton.TriggerPhaseComplete
	}
	d.Trigger = cmp.Or(d.Trigger, piton.TriggerManual)
	switch {
	case len(d.Tags) > maxTags:
		return invalid("", "%d tags are more than %d", len(d.Tags), maxTags)
	case slices.Contains(d.Tags, ""):
		return invalid("", "a tag is empty")
	case d.Progress != nil && (*d.Progress < 0 || *d.Progress > 100):
		return invalid("give a whole number from 0 to 100", "progress %d is out of range", *d.Progress)
	case d.Step != nil && *d.Step < 0:
		return invalid("", "step %d is negative", *d.Step)
	case d.PhaseNumber < 0 || d.PhaseTotal < 0:
		return invalid("number the phases from 1", "phase %d of %d does not exist", d.PhaseNumber, d.PhaseTotal)
	case d.DurationMS < 0:
		return invalid("", "the duration %d is negative", d.DurationMS)
	case !slices.Contains(piton.Triggers, d.Trigger):
		return invalid("one of "+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(piton.Triggers)), ", "), "[]"), "unknown trigger %q", d.Trigger)
	}
	return nil
}

// takeOut takes secrets out of texts and returns the path of each.
func takeOut(rules *redact.Rules, fields ...field) (paths []string) {
	for _, f := range fields {
		clean, n := rules.Text, 0
		if f.known {
			clean = redact.Known
		}
		// What stands behind the label of a tag is a text of its own.
		label := ""
		if strings.HasPrefix(*f.text, episodeLabel) && strings.HasPrefix(f.path, "/tags/") {
			label = episodeLabel
		}
		*f.text, n = clean((*f.text)[len(label):])
		*f.text = label + *f.text
		for range n {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// episodeLabel begins the tag that names an episode.
const episodeLabel = "episode:"

// tagFields are the fields of a list of tags. The caller's list stays as it is:
// tags is another one from now on.
func tagFields(tags *[]string) []field {
	*tags = slices.Clone(*tags)
	fields := make([]field, len(*tags))
	for i := range *tags {
		fields[i] = field{path: "/tags/" + strconv.Itoa(i), what: "a tag", text: &(*tags)[i], max: maxName}
	}
	return fields
}

// originFields may be long: a branch may have a long name.
func originFields(o *piton.Origin) []field {
	return []field{
		{path: "/origin/agent", text: &o.Agent, max: maxText},
		{path: "/origin/client_version", text: &o.ClientVersion, max: maxText},
		{path: "/origin/host", text: &o.Host, max: maxText},
		{path: "/origin/git_head", text: &o.GitHead, max: maxText},
		{path: "/origin/git_branch", text: &o.GitBranch, max: maxText, known: true},
	}
}

// recordFields are the texts of a record that people and agents write.
func recordFields(c *piton.Checkpoint) []field {
	return append(append(tagFields(&c.Tags),
		field{path: "/step_name", text: &c.StepName}, field{path: "/session_name", text: &c.SessionName}, field{path: "/name", text: &c.Name},
		field{path: "/description", text: &c.Description}, field{path: "/task_summary", text: &c.TaskSummary}), originFields(&c.Origin)...)
}

// inExport are places in a state as places in an exported checkpoint.
func inExport(places []string) []string {
	paths := make([]string, len(places))
	for i, p := range places {
		paths[i] = "/state" + p
	}
	return paths
}

// cleanName is a name by which something is found, as it is kept.
func cleanName(name string) string {
	return redact.Name(name).Get()
}

// checkText refuses a text that a record does not hold.
func checkText(what, s string, most int) error {
	if len(s) > most {
		return piton.Errorf(piton.Invalid, "save", "shorten it", "%s has %d bytes, more than %d", what, len(s), most)
	}
	if !utf8.ValidString(s) {
		return piton.Errorf(piton.Invalid, "save", "write it as UTF-8", "%s is not UTF-8", what)
	}
	for _, r := range s {
		if unicode.IsControl(r) && !(most == maxText && (r == '\n' || r == '\t')) {
			return piton.Errorf(piton.Invalid, "save", "write it without", "%s contains the control character %U", what, r)
		}
	}
	return nil
}

// newName checks a caller's name for something that is to be made under it.
func newName(what, name string) error {
	if clean, n := redact.Text(name); n > 0 {
		return piton.Errorf(piton.Invalid, "save", "choose another name", "%s looks like a secret: %s", what, clean)
	}
	if strings.TrimSpace(name) == "" {
		return piton.Errorf(piton.Invalid, "save", "choose another name", "%s is blank", what)
	}
	return checkText(what, name, maxName)
}

// fitted is a text as a record may have it. A text that checkText refuses is
// cleaned and cut.
func fitted(s string, most int) string {
	switch {
	case checkText("", s, most) == nil:
		return s
	case most == maxText:
		s = piton.PrintableLines(s)
	default:
		s = strings.TrimSpace(piton.Printable(s))
	}
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

// SessionName is what a checkpoint's record says of its session's own name;
// nothing where that may be a secret.
func SessionName(s agent.Session) string {
	if clean, n := redact.Text(s.ClientID); n > 0 || checkText("", clean, maxName) != nil {
		return ""
	}
	return s.ClientID
}
