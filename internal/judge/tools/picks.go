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
	for i := range c.Tool.Picks {
		p := &c.Tool.Picks[i]
		if (p.Sub == "" || c.begins(p.Sub) != "" || Read(c.Words, p.takes(c.Tool)).begins(p.Sub) != "") && (p.With == "" || c.Has(p.With)) {
			return p
		}
	}
	return nil
}

// unlisted is the scope of a program that the table does not say how to read:
// all, unless it is given a word that may choose.
func unlisted(forms [][]string) (s Scope) {
	for _, words := range slices.Backward(forms) {
		c := NewCall(words)
		verifies := slices.IndexFunc(c.Tool.Subs, func(sub Sub) bool { return sub.Does&(Tests|Umbrella|Runner|Checks) != 0 && c.begins(sub.Words) != "" })
		if verifies < 0 && c.Tool.Does&(Tests|Umbrella|Runner|Checks) == 0 {
			continue
		}
		known := 0
		if verifies >= 0 {
			known = len(strings.Fields(c.begins(c.Tool.Subs[verifies].Words)))
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
	if p.Operand != nil {
		for _, word := range slices.Concat(a.Operands, a.Values(p.Paths)) {
			if word != "" && (word[0] != '-' || len(a.Rest) == 0) {
				s.add(p.Operand, word)
			}
		}
	} else if len(a.Operands) > p.Fixed {
		return unread(c.Words)
	}
	for _, dir := range a.Values(p.Leaves) {
		place := pathPlace(dir)
		place.Not = true
		s.Places = append(s.Places, place)
	}
	for _, of := range a.lists(p.Members) {
		s.Places = append(s.Places, memberPlace(of))
	}
	p.choices(a, &s)
	if p.More != nil {
		p.More(c, a, &s)
	}
	for _, root := range a.Values(p.Roots) {
		s = s.From(rootOf(root))
	}
	if s.Unread || !s.readable() {
		return unread(c.Words)
	}
	return s
}

// choices reads the flags by which tests are chosen.
func (p *Picks) choices(a Args, s *Scope) {
	for _, n := range p.Names {
		if values := a.Values(n.Flags); len(values) > 0 {
			s.Names = append(s.Names, Choice{By: n.By, Texts: values, Not: n.Not})
		}
	}
	for _, f := range a.Flags {
		said := strings.TrimSpace(f.Name + " " + f.Value)
		switch {
		case slices.ContainsFunc(p.Names, func(n Chooser) bool { return Among(n.Flags, f.Name) }), Among(p.Again, f.Name):
			s.Said = append(s.Said, said)
		case Among(p.Marks, f.Name):
			s.Said, s.Marks = append(s.Said, said), append(s.Marks, said)
		}
	}
	slices.Sort(s.Marks)
	s.Tags = sortedTags(a, p.Tags)
	s.Stops = p.Stops != "" && a.Has(p.Stops)
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

// lists are the values of flags, of which each may be a list.
func (a Args) lists(flags string) (all []string) {
	for _, value := range a.Values(flags) {
		all = append(all, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return all
}

// args are the call's arguments without the subcommand.
func (p *Picks) args(c Call) Args {
	words := c.Words
	if end := slices.IndexFunc(words, func(w string) bool { return Among(p.Ends, w) }); end > 0 {
		words = words[:end]
	}
	a := Read(words, p.takes(c.Tool))
	for i, f := range a.Flags {
		a.Flags[i] = p.split(f)
	}
	known := len(strings.Fields(cmp.Or(a.begins(p.Sub), c.begins(p.Sub))))
	if plain := Read(words, c.Tool.Takes).Operands; c.Tool.Spell != nil {
		known += len(plain) - len(c.Tool.Spell(plain)) // cargo +nightly test
	}
	a.Operands = a.Operands[min(max(known, 0), len(a.Operands)):]
	return a
}

func (p *Picks) takes(t *Tool) string {
	all := t.Takes + " " + p.Values + " " + p.Paths + " " + p.Leaves + " " + p.Members + " " + p.Roots
	for _, n := range p.Names {
		all += " " + n.Flags
	}
	return all
}

// split reads a short flag with its value in one word: -kname.
func (p *Picks) split(f Flag) Flag {
	if len(f.Name) > 2 && f.Name[0] == '-' && f.Name[1] != '-' && !Among(p.takes(&unknown), f.Name) {
		for _, n := range p.Names {
			if short := f.Name[:2]; Among(n.Flags, short) {
				value := f.Name[2:]
				if f.Value != "" {
					value += "=" + f.Value
				}
				return Flag{short, value}
			}
		}
	}
	return f
}

// add adds the place that a word names. Words that only the shell knows make the
// scope unread; {a,b} are two.
func (s *Scope) add(read func(word string) Place, word string) {
	for _, one := range braces(local(word)) {
		place := read(one)
		if place.Test != "" {
			s.Said = append(s.Said, one)
		}
		s.Places = append(s.Places, place)
	}
}

// readable reports whether nothing of the scope is known to the shell alone, and
// all patterns can be read.
func (s *Scope) readable() bool {
	foreign := func(text string) bool { return strings.ContainsAny(text, "$`") || text == "{}" || text == "-" }
	for _, p := range s.Places {
		if p.Shape == PathExpr && expression(p.Path) != nil {
			continue
		}
		if foreign(p.Path) || foreign(p.Of) || p.Shape == PathExpr || len(p.Path) > maxPattern {
			return false
		}
	}
	for _, c := range s.Names {
		if !c.readable() || slices.ContainsFunc(c.Texts, shellValue) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Marks, shellValue) && !shellValue(s.Tags)
}

// shellValue reports whether a value holds what the shell puts in: $X and not
// the $ at the end of an expression.
func shellValue(text string) bool {
	for i := range len(text) - 1 {
		if c := text[i+1]; text[i] == '$' && (c == '{' || c == '(' || c == '_' || c == '@' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return true
		}
	}
	return strings.Contains(text, "`")
}

// local takes the folder that a run is in off a word: $PWD/x, $(pwd)/x. What go
// list prints of one pattern is that pattern.
func local(word string) string {
	if listed, ok := strings.CutPrefix(word, "$(go list "); ok {
		if pattern, ok := strings.CutSuffix(listed, ")"); ok && !strings.ContainsAny(pattern, " |$`()") {
			return pattern
		}
	}
	for _, here := range []string{"$PWD", "${PWD}", "$(pwd)"} {
		if rest, ok := strings.CutPrefix(word, here); ok && (rest == "" || rest[0] == '/') {
			return "." + rest
		}
	}
	return word
}

// tooMany stands for more words than anyone writes: only the shell knows them.
const tooMany = "$"

// braces writes out {a,b}, as the shell does.
func braces(word string) []string {
	begin, end := strings.IndexByte(word, '{'), strings.IndexByte(word, '}')
	if begin < 0 || end < begin || !strings.Contains(word[begin:end], ",") || strings.Contains(word[begin+1:end], "{") || begin > 0 && word[begin-1] == '$' {
		return []string{word}
	}
	var all []string
	for part := range strings.SplitSeq(word[begin+1:end], ",") {
		rest := braces(word[:begin] + part + word[end+1:])
		if all = append(all, rest...); len(all) > 64 || rest[0] == tooMany {
			return []string{tooMany}
		}
	}
	return all
}

// rootOf is the folder that a flag names by itself or by a file in it.
func rootOf(value string) string {
	value = strings.TrimSuffix(value, "/")
	if base := path.Base(value); strings.ContainsRune(strings.TrimLeft(base, "."), '.') {
		return path.Dir(value)
	}
	return value
}
