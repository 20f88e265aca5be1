package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/semaphore"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/verbs"
)

// Bounds of the verbs that are at work at the same time, and of how long one waits for
// its turn.
const (
	maxAtOnce    = 8
	slotPatience = 30 * time.Second
)

// route is an operation of the document.
type route struct {
	verbs.Route
	tag string
}

// operation describes a route. Its body has been received, within its bounds, before
// huma reads it.
func (r route) operation() huma.Operation {
	op := huma.Operation{
		Method: r.Method, Path: r.Path, OperationID: r.ID, Tags: []string{r.tag}, Summary: r.Says, Description: strings.TrimSuffix(r.Says+". "+r.More, " "),
		SkipValidateBody: true, MaxBodyBytes: -1, BodyReadTimeout: -1, Responses: map[string]*huma.Response{"default": problemResponse("Any other failure")},
	}
	op.DefaultStatus, op.Hidden = r.Status, r.Hidden
	fail(&op, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusInternalServerError)
	if r.Path != pathHealth {
		fail(&op, http.StatusUnauthorized, http.StatusServiceUnavailable)
	}
	// What comes with a GET is refused, but only once it has come.
	fail(&op, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	return op
}

// within runs do with an application for a caller that works in a folder.
func (s *Server) within(ctx context.Context, r route, folder string, do func(*app.App) error) error {
	if via, _ := ctx.Value(viaKey{}).(Via); r.Local && via == TCP {
		return refuse(http.StatusForbidden, "use the socket, or the command line", "this is not done over TCP")
	}
	if folder != "" && !filepath.IsAbs(folder) {
		return piton.Errorf(piton.Invalid, "", "give the whole path of a folder: 'project DIR'", "%q is not a whole path", folder)
	}
	if r.Bare {
		return do(nil)
	}
	free, err := place(ctx, s.slots, 1, "requests are at work")
	if err != nil {
		return err
	}
	defer free()
	a := s.app(folder, r.Search)
	defer a.Close()
	return do(a)
}

// app is an application for a caller that works in a folder; "" for one that names
// none.
func (s *Server) app(folder string, search bool) *app.App {
	o := s.o.App
	o.Dir, o.Search = folder, search
	o.Log = cmp.Or(o.Log, s.o.Log)
	o.Warn = func(e *piton.Error) {
		level := slog.LevelDebug // of the settings, which every request reads
		if e.Code == piton.Corrupt {
			level = slog.LevelWarn
		}
		s.o.Log.Log(context.Background(), level, "a request was answered with a warning", "err", e)
	}
	return app.New(o)
}

// place waits for n of what many share. A caller who has left meanwhile is not told
// that too many are there.
func place(ctx context.Context, of *semaphore.Weighted, n int64, many string) (free func(), err error) {
	patient, cancel := context.WithTimeout(ctx, slotPatience)
	defer cancel()
	if of.Acquire(patient, n) == nil {
		return func() { of.Release(n) }, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, piton.Errorf(piton.Unavailable, "", "try again in a moment", "too many %s", many)
}

// partly is a failure after something was done: the answer so far goes with it.
func partly(done any, err error) error {
	if err == nil {
		return nil
	}
	p := problemOf(err, "")
	p.Done = done
	return p
}
