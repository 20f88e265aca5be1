package api

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
)

type exporting struct {
	Filter
	All   bool `query:"all" doc:"all projects"`
	Lines bool `query:"lines" doc:"plain JSON lines, not compressed"`
}

// exported is an export as it is written: what could not be read is counted in the
// trailers.
type exported struct {
	Type string `header:"Content-Type" hidden:"true"`
	Body func(huma.Context)
}

// content is a body that is read as it comes. What was left out of an export, and what
// an import could not read, is told with the answer.
type content struct {
	InFolder
	in io.Reader
}

// broken is why the body could not be read to its end.
func (c *content) broken() error {
	if b, ok := c.in.(*bounded); ok {
		return b.broken()
	}
	return nil
}

// Resolve implements huma.Resolver.
func (c *content) Resolve(ctx huma.Context) []error {
	c.in = ctx.BodyReader()
	return nil
}

// Trailers of an export.
const (
	trailerCount   = "Piton-Checkpoints"
	trailerLeftOut = "Piton-Left-Out"
)

// transfer adds what carries checkpoints to other machines.
func (s *Server) transfer() {
	binary := func(kind string) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{kind: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	}
	get := route{method: http.MethodGet, path: "/v1/export", id: "export", tag: "store", says: "Export checkpoints with their states", more: "The answer is a file that import takes. The trailers Piton-Checkpoints and Piton-Left-Out count what is in it and what could not be read. Where it fails on the way, the connection is broken off."}
	op := get.operation()
	op.Responses["200"] = &huma.Response{Description: "the export", Content: binary("application/octet-stream")}
	huma.Register(s.api, op, func(ctx context.Context, in *exporting) (*exported, error) {
		q, err := in.read()
		if err != nil {
			return nil, problemOf(err, get.id)
		}
		return &exported{Type: "application/octet-stream", Body: func(hc huma.Context) { s.export(ctx, hc, in, q) }}, nil
	})
	post := route{method: http.MethodPost, path: "/v1/import", id: "import", tag: "store", says: "Add the checkpoints of an export, or of another program's file", more: "The body is the file's content, of at most 1 GiB."}
	op = post.operation()
	op.RequestBody = &huma.RequestBody{Required: true, Content: binary("application/octet-stream")}
	huma.Register(s.api, op, func(ctx context.Context, in *content) (*answer[app.Imported], error) {
		var out answer[app.Imported]
		err := s.within(ctx, post, in.Project, func(a *app.App) (err error) {
			out.Body, err = a.Import(ctx, app.ImportRequest{Files: []string{"-"}, Stdin: in.in, Dir: in.Project, Progress: silently})
			if broken := in.broken(); broken != nil {
				err = broken // whatever the importer has made of it
			}
			if out.Body.Begun {
				err = partly(out.Body, err)
			} else if piton.CodeOf(err) == piton.Corrupt { // what was sent is, and not the store
				err = refusal{http.StatusUnprocessableEntity, app.AsError(err)}
			}
			return err
		})
		if err != nil {
			return nil, problemOf(err, post.id)
		}
		return &out, nil
	})
}

// export writes an export. Before anything was written, a failure is a problem; then
// the connection is broken off, so that nobody takes a part for the whole.
func (s *Server) export(ctx context.Context, hc huma.Context, in *exporting, q app.Filter) {
	w := &late{hc: hc}
	var done app.Exported
	err := s.within(ctx, route{}, in.Project, func(a *app.App) (err error) {
		done, err = a.Export(ctx, app.ExportRequest{Filter: q, All: in.All, Out: w, Lines: in.Lines})
		return err
	})
	switch {
	case err != nil && w.begun:
		panic(http.ErrAbortHandler)
	case err != nil:
		p := problemOf(err, "export")
		hc.SetHeader("Content-Type", problemType)
		hc.SetStatus(p.Status)
		_ = format().Marshal(hc.BodyWriter(), p)
	default:
		w.begin()
		hc.SetHeader(trailerCount, strconv.Itoa(done.Checkpoints))
		hc.SetHeader(trailerLeftOut, strconv.Itoa(len(done.LeftOut)))
	}
}

// late begins an answer with its first byte.
type late struct {
	hc    huma.Context
	begun bool
}

func (l *late) begin() {
	if !l.begun {
		l.begun = true
		l.hc.SetHeader("Trailer", trailerCount+", "+trailerLeftOut)
		l.hc.SetStatus(http.StatusOK)
	}
}

func (l *late) Write(b []byte) (int, error) {
	l.begin()
	return l.hc.BodyWriter().Write(b)
}
