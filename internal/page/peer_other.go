//go:build !linux

package page

// sameUser is not known here: a ticket counts once, so who finds it used knows.
func sameUser(_, _ string) bool { return true }
