//go:build !unix

package postgres

import "net"

// stirred cannot look here: every connection is asked before it is used.
func stirred(net.Conn) bool { return true }
