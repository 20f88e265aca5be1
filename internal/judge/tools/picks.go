package tools

import (
	"cmp"
	"slices"
	"strings"
)

// Scope is what the call takes. Its places are seen from the folder that it runs
// in, which its tool's Folder flags are part of. Of a program in a program it is
// that of the innermost one that says how it is read.
func (c Call) Scope() Scope {
	forms := Forms(c.Words)
	for _, words := range slices.Backward(forms) {
		form := c
		if len(words) != len(c.Words) {
			form = NewCall(words)
		}
		if p := form.picks(); p != nil {
			return p.scope(form)
		}
	}
	return unlisted(forms)
}

func (c Call) picks() *Picks {
	at := slices.IndexFunc(c.Tool.Picks, func(p Picks) bool {
		about := p.Sub == "" || c.begins(p.Sub) != "" || Read(c.Words, p.takes(c.Tool)).begins(p.Sub) != ""
		return about && (p.With == "" || c.Has(p.With))
	})
	if at < 0 {
		return nil
	}
	return &c.Tool.Picks[at]
}

// unlisted is the scope of a program that the table does not say how to read:
// all, unless it is given a word that may choose.
func unlisted(forms [][]string) (s Scope) {
	const verifies = Tests | Umbrella | Runner | Checks
	for _, words := range slices.Backward(forms) {
		c := NewCall(words)
		at := slices.IndexFunc(c.Tool.Subs, func(sub Sub) bool { return sub.Does&verifies != 0 && c.begins(sub.Words) != "" })
		known := 0
		if at >= 0 {
			known = len(strings.Fields(c.begins(c.Tool.Subs[at].Words)))
		} else if c.Tool.Does&verifies == 0 {
			continue
		}
		if len(c.Operands) > known {
			return unread(words)
		}
		return s
	}
	if words := forms[len(forms)-1]; slices.ContainsFunc(words[1:], func(w string) bool { return w != "" && w[0] != '-' }) {
		return unread(words)
	}
	return s
}

func unread(words []string) Scope { return Scope{Unread: true, Words: strings.Join(words, " ")} }

// scope reads a call by its picks.
func (p *Picks) scope(c Call) (s Scope) {
	a := p.args(c)
	if (p.Operand == nil || p.Fixed > 0) && len(a.Operands) > p.Fixed {
		return unread(c.Words)
	}
	for _, word := range a.Operands {
		if word != "" && (word[0] != '-' || len(a.Rest) == 0) {
			s.add(p.Operand, word, false)
		}
	}
	for _, f := range p.Places {
		values := a.Values(f.Flags)
		if f.List {
			values = a.lists(f.Flags)
		}
		for _, value := range values {
			s.add(f.As, value, f.Not)
		}
	}
	p.choices(a, &s)
	p.more(c, a, &s)
	p.own(a, &s)
	for _, root := range a.Values(p.Roots) {
		s = s.From(rootOf(root))
	}
	if s.Unread || !s.readable() {
		return unread(c.Words)
	}
	return s
}

// own completes the places of a tool that takes the package of its folder by itself.
func (p *Picks) own(a Args, s *Scope) {
	if p.Own && len(s.Places) == 0 {
		s.Places = []Place{{Shape: Folder}}
	}
	for i := range s.Places {
		if s.Places[i].Shape == Folder && a.Has(p.Below) {
			s.Places[i].Shape = Tree
		}
	}
}

// choices reads the flags by which tests are chosen.
func (p *Picks) choices(a Args, s *Scope) {
	for _, n := range p.Names {
		values := a.Values(n.Flags)
		if n.Operands {
			values = a.Operands
			s.Said = append(s.Said, values...)
		}
		if c := n.choice(values); len(c.Texts) > 0 {
			s.Names = append(s.Names, c)
		}
	}
	for _, f := range a.Flags {
		said := strings.TrimSpace(f.Name + " " + f.Value)
		switch {
		case Among(p.Again, f.Name), slices.ContainsFunc(p.Names, func(n Chooser) bool { return Among(n.Flags, f.Name) }):
			s.Said = append(s.Said, said)
		case Among(p.Marks, f.Name):
			s.Said, s.Marks = append(s.Said, said), append(s.Marks, said)
		}
	}
	slices.Sort(s.Marks)
	s.Tags = sortedTags(a, p.Tags)
	s.Stops = a.Has(p.Stops) || p.GoesOn != "" && !a.Has(p.GoesOn)
}

// choice is what values choose; without texts it is none.
func (n Chooser) choice(values []string) Choice {
	c := Choice{By: n.By, Not: n.Not}
	if n.Last {
		values = values[max(len(values)-1, 0):]
	}
	for _, text := range values {
		slashed := expression(`(?s)^/(.*)/[^/]*$`).FindStringSubmatch(text)
		switch {
		case Among(n.All, text):
			return Choice{}
		case n.Slashes && slashed != nil:
			c.By, text = Expr, slashed[1]
		case n.Fold:
			text = "(?i)" + text
		}
		c.Texts = append(c.Texts, text)
	}
	return c
}

func sortedTags(a Args, flags string) string {
	tags := a.lists(flags)
	for _, f := range a.Flags {
		if f.Value == "" && Among(flags, f.Name) {
			tags = append(tags, f.Name) // --all-features
		}
	}
	slices.Sort(tags)
	return strings.Join(slices.Compact(tags), ",")
}

// args are the call's arguments without the subcommand.
func (p *Picks) args(c Call) Args {
	words := c.Words
	if end := slices.IndexFunc(words, oneOf(p.Ends)); end > 0 {
		words = words[:end]
	}
	a := Read(words, p.takes(c.Tool))
	for i, f := range a.Flags {
		a.Flags[i] = p.split(f)
	}
	plain := Read(words, c.Tool.Takes).Operands
	known := len(strings.Fields(cmp.Or(a.begins(p.Sub), c.begins(p.Sub)))) + len(plain) - len(c.Tool.spelled(plain)) // cargo +nightly test
	a.Operands = a.From(max(known, 0))
	return a
}

func (p *Picks) takes(t *Tool) string {
	all := t.Takes + " " + p.Values + " " + p.Roots
	for _, f := range p.Places {
		all += " " + f.Flags
	}
	for _, n := range p.Names {
		all += " " + n.Flags
	}
	return all
}

// split reads a short flag with its value in one word: -kname.
func (p *Picks) split(f Flag) Flag {
	short, value := f.Name[:min(2, len(f.Name))], f.Name[min(2, len(f.Name)):]
	chooses := slices.ContainsFunc(p.Names, func(n Chooser) bool { return Among(n.Flags, short) })
	if value == "" || !chooses || Among(p.takes(&unknown), f.Name) {
		return f
	}
	if f.Value != "" {
		value += "=" + f.Value
	}
	return Flag{short, value}
}

// more reads what no row can say.
func (p *Picks) more(c Call, a Args, s *Scope) {
	if p.Affected {
		s.Marks = append(s.Marks, strings.Join(c.Words[:2], " "))
	}
	switch p.More {
	case gotestsumWords:
		*s = gotestsumScope(c, a)
	case discovered:
		s.discover(a)
	case cargoFilters:
		s.cargo(a)
	case gradleTasks:
		s.Places = gradlePlaces(a.Operands)
	case mavenNames:
		s.maven(a)
	case dotnetFilter:
		s.dotnet(a)
	case rakeVariables:
		s.rake(a)
	case yarnMember:
		if at := slices.Index(c.Words, "workspace"); at > 0 && at+1 < len(c.Words) {
			s.add(memberSpots, c.Words[at+1], false)
		}
	case nxProject:
		if of := a.Operand(1); of != "" {
			s.add(ofSpots, of, false)
		} else if strings.Contains(a.Operand(0), ":") {
			s.add(beforeColonSpots, a.Operand(0), false)
		}
	}
}

// gotestsumScope reads the words that gotestsum hands to go test, which are all
// from its first operand on. Without a package it takes all.
func gotestsumScope(c Call, a Args) Scope {
	at := NextOperand(c.Words, 1, gotestsumValues)
	if end := slices.Index(c.Words, "--"); end > 0 && end < at {
		at = end + 1
	}
	rest := c.Words[min(at, len(c.Words)):]
	s := NewCall(slices.Concat([]string{"go", "test"}, rest)).Scope()
	named := Read(append([]string{"go"}, rest...), Find("go").Takes+" "+goValues).Operands
	packages := a.lists("--packages")
	if len(packages) > 0 || len(named) == 0 && !s.Unread {
		s.Places = nil
	}
	for _, pkg := range packages {
		s.add(goSpots, pkg, false)
	}
	return s
}

// rake reads TEST=path and TESTOPTS=-n x; any other variable may choose.
func (s *Scope) rake(a Args) {
	for _, o := range a.Operands {
		name, value, ok := strings.Cut(o, "=")
		switch {
		case !ok, Among("RAILS_ENV RACK_ENV VERBOSE SEED COVERAGE CI N", name):
		case Among("TEST SPEC FILE PATTERN", name):
			s.add(lineSpots, value, false)
		case Among("TESTOPTS TESTOPT OPTS SPEC_OPTS", name):
			p := &rubyPicks[0]
			p.choices(p.args(NewCall(slices.Concat([]string{"rails"}, strings.Fields(strings.Trim(value, `"'`))))), s)
		default:
			s.Unread = true
		}
	}
}
