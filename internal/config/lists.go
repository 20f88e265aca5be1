package config

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/judge/debrief"
	"go.yaml.in/yaml/v3"
)

// items are a list's values; one value alone is a list of one.
func items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		return []*yaml.Node{n}
	}
	var list []*yaml.Node
	for _, item := range n.Content {
		list = append(list, target(item))
	}
	return list
}

// texts reads a list of texts that are not empty.
func texts(n *yaml.Node, l layer) ([]string, error) {
	var list []string
	s := strict{l.lines}
	if n == nil {
		return nil, nil
	}
	if err := s.decode(n, reflect.ValueOf(&list).Elem(), "it"); err != nil {
		return nil, err
	}
	for i, x := range list {
		if list[i] = strings.TrimSpace(x); list[i] == "" {
			return nil, s.errorf(n, "one of the texts is empty")
		}
	}
	return list, nil
}

// tests reads debrief.tests; the layers add up. A command of a file that nobody has
// trusted proves nothing and is not asked for.
func tests() codec {
	return codec{
		adds: true,
		get:  func(c *Config) any { return c.Debrief.Tests },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			var errs []error
			was, same := len(c.Debrief.Tests), false
			if len(list) > maxTests {
				errs, list = append(errs, strict{l.lines}.errorf(n, "it names %d commands, at most %d are looked at", len(list), maxTests)), list[:maxTests]
			}
			for _, x := range list {
				if err := oneLine(x); err != nil {
					errs = append(errs, err)
					continue
				}
				switch {
				case slices.Contains(c.Debrief.Tests, x):
					same = true
				case l.fromUser || l.trusted:
					c.Debrief.Tests = append(c.Debrief.Tests, x)
				case !slices.Contains(errs, errWeaker):
					errs = append(errs, errWeaker)
				}
			}
			return len(c.Debrief.Tests) > was || same, errs
		},
	}
}

// maxTests bounds the commands of one file that all calls of a turn are held
// against.
const maxTests = 200

// profiles reads debrief.profiles. An empty list is none of the built-in rules.
func profiles() codec {
	return codec{
		get: func(c *Config) any {
			if c.Debrief.Profiles == nil {
				return debrief.ProfileNames()
			}
			return c.Debrief.Profiles
		},
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			known, good := debrief.ProfileNames(), []string{}
			var errs []error
			for _, x := range list {
				if !slices.Contains(known, strings.ToLower(x)) {
					errs = append(errs, strict{l.lines}.errorf(n, "no profile is called %q%s", x, didYouMean(x, known)))
					continue
				}
				good = append(good, strings.ToLower(x))
			}
			if len(good) == 0 && len(errs) > 0 {
				return false, errs // else a slip would switch all rules off
			}
			if l.adds() {
				return false, append(errs, c.otherProfiles(good)...)
			}
			c.Debrief.Profiles = good
			return true, errs
		},
	}
}

// otherProfiles says that a list is not the one in force. More rules are not
// always stricter: that of documents, or of tests alone, speaks for others.
func (c *Config) otherProfiles(list []string) []error {
	have := c.Debrief.Profiles
	if have == nil {
		have = debrief.ProfileNames()
	}
	for _, x := range slices.Concat(have, list) {
		if slices.Contains(list, x) != slices.Contains(have, x) {
			return []error{errWeaker}
		}
	}
	return nil
}

// verify reads debrief.verify: commands, or {run, files, timeout, when}.
func verify() codec {
	return codec{
		get: func(c *Config) any { return c.Debrief.Verify },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list := []debrief.Verify{}
			var errs []error
			for _, item := range items(n) {
				v, err := verifyOne(item, strict{l.lines})
				if err != nil {
					errs = append(errs, err)
					continue
				}
				list = append(list, v)
			}
			if len(list) == 0 && len(errs) > 0 {
				return false, errs
			}
			if l.earlier {
				for _, have := range c.Debrief.Verify {
					list = slices.DeleteFunc(list, func(v debrief.Verify) bool { return reflect.DeepEqual(v, have) })
				}
				list = slices.Concat(c.Debrief.Verify, list)
			}
			c.Debrief.Verify = list
			return true, errs
		},
	}
}

func verifyOne(n *yaml.Node, s strict) (debrief.Verify, error) {
	var v debrief.Verify
	var err error
	if n.Kind == yaml.MappingNode {
		err = s.fields(n, reflect.ValueOf(&v).Elem())
	} else {
		err = s.decode(n, reflect.ValueOf(&v.Run).Elem(), "a command")
	}
	switch {
	case err != nil:
	case strings.TrimSpace(v.Run) == "":
		err = s.errorf(n, "run is missing: the command for sh -c")
	case v.When == "always":
		v.When = ""
	case v.When != "" && v.When != debrief.WhenUnproven:
		err = s.errorf(n, "when is %q; it is always or %s", v.When, debrief.WhenUnproven)
	}
	return v, err
}

// maxAllow bounds a list of texts: every text that looks like a secret is held
// against all of those of Allow.
const maxAllow = 200

// textsOf is the codec of a list of texts; refused says why one does not count, "" where it does.
func textsOf(field func(*Config) *[]string, refused func(string) string) codec {
	return codec{
		get: func(c *Config) any { return *field(c) },
		list: func(c *Config, n *yaml.Node, l layer) (bool, []error) {
			list, err := texts(n, l)
			if err != nil {
				return false, []error{err}
			}
			var errs []error
			if len(list) > maxAllow {
				errs, list = append(errs, strict{l.lines}.errorf(n, "it has %d entries, only the first %d count", len(list), maxAllow)), list[:maxAllow]
			}
			var kept []string
			for _, x := range list {
				if why := refused(x); why != "" {
					errs = append(errs, fmt.Errorf("%q %s; it is left out", x, why))
					continue
				}
				kept = append(kept, x)
			}
			*field(c) = kept
			return true, errs
		},
	}
}

// SplitAlias splits an alias into its name and its words; false for what is none.
func SplitAlias(text string) (name, words string, ok bool) {
	name, words, _ = strings.Cut(text, "=")
	name, words = strings.TrimSpace(name), strings.TrimSpace(words)
	return name, words, aliasName.MatchString(name) && words != ""
}

var aliasName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

func noAlias(x string) string {
	if _, _, ok := SplitAlias(x); !ok {
		return "is not an alias, as in 'mine = list --open'"
	}
	return ""
}

// keepsAll refuses what redaction would keep every secret for.
func keepsAll(x string) string {
	if strings.Trim(x, "*") == "" {
		return "would keep every secret"
	}
	return ""
}

// notInProject refuses what is not a pattern of files in a project.
func notInProject(x string) string {
	if _, err := path.Match(x, ""); err != nil || strings.Contains(x, "..") || path.IsAbs(x) {
		return "is not a pattern of files below the project's folder"
	}
	return ""
}
