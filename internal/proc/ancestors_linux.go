package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Ancestors are the processes above us, our parent first, as far up as the system lets us see.
func Ancestors() []Ancestor { return ancestors(os.Getppid(), readProcess) }

func readProcess(pid int) (process, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	b, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return process{}, false
	}
	p, ok := parseParent(b)
	p.argv, p.env = list(dir+"/cmdline"), list(dir+"/environ")
	return p, ok
}

// list reads texts that end in zero bytes.
func list(file string) []string {
	b, err := os.ReadFile(file)
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
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
