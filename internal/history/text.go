package history

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/piton-project/piton"
)

// Bounds of the record's texts, in bytes. Texts of maxText may have lines.
const (
	maxName = 200
	maxText = 4000
	maxTags = 50
)

func checkText(flag, s string, most int, lines bool) error {
	if len(s) > most {
		return piton.Errorf(piton.Invalid, "save", "shorten it", "%s has %d bytes, more than %d", flag, len(s), most)
	}
	if !utf8.ValidString(s) {
		return piton.Errorf(piton.Invalid, "save", "write it as UTF-8", "%s is not UTF-8", flag)
	}
	for _, r := range s {
		if unicode.IsControl(r) && !(lines && (r == '\n' || r == '\t')) {
			return piton.Errorf(piton.Invalid, "save", "write it without", "%s contains the control character %U", flag, r)
		}
	}
	return nil
}

// fitted is a text as a record may have it. A text that checkText refuses is
// cleaned and cut.
func fitted(s string, most int, lines bool) string {
	if checkText("", s, most, lines) == nil {
		return s
	}
	if lines {
		s = piton.PrintableLines(s)
	} else {
		s = strings.TrimSpace(piton.Printable(s))
	}
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

// fit makes the draft's texts and numbers fit a record: nothing that was only
// collected is a reason to lose a save.
func (d *Draft) fit() {
	for _, s := range []*string{&d.Name, &d.StepName, &d.Phase, &d.Branch, &d.Type} {
		*s = fitted(*s, maxName, false)
	}
	d.Description, d.Task = fitted(d.Description, maxText, true), fitted(d.Task, maxText, true)
	var tags []string
	for _, t := range d.Tags {
		if t = fitted(t, maxName, false); t != "" && len(tags) < maxTags {
			tags = append(tags, t)
		}
	}
	d.Tags = tags
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

// fitOrigin makes an origin fit a record. Nobody types one.
func fitOrigin(o *piton.Origin) {
	for _, s := range []*string{&o.Agent, &o.ClientVersion, &o.Host, &o.GitHead, &o.GitBranch} {
		*s = fitted(*s, maxText, false) // a branch may have a long name
	}
}
