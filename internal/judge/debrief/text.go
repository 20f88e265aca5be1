package debrief

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/piton-project/piton/internal/judge/tools"
)

// once is something that is found when it is first asked for.
type once[T any] struct {
	is    T
	known bool
}

func (o *once[T]) get(find func() T) T {
	if !o.known {
		o.is, o.known = find(), true
	}
	return o.is
}

// lazily is an expression that is compiled when it is first asked for.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// union is a list with those of some others that it lacks, each once.
func union[T comparable](list []T, others ...T) []T {
	for _, x := range others {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// keep are those of a list that are so.
func keep[T any](list []T, is func(T) bool) (kept []T) {
	for _, x := range list {
		if is(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// told is an output without the lines at its head in which a client names the
// exit status and the time it took.
func told(output string) string { return strings.TrimSpace(toldAsIs(output)) }

// toldAsIs is told with the blanks around it, which some runners' lines begin
// with.
func toldAsIs(output string) string {
	rest := output
	for range 4 {
		line, after, _ := strings.Cut(rest, "\n")
		if low := strings.ToLower(line); !tools.ExitNamed(low) && !strings.HasPrefix(low, "wall time:") && low != "output:" {
			break
		}
		rest = after
	}
	return rest
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// joined is a path seen from a folder.
func joined(dir, p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join(dir, p)
}

func baseName(p string) string { return p[strings.LastIndex(p, "/")+1:] }

// folderOf is the folder of a file; "" for the root.
func folderOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// inside reports whether a folder is another one or lies in it.
func inside(folder, in string) bool {
	return in == "" || folder == in || strings.HasPrefix(folder, in+"/")
}
