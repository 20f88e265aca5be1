package tools

import "strings"

// Summarize reads the output of a line that ran these tools: red if any of them
// is red. No tools stand for any. A tool that runs others (make, npm), or of which
// nothing is known, is read as any runner's.
//
// The lines that a runner's own format has are believed. What else a line may
// say of failures (`2 errors`, `exit status 1`) is believed where it stands after
// them, or where there are none: before them it is what the tests print. For a
// program that is not in the table it is believed wherever it stands.
func Summarize(output string, runners ...*Tool) Summary {
	names, strict := "", len(runners) > 0
	for _, t := range runners {
		if t == nil || t.Output == "" {
			names, strict = anyFormats, strict && t != nil && t.Names != ""
			break
		}
		names += " " + t.Output
	}
	if len(runners) == 0 {
		names = anyFormats
	}
	s, readers := sum{rest: rest{strict: strict}, seen: map[Failure]bool{}}, readersOf(names+" shell")
	for line := range lines(output) {
		s.read(line, readers)
	}
	return s.summary()
}

// readersOf begin to read the formats of some names.
func readersOf(names string) (all []*reader) {
	for name := range strings.FieldsSeq(names) {
		for i := range formats {
			if formats[i].Name == name {
				all = append(all, &reader{format: &formats[i], tally: counts{}})
			}
		}
	}
	return all
}

// read hands a line to the formats, and what is nobody's to the rest.
func (s *sum) read(line string, readers []*reader) {
	line = unlabelled(line)
	line = line[:min(len(line), maxLine)]
	s.rows = mayFit(line)
	for _, r := range readers {
		if r.read(line, s) {
			return
		}
	}
	s.rest.read(strings.TrimSpace(line))
}
