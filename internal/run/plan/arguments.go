package plan

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// argument is a word of a command, as far as it is known before it runs.
type argument struct {
	text    string // without its quotes; a value in it is its mark
	valued  bool   // a value is in it
	leading bool   // it begins with the value
	open    bool   // the shell replaces something in it
}

// verdict is what is wrong with a value in an argument, if anything is.
type verdict struct {
	err  error
	lead bool // the value may not look like an option
}

// command weighs a command's arguments: which of those with a value are code to the
// program that is named first, or behind programs that run others. fed: its input
// has a value; it is an error of the input where that is read as code, and of the
// environment where a program runs its variables.
func weigh(words []argument, fed bool) (out []verdict, input, environ error) {
	out = make([]verdict, len(words))
	for at, inner := 0, 0; inner >= 0 && at < len(words); at += inner {
		if words[at].valued {
			out[at].err = errCommand
			break
		}
		if !isKnown(words[at].text) {
			blame(words[at+1:], out[at+1:], errUnknown)
			if fed {
				input = errUnknown
			}
			break
		}
		name, p := programNamed(words[at].text)
		if inner = -1; p != nil {
			runs := runsData(name, words[at:])
			if p.environ || runs {
				environ = fmt.Errorf("%s would run a variable of the environment that has a value; %s", name, p.write)
			}
			var in error
			if inner, in = p.read(name, words[at:], out[at:], fed); in != nil || runs && fed {
				input = cmp.Or(in, errData)
			}
			if runs {
				blame(words[at:], out[at:], errData)
			}
		}
		if inner < 0 && (p == nil || p.to == 0) {
			inner = interpreterIn(name, words[at:])
		}
	}
	leads(words, out)
	return out, input, environ
}

// blame says what is wrong with the words that have a value.
func blame(words []argument, out []verdict, err error) {
	for i, w := range words {
		if w.valued {
			out[i].err = err
		}
	}
}

// interpreterIn is where behind the first word an interpreter is named, -1 for none.
func interpreterIn(name string, words []argument) int {
	if slices.Contains(dataOnly, name) || slices.Contains(harmless, name) {
		return -1
	}
	for i, w := range words[1:] {
		_, p := programNamed(w.text)
		within := has(containers, name) && i+2 < len(words) && isScriptFlag(words[i+2].text) // docker exec c $S -c
		started := (within || has(startsProgram, words[i].text)) && !isKnown(w.text)
		if !w.valued && (started || p != nil && p.anywhere) {
			return i + 1
		}
	}
	return -1
}

// leads notes the values that may not look like an option.
func leads(words []argument, out []verdict) {
	if name, _ := programNamed(words[0].text); slices.Contains(dataOnly, name) {
		return
	}
	for i, w := range words {
		if w.text == "--" {
			return
		}
		out[i].lead = i > 0 && w.leading
	}
}

// read weighs the arguments of one program. inner is where the command stands that
// it runs, -1 for none.
func (p *program) read(name string, words []argument, out []verdict, fed bool) (inner int, input error) {
	wrong := fmt.Errorf("%s would run the value as code; %s", name, p.write)
	var ofInput error // where the input is read as code
	if fed {
		ofInput = wrong
	}
	operands, codeGiven, doubt, over, open, to := 0, false, false, false, false, p.to
	for i := 1; i < len(words); i++ {
		w := words[i]
		plus := strings.HasPrefix(w.text, "+") && strings.HasPrefix(p.names, "sh ")
		operand := over || !strings.HasPrefix(w.text, "-") && !plus || w.text == "-"
		if has("--rcfile --init-file", w.text) {
			input = ofInput
		}
		switch {
		case !operand && w.text == "--":
			over, doubt = true, false
			continue
		case !operand:
			if name == "command" && strings.ContainsAny(w.text, "vV") { // it only looks for it
				return -1, input
			}
			o := p.option(w.text)
			end := min(i+1+o.skip, len(words)) // of its values
			if o.code {
				blame(words[i:end], out[i:end], wrong)
			}
			if o.code && namesInput(words[i:], o) {
				input = ofInput
			}
			doubt, codeGiven = o.doubt, codeGiven || o.code
			if o.all {
				to = every
			}
			if isModule := p.module != "" && o.name == p.module; isModule && end > i+1 && !words[i+1].valued {
				return i + 1, input
			}
			i = end - 1
			continue
		case p.wraps && operands >= p.from:
			if strings.Contains(w.text, "=") && name == "env" || strings.HasPrefix(w.text, "+") {
				if variable, _, _ := strings.Cut(w.text, "="); w.valued && (isCodeVariable(variable) || strings.Contains(variable, markBegin)) {
					out[i].err = fmt.Errorf("%s would be run, or found by; %s", variable, byName)
				}
				continue
			}
			if doubt && !w.valued {
				if _, q := programNamed(w.text); q == nil { // it may be the option's value
					doubt = false
					continue
				}
			}
			if name == "xargs" && readsCode(words[i:]) {
				blame(words[:i], out, wrong) // xargs -a <(echo VALUE) sh
				input = ofInput
			}
			return i, input
		case has(p.after, w.text):
			to = every
		case to == every && beginsWith(w.text, p.settings):
			to = 0
		}
		takesCode := operands < to && (!codeGiven || to == every)
		if w.valued && takesCode && (p.from <= operands || doubt) {
			out[i].err = wrong
		}
		if open && w.valued {
			out[i].err = fmt.Errorf("%s would run the value as code if the variable before it is an option; write -- before that", name)
		}
		mayBeOption, isCode := !over && w.text == "$" && !w.valued, p.from <= operands && operands < to
		open = open || mayBeOption && isCode && !codeGiven
		if !doubt {
			operands++
		}
		doubt = false
	}
	fromFile := p.to == 1 && operands > 0 && !open
	elsewhere := codeGiven || fromFile && !slices.ContainsFunc(words, isInput)
	if p.stdin && !elsewhere {
		input = ofInput
	}
	return -1, input
}

// isInput tells whether a word says that the code is in the input: python3 -, sh -s,
// . /dev/stdin.
func isInput(w argument) bool { return w.text == "-" || w.text == "-s" || isDevice(w.text) }

// namesInput tells whether an option takes its code from the input: awk -f -,
// curl --config=/dev/stdin, awk -f/dev/stdin.
func namesInput(words []argument, o optionOf) bool {
	if o.skip > 0 {
		return len(words) > 1 && isInput(words[1])
	}
	_, value, long := strings.Cut(words[0].text, "=")
	if !long && len(words[0].text) > 2 {
		value = words[0].text[2:]
	}
	return isInput(argument{text: value})
}

// optionOf is what is known of an option.
type optionOf struct {
	name  string
	code  bool // it, or what stands behind it, is code
	skip  int  // how many words behind it are its values
	all   bool // with it every operand is code
	doubt bool // nobody knows whether the next word is its value
}

// option reads an option, or a cluster of letters.
func (p *program) option(word string) optionOf {
	name, _, given := strings.Cut(word, "=")
	switch {
	case has(p.code, name):
		if given {
			return optionOf{code: true}
		}
		return optionOf{name: name, code: true, skip: 1}
	case has(p.pairs, name):
		return optionOf{skip: 2}
	case strings.HasPrefix(word, "--"):
		return optionOf{doubt: !given}
	}
	var o optionOf
	for i, letter := range word[1:] {
		rest := word[1+i+len(string(letter)):]
		o.all = o.all || strings.ContainsRune(p.opens, letter)
		switch {
		case has(p.code, "-"+string(letter)):
			o.name, o.code = "-"+string(letter), true
			if rest == "" || strings.HasPrefix(p.names, "sh ") {
				o.skip = 1
			}
			return o
		case strings.ContainsRune(p.valued, letter):
			if rest == "" {
				o.skip = 1
			}
			return o
		case strings.ContainsRune(p.attached, letter):
			if rest == "" || !strings.ContainsRune(p.flags, rune(rest[0])) && !has(p.code, "-"+rest[:1]) {
				return o
			}
		case !strings.ContainsRune(p.flags, letter):
			o.doubt = true
			return o
		}
	}
	return o
}

// readsCode tells whether one of these words names a program that reads code, or the
// last one a program that runs what is added to it: xargs env. One that has options for
// code finds them in its input: xargs find, but not xargs git add --.
func readsCode(words []argument) bool {
	last := words[len(words)-1].text
	if name, p := programNamed(words[0].text); p != nil && p.wraps {
		at, _ := p.read(name, words, make([]verdict, len(words)), false)
		return at < 0 || readsCode(words[at:])
	}
	return slices.ContainsFunc(words, func(w argument) bool {
		name, p := programNamed(w.text)
		if p == nil || p.wraps {
			return false
		}
		hasOption := p.code != "" && !slices.Contains(dataOnly, name)
		return p.anywhere || p.to == every || hasOption && last != "--"
	})
}

// runsData tells whether the code of awk or sed, as far as it is known, may run what these
// programs read: system(), a pipe, the command e.
func runsData(name string, words []argument) bool {
	base, before, p := strings.TrimLeft(name, "gmn"), "", running()
	code, isAwk := p.code[base], base == "awk"
	return code != nil && slices.ContainsFunc(words[1:], func(w argument) bool {
		isValue := isAwk && has("-F -v", before) // awk -F '|'
		if before = w.text; isValue {
			before = ""
			return false
		}
		text := p.option.ReplaceAllString(w.text, "")
		if isAwk {
			text = p.awkText.ReplaceAllString(text, "$1")
		}
		return text == "$" && w.open || !strings.HasPrefix(text, "-") && code.MatchString(text)
	})
}

// running are the patterns of code that runs other programs.
var running = sync.OnceValue(func() (p struct {
	option, awkText *regexp.Regexp
	code            map[string]*regexp.Regexp
}) {
	p.option = regexp.MustCompile(`^-(?:-expression=|-source=|e)`)
	p.awkText = regexp.MustCompile(`"(?:\\.|[^"\\])*"|((?:^|[(,~!&|{};\n])\s*)/(?:\\.|[^/\\\n])*/|\|\|`)
	awk := regexp.MustCompile(`\bsystem\s*\(|\||@`)
	// A command e behind an address, or s with the flag e; s with a letter around its parts.
	sed := regexp.MustCompile(`(?:^|[;{}\n])[\s\d,$~+!]*(?:/(?:\\.|[^/\n])*/[IM]?[\s\d,$~+!]*)*(?:e(?:[\s;}]|$)|s[\w\s])|[^\w\s\\][gpiImM\d]*e[gpiImM\d]*(?:w\s|\s*(?:[;}#\n]|$))`)
	p.code = map[string]*regexp.Regexp{"awk": awk, "sed": sed}
	return p
})

// beginsWith tells whether a text begins with one of some words.
func beginsWith(text, words string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.HasPrefix(text, w) })
}

// startsProgram are options behind which a program's name stands.
const startsProgram = "-exec -execdir -ok -okdir"

// looksLikeOption tells whether a program would take a value for an option: -x, --long.
func looksLikeOption(value string) bool { return anOption().MatchString(value) }

var anOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--?[A-Za-z]`) })

var errUnknown = errors.New("the program's name is not known before it runs, and it may run the value as code; write the name itself")

var errUnread = errors.New(`what the shell would read is not known before it runs, or hands a value of ${{ … }} on; write it itself, in single quotes, as in sh -c 'echo "$1"' sh "$x" and trap 'rm "$f"' EXIT`)

var errData = errors.New("its code runs what it reads, by system(), a pipe or the command e, and that has a value; print it, and run nothing there")

var errOption = errors.New(`the value begins with "-" and would be read as an option; write -- before it, or an option with "=" as in --name=${{ … }}`)
