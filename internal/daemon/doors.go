package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/app/place"
)

// doors are the ways in.
type doors struct {
	path   string
	socket net.Listener
	tcp    net.Listener // nil: not asked for
	token  string       // "" without tcp
}

const opOpen = "open the daemon's socket"

// open opens the ways in. It is called by who has the home's lock, so a socket that
// is there is one that nobody serves any more.
func open(home, listen string) (*doors, error) {
	x := &doors{path: place.Socket(home)}
	if err := clearSocket(x.path); err != nil {
		return nil, err
	}
	var err error
	if listen != "" { // first, as it can be wrong
		if x.tcp, err = listenLoopback(listen); err != nil {
			return nil, err
		}
		if x.token, err = readToken(place.Token(home)); err != nil {
			x.close()
			return nil, err
		}
	}
	if x.socket, err = listenPrivate(x.path); err != nil {
		x.close()
		return nil, &piton.Error{Code: piton.Unavailable, Op: opOpen, Hint: "look at the folder " + home + "; another one: PITON_HOME", Err: err}
	}
	return x, nil
}

func (x *doors) close() {
	if x.socket != nil {
		x.socket.Close()
	}
	if x.tcp != nil {
		x.tcp.Close()
	}
}

// address is that on the loopback.
func (x *doors) address() string {
	if x.tcp == nil {
		return ""
	}
	return x.tcp.Addr().String()
}

// maxSocket is the longest path of a socket, in bytes: 108 on Linux and 104 on macOS,
// with a zero behind it.
const maxSocket = 103

// clearSocket makes room for the socket. What is not a socket is somebody's, and stays.
func clearSocket(path string) error {
	if len(path) > maxSocket {
		return piton.Errorf(piton.Invalid, opOpen, "choose a shorter folder: PITON_HOME", "the path of the socket has %d bytes, and systems allow %d: %s", len(path), maxSocket, path)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Mode().Type() != fs.ModeSocket:
		return piton.Errorf(piton.Conflict, opOpen, "move it away, or choose another folder: PITON_HOME", "%s is there, and is not a socket", path)
	case err == nil:
		err = os.Remove(path)
	}
	if err != nil {
		return &piton.Error{Code: piton.Unavailable, Op: opOpen, Hint: "remove it: " + path, Err: err}
	}
	return nil
}

// listenLoopback listens on an address of this machine alone.
func listenLoopback(address string) (net.Listener, error) {
	if err := installation.Loopback(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: "listen on the loopback", Hint: "choose another port, or 0 for any that is free", Err: err}
	}
	return l, nil
}
