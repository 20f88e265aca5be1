package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processes reads /proc.
func processes() func(pid int) (process, bool) {
	return func(pid int) (process, bool) {
		dir := "/proc/" + strconv.Itoa(pid)
		b, err := os.ReadFile(dir + "/stat")
		if err != nil {
			return process{}, false
		}
		p, ok := parseParent(b)
		if line, err := os.ReadFile(dir + "/cmdline"); err == nil && len(line) > 0 {
			p.argv = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		}
		return p, ok
	}
}

// parseParent reads "pid (name) state parent ..."; the name may hold anything.
func parseParent(b []byte) (process, bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 2 {
		return process{}, false
	}
	parent, err := strconv.Atoi(f[1])
	return process{parent: parent, name: string(b[open+1 : end])}, err == nil
}
