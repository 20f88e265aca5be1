//go:build !unix

package daemon

import "net"

// listenPrivate listens on a socket in the home, which is for this user alone.
func listenPrivate(path string) (net.Listener, error) { return net.Listen("unix", path) }
