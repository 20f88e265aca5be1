package proc

import (
	"os"
	"strconv"
)

// processes are all that can be seen.
func processes() []Node {
	entries, _ := os.ReadDir("/proc")
	var all []Node
	boot, space := boot(), space()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		st, err := readStatus(pid)
		if err != nil {
			continue
		}
		all = append(all, Node{Identity: Identity{PID: pid, Start: st.start, Boot: boot, Space: space}, Parent: st.parent, Name: st.name, Argv: list("/proc/" + e.Name() + "/cmdline"), Foreground: st.front, ended: st.ended})
	}
	return all
}
