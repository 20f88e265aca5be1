package api

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/verbs"
)

// Trailers of an export.
const (
	trailerCount   = "Piton-Checkpoints"
	trailerLeftOut = "Piton-Left-Out"
)

// transfer adds what carries checkpoints to other machines.
func (s *Server) transfer() {
	file := map[string]*huma.MediaType{fileType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	s.exchange(exchange{
		route: route{verbs.Route{Method: http.MethodGet, Path: "/v1/export", ID: "export", Says: "Export checkpoints with their states", More: "The answer is a file that import takes. The trailers Piton-Checkpoints and Piton-Left-Out count what is in it and what could not be read. Where it fails on the way, the connection is broken off."}, "store"},
		asked: reflect.TypeFor[piton.ExportRequest](), serve: s.export,
		alter: func(op *huma.Operation) {
			op.Responses["200"] = &huma.Response{Description: "the export", Content: file}
		},
	})
	s.exchange(exchange{
		route: route{verbs.Route{Method: http.MethodPost, Path: "/v1/import", ID: "import", Says: "Add the checkpoints of an export, or of another program's file", More: "The body is the file's content, of at most 1 GiB."}, "store"},
		asked: reflect.TypeFor[piton.ImportRequest](), said: reflect.TypeFor[app.Imported](), serve: s.importFile,
		alter: func(op *huma.Operation) { op.RequestBody = &huma.RequestBody{Required: true, Content: file} },
	})
}

// importFile reads the body as it comes. What could not be read is told with the answer.
func (s *Server) importFile(w http.ResponseWriter, r *http.Request, req any) error {
	var done app.Imported
	err := s.within(r.Context(), route{verbs.Route{ID: "import"}, ""}, folderOf(req), func(a *app.App) (err error) {
		done, err = a.Import(r.Context(), app.ImportRequest{ImportRequest: *req.(*piton.ImportRequest), Files: []string{"-"}, Stdin: r.Body})
		if b, ok := r.Body.(*bounded); ok && b.broken() != nil {
			err = b.broken() // whatever the importer has made of it
		}
		if done.Begun {
			return partly(done, err)
		}
		if piton.CodeOf(err) == piton.Corrupt { // what was sent is, and not the store
			err = refusal{http.StatusUnprocessableEntity, caller.AsError(err)}
		}
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", jsonType)
	return format().Marshal(w, done)
}

// export writes an export. Before anything was written, a failure is a problem; then
// the connection is broken off, so that nobody takes a part for the whole.
func (s *Server) export(w http.ResponseWriter, r *http.Request, req any) error {
	out := &late{w: w}
	var done app.Exported
	err := s.within(r.Context(), route{}, folderOf(req), func(a *app.App) (err error) {
		done, err = a.Export(r.Context(), app.ExportRequest{ExportRequest: *req.(*piton.ExportRequest), Out: out})
		return err
	})
	if err != nil && out.begun {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		return err
	}
	out.begin()
	w.Header().Set(trailerCount, strconv.Itoa(done.Checkpoints))
	w.Header().Set(trailerLeftOut, strconv.Itoa(len(done.LeftOut)))
	return nil
}

// late begins an answer with its first byte.
type late struct {
	w     http.ResponseWriter
	begun bool
}

func (l *late) begin() {
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", fileType)
		l.w.Header().Set("Trailer", trailerCount+", "+trailerLeftOut)
		l.w.WriteHeader(http.StatusOK)
	}
}

func (l *late) Write(b []byte) (int, error) {
	l.begin()
	return l.w.Write(b)
}
