package agent

// Process identifies a process beyond the reuse of its number. The zero
// Process is unknown.
type Process struct {
	PID   int
	Start string // in the kernel's own clock
	Boot  string // boot id
	Space string // pid namespace
}
