package proc

// Node is a process in a tree of them.
type Node struct {
	Identity
	Parent int
	Name   string   // the program's own name of itself, as the system keeps it
	Argv   []string // what it was started with; empty where that cannot be read
	// Foreground: it is in the group that its terminal's keys go to.
	Foreground bool
	ended      bool
}
