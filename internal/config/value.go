package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// suggest names the key that was probably meant: the one whose last word is
// nearest, of several the one in the same group.
func suggest(name string) string {
	group, leaf := split(name)
	best, least := "", 0
	for _, have := range spellings() {
		g, l := split(have)
		n := slips(leaf, l)
		if n > maxSlips {
			continue
		}
		n *= 2
		if g != group {
			n++
		}
		if best == "" || n < least {
			best, least = have, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// suggestVariable does the same for the environment.
func suggestVariable(name string) string {
	for n := range maxSlips + 1 {
		for _, k := range keys {
			if slips(name, EnvName(k.name)) == n {
				return "; did you mean " + EnvName(k.name) + "?"
			}
		}
	}
	return ""
}

// spellings are all keys a file may use.
func spellings() []string {
	names := Keys()
	for _, o := range otherSpellings {
		names = append(names, o.name)
	}
	return names
}

func split(name string) (group, leaf string) {
	i := strings.LastIndex(name, ".")
	return name[:max(i, 0)], name[i+1:]
}

// maxSlips is how many letters' worth of typing a suggestion may differ in.
const maxSlips = 2

// slips counts the letters that two words differ in, as far as maxSlips.
func slips(a, b string) int {
	if max(len(a)-len(b), len(b)-len(a)) > maxSlips {
		return maxSlips + 1
	}
	a, b = strings.ReplaceAll(strings.ToLower(a), "-", "_"), strings.ToLower(b)
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := []int{i}
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row = append(row, min(prev[j]+1, row[j-1]+1, prev[j-1]+cost))
		}
		prev = row
	}
	return prev[len(b)]
}

// oneOf reads one of some values, in large or small letters.
func oneOf[S ~string](values ...S) func(string) (S, error) {
	return func(v string) (S, error) {
		var names []string
		for _, x := range values {
			if strings.EqualFold(v, string(x)) {
				return x, nil
			}
			names = append(names, string(x))
		}
		return "", fmt.Errorf("%q is none of %s", v, strings.Join(names, ", "))
	}
}

// written is a duration as a file has it: 30d, 1h30m, 0.
func written(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%(24*time.Hour) == 0:
		return strconv.FormatInt(int64(d/(24*time.Hour)), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// truth reads a yes or a no in YAML's words.
func truth(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", v)
}

// duration reads "30s", "2m", "1d" or a number of seconds.
func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil && (strings.HasSuffix(v, "d") || strings.HasSuffix(v, "w")) {
		d, err = days(v)
	}
	if err != nil {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration such as 30s or 2m", v)
		}
		d = time.Duration(n) * time.Second
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", v)
	}
	return d, nil
}
