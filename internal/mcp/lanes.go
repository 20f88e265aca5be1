package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lanes are the two sessions of the SDK's that serve one client. Requests of
// protocol 2026-07-28 name it in their _meta and need no handshake; earlier clients
// begin with initialize. A client may try the first and then do the second, and in
// one session of the SDK's that initialize is refused as a duplicate. So each
// generation has a session of its own, made at its first message.
type lanes struct {
	server           *mcp.Server
	wire             *wire
	stateless, older *lane
	greeted          bool // initialize was read
}

// lane is the transport and the connection of one session.
type lane struct {
	wire    *wire
	in      chan jsonrpc.Message
	ended   chan struct{} // no message comes any more
	closed  chan struct{}
	once    sync.Once
	session *mcp.ServerSession
}

// take hands a line to the session that it belongs to. What is not a message is
// answered with an error. An error means that nothing more can be served.
func (l *lanes) take(ctx context.Context, line []byte, err error) error {
	line = bytes.TrimSpace(line)
	if err == nil && len(line) == 0 {
		return nil
	}
	var msg jsonrpc.Message
	switch {
	case err != nil:
	case line[0] == '[' && json.Valid(line):
		err = errors.New("batches are not supported: send each message on a line of its own")
	default:
		if msg, err = jsonrpc.DecodeMessage(line); err != nil {
			err = errors.New("the line is not a message of JSON-RPC 2.0")
		}
	}
	if err != nil {
		return l.wire.refuse(line, err)
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil // an answer, and this server asks nothing
	}
	switch {
	case req.IsCall() && !exact(req.ID, line):
		return l.wire.refuse(line, errors.New("the id is a number with a fraction, or beyond 2^53: give a whole one, or a string"))
	case req.IsCall() && strings.HasPrefix(req.Method, notifications):
		return l.wire.refuse(line, errors.New("a notification has no id"))
	case req.IsCall() && req.Method != methodListen:
		l.wire.drain(ctx, maxPending, 0)
		if l.leans(req) {
			l.wire.drain(ctx, 0, discoverLimit)
		}
		if !l.wire.asked(req.ID) { // the SDK would not answer it
			return l.wire.refuse(line, errors.New("the id is that of a request without an answer yet"))
		}
	}
	for _, to := range l.of(req) {
		if err := to.put(ctx, req); err != nil {
			return err
		}
	}
	return nil
}

// firstStateless is the first version of the protocol without a handshake.
const firstStateless = "2026-07-28"

const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodListen     = "subscriptions/listen" // its answer is the end of what it subscribes to
	notifications    = "notifications/"
	methodCancelled  = notifications + "cancelled"
)

// of are the sessions that a message is for. What does not name its protocol
// belongs to the earlier generation once that has begun; before, the SDK serves it
// in the session that a discover has opened.
func (l *lanes) of(req *jsonrpc.Request) []*lane {
	switch {
	case req.IsCall() && namesProtocol(req.Params):
		return []*lane{l.open(&l.stateless)}
	case req.Method == methodCancelled:
		return slices.DeleteFunc([]*lane{l.stateless, l.older}, func(x *lane) bool { return x == nil })
	case req.Method == methodInitialize:
		l.greeted = true
	case l.leans(req):
		return []*lane{l.stateless}
	}
	return []*lane{l.open(&l.older)}
}

// leans reports whether a message leans on a discover before it: the SDK serves it
// only once that one is answered, and refuses it while it is at work.
func (l *lanes) leans(req *jsonrpc.Request) bool {
	begins := req.Method == methodInitialize || req.Method == methodDiscover
	return l.stateless != nil && !l.greeted && !begins && !namesProtocol(req.Params)
}

// discoverLimit is how long a message waits for the discover that it leans on.
const discoverLimit = 10 * time.Second

// namesProtocol tells whether a request carries its protocol with it.
func namesProtocol(params json.RawMessage) bool {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if !bytes.Contains(params, []byte(mcp.MetaKeyProtocolVersion)) || json.Unmarshal(params, &p) != nil {
		return false
	}
	var version string
	return json.Unmarshal(p.Meta[mcp.MetaKeyProtocolVersion], &version) == nil && version >= firstStateless
}

// open begins a session where it has not begun.
func (l *lanes) open(x **lane) *lane {
	if *x == nil {
		*x = &lane{wire: l.wire, in: make(chan jsonrpc.Message), ended: make(chan struct{}), closed: make(chan struct{})}
		// The session lives until its input ends, also when the one who waits for the
		// server is told to stop: what is at work then is finished.
		(*x).session, _ = l.server.Connect(context.Background(), *x, nil)
	}
	return *x
}

// close ends the sessions.
func (l *lanes) close() {
	for _, x := range []*lane{l.stateless, l.older} {
		if x != nil && x.session != nil {
			close(x.ended)
			_ = x.session.Wait()
		}
	}
}

func (x *lane) put(ctx context.Context, msg jsonrpc.Message) error {
	select {
	case x.in <- msg:
		return nil
	case <-x.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Connect implements mcp.Transport: the lane is its own connection.
func (x *lane) Connect(context.Context) (mcp.Connection, error) { return x, nil }

// SessionID implements mcp.Connection.
func (x *lane) SessionID() string { return "" }

// Read returns the next message.
func (x *lane) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-x.in:
		return msg, nil
	case <-x.ended:
	case <-x.closed:
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// Write writes a message. That a list has changed is not passed on: the SDK says so when
// the tools are added, which is after the first answer, and they never change.
func (x *lane) Write(_ context.Context, msg jsonrpc.Message) error {
	if told, ok := msg.(*jsonrpc.Request); ok && strings.HasSuffix(told.Method, "/list_changed") {
		return nil
	}
	return x.wire.write(msg)
}

// Close ends the connection.
func (x *lane) Close() error {
	x.once.Do(func() { close(x.closed) })
	return nil
}
