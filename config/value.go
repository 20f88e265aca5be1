package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// suggest names the key that was probably meant.
func suggest(name string) string {
	leaf := name[strings.LastIndex(name, ".")+1:]
	for _, k := range keys {
		if have := k.name[strings.LastIndex(k.name, ".")+1:]; near(leaf, have) {
			return "; did you mean " + k.name + "?"
		}
	}
	return ""
}

// near tells whether two words differ in at most two letters' worth of typing.
func near(a, b string) bool {
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
	return prev[len(b)] <= 2
}

func oneOf(field func(*Config) *string, values ...string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for _, x := range values {
			if strings.EqualFold(v, x) {
				*field(c) = x
				return nil
			}
		}
		return fmt.Errorf("%q is none of %s", v, strings.Join(values, ", "))
	}
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

// duration reads "30s", "2m" or a number of seconds.
func duration(v string, old time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil {
		n, err2 := strconv.ParseInt(v, 10, 32)
		if err2 != nil {
			return old, fmt.Errorf("%q is no duration such as 30s or 2m", v)
		}
		d = time.Duration(n) * time.Second
	}
	if d < 0 {
		return old, fmt.Errorf("%q is negative", v)
	}
	return d, nil
}
