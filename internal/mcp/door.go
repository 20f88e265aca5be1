package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
)

// Options say for whom a server answers. The zero value is a server in this
// process's folder, with its environment.
type Options struct {
	// App is how each call opens the application. Its Warn is not used: what stops
	// nothing is told with the answer.
	App caller.Options
	Log *slog.Logger // where a defect of a tool is written; dropped when nil
}

// maxAtOnce bounds the calls that are at work at the same time. Others wait.
const maxAtOnce = 4

// door is what the tools share.
type door struct {
	o     Options
	slots chan struct{}
	// writes lets one call write at a time: of two saves at once, the second goes
	// to the workflow that the first has begun.
	writes sync.Mutex

	tools    []*mcp.Tool
	describe func() // adds them, resources and prompts, once
}

// spec is what a tool is, apart from its arguments and answers.
type spec struct {
	name, title, about string
	always             bool // in the model's list from the start, also where clients defer tools
	reads              bool // changes nothing
	destroys           bool
	again              bool // a second call with the same arguments changes nothing more
	search             bool // needs the search index
	textOnly           bool // answers with a text, and not with JSON beside it
}

// call is one call of a tool: the application it uses, and who calls.
type call struct {
	*app.App
	from caller.Sender
}

// within runs do with an application of its own: one caller at a time uses one,
// and settings and store are those of the moment. A panic is an Internal error.
func (d *door) within(ctx context.Context, from caller.Sender, t spec, do func(call) error) (notes []string, err error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return nil, &piton.Error{Code: piton.Unavailable, Err: ctx.Err()}
	}
	if !t.reads {
		d.writes.Lock()
		defer d.writes.Unlock()
	}
	o := d.o.App
	o.Search, o.Model, o.Strict = t.search, true, true
	o.Dir = cmp.Or(folderOf(ctx), o.Dir)
	o.Warn = func(e *piton.Error) {
		if e.Code == piton.Corrupt {
			notes = append(notes, told(e))
		}
	}
	a := app.New(o)
	defer a.Close()
	defer func() {
		if defect := recover(); defect != nil {
			if d.o.Log != nil {
				d.o.Log.ErrorContext(ctx, "a tool failed", "err", defect, "stack", string(debug.Stack()))
			}
			err = piton.Errorf(piton.Internal, "", "this is a defect of Piton; other calls are not affected", "the tool failed: %v", defect)
		}
	}()
	err = do(call{App: a, from: from})
	return notes, err
}

// session is the session that a call belongs to: the one it names, else the one
// that is found. found tells which; "" where there is none.
func (c call) session(ctx context.Context, given string) (id string, found bool, err error) {
	if given != "" {
		return given, false, nil
	}
	id, err = c.SessionOf(ctx, c.from)
	return id, id != "", err
}

// folderKey is under which the context of a call has the folder of its caller.
type folderKey struct{}

// folderOf is the folder of a call's caller; "" where it is not known.
func folderOf(ctx context.Context) string {
	dir, _ := ctx.Value(folderKey{}).(string)
	return dir
}
