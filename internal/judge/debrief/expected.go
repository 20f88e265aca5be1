package debrief

import (
	"slices"
	"strings"
)

func (c *call) isExpected() bool {
	if c.expected == nil {
		is := c.findExpected()
		c.expected = &is
	}
	return *c.expected
}

// findExpected tells failures that are answers, or that left nothing behind: a
// search without a hit, a look at what is not there, a program that is not
// installed, a line typed wrong, a limit that struck.
func (c *call) findExpected() bool {
	status := 1
	if c.ExitCode != nil {
		status = *c.ExitCode
	}
	if slices.Contains([]int{124, 127, 130, 141, 143}, status) || unavailable(c.Output()) || misused(c.Output()) {
		return true
	}
	suspects := c.suspects()
	if len(suspects) == 0 {
		return len(c.commands) == 0 || c.failureMark() == ""
	}
	denied := mentions(c.Output(), "permission denied", "no such file")
	kind, _ := nameError(c.Output(), false)
	quiet := kind == "error" && c.failureMark() == ""
	taken := mentions(c.Output(), "address already in use", "eaddrinuse") // it runs already
	looks := true
	for _, cmd := range suspects {
		n := cmd.look()
		one := status == 1 || status == 123 && strings.Contains(c.Command, "xargs") // as xargs has it
		answers := n.asks && one && !denied || n.probes || cmd.DryRun()
		if answers && quiet || n.inline && (kind == "import error" || quiet && told(c.Output()) == "") {
			return true
		}
		looks = looks && (n.looks || n.calls || answers || taken && n.tests == 0 || cmd.idle(c.Output()))
	}
	return looks
}
