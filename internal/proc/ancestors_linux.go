package proc

import (
	"os"
	"strconv"
	"strings"
)

// Ancestors are the processes above us, our parent first, as far up as the system lets us see.
func Ancestors() []Ancestor { return ancestors(os.Getppid(), readProcess) }

func readProcess(pid int) (process, bool) {
	st, err := readStatus(pid)
	if err != nil {
		return process{}, false
	}
	dir := "/proc/" + strconv.Itoa(pid)
	return process{parent: st.parent, name: st.name, argv: list(dir + "/cmdline"), env: list(dir + "/environ")}, true
}

// list reads texts that end in zero bytes.
func list(file string) []string {
	b, err := os.ReadFile(file)
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// Getenv is a variable that another process was started with; "" where that cannot be
// seen.
func Getenv(pid int, name string) string {
	return Ancestor{Env: Environ(pid)}.Getenv(name)
}

// Environ are the variables that another process was started with; none where they
// cannot be seen.
func Environ(pid int) []string {
	if pid <= 0 {
		return nil
	}
	return list("/proc/" + strconv.Itoa(pid) + "/environ")
}
