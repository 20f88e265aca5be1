package tools

import (
	"cmp"
	"path"
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

// add adds the place that a word names. Words that only the shell knows make the
// scope unread; {a,b} are two.
func (s *Scope) add(spots []Spot, word string, not bool) {
	for _, one := range braces(local(word)) {
		place, ok := placeOf(spots, one)
		if !ok {
			continue
		}
		if place.Not = place.Not || not; place.Test != "" && !place.Not {
			s.Said = append(s.Said, one)
		}
		s.Places = append(s.Places, place)
	}
}

// placeOf reads a word as the first spot that it fits says; ok is false where it
// chooses nothing.
func placeOf(spots []Spot, word string) (p Place, ok bool) {
	for i := range spots {
		expr := expression("(?s)" + spots[i].Re)
		if m := expr.FindStringSubmatch(word); m != nil {
			return spots[i].place(word, expr.SubexpNames(), m), !spots[i].None
		}
	}
	return Place{}, false
}

func (spot *Spot) place(word string, names, groups []string) Place {
	p, at := Place{Shape: spot.Shape}, word
	for i, value := range groups {
		switch names[i] {
		case "path":
			at = value
		case "line":
			p.Test = ":" + value
		case "test":
			p.Test = value
		case "of":
			p.Of, at = value, ""
		case "not":
			p.Not = value == "!"
		}
	}
	switch {
	case spot.Foreign:
		p.Path = "$" + word
	case spot.Shape == Dotted:
		p.Path = strings.ReplaceAll(at, ".", "/")
	case spot.Shape == PathExpr, spot.Shape == Import:
		p.Path = at
	default:
		p.Path = slashed(at)
	}
	if spot.Shape == PathPart && strings.HasSuffix(word, "/") {
		p.Path += "/"
	}
	if spot.Shape == Tree && !spot.Literal && strings.ContainsAny(at, "*?") {
		p.Shape = PathGlob
	}
	return p
}

// readable reports whether nothing of the scope is known to the shell alone, and
// all patterns can be read.
func (s *Scope) readable() bool {
	unknown := func(p Place) bool {
		if p.Shape == PathExpr {
			return expression(p.Path) == nil
		}
		return fits("[$`]|^(?:\\{\\}|-)$", p.Path) || fits("[$`]|^(?:\\{\\}|-)$", p.Of) || len(p.Path) > maxPattern
	}
	chosen := func(c Choice) bool { return !c.readable() || slices.ContainsFunc(c.Texts, shellValue) }
	return !slices.ContainsFunc(s.Places, unknown) && !slices.ContainsFunc(s.Names, chosen) &&
		!slices.ContainsFunc(s.Marks, shellValue) && !shellValue(s.Tags)
}

// shellValue reports whether a value holds what the shell puts in: $X and not
// the $ at the end of an expression.
func shellValue(text string) bool { return fits("\\$[{(_@A-Za-z0-9]|`", text) }

// local takes the folder that a run is in off a word: $PWD/x, $(pwd)/x. What go
// list prints of one pattern is that pattern.
func local(word string) string {
	if listed := expression("^\\$\\(go list ([^ |$`()]*)\\)$").FindStringSubmatch(word); listed != nil {
		return listed[1]
	}
	return expression(`^(?:\$PWD|\$\{PWD\}|\$\(pwd\))(/|$)`).ReplaceAllString(word, ".$1")
}

// tooMany stands for more words than anyone writes: only the shell knows them.
const tooMany = "$"

// braces writes out {a,b}, as the shell does.
func braces(word string) []string {
	m := expression(`(?s)^([^{}]*[^{}$]|)\{([^{}]*,[^{}]*)\}(.*)$`).FindStringSubmatch(word)
	if m == nil {
		return []string{word}
	}
	var all []string
	for part := range strings.SplitSeq(m[2], ",") {
		rest := braces(m[1] + part + m[3])
		if all = append(all, rest...); len(all) > 64 || rest[0] == tooMany {
			return []string{tooMany}
		}
	}
	return all
}

// rootOf is the folder that a flag names by itself or by a file in it.
func rootOf(value string) string {
	value = strings.TrimSuffix(value, "/")
	if fits(`[^./]\.[^/]*$`, value) {
		return path.Dir(value)
	}
	return value
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

// discover reads the names of files that unittest looks for, below the first place.
func (s *Scope) discover(a Args) {
	for _, glob := range a.Values("-p --pattern") {
		if glob != "test*.py" && glob != "test_*.py" {
			s.Places = []Place{{Shape: PathGlob, Path: "**/" + glob, Under: append(s.Places, Place{})[0].Path}}
		}
	}
	for i, c := range s.Names {
		if strings.Contains(strings.Join(c.Texts, ""), "*") {
			s.Names[i].By = Globbed
		}
	}
}

// cargo reads what cargo test takes: members, targets of them, and parts of
// names, which the harness is given after --.
func (s *Scope) cargo(a Args) {
	harness := Read(append([]string{""}, a.Rest...), "--skip --test-threads --format --color -Z --logfile --report-time --shuffle-seed")
	by := Contains
	if harness.Has("--exact") {
		by = Exactly
	}
	own := a.Operands[:max(len(a.Operands)-len(a.Rest), 0)]
	if names := slices.Concat(own, harness.Operands); len(names) > 0 {
		s.Names, s.Said = append(s.Names, Choice{By: by, Texts: names}), append(s.Said, names...)
	}
	if skips := harness.Values("--skip"); len(skips) > 0 {
		s.Names, s.Said = append(s.Names, Choice{By: by, Texts: skips, Not: true}), append(s.Said, "--skip "+strings.Join(skips, " "))
	}
	if harness.Has("--ignored") {
		s.Marks = append(s.Marks, "--ignored")
	}
	var targets []Place
	for _, test := range a.Values("--test") {
		targets = append(targets, Place{Shape: Dotted, Path: "tests/" + test})
	}
	if a.Has("--lib --bins --bin --doc") {
		targets = append(targets, Place{Path: "src"})
	}
	s.Places = slices.Concat(product(a.lists("-p --package"), targets), s.Places)
}

// product are places in each of some members of a workspace.
func product(members []string, places []Place) (all []Place) {
	if len(members) == 0 {
		return places
	}
	if len(places) == 0 {
		places = []Place{{}}
	}
	for _, of := range members {
		for _, p := range places {
			p.Of, _, _ = strings.Cut(of, "@")
			all = append(all, p)
		}
	}
	return all
}

// gradlePlaces are the projects of tasks; none where a task verifies in all of them.
func gradlePlaces(tasks []string) (all []Place) {
	for _, task := range tasks {
		project, name := cutLast(task, ":")
		switch {
		case project != "":
			all = append(all, Place{Of: project})
		case fits("^test|Tests?$|^(?:check|build|assemble)$", name):
			return nil
		}
	}
	return all
}

// maven reads the classes and methods of -Dtest, of which those with ! are left out.
func (s *Scope) maven(a Args) {
	for _, f := range a.Flags {
		if !Among("-Dtest -Dit.test", f.Name) || f.Value == "" {
			continue
		}
		s.Said = append(s.Said, f.Name+"="+f.Value)
		in, out := Choice{By: Globbed}, Choice{By: Globbed, Not: true}
		for text := range strings.SplitSeq(f.Value, ",") {
			if text, not := strings.CutPrefix(strings.TrimSpace(text), "!"); not {
				out.Texts = append(out.Texts, text)
			} else {
				in.Texts = append(in.Texts, mavenMethods(text)...)
			}
		}
		chosen := slices.DeleteFunc([]Choice{in, out}, func(c Choice) bool { return len(c.Texts) == 0 })
		s.Names = append(s.Names, chosen...)
	}
}

// mavenMethods writes FooTest#a+b out.
func mavenMethods(text string) (all []string) {
	class, methods, ok := strings.Cut(strings.TrimSuffix(text, ".java"), "#")
	if !ok {
		return []string{class}
	}
	for m := range strings.SplitSeq(methods, "+") {
		all = append(all, class+"#"+m)
	}
	return all
}

// dotnet reads the conjunctions of a filter. What is not a name leaves tests out that
// nobody tells.
func (s *Scope) dotnet(a Args) {
	for _, filter := range a.Values("--filter") {
		s.Said = append(s.Said, "--filter "+filter)
		for part := range strings.SplitSeq(filter, "&") {
			if c, ok := dotnetNames(strings.Trim(part, "() ")); ok {
				s.Names = append(s.Names, c...)
			} else {
				s.Marks = append(s.Marks, "--filter "+part)
			}
		}
	}
}

// dotnetNames reads alternatives: Name=x|ClassName~y, or x alone.
func dotnetNames(part string) (all []Choice, ok bool) {
	in := Choice{By: Contains}
	for alt := range strings.SplitSeq(part, "|") {
		m := expression(`(?s)^([^=~!]*)([=~!])(~?)[=~!]*(.*)$`).FindStringSubmatch(alt)
		if m == nil {
			in.Texts = append(in.Texts, alt)
			continue
		}
		name, op, value := strings.TrimSpace(m[1]), m[2]+m[3], m[4]
		if !Among("FullyQualifiedName Name DisplayName ClassName Class", name) || value == "" {
			return nil, false
		}
		by := Exactly
		if strings.Contains(op, "~") {
			by = Contains
		}
		if op[0] == '!' {
			all = append(all, Choice{By: by, Texts: []string{value}, Not: true})
			continue
		}
		in.By, in.Texts = max(in.By, by), append(in.Texts, value)
	}
	if len(in.Texts) > 0 {
		all = append(all, in)
	}
	return all, true
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
