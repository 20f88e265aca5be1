package tools

// Summary reads the output of a run of this tool. A tool that runs others (make,
// npm), or of which nothing is known, is read as any runner's.
func (t *Tool) Summary(output string) Summary { return Summarize(output, t) }

// Summarize reads the output of a line that ran these tools: red if any of them
// is red. No tools stand for any.
//
// The lines that a runner's own format has are believed. What else a line may
// say of failures (`2 errors`, `exit status 1`) is believed where it stands after
// them, or where there are none: before them it is what the tests print. For a
// program that is not in the table it is believed wherever it stands.
func Summarize(output string, runners ...*Tool) Summary {
	names, strict := "", len(runners) > 0
	for _, t := range runners {
		if t == nil || t.Output.Format == "" {
			names, strict = anyFormats, strict && t != nil && t.Names != ""
			break
		}
		names += " " + t.Output.Format
	}
	if len(runners) == 0 {
		names = anyFormats
	}
	s := sum{rest: rest{strict: strict}, readers: readersOf(names + " shell")}
	for line := range lines(output) {
		s.read(line)
	}
	return s.summary()
}
