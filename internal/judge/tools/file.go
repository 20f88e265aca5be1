package tools

import (
	"path"
	"slices"
	"strings"
)

func operandWrites(c Call) (named []string, others bool) { return c.Operands, false }

// removeWrites: without operands, xargs names the files.
func removeWrites(c Call) (named []string, others bool) { return c.Operands, len(c.Operands) == 0 }

func touchWrites(c Call) (named []string, others bool) {
	a := Read(c.Words, "-s --size -r --reference -n -d --date -t")
	return a.Operands, len(a.Operands) == 0
}

// modeWrites: git sees a change of mode.
func modeWrites(c Call) (named []string, others bool) { return c.From(1), len(c.Operands) < 2 }

func ddWrites(c Call) (named []string, others bool) { return after(c.Words, "of="), false }

func findWrites(c Call) (named []string, others bool) {
	return after(c.Words, "-fprint"), slices.Contains(c.Words, "-delete")
}

func patchWrites(c Call) (named []string, others bool) {
	a := Read(c.Words, "-i --input -d --directory -p --strip")
	return append(a.Operands[:min(1, len(a.Operands))], patched(c.Stdin)...), true
}

func applyPatchWrites(c Call) (named []string, others bool) {
	named = patched(c.Stdin + "\n" + strings.Join(c.Words[1:], "\n"))
	return named, len(named) == 0
}

// transferWrites reads cp and its kin: the destination, or the files in it, and
// what mv takes away.
func transferWrites(c Call) (named []string, others bool) {
	takes := "-t --target-directory -S --suffix"
	switch c.Head {
	case "install":
		takes += " -m --mode -o --owner -g --group"
	case "rsync":
		takes = "-e --rsh --exclude --include -f --filter"
	case "scp":
		takes = "-i -P -o -F -l"
	}
	a := Read(c.Words, takes)
	if c.Head == "install" && a.letter("d") || a.Has("--directory") {
		return nil, false
	}
	sources, into := a.Operands, ""
	if t := a.Values("-t --target-directory"); len(t) > 0 {
		into = t[0] + "/"
	} else if n := len(sources); n > 1 {
		sources, into = sources[:n-1], sources[n-1]
	} else if c.Head == "ln" && n == 1 {
		into = "./"
	} else {
		return nil, true
	}
	if c.Head == "mv" {
		named = append(named, sources...)
	}
	if Among("rsync scp", c.Head) && strings.Contains(into, ":") {
		return nil, false // to another machine
	}
	if c.Head == "rsync" {
		return []string{into}, true
	}
	if len(sources) == 1 && !strings.HasSuffix(into, "/") && path.Base(into) != "." && path.Base(into) != ".." {
		return append(named, into), a.letter("rR") || path.Ext(into) == "" // perhaps a folder, and the file is in it
	}
	for _, s := range sources {
		named = append(named, Join(into, path.Base(s)))
	}
	return named, false
}

// outputWrites reads programs that write the file that -o names.
func outputWrites(c Call) (named []string, others bool) {
	switch c.Head {
	case "curl":
		a := Read(c.Words, "-o --output -H --header -d --data -X --request -u --user -F --form -A -b -c -m --max-time")
		named = a.Values("-o --output")
		if a.Has("-O --remote-name") {
			for _, url := range a.Operands {
				named = append(named, path.Base(url))
			}
		}
	case "wget":
		a := Read(c.Words, "-O --output-document -o -P --directory-prefix --header -t --tries -T --timeout")
		if named = a.Values("-O --output-document"); len(named) == 0 && !a.letter("O") && !a.Has("--spider") {
			return nil, true
		}
	default:
		named = Read(c.Words, "-o --output -k -t -S -T -I -L -l").Values("-o --output")
		if len(named) == 0 && c.Head != "sort" {
			return nil, true
		}
	}
	return slices.DeleteFunc(named, func(f string) bool { return f == "-" }), false
}

// after gives the values of key=value words, or the words after the word key.
func after(words []string, key string) (values []string) {
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, key); ok && strings.HasSuffix(key, "=") {
			values = append(values, v)
		} else if w == key && i+1 < len(words) {
			values = append(values, words[i+1])
		}
	}
	return values
}

// findRisk: what a program that finds files removes, by itself or by the command
// that it runs on each.
func findRisk(c Call) string {
	inner := c.Tool.Executed(c.Words)
	if c.Head == "find" && slices.Contains(c.Words, "-delete") || len(inner) > 0 && Among("rm unlink shred", Name(Plain(inner)[0])) {
		return DeleteFiles
	}
	return ""
}

func rsyncRisk(c Call) string {
	if slices.ContainsFunc(c.Flags, func(f Flag) bool { return strings.HasPrefix(f.Name, "--delete") || f.Name == "--del" }) {
		return DeleteFiles
	}
	return ""
}

func ddRisk(c Call) string {
	if to := after(c.Words, "of="); len(to) > 0 && strings.HasPrefix(to[0], "/dev/") && !Among("/dev/null /dev/stdout /dev/stderr /dev/tty", to[0]) {
		return Overwrite
	}
	return ""
}
